"""What a grade rests on, as a digest: a second run grades what has another one."""

import functools
import hashlib
from pathlib import Path

from grader.bounds import Bounds
from utils.course import ROOT

JUDGES = (
    *("judge/checking", "judge/running", "utils/gpt", "utils/config.py", "utils/reference_model"),
    *("grader/judging.py", "grader/lending.py", "grader/sandbox", "grader/submissions"),
    *("grader/given.py", "grader/restoring.py", "utils/learner/collecting.py"),
    *("utils/learner/statements.py", "tests/expected", "tests/given"),
)


def basis_of(submission: str, stem: str, seed: int, bounds: Bounds) -> str:
    """Of one chapter of a submission whose content has this digest: that, and all that judges it.

    The other chapters are part of it: an answer is judged with its author's own parts too.
    """
    return _digest(submission, _of_the_course(stem), seed, bounds)


@functools.cache
def _of_the_course(stem: str) -> str:
    """What judges a chapter: its tests, its solution and those that it builds on, the engine, the reference model."""
    places = [*JUDGES, f"tests/misconceptions/{stem}", *_up_to(stem)]
    files = sorted({file for place in places for file in _files(ROOT / place)})
    return _digest(*((file.relative_to(ROOT).as_posix(), _digest(file.read_bytes())) for file in files))


def _digest(*values: object) -> str:
    total = hashlib.sha256()
    for one in values:
        total.update(one if isinstance(one, bytes) else repr(one).encode())
    return total.hexdigest()


def _up_to(stem: str) -> list[str]:
    """The tests and solutions of the chapters up to this one."""
    found = [*(ROOT / "tests").glob("ch*.py"), *(ROOT / "solutions").glob("ch*.ipynb")]
    return [path.relative_to(ROOT).as_posix() for path in found if path.stem <= stem]


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return [file for file in place.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
