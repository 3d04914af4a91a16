"""Reads the weights of a GPT-2 from HuggingFace's folder, by TransformerLens's names, which are the course's."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from utils.config import Config
from utils.model_folder.files import tensors
from utils.model_folder.settings import Settings, read_settings
from utils.model_folder.unreadable import ANOTHER, MERGE, WHAT, Unreadable

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
OF_ADAPTERS = ("base_model.", ".lora_", ".base_layer.")
PREFIX = "transformer."


def read(folder: Path) -> tuple[Config, dict[str, Tensor]]:
    """The sizes, and the weights in float32, each contiguous. Raises Unreadable where there is no GPT-2 like ours."""
    settings = read_settings(folder)
    found = tensors(folder)
    state = {name.removeprefix(PREFIX): found[name] for name in sorted(found, key=lambda name: name.startswith(PREFIX))}
    _refuse_others(folder, state, settings.cfg.n_layers)
    weights = dict(_weights(_State(folder, state, settings.unsaid), settings))
    return settings.cfg, {name: weight.contiguous() for name, weight in weights.items()}


def _refuse_others(folder: Path, state: dict[str, Tensor], n_layers: int) -> None:
    """Raises Unreadable for weights that a GPT-2 of this depth has no place for, and that change what it computes."""
    for name in state:
        if any(part in f".{name}" for part in OF_ADAPTERS):
            raise Unreadable(f"The weights in {folder} are an adapter's, such as {name}; {MERGE}.")
        if ".crossattention." in name:
            raise Unreadable(f"The weights in {folder} hold {name}, and GPT-2 has no encoder to attend to; {ANOTHER}.")
        if name.startswith(f"h.{n_layers}."):
            raise Unreadable(f"The weights in {folder} hold more blocks than config.json says, {n_layers}; {WHAT}.")


@dataclass(frozen=True)
class _State:
    """The tensors of a folder, asked for one by one with the shape that config.json promises."""

    folder: Path
    tensors: dict[str, Tensor]
    unsaid: list[str]

    def take(self, name: str, *shape: int) -> Tensor:
        """A tensor in float32. Raises Unreadable where it is missing, or another than was promised."""
        if name not in self.tensors:
            raise Unreadable(f"The weights in {self.folder} lack {name}; {WHAT}.")
        weight = self.tensors[name]
        problem = ""
        if not isinstance(weight, Tensor) or weight.dtype not in FLOATS:
            kind = str(getattr(weight, "dtype", type(weight).__name__)).removeprefix("torch.")
            problem = f"is {kind}, and should be numbers such as float32"
        elif weight.layout != torch.strided or weight.is_nested or weight.is_meta:
            problem = "is sparse, nested or without values, and should be an ordinary tensor"
        elif weight.shape != shape:
            problem = f"is {list(weight.shape)}, and by config.json it should be {list(shape)}"
            if self.unsaid:
                problem += f", with transformers' own value for {', '.join(self.unsaid)}, which it leaves out"
        elif not weight.isfinite().all():
            problem = "holds numbers that are not finite"
        if problem:
            raise Unreadable(f"The weights in {self.folder} can't be used: {name} {problem}; {WHAT}.")
        return weight.float()


def _weights(state: _State, settings: Settings) -> Iterator[tuple[str, Tensor]]:
    """By TransformerLens's names: Q, K and V taken apart, heads on an axis of their own.

    Source: transformers, modeling_gpt2.py: Conv1D keeps its weight as [in out], and c_attn gives q, k, v side by side.
    """
    cfg = settings.cfg
    d_model, heads = cfg.d_model, (cfg.n_heads, cfg.d_head)
    yield "embed.W_E", (W_E := state.take("wte.weight", cfg.d_vocab, d_model))
    yield "pos_embed.W_pos", state.take("wpe.weight", cfg.n_ctx, d_model)
    for layer in range(cfg.n_layers):
        ours, theirs = f"blocks.{layer}", f"h.{layer}"
        for norm in ("1", "2"):
            yield f"{ours}.ln{norm}.w", state.take(f"{theirs}.ln_{norm}.weight", d_model)
            yield f"{ours}.ln{norm}.b", state.take(f"{theirs}.ln_{norm}.bias", d_model)
        weight = state.take(f"{theirs}.attn.c_attn.weight", d_model, 3 * d_model)
        bias = state.take(f"{theirs}.attn.c_attn.bias", 3 * d_model)
        for letter, w, b in zip("QKV", weight.chunk(3, dim=1), bias.chunk(3), strict=True):
            yield f"{ours}.attn.W_{letter}", w.reshape(-1, *heads).transpose(0, 1)
            yield f"{ours}.attn.b_{letter}", b.reshape(heads)
        yield f"{ours}.attn.W_O", state.take(f"{theirs}.attn.c_proj.weight", d_model, d_model).reshape(*heads, -1)
        yield f"{ours}.attn.b_O", state.take(f"{theirs}.attn.c_proj.bias", d_model)
        for our, their, shape in (("in", "c_fc", (d_model, cfg.d_mlp)), ("out", "c_proj", (cfg.d_mlp, d_model))):
            yield f"{ours}.mlp.W_{our}", state.take(f"{theirs}.mlp.{their}.weight", *shape)
            yield f"{ours}.mlp.b_{our}", state.take(f"{theirs}.mlp.{their}.bias", shape[1])
    yield "ln_final.w", state.take("ln_f.weight", d_model)
    yield "ln_final.b", state.take("ln_f.bias", d_model)
    yield "unembed.W_U", _unembedding(state, settings, W_E).T
    yield "unembed.b_U", torch.zeros(cfg.d_vocab)


def _unembedding(state: _State, settings: Settings, W_E: Tensor) -> Tensor:
    """[d_vocab d_model]. As transformers does: the file's own counts, even where config.json calls it tied."""
    if "lm_head.weight" in state.tensors:
        return state.take("lm_head.weight", *W_E.shape)
    if not settings.tied:
        said = "and config.json says tie_word_embeddings is false"
        raise Unreadable(f"The weights in {state.folder} lack lm_head.weight, {said}; {WHAT}.")
    return W_E
