"""HuggingFace GPT-2 folders: finding the one that is wanted, and reading it without `transformers`."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import einops
import torch
from safetensors.torch import load_file
from torch import Tensor

from utils.config import Config

BUNDLED = Path(__file__).parent.parent / "reference_model"
REACH_SECONDS = 5.0
GPT2_FILES = [
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.json",
    "merges.txt",
]
OURS = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
}
WAY_OUT = "unset COURSE_REFERENCE to use the bundled model"


class ReferenceUnavailable(RuntimeError):
    """The reference model that was asked for is not available; the message says why, and the way out."""


def directory(name: str) -> Path:
    """The folder of the model `name`: bundled, gpt2 (downloaded when no copy is cached), or itself a folder's name.

    Raises ReferenceUnavailable when there is no such folder, or no GPT-2 in it.
    """
    if name == "bundled":
        return BUNDLED
    if name == "gpt2":
        return _gpt2()
    path = Path(name).expanduser()
    if not path.is_dir():
        raise ReferenceUnavailable(
            f"The reference model {name!r}: there is no such folder. "
            f"COURSE_REFERENCE may be bundled, gpt2, or the folder of a HuggingFace GPT-2; or {WAY_OUT}."
        )
    fault = _fault(path)
    if fault:
        raise ReferenceUnavailable(
            f"The reference model {name!r}: {fault}. "
            f"Point COURSE_REFERENCE at a folder that GPT2LMHeadModel.save_pretrained made, or {WAY_OUT}."
        )
    return path


def read(path: Path) -> tuple[Config, dict[str, Tensor]]:
    """The sizes, and the weights in float32 by TransformerLens's names, of a folder that our export made."""
    cfg = read_config(path)
    return cfg, transformer_lens_weights(load_file(path / "model.safetensors"), cfg)


def read_config(path: Path) -> Config:
    """The sizes of the GPT-2 in a folder, read from its config.json."""
    settings = json.loads((path / "config.json").read_text(encoding="utf-8"))
    return Config(
        d_model=settings["n_embd"],
        d_vocab=settings["vocab_size"],
        n_ctx=settings["n_positions"],
        d_head=settings["n_embd"] // settings["n_head"],
        d_mlp=settings.get("n_inner") or 4 * settings["n_embd"],
        n_heads=settings["n_head"],
        n_layers=settings["n_layer"],
        layer_norm_eps=settings["layer_norm_epsilon"],
        init_range=settings["initializer_range"],
    )


def transformer_lens_weights(state: Mapping[str, Tensor], cfg: Config) -> dict[str, Tensor]:
    """HuggingFace's weights by TransformerLens's names: Q, K and V taken apart, heads on an axis of their own.

    Source: transformers, modeling_gpt2.py (Conv1D keeps its weight as [in out]); transformer_lens, get_bridge_params().
    """
    state = {name.removeprefix("transformer."): weight.float() for name, weight in state.items()}
    weights = {"embed.W_E": state["wte.weight"], "pos_embed.W_pos": state["wpe.weight"]}
    for layer in range(cfg.n_layers):
        block = _block(state, f"h.{layer}", cfg)
        weights |= {f"blocks.{layer}.{name}": weight for name, weight in block.items()}
    weights["ln_final.w"] = state["ln_f.weight"]
    weights["ln_final.b"] = state["ln_f.bias"]
    weights["unembed.W_U"] = state["wte.weight"].T.contiguous()
    weights["unembed.b_U"] = torch.zeros(cfg.d_vocab)
    return weights


def _block(state: Mapping[str, Tensor], at: str, cfg: Config) -> dict[str, Tensor]:
    weights = {}
    for ours, theirs in (("ln1", "ln_1"), ("ln2", "ln_2")):
        weights[f"{ours}.w"] = state[f"{at}.{theirs}.weight"]
        weights[f"{ours}.b"] = state[f"{at}.{theirs}.bias"]
    heads = {"part": 3, "head_index": cfg.n_heads}
    split_w = "d_model (part head_index d_head) -> part head_index d_model d_head"
    split_b = "(part head_index d_head) -> part head_index d_head"
    for letter, w, b in zip(
        "QKV",
        einops.rearrange(state[f"{at}.attn.c_attn.weight"], split_w, **heads).contiguous(),
        einops.rearrange(state[f"{at}.attn.c_attn.bias"], split_b, **heads),
        strict=True,
    ):
        weights |= {f"attn.W_{letter}": w, f"attn.b_{letter}": b}
    join = "(head_index d_head) d_model -> head_index d_head d_model"
    joined = state[f"{at}.attn.c_proj.weight"]
    weights["attn.W_O"] = einops.rearrange(joined, join, head_index=cfg.n_heads)
    weights["attn.b_O"] = state[f"{at}.attn.c_proj.bias"]
    for ours, theirs in (("in", "c_fc"), ("out", "c_proj")):
        weights[f"mlp.W_{ours}"] = state[f"{at}.mlp.{theirs}.weight"]
        weights[f"mlp.b_{ours}"] = state[f"{at}.mlp.{theirs}.bias"]
    return weights


def _fault(path: Path) -> str | None:
    """What keeps a folder from being a GPT-2 like ours, if anything."""
    if not (path / "config.json").exists():
        return "it holds no config.json"
    settings = json.loads((path / "config.json").read_text(encoding="utf-8"))
    for key, wanted in OURS.items():
        if settings.get(key, wanted if key != "model_type" else None) != wanted:
            return f"config.json says {key} is {settings.get(key)!r}, and the course's GPT-2 has {wanted!r}"
    if not any(path.glob("*.safetensors")) and not any(path.glob("*.bin")):
        return "it holds no weights (model.safetensors)"
    if not (path / "tokenizer.json").exists() and not (path / "vocab.json").exists():
        return "it holds no tokenizer (tokenizer.json, or vocab.json and merges.txt)"
    return None


@cache
def _gpt2() -> Path:
    """The folder of GPT-2 small in HuggingFace's cache, after one download with its progress bar when it is missing."""
    from huggingface_hub import snapshot_download

    for repository in ("gpt2", "openai-community/gpt2"):
        try:
            path = Path(snapshot_download(repository, allow_patterns=GPT2_FILES, local_files_only=True))
        except Exception:  # no copy in the cache: huggingface_hub has several errors for that
            continue
        if _fault(path) is None:
            return path
    try:
        _reach_hub()
        return Path(snapshot_download("gpt2", allow_patterns=GPT2_FILES))
    except Exception as error:  # httpx's, huggingface_hub's and the system's errors, all meaning: no download
        reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    raise ReferenceUnavailable(
        f"The reference model 'gpt2': GPT-2 small's weights (0.5 GB) are not on this machine and could not be "
        f"downloaded ({reason}). Go online once and try again, or point COURSE_REFERENCE at a folder that holds them, "
        f"or {WAY_OUT}."
    )


def _reach_hub() -> None:
    """Fail at once when offline: the download alone would try again for half a minute."""
    from huggingface_hub import constants, get_session

    get_session().head(constants.ENDPOINT, timeout=REACH_SECONDS)
