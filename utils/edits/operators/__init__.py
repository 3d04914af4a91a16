"""Operators: each looks at one place in the code and proposes other texts for it.

`repairing` proposes what may mend a wrong answer, `breaking` what may break a right one.
"""

from utils.edits.operators import (
    arithmetic,
    breaking,
    forms,
    leaving_out,
    loops,
    missing,
    names,
    numbers,
    patterns,
    siblings,
    statements,
    wrapping,
)

_BOTH = [arithmetic, leaving_out, loops, numbers, siblings]
_MENDING = [names, patterns, forms, missing, statements, wrapping]
REPAIRING = [operator for module in [*_BOTH, *_MENDING] for operator in module.OPERATORS]
BREAKING = [operator for module in [*_BOTH, breaking] for operator in module.OPERATORS]
