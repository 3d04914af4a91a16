"""Reads the weights of a GPT-2 from HuggingFace's folder, by TransformerLens's names, which are the course's."""

from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from utils.config import Config
from utils.model_folder.reading import State, refuse_adapters, unprefixed
from utils.model_folder.settings import Settings, read_settings
from utils.model_folder.tensors import tensors
from utils.model_folder.unreadable import ANOTHER, WHAT, Unreadable

PREFIX = "transformer."


def read(folder: Path) -> tuple[Config, dict[str, Tensor]]:
    """The sizes, and the weights in float32, each contiguous. Raises Unreadable where there is no GPT-2 like ours."""
    settings = read_settings(folder)
    found = tensors(folder)
    state = unprefixed(found, PREFIX)
    _refuse_others(folder, state, settings.cfg.n_layers)
    weights = dict(_weights(State(folder, state, settings.unsaid), settings))
    return settings.cfg, {name: weight.contiguous() for name, weight in weights.items()}


def _refuse_others(folder: Path, state: dict[str, Tensor], n_layers: int) -> None:
    """Raises Unreadable for weights that a GPT-2 of this depth has no place for, and that change what it computes."""
    refuse_adapters(folder, state)
    for name in state:
        if ".crossattention." in name:
            raise Unreadable(f"The weights in {folder} hold {name}, and GPT-2 has no encoder to attend to; {ANOTHER}.")
        if name.startswith(f"h.{n_layers}."):
            raise Unreadable(f"The weights in {folder} hold more blocks than config.json says, {n_layers}; {WHAT}.")


def _weights(state: State, settings: Settings) -> Iterator[tuple[str, Tensor]]:
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
    W_U = state.unembedding(settings.tied, *W_E.shape)
    yield "unembed.W_U", (W_E if W_U is None else W_U).T
    yield "unembed.b_U", torch.zeros(cfg.d_vocab)
