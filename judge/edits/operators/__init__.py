"""Operators: each looks at one kind of node in the code and proposes other texts for it.

`REPAIRING` proposes what may mend a wrong answer, `BREAKING` what may break a right one.
"""

from itertools import chain
from types import ModuleType

from judge.edits.operators import (
    arguments,
    arithmetic,
    brackets,
    breaking,
    constants,
    forms,
    helpers,
    leaving_out,
    loops,
    missing,
    names,
    numbers,
    patterns,
    siblings,
    statements,
    too_much,
    wrapping,
)
from judge.edits.operators.proposals import Operator, operators_of

_BOTH = [arithmetic, brackets, leaving_out, loops, numbers, siblings]
_MENDING = [constants, names, patterns, forms, missing, arguments, statements, helpers, too_much, wrapping]


def _all_of(modules: list[ModuleType]) -> list[Operator]:
    return list(chain.from_iterable(operators_of(module).values() for module in modules))


REPAIRING = _all_of([*_BOTH, *_MENDING])
BREAKING = [*_all_of([*_BOTH, breaking]), patterns.order]
