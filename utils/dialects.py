"""A GPT-2's weights in the trees of other dialects: picoGPT's dicts, NamedTuples for JAX, nanoGPT's fused attention.

`numpy_params()` and `jax_params()` read the reference model, or any folder that HuggingFace's GPT-2 was saved in.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from utils.config import Config
from utils.gpt.trees import GPTParams, gpt_params
from utils.huggingface import Tree, Weights, attention_tree, dict_tree

__all__ = ["GPTParams", "dict_tree", "fused_attention", "jax_params", "named_tree", "numpy_params"]


def numpy_params(folder: str | Path | None = None) -> tuple[Tree, Config]:
    """picoGPT's tree of dicts, float32 arrays in it, and the sizes: `wte wpe blocks[i]{ln_1 attn ln_2 mlp} ln_f`.

    Of the reference model, or of a HuggingFace GPT-2 folder. Raises ReferenceUnavailable where that can't be read.
    """
    cfg, weights = _weights(folder)
    return _mapped(dict_tree(weights, cfg), _as_array), cfg


def jax_params(folder: str | Path | None = None) -> tuple[GPTParams, Config]:
    """The same weights as `GPTParams(W_e, W_p, blocks, ln_f)`, JAX arrays in it, and the sizes.

    Raises ModuleNotFoundError where JAX is not installed.
    """
    import jax.numpy as jnp  # which the course does not install

    cfg, weights = _weights(folder)
    arrays = _mapped(named_tree(weights, cfg), lambda tensor: jnp.asarray(_as_array(tensor)))
    return gpt_params(arrays), cfg


def fused_attention(weights: Weights, name: str = "") -> dict[str, Tensor]:
    """One attention layer's weights for `CausalSelfAttention.load_state_dict`, [out in] as nn.Linear keeps them.

    HuggingFace's Conv1D keeps [in out], so its `c_attn.weight` and `c_proj.weight` are the transposes of these. `name`
    is TransformerLens's, such as "blocks.3.attn"; without one, `weights` are a layer's own: W_Q, b_Q and so on.
    """
    layer = {key.removeprefix(f"{name}."): weight for key, weight in weights.items() if key.startswith(name)}
    conv1d = attention_tree(layer)
    return {
        "c_attn.weight": conv1d["c_attn"]["w"].T.contiguous(),
        "c_attn.bias": conv1d["c_attn"]["b"],
        "c_proj.weight": conv1d["c_proj"]["w"].T.contiguous(),
        "c_proj.bias": conv1d["c_proj"]["b"],
    }


def named_tree(weights: Weights, cfg: Config) -> Tree:
    """The tree of `GPTParams`, as dicts of tensors, which `gpt_params` makes NamedTuples of."""
    tree = dict_tree(weights, cfg)
    blocks = [
        {
            "mha_params": _matrices(block["attn"]["c_attn"], block["attn"]["c_proj"], "W_qkv b_qkv W_out b_out"),
            "ffn_params": _matrices(block["mlp"]["c_fc"], block["mlp"]["c_proj"], "W1 b1 W2 b2"),
            "ln_1_params": _scale_and_shift(block["ln_1"]),
            "ln_2_params": _scale_and_shift(block["ln_2"]),
        }
        for block in tree["blocks"]
    ]
    return {"W_e": tree["wte"], "W_p": tree["wpe"], "blocks": blocks, "ln_f": _scale_and_shift(tree["ln_f"])}


def _weights(folder: str | Path | None) -> tuple[Config, Weights]:
    from utils.reference import folders, reference  # not there where an answer is run that uses the trees alone

    if folder is None:
        return reference().cfg, reference().weights
    return folders.read(folders.directory(str(folder)))


def _matrices(first: Tree, second: Tree, names: str) -> Tree:
    return dict(zip(names.split(), (first["w"], first["b"], second["w"], second["b"]), strict=True))


def _scale_and_shift(norm: Tree) -> Tree:
    return {"gamma": norm["g"], "beta": norm["b"]}


def _as_array(tensor: Tensor) -> np.ndarray:
    return np.array(tensor.numpy(), order="C")


def _mapped(tree: Any, change: Callable[[Tensor], Any]) -> Any:
    if isinstance(tree, dict):
        return {name: _mapped(inner, change) for name, inner in tree.items()}
    if isinstance(tree, list):
        return [_mapped(inner, change) for inner in tree]
    return change(tree)
