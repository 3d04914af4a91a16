"""An exercise's words, of which edits are made: those of its declaration, and of its solution where that is there."""

import ast
import inspect
import sys
import textwrap
from functools import lru_cache
from typing import Any

from judge.checking import Exercise
from judge.checking.oracle import solution_of
from judge.edits.vocabulary import Vocabulary, with_solution
from judge.running.settings import fields_of


@lru_cache(maxsize=64)
def vocabulary_of(exercise: Exercise) -> Vocabulary:
    """The words of an exercise, those of its solution included where that can be read."""
    settings = exercise.known_settings
    axes = exercise.axes(settings.small) if exercise.kind.of_settings else {}
    names = list(dict.fromkeys(name.partition(".")[0] for name in axes))
    ranks = {name: len(of.split()) for name, of in axes.items() if "." not in name}
    declared = Vocabulary(
        names,
        ranks,
        inputs={name: axes.split() for name, axes in exercise.inputs.items()},
        output=exercise.output.split(),
        sizes=settings.sizes,
        numbers=settings.numbers,
        usual=settings.defaults,
        small=fields_of(settings.small),
        library=exercise.written_with,
    )
    tree = _solution_tree(exercise)
    return with_solution(declared, tree, _functions_beside(exercise)) if tree else declared


def _solution_tree(exercise: Exercise) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(_unwrapped(solution_of(exercise)))))
    except (ImportError, OSError, TypeError, SyntaxError):
        return None  # a course may be handed out without its solutions


def _functions_beside(exercise: Exercise) -> frozenset[str]:
    """The other functions that the solution's module defines or imports."""
    beside = vars(sys.modules[exercise.solution])
    functions = (name for name, value in beside.items() if inspect.isfunction(value))
    return frozenset(functions) - {exercise.symbol}


def _unwrapped(solution: Any) -> Any:
    return inspect.unwrap(solution) if inspect.isfunction(solution) else solution
