"""A run that is kept: a HuggingFace GPT-2 folder, which `python -m my_gpt --model` reads, and the history."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from safetensors.torch import save_file
from torch import Tensor, nn

from utils.config import Config
from utils.course import state_dir
from utils.huggingface import huggingface_config, huggingface_weights

_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_REST = [byte for byte in range(256) if byte not in _PRINTABLE]
# Each byte as one printable character. Source: openai/gpt-2 src/encoder.py, bytes_to_unicode()
SHOWN = {byte: chr(byte) for byte in _PRINTABLE} | {byte: chr(0x100 + place) for place, byte in enumerate(_REST)}


def in_runs(name: str) -> Path:
    """Where a learner's run of that name is kept: in runs/, beside my_gpt/, whatever folder a notebook runs in."""
    return state_dir() / "runs" / name


def save_run(
    folder: str | Path,
    model: nn.Module,
    characters: Iterable[str],
    history: Iterable[Mapping[str, Any]] = (),
    **settings: Any,
) -> Path:
    """Keep a trained Transformer in `folder`, such as in_runs("first"); what was kept there before is overwritten.

    `characters` are the tokens, in the order of their numbers. `settings` are told in history.json, beside `history`.
    Raises ValueError for what no HuggingFace GPT-2 can hold.
    """
    cfg, known = cast(Config, model.cfg), list(characters)
    _check(cfg, known)
    weights = weights_of(model)
    _check_weights(weights, cfg)
    state = huggingface_weights(weights, cfg)
    return written(Path(folder), state, huggingface_config(cfg), known, cfg.n_ctx, history, settings)


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """All parameters by their names, on the CPU."""
    return {name: weight.detach().cpu() for name, weight in model.named_parameters()}


def written(
    folder: Path,
    state: Mapping[str, Tensor],
    config: Mapping[str, Any],
    characters: list[str],
    n_ctx: int,
    history: Iterable[Mapping[str, Any]],
    settings: Mapping[str, Any],
) -> Path:
    """Write a run's files into its folder, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: weight.contiguous() for name, weight in state.items()}, folder / "model.safetensors")
    for name, content in {
        "config.json": config,
        "tokenizer.json": character_tokenizer(characters),
        "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": n_ctx},
        "history.json": {"settings": settings, "history": list(history)},
    }.items():
        text = json.dumps(content, indent=2, ensure_ascii=False, default=str)
        (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder


def character_tokenizer(characters: list[str]) -> dict[str, Any]:
    """The content of a tokenizer.json, of GPT-2's kind, in which each of these characters is a token.

    A character of several bytes in UTF-8 is merged from these; what is halfway there is a token that no text keeps.
    """
    vocab = {_shown(character): number for number, character in enumerate(characters)}
    merges: list[list[str]] = []
    for character in map(_shown, characters):
        parts = [*character]
        for end in range(1, len(parts)):
            merge = ["".join(parts[:end]), parts[end]]
            merges += [merge] if merge not in merges else []
            for part in merge:
                vocab.setdefault(part, len(vocab))
    by_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": by_bytes,
        "post_processor": None,
        "decoder": by_bytes,
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    }


def _shown(character: str) -> str:
    return "".join(SHOWN[byte] for byte in character.encode())


def _check_weights(weights: Mapping[str, Tensor], cfg: Config) -> None:
    """Raises ValueError for parameters that a HuggingFace GPT-2 has no place for."""
    d_model, d_head, d_mlp, n_heads = cfg.d_model, cfg.d_head, cfg.d_mlp, cfg.n_heads
    norm = {"w": (d_model,), "b": (d_model,)}
    attn = {f"W_{one}": (n_heads, d_model, d_head) for one in "QKV"} | {"W_O": (n_heads, d_head, d_model)}
    attn |= {f"b_{one}": (n_heads, d_head) for one in "QKV"} | {"b_O": (d_model,)}
    mlp = {"W_in": (d_model, d_mlp), "b_in": (d_mlp,), "W_out": (d_mlp, d_model), "b_out": (d_model,)}
    parts = {"ln1": norm, "attn": attn, "ln2": norm, "mlp": mlp}
    sizes = {"embed.W_E": (cfg.d_vocab, d_model), "pos_embed.W_pos": (cfg.n_ctx, d_model)}
    sizes |= {"unembed.W_U": (d_model, cfg.d_vocab), "unembed.b_U": (cfg.d_vocab,)}
    sizes |= {f"ln_final.{name}": shape for name, shape in norm.items()}
    for layer in range(cfg.n_layers):
        sizes |= {f"blocks.{layer}.{part}.{name}": shape for part, own in parts.items() for name, shape in own.items()}
    for name, weight in weights.items():
        if name not in sizes:
            raise ValueError(f"the model has a parameter {name}, and HuggingFace's GPT-2 has no place for it")
        if weight.shape != sizes[name]:
            shape = f"{list(weight.shape)}, not {list(sizes[name])}"
            raise ValueError(f"the model's {name} is {shape}, and HuggingFace's GPT-2 has no place for that")


def _check(cfg: Config, characters: list[str]) -> None:
    """Raises ValueError, with what to do, where the two can't be kept together."""
    if len(characters) != cfg.d_vocab:
        found = f"{len(characters)} characters, and the model has d_vocab = {cfg.d_vocab}"
        raise ValueError(f"{found}: give those that it was trained on, in the order of their numbers")
    odd = [one for one in characters if not isinstance(one, str) or len(one) != 1]
    if odd or len(set(characters)) < len(characters):
        what = f"{odd[0]!r} is not one character" if odd else "some characters are there twice"
        raise ValueError(f"{what}: a run is kept with tokens that are characters, each once")
    if cfg.n_heads * cfg.d_head != cfg.d_model:
        sizes = f"n_heads * d_head is {cfg.n_heads * cfg.d_head}, d_model {cfg.d_model}"
        raise ValueError(f"{sizes}: HuggingFace's GPT-2 needs the two to be equal")
