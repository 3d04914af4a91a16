"""Operators: each looks at one place in the code and proposes other texts for it.

`repairing` proposes what may mend a wrong answer, `breaking` what may break a right one.
"""

from utils.repairing.operators import (
    arithmetic,
    breaking,
    forms,
    leaving_out,
    missing,
    names,
    numbers,
    siblings,
    statements,
    wrapping,
)

_BOTH = [arithmetic, leaving_out, names, numbers, siblings]
REPAIRING = [operator for module in [*_BOTH, forms, missing, statements, wrapping] for operator in module.OPERATORS]
BREAKING = [operator for module in [*_BOTH, breaking] for operator in module.OPERATORS]
