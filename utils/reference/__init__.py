"""The reference model that every check reads: `reference()`, `encode`, `str_tokens`, and `boot` for TransformerLens.

Its tokenizer is `tokenizer()`; utils.reference.byte_pairs has its merges and tokens as bytes.
"""

from utils.reference.folders import BUNDLED, ReferenceUnavailable
from utils.reference.reader import PROMPT_TOKENS, Reference, boot, encode, prompts, reference, str_tokens, tokenizer

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
