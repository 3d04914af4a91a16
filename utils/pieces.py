"""The learner's own components, put together again: those kept in my_gpt/, and the reference solutions for the rest."""

from typing import Any

from utils.course import ROOT, ExerciseInfo, all_exercises
from utils.course.cells import as_python, code_of
from utils.course.lending import NothingToLend, has_solutions, solutions_of
from utils.learner.collecting import gather
from utils.learner.keeping import kept_path, module_in, module_of


def pieces(*symbols: str) -> list[Any]:
    """The components of these names, in this order: the learner's own where one is kept, else the reference solution.

    Prints which are whose. What is kept but can no longer be run is borrowed too, and the line says why. In a course
    that was handed out without its solutions, what the learner wrote into the chapter takes their place, though it has
    not passed; NothingToLend names what is not written.
    Raises LookupError for a name that no exercise of the course has.
    """
    known = {exercise.symbol: exercise for exercise in all_exercises()}
    unknown = [symbol for symbol in symbols if symbol not in known]
    if unknown:
        raise LookupError(f"no exercise is called {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[symbol] for symbol in symbols]
    lend = _solution if has_solutions() else written_in_chapter
    whose = WHOSE[lend is _solution]
    own, others, found = [], [], []
    for exercise in chosen:
        component, problem = _own(exercise)
        (others if component is None else own).append(exercise.symbol + problem)
        found.append(component or lend(exercise))
    missing = [one for one, component in zip(chosen, found, strict=True) if component is None]
    if missing:
        raise NothingToLend(missing)
    for heading, names in (("yours", own), (whose, others)):
        if names:
            print(f"{heading}:", ", ".join(names))
    return found


WHOSE = {True: "from the reference solutions", False: "yours, though not passed yet"}


def _solution(exercise: ExerciseInfo) -> Any:
    return getattr(solutions_of(exercise.stem), exercise.symbol)


def _own(exercise: ExerciseInfo) -> tuple[Any, str]:
    """The learner's component, or None and what is wrong with it."""
    path = kept_path(exercise)
    if not path.is_file():
        return None, ""
    try:
        return getattr(module_in(path), exercise.symbol), ""
    except (Exception, SystemExit) as error:
        return None, f" (my_gpt/{path.name} stops with {type(error).__name__}: {error})"


def written_in_chapter(exercise: ExerciseInfo) -> Any | None:
    """The component that the chapter's notebook defines; None where that is the stub, or can't be run."""
    code = code_of(ROOT / "chapters" / f"{exercise.stem}.ipynb")
    try:
        source = gather(exercise.symbol, list(map(as_python, code)))
        if "raise NotImplementedError" in source:
            return None
        return getattr(module_of(source, f"chapters_{exercise.symbol}"), exercise.symbol)
    except (Exception, SystemExit):
        return None
