"""The learner's own components, put together again: those kept in my_gpt/, and the reference solutions for the rest."""

import importlib
import importlib.util
from typing import Any

from utils.course import ExerciseInfo, exercises, stems
from utils.learner.keeping import kept_path


def pieces(*symbols: str) -> list[Any]:
    """The components of these names, in this order: the learner's own where one is kept, else the reference solution.

    Prints which are whose. What is kept but can no longer be run is borrowed too, and the line says why.
    Raises LookupError for a name that no exercise of the course has.
    """
    known = {exercise.symbol: exercise for stem in stems() for exercise in exercises(stem)}
    if unknown := [symbol for symbol in symbols if symbol not in known]:
        raise LookupError(f"no exercise is called {', '.join(unknown)}; there are {', '.join(known)}")
    found, notes = [], {"yours": list[str](), "from the reference solutions": list[str]()}
    for symbol in symbols:
        component, problem = _own(known[symbol])
        whose = "from the reference solutions" if component is None else "yours"
        notes[whose].append(symbol + problem)
        found.append(component or getattr(importlib.import_module(f"solutions.{known[symbol].stem}"), symbol))
    print("\n".join(f"{whose}: {', '.join(names)}" for whose, names in notes.items() if names))
    return found


def _own(exercise: ExerciseInfo) -> tuple[Any, str]:
    """The learner's component, or None and what is wrong with it."""
    path = kept_path(exercise)
    if not path.is_file():
        return None, ""
    spec = importlib.util.spec_from_file_location(f"my_gpt_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return getattr(module, exercise.symbol), ""
    except (Exception, SystemExit) as error:
        return None, f" (my_gpt/{path.name} stops with {type(error).__name__}: {error})"
