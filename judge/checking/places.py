"""Where an author made a mistake: the line of their own file, and the name that they may have meant."""

import contextlib
import dataclasses
import inspect
import os
from pathlib import Path

from judge.errors import CourseError
from judge.running.spelling import nearest

_OWN = str(Path(__file__).parent) + os.sep
# `with line`, replace, __init__
_IN_BETWEEN = (_OWN, contextlib.__file__, dataclasses.__file__, "<string>")


@dataclasses.dataclass(frozen=True)
class Place:
    """A line of an author's file."""

    path: Path
    line: int

    def mistake(self, message: str) -> CourseError:
        return CourseError.at(self.path, self.line, message)


def calling_place() -> Place:
    """The line outside judge.checking from which this was called; a helper of the author's own is outside."""
    frame = inspect.currentframe()
    assert frame, "CPython has one"
    while frame.f_back and frame.f_code.co_filename.startswith(_IN_BETWEEN):
        frame = frame.f_back
    return Place(Path(frame.f_code.co_filename), frame.f_lineno)


def did_you_mean(word: str, known: list[str]) -> str:
    """The end of a sentence about a word that is not known: `; did you mean 'd_model'?`, or a full stop."""
    meant = nearest(word, known, guess=True)
    return f"; did you mean {meant!r}?" if meant else "."
