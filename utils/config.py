"""The sizes of a GPT-2: `Config`, and the small unequal sizes that checks use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """Sizes and settings of one model. The defaults are GPT-2 small.

    Source: openai/gpt-2 src/model.py, default_hparams(); the field names are TransformerLens's.
    """

    d_model: int = 768
    d_vocab: int = 50257
    n_ctx: int = 1024
    d_head: int = 64
    d_mlp: int = 3072
    n_heads: int = 12
    n_layers: int = 12
    layer_norm_eps: float = 1e-5
    init_range: float = 0.02


SMALL = Config(d_model=8, d_vocab=23, n_ctx=9, d_head=4, d_mlp=17, n_heads=3, n_layers=2)
"""Sizes for checks: no two axes are equal, and `n_heads * d_head != d_model`, so no mix-up of axes can hide."""
