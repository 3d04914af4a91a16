"""The reference solution with other text: one change of it, as misconceptions say it, or a mutant."""

import inspect
import linecache
import sys
import textwrap
from typing import Any

from judge.checking.declaration import Declaration
from judge.checking.oracle import solution_of
from judge.checking.places import Place


def text_of(exercise: Declaration) -> str:
    """The solution as it is written, with its decorators."""
    return textwrap.dedent(inspect.getsource(inspect.unwrap(solution_of(exercise))))


def rewritten(exercise: Declaration, text: str, file: str) -> Any:
    """What this text defines where the solution stands; `file` is its name in what is said of an error.

    Raises what running the text raises.
    """
    names = dict(vars(sys.modules[exercise.solution]))
    del names[exercise.symbol]
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names[exercise.symbol]


def changed(exercise: Declaration, before: str, after: str, place: Place) -> Any:
    """The solution with `after` in the place of `before`; None in a course that was handed out without its solutions.

    Raises CourseError, with the place, where `before` is not in the solution exactly once, and where what becomes of it
    is no Python.
    """
    try:
        text = text_of(exercise)
    except ModuleNotFoundError:
        return None
    if (n_found := text.count(before)) != 1:
        where = f"{exercise.solution}.{exercise.symbol}"
        raise place.mistake(f"{before!r} is {n_found} times in {where}; a change names what is there once.")
    try:
        return rewritten(exercise, text.replace(before, after), f"<{place.path.name}:{place.line}>")
    except SyntaxError as error:
        raise place.mistake(
            f"with {after!r} in the place of {before!r} the solution is no Python: {error.msg}."
        ) from None
