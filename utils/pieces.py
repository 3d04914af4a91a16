"""The learner's own components, put together again: those kept in my_gpt/, and the reference solutions for the rest."""

import importlib
from typing import Any

from utils.course import ExerciseInfo, all_exercises
from utils.learner.alone import module_in
from utils.learner.keeping import kept_path


def pieces(*symbols: str) -> list[Any]:
    """The components of these names, in this order: the learner's own where one is kept, else the reference solution.

    Prints which are whose. What is kept but can no longer be run is borrowed too, and the line says why.
    Raises LookupError for a name that no exercise of the course has.
    """
    known = {exercise.symbol: exercise for exercise in all_exercises()}
    unknown = [symbol for symbol in symbols if symbol not in known]
    if unknown:
        raise LookupError(f"no exercise is called {', '.join(unknown)}; there are {', '.join(known)}")
    own, borrowed, found = [], [], []
    for exercise in map(known.__getitem__, symbols):
        component, problem = _own(exercise)
        whose = borrowed if component is None else own
        whose.append(exercise.symbol + problem)
        found.append(component or _solution(exercise))
    if own:
        print("yours:", ", ".join(own))
    if borrowed:
        print("from the reference solutions:", ", ".join(borrowed))
    return found


def _solution(exercise: ExerciseInfo) -> Any:
    chapter = importlib.import_module(f"solutions.{exercise.stem}")
    return getattr(chapter, exercise.symbol)


def _own(exercise: ExerciseInfo) -> tuple[Any, str]:
    """The learner's component, or None and what is wrong with it."""
    path = kept_path(exercise)
    if not path.is_file():
        return None, ""
    try:
        return getattr(module_in(path), exercise.symbol), ""
    except (Exception, SystemExit) as error:
        return None, f" (my_gpt/{path.name} stops with {type(error).__name__}: {error})"
