"""A run that is kept: a HuggingFace GPT-2 folder, which `python -m my_gpt --model` reads, and the history."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from safetensors.torch import save_file
from torch import nn

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
    weights = {name: weight.detach().cpu() for name, weight in model.named_parameters()}
    state = huggingface_weights(weights, cfg)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: weight.contiguous() for name, weight in state.items()}, folder / "model.safetensors")
    tokenizer_config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": cfg.n_ctx}
    told = {"settings": settings, "history": list(history)}
    for name, content in {
        "config.json": huggingface_config(cfg),
        "tokenizer.json": character_tokenizer(known),
        "tokenizer_config.json": tokenizer_config,
        "history.json": told,
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
