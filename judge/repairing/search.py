"""Looks for one change of a learner's code with which every check passes. See `find_repair`."""

import ast
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from judge.checking import Exercise
from judge.checking.verdict import Failure, Verdict
from judge.edits.exercises import vocabulary_of
from judge.edits.trees import bare
from judge.repairing.dealing import first_of
from judge.repairing.looking import Search, one_edit
from judge.repairing.repair import Repair
from judge.repairing.trust import is_short, reached_by
from judge.repairing.trying import Answer
from judge.running.children import nothing

A_WHILE = 1.0  # seconds, after which a reader is told that it goes on
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def find_repair(
    exercise: Exercise,
    verdict: Verdict,
    cell: str,
    namespace: dict[str, Any],
    still_looking: Callable[[], None] = nothing,
) -> Repair | None:
    """One change of the cell with which every check passes; None where none is found.

    Nothing is looked for where a misconception is named, in a stub, in much code, or in code of which not all that it
    reads is known to be harmless. Candidates run in forked children where that is safe, one for each core, else here,
    one after another. How many are tried depends neither on the machine nor on how busy it is; `still_looking` is
    called once where it takes a while.
    """
    failure = verdict.failure
    if failure is None or failure.question is None:
        return None
    if failure.not_yet or failure.misconception or _lacks_an_import(exercise, failure):
        return None
    answer = _answer(exercise, cell, namespace)
    if answer is None:
        return None
    search = Search(answer, failure.question, _lines(failure), verdict.seed)
    _ = search.edits  # before the children begin: each would make the list anew
    return first_of(partial(one_edit, search), _once_late(still_looking))


def _lacks_an_import(exercise: Exercise, failure: Failure) -> bool:
    """Whether a library was used that the notebook has not imported: the card says which line does that.

    An edit could only take its use away.
    """
    undefined = re.findall(r"NameError: name '(\w+)' is not defined", "\n".join(failure.details))
    return any(name in exercise.written_with.imports for name in undefined)


def _answer(exercise: Exercise, cell: str, namespace: dict[str, Any]) -> Answer | None:
    """The cell as what can be changed and run; None where it can't be."""
    if not is_short(cell):
        return None
    try:
        tree = ast.parse(cell)
        kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, DEFINITIONS)]
        definitions = bare(ast.Module(kept, []))
        defined = {getattr(node, "name", "") for node in kept}
        helpers = vocabulary_of(exercise).helpers
        reached = reached_by(definitions, namespace, helpers) if exercise.symbol in defined else None
    except (SyntaxError, ValueError, RecursionError):
        return None
    return Answer(exercise, cell, definitions, namespace, reached) if reached else None


def _once_late(tell: Callable[[], None]) -> Callable[[], None]:
    """Tells once, when it is called after a while."""
    began, waiting = time.monotonic(), [tell]

    def meanwhile() -> None:
        if waiting and time.monotonic() - began > A_WHILE:
            waiting.pop()()

    return meanwhile


def _lines(failure: Failure) -> tuple[int, ...]:
    """Of the learner's cell, those that raised an error."""
    return tuple(frame.line for frame in failure.frames if frame.where == "your cell")
