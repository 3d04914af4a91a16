"""The proofs of a sentence: cases that get it and near relatives that must not, beside the function that says it."""

from collections.abc import Callable
from typing import Any, TypeVar

Said = TypeVar("Said", bound=Callable[..., Any])
# Evidence as code, or several; with each, what tells its words from the others': pieces of them in their order.
Cases = str | tuple[str, ...] | dict[str, str]
# Of each function. Tests run them, in tests/judge/checking/diagnosis/test_sentences.py, which has the names they use.
PROVED_BY: dict[Callable[..., Any], tuple[Cases, Cases]] = {}


def proved_by(case: Cases, near: Cases) -> Callable[[Said], Said]:
    """Keep with a function the evidence that gets its sentences, and what nearly does."""

    def keep(function: Said) -> Said:
        PROVED_BY[function] = (case, near)
        return function

    return keep
