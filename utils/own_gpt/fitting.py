"""The threads where the reference model is at work: in a chapter's notebook, and while exercises are verified."""

import contextlib
import json
import os
from pathlib import Path

from utils.course import ROOT
from utils.own_gpt.threads import CHOSEN, WIDE, fit_threads

OF_NUMPY = "OPENBLAS_NUM_THREADS"  # read once, when NumPy is imported


def fit_threads_to_reference() -> None:
    """One thread where COURSE_REFERENCE names a small model, as the bundled one is: for torch and NumPy alike.

    This imports torch, which the next cell would do else. That torch is missing is for that cell to say.
    """
    width = _width(os.environ.get("COURSE_REFERENCE") or "bundled")
    if width < WIDE and not any(map(os.environ.get, CHOSEN)):
        os.environ.setdefault(OF_NUMPY, "1")
    with contextlib.suppress(ImportError):
        fit_threads(width)


def _width(name: str) -> int:
    """d_model of the model of that name, from its folder; for one that has none, gpt2 or a mistake, GPT-2 small's."""
    folder = ROOT / "utils" / "reference_model" if name == "bundled" else Path(name).expanduser()
    try:
        return int(json.loads((folder / "config.json").read_text(encoding="utf-8"))["n_embd"])
    except (OSError, ValueError, KeyError, TypeError):
        return WIDE
