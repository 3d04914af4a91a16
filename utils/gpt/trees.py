"""A GPT's parameters as a tree of NamedTuples, for functions that are handed all of them, as JAX's are.

Names as in Jay Mody's GPT in JAX; all matrices are [in out], and a block's queries, keys and values are one matrix.
"""

from typing import Any, NamedTuple

Array = Any  # a library's own, or a tensor


class LayerNormParams(NamedTuple):
    """What a LayerNorm multiplies by and adds, [d_model] each."""

    gamma: Array
    beta: Array


class MultiHeadAttentionParams(NamedTuple):
    """[d_model 3*d_model] and [3*d_model]: queries, keys, values; and the way back, [d_model d_model] and [d_model]."""

    W_qkv: Array
    b_qkv: Array
    W_out: Array
    b_out: Array


class PositionWiseFFNParams(NamedTuple):
    """The MLP: [d_model d_mlp] and [d_mlp], then [d_mlp d_model] and [d_model]."""

    W1: Array
    b1: Array
    W2: Array
    b2: Array


class TransformerBlockParams(NamedTuple):
    """One block: attention, MLP, and the LayerNorm before each."""

    mha_params: MultiHeadAttentionParams
    ffn_params: PositionWiseFFNParams
    ln_1_params: LayerNormParams
    ln_2_params: LayerNormParams


class GPTParams(NamedTuple):
    """All of them: the tables of tokens [d_vocab d_model] and of positions [n_ctx d_model], blocks, final LayerNorm."""

    W_e: Array
    W_p: Array
    blocks: tuple[TransformerBlockParams, ...]
    ln_f: LayerNormParams


def gpt_params(tree: dict[str, Any]) -> GPTParams:
    """The NamedTuples of dicts with the same names, whatever hangs in them."""
    return GPTParams(tree["W_e"], tree["W_p"], tuple(map(_block, tree["blocks"])), LayerNormParams(**tree["ln_f"]))


def _block(tree: dict[str, Any]) -> TransformerBlockParams:
    return TransformerBlockParams(
        MultiHeadAttentionParams(**tree["mha_params"]),
        PositionWiseFFNParams(**tree["ffn_params"]),
        LayerNormParams(**tree["ln_1_params"]),
        LayerNormParams(**tree["ln_2_params"]),
    )
