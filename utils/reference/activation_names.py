"""TransformerLens's hook names of a GPT-2: which of them are recorded, and which are other names for those.

And those of a model with chapter 12's parts, a Llama or a Qwen 3, that are recorded.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Int
from torch import Tensor

if TYPE_CHECKING:
    from transformer_lens.model_bridge import TransformerBridge

OF_A_NORM = ("hook_scale", "hook_normalized", "hook_out")
OF_A_BLOCK = (
    "hook_resid_pre",
    *(f"ln1.{hook}" for hook in OF_A_NORM),
    *(f"attn.hook_{part}" for part in ("q", "k", "v", "attn_scores", "pattern", "z")),
    "hook_attn_out",
    "hook_resid_mid",
    *(f"ln2.{hook}" for hook in OF_A_NORM),
    "mlp.hook_pre",
    "mlp.hook_post",
    "hook_mlp_out",
)
OF_A_MODERN_BLOCK = (
    "hook_resid_pre",
    *(f"ln1.{hook}" for hook in OF_A_NORM),
    *(f"attn.hook_{part}" for part in ("q", "k", "v", "rot_q", "rot_k", "attn_scores", "pattern", "z")),
    "hook_attn_out",
    "hook_resid_mid",
    *(f"ln2.{hook}" for hook in OF_A_NORM),
    *(f"mlp.hook_{part}" for part in ("pre", "pre_linear", "post")),  # the gate before SiLU, what it lets through
    "hook_mlp_out",
)

# Other names that TransformerLens 4.3 has for the same tensors, within a block and around the blocks.
ALIASES_IN_A_BLOCK = {
    "hook_resid_pre": ("hook_in", "ln1.hook_in"),
    "ln1.hook_out": ("attn.hook_in", "attn.q.hook_in", "attn.k.hook_in", "attn.v.hook_in"),
    "attn.hook_q": ("attn.q.hook_out",),
    "attn.hook_k": ("attn.k.hook_out",),
    "attn.hook_v": ("attn.v.hook_out",),
    "attn.hook_z": ("attn.o.hook_in",),
    "hook_attn_out": ("attn.hook_out", "attn.hook_hidden_states", "attn.o.hook_out"),
    "hook_resid_mid": ("ln2.hook_in",),
    "ln2.hook_out": ("mlp.hook_in", "mlp.in.hook_in"),
    "mlp.hook_pre": ("mlp.in.hook_out",),
    "mlp.hook_post": ("mlp.out.hook_in",),
    "hook_mlp_out": ("mlp.hook_out", "mlp.out.hook_out"),
}
ALIASES_OUTSIDE = {
    "embed.hook_in": "tokens",
    "embed.hook_out": "hook_embed",
    "pos_embed.hook_out": "hook_pos_embed",
    "unembed.hook_in": "ln_final.hook_out",
    "hook_unembed": "unembed.hook_out",
}


def recorded_names(n_layers: int) -> list[str]:
    """The hook names that a record holds, in the order in which the model computes them, each tensor once."""
    return ["hook_embed", "hook_pos_embed", *_from_the_blocks_on(n_layers, OF_A_BLOCK)]


def modern_names(n_layers: int) -> list[str]:
    """The same for a model with chapter 12's parts."""
    return ["hook_embed", *_from_the_blocks_on(n_layers, OF_A_MODERN_BLOCK)]


def _from_the_blocks_on(n_layers: int, of_a_block: Sequence[str]) -> list[str]:
    blocks = [f"blocks.{layer}.{hook}" for layer in range(n_layers) for hook in of_a_block]
    norm = [f"ln_final.{hook}" for hook in OF_A_NORM]
    return [*blocks, f"blocks.{n_layers - 1}.hook_resid_post", *norm, "unembed.hook_out"]


def aliases(n_layers: int) -> dict[str, str]:
    """Every other name of a recorded tensor, and the name under which it is recorded."""
    table = dict(ALIASES_OUTSIDE)
    for layer in range(n_layers):
        at = f"blocks.{layer}"
        for name, others in ALIASES_IN_A_BLOCK.items():
            table |= {f"{at}.{other}": f"{at}.{name}" for other in others}
        post = f"{at}.hook_resid_post"
        is_last = layer == n_layers - 1
        if is_last:
            table["ln_final.hook_in"] = table[f"{at}.hook_out"] = post
        else:
            table[f"{at}.hook_out"] = table[post] = f"blocks.{layer + 1}.hook_resid_pre"
    return table


def record(
    bridge: "TransformerBridge", tokens: Int[Tensor, "batch pos"], names: Sequence[str] | None = None
) -> dict[str, Tensor]:
    """Run TransformerLens on `tokens` and keep each activation of these names, GPT-2's if none, in its own memory."""
    with torch.no_grad():
        _, seen = bridge.run_with_cache(tokens)
    names = recorded_names(bridge.cfg.n_layers) if names is None else names
    return {name: seen[name].clone().contiguous() for name in names}


def with_aliases(recorded: Mapping[str, Tensor], tokens: Int[Tensor, "batch pos"], n_layers: int) -> dict[str, Tensor]:
    """The record in the model's order, answering to every other name too."""
    named = {"tokens": tokens, **recorded}
    ordered = {name: recorded[name] for name in recorded_names(n_layers)}
    return ordered | {other: named[name] for other, name in aliases(n_layers).items()}
