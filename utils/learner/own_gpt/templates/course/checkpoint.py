"""Reads the GPT-2 in a HuggingFace folder: its sizes, and its weights by the names that your Transformer has."""

import json
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from .config import Config
from .errors import CannotTell

NEEDED = {
    "model_type": {"gpt2"},
    "activation_function": {"gelu_new", "gelu_pytorch_tanh"},
    "scale_attn_weights": {True},
    "scale_attn_by_inverse_layer_idx": {False},
}
DEFAULTS = {"activation_function": "gelu_new", "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False}
WHAT = "give the folder that GPT2LMHeadModel.save_pretrained made"


def read(folder: Path) -> tuple[Config, dict[str, Tensor]]:
    """The sizes, and the weights in float32. Raises CannotTell where the folder holds no GPT-2 like yours."""
    if not folder.is_dir():
        raise CannotTell(f"There is no folder {folder}; {WHAT}.")
    settings = _settings(folder)
    try:
        cfg = _config(settings)
    except KeyError as error:
        raise CannotTell(f"{folder / 'config.json'} does not say {error}; {WHAT}.") from None
    state = {name.removeprefix("transformer."): weight for name, weight in _tensors(folder).items()}
    try:
        weights = dict(_weights(state, cfg))
        if not settings.get("tie_word_embeddings", True) and "lm_head.weight" in state:
            weights["unembed.W_U"] = state["lm_head.weight"].float().T
    except KeyError as error:
        raise CannotTell(f"The weights in {folder} lack {error}; {WHAT}.") from None
    except RuntimeError as error:
        raise CannotTell(f"The weights in {folder} do not fit its config.json: {error}") from None
    return cfg, weights


def fill(model: nn.Module, weights: dict[str, Tensor]) -> nn.Module:
    """Write the weights into the model's parameters of these names, and return it. Raises CannotTell for a misfit."""
    with torch.no_grad():
        for name, weight in weights.items():
            place = parameter(model, name)
            if place.shape != weight.shape:
                raise CannotTell(f"{name} is {list(place.shape)} in your Transformer, {list(weight.shape)} in the file")
            place.copy_(weight)
    return model.eval()


def parameter(model: nn.Module, name: str) -> Tensor:
    """What a dotted name reaches in the model: blocks.0.attn.W_Q."""
    reached: object = model
    for part in name.split("."):
        reached = getattr(reached, part, None)
    if not isinstance(reached, Tensor):
        raise CannotTell(f"Your Transformer has no {name}")
    return reached


def _settings(folder: Path) -> dict:
    file = folder / "config.json"
    if not file.is_file():
        raise CannotTell(f"{folder} holds no config.json; {WHAT}.")
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CannotTell(f"{file} can't be read: {error}") from None
    for key, allowed in NEEDED.items():
        if settings.get(key, DEFAULTS.get(key)) not in allowed:
            one = " or ".join(map(repr, sorted(allowed)))
            raise CannotTell(f"{file} says {key} is {settings.get(key)!r}; your GPT-2 needs {one}.")
    return settings


def _config(settings: dict) -> Config:
    return Config(
        d_model=settings["n_embd"],
        d_vocab=settings["vocab_size"],
        n_ctx=settings["n_positions"],
        d_head=settings["n_embd"] // settings["n_head"],
        d_mlp=settings.get("n_inner") or 4 * settings["n_embd"],
        n_heads=settings["n_head"],
        n_layers=settings["n_layer"],
        layer_norm_eps=settings.get("layer_norm_epsilon", 1e-5),
        init_range=settings.get("initializer_range", 0.02),
    )


def _tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor of the folder's safetensors files, else of its .bin files."""
    for pattern in ("model*.safetensors", "pytorch_model*.bin"):
        found: dict[str, Tensor] = {}
        for file in sorted(folder.glob(pattern)):
            try:
                found |= load_file(file) if file.suffix == ".safetensors" else torch.load(file, weights_only=True)
            except Exception as error:  # safetensors and torch have several errors for a damaged file
                raise CannotTell(f"{file} can't be read: {error}") from None
        if found:
            return found
    raise CannotTell(f"{folder} holds no weights (model.safetensors); {WHAT}.")


def _weights(state: dict[str, Tensor], cfg: Config) -> Iterator[tuple[str, Tensor]]:
    """By TransformerLens's names: Q, K and V taken apart, heads on an axis of their own.

    Source: transformers, modeling_gpt2.py: Conv1D keeps its weight as [in out], and c_attn gives q, k, v side by side.
    """
    state = {name: weight.float() for name, weight in state.items() if not name.endswith((".attn.bias", "masked_bias"))}
    yield "embed.W_E", state["wte.weight"]
    yield "pos_embed.W_pos", state["wpe.weight"]
    heads = (cfg.n_heads, cfg.d_head)
    for layer in range(cfg.n_layers):
        ours, theirs = f"blocks.{layer}", f"h.{layer}"
        for norm in ("1", "2"):
            yield f"{ours}.ln{norm}.w", state[f"{theirs}.ln_{norm}.weight"]
            yield f"{ours}.ln{norm}.b", state[f"{theirs}.ln_{norm}.bias"]
        weight, bias = state[f"{theirs}.attn.c_attn.weight"], state[f"{theirs}.attn.c_attn.bias"]
        for letter, w, b in zip("QKV", weight.chunk(3, dim=1), bias.chunk(3), strict=True):
            yield f"{ours}.attn.W_{letter}", w.reshape(-1, *heads).transpose(0, 1)
            yield f"{ours}.attn.b_{letter}", b.reshape(heads)
        yield f"{ours}.attn.W_O", state[f"{theirs}.attn.c_proj.weight"].reshape(*heads, -1)
        yield f"{ours}.attn.b_O", state[f"{theirs}.attn.c_proj.bias"]
        for our, their in (("in", "c_fc"), ("out", "c_proj")):
            yield f"{ours}.mlp.W_{our}", state[f"{theirs}.mlp.{their}.weight"]
            yield f"{ours}.mlp.b_{our}", state[f"{theirs}.mlp.{their}.bias"]
    yield "ln_final.w", state["ln_f.weight"]
    yield "ln_final.b", state["ln_f.bias"]
    yield "unembed.W_U", state["wte.weight"].T
    yield "unembed.b_U", torch.zeros(cfg.d_vocab)
