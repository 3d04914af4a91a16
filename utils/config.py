"""The sizes of a GPT-2 and of a model as they are built today, and the small unequal sizes that checks use."""

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


@dataclass(frozen=True)
class ModernConfig:
    """Sizes and settings of one model with chapter 12's parts. The defaults are SmolLM2-135M, a Llama of GPT-2's size.

    Source: Allal et al. 2025, SmolLM2, config.json of HuggingFaceTB/SmolLM2-135M; `init_range` is GPT-2's. Besides
    `n_kv_heads`, `rms_norm_eps`, `qk_norm` and `tied`, the field names are TransformerLens's.
    """

    d_model: int = 576
    d_vocab: int = 49152
    n_ctx: int = 8192
    d_head: int = 64
    d_mlp: int = 1536
    n_heads: int = 9  # of queries
    n_kv_heads: int = 3  # of keys and values, each for n_heads / n_kv_heads heads of queries
    n_layers: int = 30
    rms_norm_eps: float = 1e-5
    rotary_base: float = 100_000.0
    qk_norm: bool = False  # Qwen 3's: an RMSNorm of each query and key (OLMo 2's is of all heads at once)
    tied: bool = True  # whether the embedding is the unembedding too
    init_range: float = 0.02


MODERN = ModernConfig(
    d_model=10, d_vocab=23, n_ctx=9, d_head=4, d_mlp=17, n_heads=6, n_kv_heads=2, n_layers=3, rotary_base=100.0
)
"""Sizes for checks of chapter 12: no two are equal, n_heads * d_head is not d_model, and 6 / 2 heads are not 2."""
