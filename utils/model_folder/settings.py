"""What config.json says of a GPT-2; where it is silent, transformers' own values hold."""

from pathlib import Path
from typing import NamedTuple

from utils.config import Config
from utils.model_folder.files import json_object
from utils.model_folder.reading import Said, config_of
from utils.model_folder.unreadable import WHAT, Unreadable, as_written

# Source: transformers, configuration_gpt2.py; model_type has no such value there.
SIZES = {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12}
SHARES = {"layer_norm_epsilon": 1e-5, "initializer_range": 0.02}
DEFAULTS = {
    "activation_function": "gelu_new",
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}
ALSO_CALLED = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}
NEEDED = {
    "model_type": ["gpt2"],
    "activation_function": ["gelu_new", "gelu_pytorch_tanh"],
    "scale_attn_weights": [True],
    "scale_attn_by_inverse_layer_idx": [False],
    "add_cross_attention": [False],
}


class Settings(NamedTuple):
    """The sizes, whether the unembedding is the embedding, and which sizes config.json leaves to transformers."""

    cfg: Config
    tied: bool
    unsaid: list[str]


def read_settings(folder: Path) -> Settings:
    """What the folder's config.json says. Raises Unreadable where that is no GPT-2 like the course's."""
    file, settings = config_of(folder)
    for other, name in ALSO_CALLED.items():
        if other in settings and settings.setdefault(name, settings[other]) != settings[other]:
            two = f"{name} is {as_written(settings[name])} and {other} is {as_written(settings[other])}"
            raise Unreadable(f"{file} says {two}, which are one and the same; {WHAT}.")
    for key, allowed in NEEDED.items():
        Said(file, settings, DEFAULTS, "the course's GPT-2 needs").need(key, allowed)
    unsaid = [key for key in SIZES if key not in settings]
    settings = {**SIZES, **SHARES, "n_inner": None, "tie_word_embeddings": True} | settings
    return Settings(_config(settings, file), settings["tie_word_embeddings"], unsaid)


def _config(settings: dict, file: Path) -> Config:
    said = Said(file, settings, {}, needs="")
    said.whole(*SIZES, *(["n_inner"] if settings["n_inner"] is not None else []))
    said.shares(*SHARES)
    said.switch("tie_word_embeddings")
    d_model, n_heads = settings["n_embd"], settings["n_head"]
    if d_model % n_heads:
        raise Unreadable(f"{file} says n_embd is {d_model}, which n_head, {n_heads}, can't divide.")
    return Config(
        d_model=d_model,
        d_vocab=settings["vocab_size"],
        n_ctx=settings["n_positions"],
        d_head=d_model // n_heads,
        d_mlp=settings["n_inner"] or 4 * d_model,
        n_heads=n_heads,
        n_layers=settings["n_layer"],
        layer_norm_eps=settings["layer_norm_epsilon"],
        init_range=settings["initializer_range"],
    )


def read_ends(folder: Path, end_of_text: int | None, what: str = WHAT) -> frozenset[int]:
    """The tokens at which transformers' `generate` ends; where no file says it, the number of <|endoftext|>.

    `what` to give instead is said where a file says nonsense.
    """
    for file in (folder / "generation_config.json", folder / "config.json"):
        if not file.is_file():
            continue
        settings = json_object(file)
        if "eos_token_id" not in settings and file.name == "config.json":
            break
        said = settings.get("eos_token_id")
        ends = said if isinstance(said, list) else [] if said is None else [said]
        if not all(type(end) is int for end in ends):
            raise Unreadable(
                f"{file} says eos_token_id is {as_written(said)}, and it must be a token's number; {what}."
            )
        return frozenset(ends)
    return frozenset() if end_of_text is None else frozenset([end_of_text])
