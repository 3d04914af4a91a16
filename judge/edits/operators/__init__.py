"""Operators: each looks at one kind of node in the code and proposes other texts for it.

`REPAIRING` proposes what may mend a wrong answer, `BREAKING` what may break a right one.
"""

from itertools import chain
from types import ModuleType

from judge.edits.operators import (
    arithmetic,
    breaking,
    constants,
    leaving_out,
    missing,
    names,
    numbers,
    siblings,
    statements,
    wrapping,
)
from judge.edits.operators.proposals import Operator, operators_of

_BOTH = [arithmetic, leaving_out, numbers, siblings]
_MENDING = [constants, names, missing, statements, wrapping]


def _all_of(modules: list[ModuleType]) -> list[Operator]:
    return list(chain.from_iterable(operators_of(module).values() for module in modules))


REPAIRING = _all_of([*_BOTH, *_MENDING])
BREAKING = [*_all_of([*_BOTH, breaking]), constants.order]
