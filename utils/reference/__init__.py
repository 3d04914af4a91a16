"""The reference model that every check reads: `reference()`, `encode`, `str_tokens`, and `boot` for TransformerLens.

Its tokenizer is `tokenizer()`; utils.reference.byte_pairs has its merges and tokens as bytes. What reads the model
needs torch, and is imported at the first use of its name.
"""

from typing import TYPE_CHECKING, Any

from utils.reference.folders import BUNDLED, ReferenceUnavailable
from utils.reference.tokens import tokenizer

if TYPE_CHECKING:
    from utils.reference.reader import PROMPT_TOKENS, Reference, boot, encode, prompts, reference, str_tokens

__all__ = [
    "BUNDLED",
    "PROMPT_TOKENS",
    "Reference",
    "ReferenceUnavailable",
    "boot",
    "encode",
    "prompts",
    "reference",
    "str_tokens",
    "tokenizer",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from utils.reference import reader

    return getattr(reader, name)
