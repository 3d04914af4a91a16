"""The runner that drives code in this process: it reports a Record, and leaves nothing behind but that."""

import contextlib
import io
import os
import random
import sysconfig
import traceback
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from utils.running.kinds import kind_of
from utils.running.records import Frame, LearnerError, Question, Record, Unchanged, plain
from utils.running.suggesting import meant

MOST_OF_A_MESSAGE, MOST_PRINTED = 10_000, 100_000  # characters that a record takes along


class LocalRunner:
    """Asks in this process. Anything that can `ask` may stand in its place: see utils.checking.asking."""

    def ask(self, component: Any, question: Question) -> Record:
        """Drive the component as the question says. Never raises for what the component does: see `Record.error`."""
        content: dict[str, Any] = {}
        with _observed(content, question.seed):
            seen = kind_of(question).drive(component, *question.args, **question.options)
            for name in ("outputs", "inputs_after", "input_grads"):
                content[name] = [
                    value if isinstance(value, Unchanged) else plain(value) for value in getattr(seen, name)
                ]
            for name in ("grads", "parameters"):
                content[name] = {key: plain(value) for key, value in getattr(seen, name).items()}
        return Record(**content)


@contextlib.contextmanager
def seeded(seed: int) -> Generator[None]:
    """Within the block torch, `random` and NumPy draw from this seed; afterwards they go on as if nothing had been."""
    state = torch.get_rng_state(), random.getstate(), np.random.get_state()
    torch.default_generator.manual_seed(seed)  # torch.manual_seed also notes, slowly, who asked it to seed the GPU
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        torch.set_rng_state(state[0])
        random.setstate(state[1])
        np.random.set_state(state[2])


@contextlib.contextmanager
def _observed(content: dict[str, Any], seed: int) -> Generator[None]:
    """Collect what the code prints and the error that it ends with; nothing ambient comes in or stays."""
    printed, dtype = io.StringIO(), torch.get_default_dtype()
    try:
        with (
            seeded(seed),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            warnings.catch_warnings(),
            torch.enable_grad(),
        ):
            warnings.simplefilter("ignore")
            yield
    except (Exception, SystemExit) as error:
        content.clear()
        content["error"] = LearnerError(
            type(error).__name__, _message(error), own_frames(error), _bases(error), _writable(meant(error))
        )
    finally:
        torch.set_default_dtype(dtype)
        content["printed"] = _writable(printed.getvalue()[-MOST_PRINTED:])


def _bases(error: BaseException) -> list[str]:
    """Python's own types that a type of error made elsewhere is a kind of."""
    own, *others = type(error).__mro__
    if own.__module__ == "builtins":
        return []
    return [one.__name__ for one in others if issubclass(one, Exception) and one.__module__ == "builtins"]


def _message(error: BaseException) -> str:
    try:
        return _writable(str(error)[:MOST_OF_A_MESSAGE])
    except Exception as another:
        return f"its message can't be read: __str__ raised {type(another).__name__}"


def _writable(text: str) -> str:
    """The text without halves of characters, which neither a file nor a notebook can hold."""
    return text.encode("utf-8", "backslashreplace").decode()


_PYTHON = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_LIBRARIES = {"site-packages", "dist-packages"}  # wherever these are: a user's own, or another environment's
_COURSE = str(Path(__file__).parent.parent) + os.sep


def own_frames(error: BaseException) -> list[Frame]:
    """The frames of an error that lie neither in the course's `utils` nor in a library: the learner's own.

    Of a long chain, such as a recursion without an end, the first and the last few.
    """
    frames: list[Frame] = []
    for entry in traceback.extract_tb(error.__traceback__):
        if entry.filename.startswith((_COURSE, *_PYTHON, "<frozen")) or _LIBRARIES & {*Path(entry.filename).parts}:
            continue
        frames.append(Frame(_where(entry.filename), entry.lineno or 0, entry.name, (entry.line or "").strip()))
    return frames if len(frames) <= 6 else [*frames[:3], *frames[-3:]]


def _where(filename: str) -> str:
    """How a reader would call the file: their cell, or its name."""
    in_a_cell = "ipykernel" in filename or filename.startswith("<")
    return "your cell" if in_a_cell else Path(filename).name
