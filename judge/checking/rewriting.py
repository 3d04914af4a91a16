"""The reference solution with other text: a change or two of it, as misconceptions say them, or a mutant."""

import ast
import inspect
import linecache
import sys
import textwrap
from typing import Any

from judge.checking.declaration import Declaration
from judge.checking.oracle import solution_of
from judge.checking.places import Place

ARROW = " → "  # between what a change takes away and what it puts there


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


def read_changes(changes: str | tuple[str, ...], place: Place) -> list[tuple[str, str]]:
    """What stands before, and after, each of the changes "before → after"."""
    read = [change.partition(ARROW) for change in ((changes,) if isinstance(changes, str) else changes)]
    for before, arrow, _ in read:
        if not arrow:
            raise place.mistake(f"{before!r} is no change: write it as 'before{ARROW}after'.")
    return [(before, after) for before, _, after in read]


def changed(exercise: Declaration, changes: list[tuple[str, str]], place: Place, of: Any = None) -> Any:
    """The solution, or the function or class `of`, with each `after` in the place of its `before`.

    None in a course that was handed out without its solutions. Raises CourseError, with the place, where a `before` is
    not there exactly once, and where what becomes of it is no Python.
    """
    try:
        text = text_of(exercise) if of is None else _alone(of)
    except ModuleNotFoundError as error:
        if error.name not in (exercise.solution, exercise.solution.partition(".")[0]):
            raise  # a library that the solution needs
        return None
    where = f"{exercise.solution}.{exercise.symbol}" if of is None else of.__name__
    for before, after in changes:
        if (n_found := text.count(before)) != 1:
            raise place.mistake(f"{before!r} is {n_found} times in {where}; a change names what is there once.")
        text = text.replace(before, after)
    # A name for each text, by which `inspect` finds it.
    file = f"<{place.path.parent.name}/{place.path.name}:{place.line}: {changes}>"
    try:
        return rewritten(exercise, text, file) if of is None else _defined_beside(of, text, file)
    except SyntaxError as error:
        made = ", ".join(f"{after!r} in the place of {before!r}" for before, after in changes)
        what = "the solution" if of is None else where
        raise place.mistake(f"with {made} {what} is no Python: {error.msg}.") from None


def _alone(of: Any) -> str:
    """The text of a function or class without its decorators, which would register it again."""
    text = textwrap.dedent(inspect.getsource(of))
    definition = ast.parse(text).body[0]
    return "".join(text.splitlines(keepends=True)[definition.lineno - 1 :])


def _defined_beside(of: Any, text: str, file: str) -> Any:
    """What this text defines where `of` stands, whose own name keeps its meaning."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    defined: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), vars(sys.modules[of.__module__]), defined)
    return defined[of.__name__]
