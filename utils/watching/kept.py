"""What a run's checkpoint says of the run: the step that it holds, and the entries until then."""

import pickle
from dataclasses import dataclass, field
from pathlib import Path

# Errors of a file that is no checkpoint; `train` says what is to be done with such a one.
UNREADABLE = (RuntimeError, pickle.PickleError, EOFError, OSError, KeyError, TypeError, ValueError)


@dataclass(frozen=True)
class Kept:
    """A run that has not begun, unless a checkpoint says otherwise."""

    step: int = 0
    history: list[dict[str, float]] = field(default_factory=list)


def read_kept(checkpoint: Path | None) -> Kept:
    """What is kept there; a run that has not begun where nothing is, or nothing that can be read."""
    if checkpoint is None or not Path(checkpoint).is_file():
        return Kept()
    import torch

    try:
        run = torch.load(checkpoint, weights_only=True, mmap=True)
        return Kept(int(run["step"]), [dict(entry) for entry in run["history"]])
    except UNREADABLE:
        return Kept()
