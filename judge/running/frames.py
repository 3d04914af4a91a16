"""The learner's own frames: of an error, and of what runs right now."""

import linecache
import os
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from judge.running.records import Frame

_PYTHON = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_LIBRARIES = {"site-packages", "dist-packages"}  # wherever these are: a user's own, or another environment's
_OURS = [str(Path(__file__).parents[1]) + os.sep]  # the judge, and what a course has said is its own


def add_course(folder: Path) -> None:
    """A course tells the judge that what lies in this folder is no learner's."""
    _OURS.append(str(folder) + os.sep)


def own_frames(error: BaseException) -> list[Frame]:
    """The frames of an error that lie in no folder of the judge's, the course's or a library's: the learner's own.

    Of a long chain, such as a recursion without an end, the first and the last few.
    """
    entries = [one for one in traceback.extract_tb(error.__traceback__) if is_own(one.filename)]
    return _few([Frame(_where(one.filename), one.lineno or 0, one.name, (one.line or "").strip()) for one in entries])


def told(running: list[tuple[FrameType, int]]) -> list[Frame]:
    """Frames that run, each at a line of its file, as a card shows them."""
    return _few([_told(frame, line) for frame, line in running])


def own_running(frame: FrameType) -> list[FrameType]:
    """The learner's own frames that lead to this one, innermost last."""
    own = [one for one in _outwards(frame) if is_own(one.f_code.co_filename)]
    return own[::-1]


def is_own(filename: str) -> bool:
    """Whether a file is the learner's: neither the course's nor a library's."""
    if filename.startswith((*_OURS, *_PYTHON, "<frozen")):
        return False
    return not _LIBRARIES & {*Path(filename).parts}


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """From this frame to the one that asks; whoever asked that one is not looked at."""
    while frame and frame.f_code.co_filename != __file__.replace("frames.py", "local.py"):
        yield frame
        frame = frame.f_back


def _told(frame: FrameType, line: int) -> Frame:
    file = frame.f_code.co_filename
    return Frame(_where(file), line, frame.f_code.co_name, linecache.getline(file, line).strip())


def line_of(frame: FrameType) -> int:
    """Where a frame is; 0 at an instruction that Python has put there itself, which belongs to no line."""
    return frame.f_lineno or 0


def _few(frames: list[Frame]) -> list[Frame]:
    return frames if len(frames) <= 6 else [*frames[:3], *frames[-3:]]


def _where(filename: str) -> str:
    """How a reader would call the file: their cell, or its name."""
    in_a_cell = "ipykernel" in filename or filename.startswith("<")
    return "your cell" if in_a_cell else Path(filename).name
