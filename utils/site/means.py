"""What each head brings on average: what takes its place on the site where it is switched off.

`python -m utils.site.means` writes it anew.
"""

import json
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from utils.gpt.model import GPT
from utils.passages import passage_tokens
from utils.pictures.opened_map import seen_in
from utils.reference import reference

POSITIONS = 128  # of each passage, as chapter 4 takes them
MEANS = Path(__file__).parent / "static" / "head_means.json"


def mean_blends() -> Float[Tensor, "layer head_index d_head"]:
    """Each head's mean z over the passages, from position 1 on, as chapter 4 takes it."""
    model = GPT(reference().cfg)
    model.load_state_dict(dict(reference().weights))
    seen = seen_in(model, passage_tokens()[:, :POSITIONS])
    return torch.stack(
        [
            _blends(seen[f"blocks.{layer}.ln1.hook_out"], f"blocks.{layer}.attn")
            for layer in range(reference().cfg.n_layers)
        ]
    )


def _blends(read: Float[Tensor, "batch pos d_model"], attn: str) -> Float[Tensor, "head_index d_head"]:
    weights = reference().weights
    q, k, v = (
        torch.einsum("bpm,hmd->bhpd", read, weights[f"{attn}.W_{letter}"]) + weights[f"{attn}.b_{letter}"][:, None]
        for letter in "QKV"
    )
    z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return z[:, :, 1:].mean(dim=(0, 2))


def write() -> None:
    """Write them with three digits; the others differ from machine to machine."""
    rounded = [[[float(f"{value:.3g}") for value in head] for head in layer] for layer in mean_blends().tolist()]
    text = json.dumps(rounded, separators=(",", ":"))
    MEANS.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
