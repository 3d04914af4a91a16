"""Nested parameters, as many as the Config has layers; blocks kept in a Python list are found by no optimiser."""

from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from solutions.ch07_transformer import Transformer
from utils.checking import (
    SMALL,
    Exercise,
    check_agrees,
    check_causal,
    check_gradients,
    check_parameters,
    line,
    random_tokens,
    random_weights,
)

NORM = {"w": "d_model", "b": "d_model"}
ATTENTION = {
    **dict.fromkeys(("W_Q", "W_K", "W_V"), "n_heads d_model d_head"),
    "W_O": "n_heads d_head d_model",
    **dict.fromkeys(("b_Q", "b_K", "b_V"), "n_heads d_head"),
    "b_O": "d_model",
}
MLP = {"W_in": "d_model d_mlp", "b_in": "d_mlp", "W_out": "d_mlp d_model", "b_out": "d_model"}
BLOCK = {"ln1": NORM, "attn": ATTENTION, "ln2": NORM, "mlp": MLP}


def parameters(cfg):
    names = {"embed.W_E": "d_vocab d_model", "pos_embed.W_pos": "n_ctx d_model"}
    for layer in range(cfg.n_layers):
        for part, own in BLOCK.items():
            names |= {f"blocks.{layer}.{part}.{name}": axes for name, axes in own.items()}
    names |= {f"ln_final.{name}": axes for name, axes in NORM.items()}
    return names | {"unembed.W_U": "d_model d_vocab", "unembed.b_U": "d_vocab"}


exercise = Exercise(
    inputs={"tokens": "batch pos"},
    output="batch pos d_vocab",
    parameters=parameters,
    given=Transformer,
    solution="solutions.ch07_transformer",
)


@exercise.test
def test_transformer(Transformer):
    cfg = SMALL
    check_parameters(Transformer, cfg)
    with line("agrees with the reference solution, with two layers and with three"):
        for other in (cfg, replace(cfg, n_layers=3)):
            check_agrees(Transformer, other, random_weights(other, 0.4), random_tokens(other, 2, 5), tolerance=1e-4)
    with line("no position sees a later one"):
        check_causal(Transformer, cfg, random_weights(cfg, 0.4), random_tokens(cfg, 2, 5))
    with line("passes gradients back to every parameter but `b_U`"):
        check_gradients(Transformer, cfg, random_weights(cfg, 0.4), random_tokens(cfg, 2, 5), tolerance=1e-3)


class Named(nn.Module):
    """Parameters by their dotted names."""

    def __init__(self, cfg, axes):
        super().__init__()
        for name, sizes in axes.items():
            shape = [getattr(cfg, axis) for axis in sizes.split()]
            start = (
                torch.randn(shape) * cfg.init_range if name.startswith("W") else torch.full(shape, 1.0 * (name == "w"))
            )
            self.register_parameter(name, nn.Parameter(start, requires_grad=name != "b_U"))

    def __getattr__(self, name) -> Any:
        return super().__getattr__(name)

    def norm(self, resid):
        return F.layer_norm(resid, resid.shape[-1:], self.w, self.b, 1e-5)


@exercise.correct
class TransformerInOnePiece(nn.Module):
    """All arithmetic in one `forward`; the submodules only hold what TransformerLens's names need."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed, self.pos_embed = Named(cfg, {"W_E": "d_vocab d_model"}), Named(cfg, {"W_pos": "n_ctx d_model"})
        self.blocks = nn.ModuleList(
            nn.ModuleDict({name: Named(cfg, own) for name, own in BLOCK.items()}) for _ in range(cfg.n_layers)
        )
        self.ln_final = Named(cfg, NORM)
        self.unembed = Named(cfg, {"W_U": "d_model d_vocab", "b_U": "d_vocab"})

    def forward(self, tokens):
        resid = self.embed.W_E[tokens] + self.pos_embed.W_pos[: tokens.shape[1]]
        blocks: Any = self.blocks
        for block in blocks:
            attn, mlp = block["attn"], block["mlp"]
            normal = block["ln1"].norm(resid)[:, None]
            query, key, value = (
                normal @ weight + bias[:, None]
                for weight, bias in ((attn.W_Q, attn.b_Q), (attn.W_K, attn.b_K), (attn.W_V, attn.b_V))
            )
            heads = F.scaled_dot_product_attention(query, key, value, is_causal=True)
            resid = resid + (heads @ attn.W_O).sum(dim=1) + attn.b_O
            wide = F.gelu(block["ln2"].norm(resid) @ mlp.W_in + mlp.b_in, approximate="tanh")
            resid = resid + wide @ mlp.W_out + mlp.b_out
        return self.ln_final.norm(resid) @ self.unembed.W_U + self.unembed.b_U


def transforming(first=None, last=None, blocks=list):
    """A `forward` with one part of it replaced."""

    def forward(self, tokens):
        resid = first(self, tokens) if first else self.embed(tokens) + self.pos_embed(tokens)
        for block in blocks(self.blocks):
            resid = block(resid)
        return last(self, resid) if last else self.unembed(self.ln_final(resid))

    return forward


@exercise.correct
def one_sentence_at_a_time(self, tokens):
    logits = [transforming()(self, sentence[None]) for sentence in tokens]
    return torch.cat(logits)


exercise.misconception("leaving the positions out", "Add `self.pos_embed(tokens)` to the embedding.")(
    transforming(lambda self, tokens: self.embed(tokens))
)
exercise.misconception("leaving the last LayerNorm out", "The logits read `self.ln_final(resid)`.")(
    transforming(last=lambda self, resid: self.unembed(resid))
)
exercise.misconception("adding what the last LayerNorm gives", "Unembed `self.ln_final(resid)` alone.")(
    transforming(last=lambda self, resid: self.unembed(resid + self.ln_final(resid)))
)
exercise.misconception("probabilities for logits", "The Transformer gives logits: no softmax at the end.")(
    transforming(last=lambda self, resid: self.unembed(self.ln_final(resid)).softmax(dim=-1))
)
exercise.misconception("every block twice", "Each block is called once.")(
    transforming(blocks=lambda blocks: [block for block in blocks for _ in range(2)])
)
exercise.misconception("blocks in reverse", "Block 0 comes first.")(transforming(blocks=lambda blocks: [*blocks][::-1]))


@exercise.misconception("two blocks whatever the Config says", "Make `cfg.n_layers` blocks.")
class TwoBlocks(Transformer):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=2))


@exercise.misconception("a Python list of blocks", "Use `nn.ModuleList`: else no optimiser finds their parameters.")
class PlainList(Transformer):
    def __init__(self, cfg):
        super().__init__(cfg)
        blocks = list(self.blocks)
        del self.blocks
        self.blocks = blocks


@exercise.misconception("one block shared by all layers", "Make a new block for each layer.")
class Shared(Transformer):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.blocks = nn.ModuleList([self.blocks[0]] * cfg.n_layers)
