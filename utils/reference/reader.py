"""The reference model that every check reads: its weights, and what TransformerLens saw inside it.

Weights go by the names of `dict(bridge.tl_named_parameters())`, such as `blocks.3.attn.W_Q`, and load into our
Transformer with `strict=True`. Activations go by TransformerLens's hook names, such as `blocks.3.hook_resid_mid`.
All of them are float32, on the CPU. In TransformerLens 4.3 `ln1.hook_normalized` is LayerNorm before `w` and `b` and
`ln1.hook_out` is its output; scores of the future in `attn.hook_attn_scores` are about -3.4e38 instead of -inf.

Which model it is, the environment says: COURSE_REFERENCE = bundled (the default) | gpt2 | a HuggingFace GPT-2's folder.
"""

import os
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from jaxtyping import Int
from safetensors.torch import load_file
from torch import Tensor

from utils.config import Config
from utils.reference import activation_names, folders
from utils.reference.folders import BUNDLED

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformer_lens.model_bridge import TransformerBridge


END_OF_TEXT = "<|endoftext|>"
PROMPTS = (
    "Once upon a time a fox found a key.",
    '"Who slept in my little boat?" cried the Frog.',
)
PROMPT_TOKENS = 11


@dataclass(frozen=True)
class Reference:
    """A model, the tokens it read, and every activation on the way. Read it; never change a tensor in place."""

    name: str
    cfg: Config
    tokens: Int[Tensor, "batch pos"]
    weights: Mapping[str, Tensor]
    activations: Mapping[str, Tensor]


def reference() -> Reference:
    """The model that COURSE_REFERENCE names, read once. The bundled one takes no import of TransformerLens.

    Raises ReferenceUnavailable, with the way out, when the model is not available.
    """
    return _reference(_chosen())


def boot(name: str | None = None) -> "TransformerBridge":
    """A fresh TransformerLens bridge to the model `name` (by default the one that COURSE_REFERENCE names).

    Raw weights, eager attention, float32, on the CPU. Importing TransformerLens takes seconds.

    Raises ReferenceUnavailable, with the way out, when the model is not available.
    """
    directory = folders.directory(name or _chosen())
    with _quiet_loading():
        from transformer_lens.model_bridge import TransformerBridge

        return TransformerBridge.boot_transformers(str(directory), device="cpu", dtype=torch.float32)


def tokenizer() -> "Tokenizer":
    """The tokenizer of the model that COURSE_REFERENCE names, from the `tokenizers` library."""
    return _tokenizer(_chosen())


def encode(text: str) -> Int[Tensor, "1 pos"]:
    """Turn a text into a batch of one row of the reference model's tokens, `<|endoftext|>` first."""
    return _encode(tokenizer(), text)


def str_tokens(tokens: Int[Tensor, "..."]) -> list[str]:
    """Each token of one row as text; a token that holds only a part of a character reads as U+FFFD.

    Raises ValueError for more than one row.
    """
    if tokens.numel() != tokens.shape[-1]:
        raise ValueError(f"str_tokens reads one row of tokens, got shape {list(tokens.shape)}; pass tokens[0]")
    read = tokenizer()
    return [read.decode([token], skip_special_tokens=False) for token in tokens.flatten().tolist()]


def prompts(name: str) -> Int[Tensor, "batch pos"]:
    """The two fairy-tale openings, cut to the same number of tokens, which the activations belong to."""
    rows = [_encode(_tokenizer(name), text) for text in PROMPTS]
    pos = min(PROMPT_TOKENS, *(row.shape[-1] for row in rows))
    return torch.cat([row[:, :pos] for row in rows])


def _chosen() -> str:
    name = os.environ.get("COURSE_REFERENCE") or "bundled"
    return name if name in ("bundled", "gpt2") else str(Path(name).expanduser().resolve())


@cache
def _reference(name: str) -> Reference:
    if name == "bundled":
        record = load_file(BUNDLED / "activations.safetensors")
        tokens = record.pop("tokens")
        cfg, weights = folders.read(BUNDLED)
    else:
        cfg = folders.read_config(folders.directory(name))
        tokens, bridge = prompts(name), boot(name)
        record = activation_names.record(bridge, tokens)
        weights = {key: weight.detach().contiguous() for key, weight in bridge.tl_named_parameters()}
    activations = activation_names.with_aliases(record, tokens, cfg.n_layers)
    return Reference(name, cfg, tokens, weights, activations)


@cache
def _tokenizer(name: str) -> "Tokenizer":
    directory = folders.directory(name)
    if (directory / "tokenizer.json").exists():
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(directory / "tokenizer.json"))
    from transformers.models.auto import AutoTokenizer

    return AutoTokenizer.from_pretrained(directory, local_files_only=True).backend_tokenizer


def _encode(tokenizer: "Tokenizer", text: str) -> Int[Tensor, "1 pos"]:
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    return torch.tensor([[tokenizer.token_to_id(END_OF_TEXT), *ids]])


@contextmanager
def _quiet_loading():
    """Without transformers' loading bar, and without tqdm's advice, given in a notebook, to install ipywidgets."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")
        from transformers.utils import logging

        shown = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            yield
        finally:
            if shown:
                logging.enable_progress_bar()
