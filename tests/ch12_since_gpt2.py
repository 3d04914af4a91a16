"""Chapter 12: what the parts of a model of today must do."""

from dataclasses import replace

import torch

from judge.checking import (
    Exercise,
    check_agrees,
    check_form,
    check_gradients,
    check_parameters,
    line,
    random_tensor,
    random_tokens,
    random_weights,
)
from utils.config import MODERN, ModernConfig

cfg = MODERN
MATRICES = {"W_gate": "d_model d_mlp", "W_in": "d_model d_mlp", "W_out": "d_mlp d_model"}


def heads(cfg: ModernConfig) -> dict[str, str]:
    """The axes of attention's parameters."""
    norms = {"q_norm.w": "d_head", "k_norm.w": "d_head"} if cfg.qk_norm else {}
    inward = {"W_Q": "n_heads d_model d_head", **dict.fromkeys(("W_K", "W_V"), "n_kv_heads d_model d_head")}
    return inward | {"W_O": "n_heads d_head d_model"} | norms


def block_parameters(cfg: ModernConfig) -> dict[str, str]:
    """The axes of a block's parameters."""
    parts = {"ln1": {"w": "d_model"}, "attn": heads(cfg), "ln2": {"w": "d_model"}, "mlp": MATRICES}
    return {f"{part}.{name}": axes for part, own in parts.items() for name, axes in own.items()}


def all_parameters(cfg: ModernConfig) -> dict[str, str]:
    """The axes of every parameter of a whole model."""
    names = {"embed.W_E": "d_vocab d_model"}
    for layer in range(cfg.n_layers):
        names |= {f"blocks.{layer}.{name}": axes for name, axes in block_parameters(cfg).items()}
    return names | {"ln_final.w": "d_model"} | ({} if cfg.tied else {"W_U": "d_model d_vocab"})


def starts(axes: dict[str, str]) -> dict[str, float]:
    """The parameters that start with 1: the scales of RMSNorm."""
    return {name: 1.0 for name in axes if name.rpartition(".")[2] == "w"}


# RMSNorm.

rms_norm = Exercise(
    inputs={"residual": "batch pos d_model"},
    output="batch pos d_model",
    parameters={"w": "d_model"},
    initial={"w": 1.0},
    settings=MODERN,
)


@rms_norm.test
def test_rms_norm(RMSNorm):
    """RMSNorm against the reference solution."""
    check_parameters(RMSNorm, cfg)
    check_form(RMSNorm, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    with line("agrees with the reference solution"):
        check_agrees(RMSNorm, cfg, random_weights(cfg), random_tensor(3, 5, cfg.d_model, scale=4.0) + 1)


# rotary_tables.

rotary_tables = Exercise(inputs={"n_ctx": "", "d_head": "", "base": ""}, library="torch")


@rotary_tables.test
def test_rotary_tables(rotary_tables):
    """rotary_tables against the reference solution."""
    with line("agrees with the reference solution"):
        check_agrees(rotary_tables, 9, 6, 100.0)


# apply_rotary.

apply_rotary = Exercise(
    inputs={"x": "batch pos head_index d_head", "tables": "...", "positions": "pos"},
    output="batch pos head_index d_head",
)


@apply_rotary.test
def test_apply_rotary(apply_rotary):
    """apply_rotary against the reference solution."""
    with line("agrees with the reference solution"):
        angles = random_tensor(9, 3)
        check_agrees(apply_rotary, random_tensor(2, 5, 4, 6), (angles.cos(), angles.sin()), torch.arange(5))


# SwiGLU.

swiglu = Exercise(
    inputs={"normalized_resid_mid": "batch pos d_model"},
    output="batch pos d_model",
    parameters=MATRICES,
    settings=MODERN,
)


@swiglu.test
def test_swiglu(SwiGLU):
    """SwiGLU against the reference solution."""
    check_parameters(SwiGLU, cfg)
    with line("agrees with the reference solution"):
        check_agrees(SwiGLU, cfg, random_weights(cfg), random_tensor(3, 5, cfg.d_model))


# GroupedQueryAttention.

grouped_query_attention = Exercise(
    inputs={"normalized_resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=heads,
    initial=lambda cfg: starts(heads(cfg)),
    settings=MODERN,
)


@grouped_query_attention.test
def test_grouped_query_attention(GroupedQueryAttention):
    """GroupedQueryAttention against the reference solution."""
    check_parameters(GroupedQueryAttention, cfg)
    with line("agrees with the reference solution"):
        check_agrees(GroupedQueryAttention, cfg, random_weights(cfg), random_tensor(3, 5, cfg.d_model))
        normed = replace(cfg, qk_norm=True)
        check_agrees(GroupedQueryAttention, normed, random_weights(normed), random_tensor(3, 5, cfg.d_model))


# ModernBlock.

modern_block = Exercise(
    inputs={"resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=block_parameters,
    initial=lambda cfg: starts(block_parameters(cfg)),
    settings=MODERN,
)


@modern_block.test
def test_modern_block(ModernBlock):
    """ModernBlock against the reference solution."""
    check_parameters(ModernBlock, cfg)
    with line("agrees with the reference solution"):
        check_agrees(ModernBlock, cfg, random_weights(cfg), random_tensor(3, 5, cfg.d_model))


# ModernTransformer.

modern_transformer = Exercise(
    inputs={"tokens": "batch pos"},
    output="batch pos d_vocab",
    parameters=all_parameters,
    initial=lambda cfg: starts(all_parameters(cfg)),
    settings=MODERN,
)


@modern_transformer.test
def test_modern_transformer(ModernTransformer):
    """ModernTransformer against the reference solution."""
    check_parameters(ModernTransformer, cfg, only_saved=True)
    with line("agrees with the reference solution"):
        for tied in (True, False):
            other = replace(cfg, tied=tied)
            check_agrees(ModernTransformer, other, random_weights(other), random_tokens(other, 3, 5))
    with line("passes gradients back"):
        check_gradients(ModernTransformer, cfg, random_weights(cfg), random_tokens(cfg, 3, 5))
