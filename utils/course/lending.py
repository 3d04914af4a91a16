"""Borrows the reference solutions, if they are here: a course may be handed out without them."""

import importlib
import importlib.util
from collections.abc import Iterable
from types import ModuleType

from utils.course import CourseError, ExerciseInfo


class NothingToLend(CourseError):
    """Parts that somebody has yet to write, where nobody can lend them."""

    def __init__(self, missing: Iterable[ExerciseInfo]):
        named = [f"{one.symbol} (chapters/{one.stem}.ipynb)" for one in missing]
        without = "This course was handed out without its solutions, so nothing can be lent."
        super().__init__(f"{without} Yours to write first: {', '.join(named)}.")

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in place of a traceback."""
        return [str(self)]


def has_solutions(stem: str = "") -> bool:
    """Whether there are any, or those of this chapter."""
    if importlib.util.find_spec("solutions") is None:
        return False
    return not stem or importlib.util.find_spec(f"solutions.{stem}") is not None


def solutions_of(stem: str) -> ModuleType:
    """The module with a chapter's reference solutions. It is imported by its name, for it is built on all of utils/."""
    return importlib.import_module(f"solutions.{stem}")
