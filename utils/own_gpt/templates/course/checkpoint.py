"""Reads the GPT-2 in a HuggingFace folder: its sizes, and its weights by the names that your Transformer has."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from .config import Config
from .errors import CannotTell
from .files import WHAT, json_object, tensors

NEEDED = {
    "model_type": {"gpt2"},
    "activation_function": {"gelu_new", "gelu_pytorch_tanh"},
    "scale_attn_weights": {True},
    "scale_attn_by_inverse_layer_idx": {False},
}
DEFAULTS = {"activation_function": "gelu_new", "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False}
SIZES = ("n_embd", "vocab_size", "n_positions", "n_head", "n_layer")
SHARES = ("layer_norm_epsilon", "initializer_range")
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def read(folder: Path) -> tuple[Config, dict[str, Tensor]]:
    """The sizes, and the weights in float32. Raises CannotTell where the folder holds no GPT-2 like yours."""
    if not folder.is_dir():
        raise CannotTell(f"There is no folder {folder}; {WHAT}.")
    settings = _settings(folder)
    cfg = _config(settings, folder / "config.json")
    state = {name.removeprefix("transformer."): weight for name, weight in tensors(folder).items()}
    if any(name.startswith(f"h.{cfg.n_layers}.") for name in state):
        raise CannotTell(f"The weights in {folder} hold more blocks than config.json says, {cfg.n_layers}; {WHAT}.")
    return cfg, dict(_weights(_State(folder, state), cfg, settings.get("tie_word_embeddings", True)))


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
    settings = json_object(file)
    for key, allowed in NEEDED.items():
        if (value := settings.get(key, DEFAULTS.get(key))) not in list(allowed):
            one = " or ".join(map(repr, sorted(allowed)))
            raise CannotTell(f"{file} says {key} is {value!r}; your GPT-2 needs {one}. Give another model's folder.")
    return settings


def _config(settings: dict, file: Path) -> Config:
    for key in (*SIZES, *(["n_inner"] if settings.get("n_inner") is not None else [])):
        if key not in settings:
            raise CannotTell(f"{file} does not say {key!r}; {WHAT}.")
        if type(settings[key]) is not int or settings[key] < 1:
            raise CannotTell(f"{file} says {key} is {settings[key]!r}, and it must be a whole number from 1 on.")
    for key in SHARES:
        if type(settings.get(key, 0)) not in (int, float) or not 0 <= settings.get(key, 0) <= 1:
            raise CannotTell(f"{file} says {key} is {settings[key]!r}, and it must be a number from 0 to 1.")
    if type(settings.get("tie_word_embeddings", True)) is not bool:
        tied = settings["tie_word_embeddings"]
        raise CannotTell(f"{file} says tie_word_embeddings is {tied!r}, and it must be true or false.")
    if settings["n_embd"] % settings["n_head"]:
        raise CannotTell(
            f"{file} says n_embd is {settings['n_embd']}, which n_head, {settings['n_head']}, can't divide."
        )
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


@dataclass(frozen=True)
class _State:
    """The tensors of a folder, asked for one by one with the shape that config.json promises."""

    folder: Path
    tensors: dict[str, Tensor]

    def take(self, name: str, *shape: int) -> Tensor:
        """A tensor in float32. Raises CannotTell where it is missing, or another than was promised."""
        if name not in self.tensors:
            raise CannotTell(f"The weights in {self.folder} lack {name}; {WHAT}.")
        weight = self.tensors[name]
        problem = ""
        if not isinstance(weight, Tensor) or weight.dtype not in FLOATS:
            problem = f"is {getattr(weight, 'dtype', type(weight).__name__)}, and should be numbers such as float32"
        elif weight.layout != torch.strided or weight.is_nested or weight.is_meta:
            problem = "is sparse, nested or without values, and should be an ordinary tensor"
        elif weight.shape != shape:
            problem = f"is {list(weight.shape)}, and by config.json it should be {list(shape)}"
        elif not weight.isfinite().all():
            problem = "holds numbers that are not finite"
        if problem:
            raise CannotTell(f"The weights in {self.folder} can't be used: {name} {problem}; {WHAT}.")
        return weight.float()


def _weights(state: _State, cfg: Config, tied: bool) -> Iterator[tuple[str, Tensor]]:
    """By TransformerLens's names: Q, K and V taken apart, heads on an axis of their own.

    Source: transformers, modeling_gpt2.py: Conv1D keeps its weight as [in out], and c_attn gives q, k, v side by side.
    """
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
    # as transformers does: what the file has for the way out counts, even where config.json calls it tied
    own = not tied or "lm_head.weight" in state.tensors
    yield "unembed.W_U", (state.take("lm_head.weight", cfg.d_vocab, d_model) if own else W_E).T
    yield "unembed.b_U", torch.zeros(cfg.d_vocab)
