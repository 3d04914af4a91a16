"""A GPT-2 as HuggingFace lays it out: config.json, the tree of its weights, and the same by GPT2LMHeadModel's names.

Conv1D keeps a weight as [in out], and Q, K and V are side by side in c_attn. Source: transformers, modeling_gpt2.py.
"""

from collections.abc import Mapping
from typing import Any

import einops
import torch
from torch import Tensor

from utils.config import Config

Weights = Mapping[str, Tensor]  # by TransformerLens's names, such as blocks.3.attn.W_Q
Tree = dict[str, Any]
LEAVES = {"w": "weight", "g": "weight", "b": "bias"}


def huggingface_config(cfg: Config) -> dict[str, Any]:
    """What config.json says of an untied GPT-2 of these sizes."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "vocab_size": cfg.d_vocab,
        "n_positions": cfg.n_ctx,
        "n_embd": cfg.d_model,
        "n_layer": cfg.n_layers,
        "n_head": cfg.n_heads,
        "n_inner": cfg.d_mlp,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": cfg.layer_norm_eps,
        "initializer_range": cfg.init_range,
        "tie_word_embeddings": False,
        "bos_token_id": None,
        "eos_token_id": None,
    }


def huggingface_weights(weights: Weights, cfg: Config) -> dict[str, Tensor]:
    """Our weights by the names of GPT2LMHeadModel, which has no `b_U`. Raises ValueError for others."""
    try:
        if (b_U := weights.get("unembed.b_U")) is not None and b_U.any():
            raise ValueError("b_U is not 0, and HuggingFace's GPT-2 has no place for it: keep it frozen at 0")
        tree = dict_tree(weights, cfg)
        state = {"wte.weight": tree["wte"], "wpe.weight": tree["wpe"], **_flat("ln_f", tree["ln_f"])}
        for layer, block in enumerate(tree["blocks"]):
            state |= _flat(f"h.{layer}", block)
        named = {f"transformer.{name}": weight for name, weight in state.items()}
        return named | {"lm_head.weight": weights["unembed.W_U"].T}
    except KeyError as missing:
        raise ValueError(f"the model has no parameter {missing}: give a Transformer as chapter 7 has it") from None


def dict_tree(weights: Weights, cfg: Config) -> Tree:
    """The tree that picoGPT reads, with HuggingFace's names but for `blocks` and those of the leaves."""
    return {
        "wte": weights["embed.W_E"],
        "wpe": weights["pos_embed.W_pos"],
        "blocks": [_block(weights, f"blocks.{layer}") for layer in range(cfg.n_layers)],
        "ln_f": _norm(weights, "ln_final"),
    }


def attention_tree(layer: Weights) -> Tree:
    """Q, K and V side by side, in each of them head after head; W_O's heads below one another. All [in out]."""
    side_by_side = "head_index d_model d_head -> d_model (head_index d_head)"
    fused = [einops.rearrange(layer[f"W_{one}"], side_by_side) for one in "QKV"]
    return {
        "c_attn": {"w": torch.cat(fused, dim=1), "b": torch.cat([layer[f"b_{one}"].flatten() for one in "QKV"])},
        "c_proj": {"w": layer["W_O"].flatten(0, 1), "b": layer["b_O"]},
    }


def _block(weights: Weights, at: str) -> Tree:
    layer = {
        key.removeprefix(f"{at}.attn."): weight for key, weight in weights.items() if key.startswith(f"{at}.attn.")
    }
    mlp = {part: weights[f"{at}.mlp.{part}"] for part in ("W_in", "b_in", "W_out", "b_out")}
    return {
        "ln_1": _norm(weights, f"{at}.ln1"),
        "attn": attention_tree(layer),
        "ln_2": _norm(weights, f"{at}.ln2"),
        "mlp": {"c_fc": {"w": mlp["W_in"], "b": mlp["b_in"]}, "c_proj": {"w": mlp["W_out"], "b": mlp["b_out"]}},
    }


def _norm(weights: Weights, at: str) -> Tree:
    return {"g": weights[f"{at}.w"], "b": weights[f"{at}.b"]}


def _flat(name: str, tree: Tree) -> dict[str, Tensor]:
    """The leaves of a tree by their path, as HuggingFace calls them."""
    flat: dict[str, Tensor] = {}
    for key, inner in tree.items():
        flat |= _flat(f"{name}.{key}", inner) if isinstance(inner, dict) else {f"{name}.{LEAVES[key]}": inner}
    return flat
