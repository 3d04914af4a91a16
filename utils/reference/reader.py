"""The reference model that every check reads: its weights, and what TransformerLens saw inside it.

Weights go by the names of `dict(bridge.tl_named_parameters())`, such as `blocks.3.attn.W_Q`, and load into our
Transformer with `strict=True`. Activations go by TransformerLens's hook names, such as `blocks.3.hook_resid_mid`.
All of them are float32, on the CPU. In TransformerLens 4.3 `ln1.hook_normalized` is LayerNorm before `w` and `b` and
`ln1.hook_out` is its output; scores of the future in `attn.hook_attn_scores` are about -3.4e38 instead of -inf.

Which model it is, the environment says: COURSE_REFERENCE = bundled (the default) | gpt2 | a HuggingFace GPT-2's folder.
"""

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
from utils.huggingface import huggingface_config, huggingface_weights
from utils.model_folder.vocabulary import END_OF_TEXT
from utils.reference import activation_names, folders
from utils.reference.folders import BUNDLED, ReferenceUnavailable
from utils.reference.tokens import chosen, tokenizer, tokenizer_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformer_lens.model_bridge import TransformerBridge
    from transformers.models.gpt2 import GPT2LMHeadModel
    from transformers.tokenization_utils_tokenizers import TokenizersBackend

PROMPTS = ("Once upon a time a fox found a key.", '"Who slept in my little boat?" cried the Frog.')
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
    return _reference(chosen())


def boot(name: str | None = None) -> "TransformerBridge":
    """A fresh TransformerLens bridge to the model `name` (by default the one that COURSE_REFERENCE names).

    Raw weights, eager attention, float32, on the CPU. Importing TransformerLens takes seconds.

    Raises ReferenceUnavailable, with the way out, when the model is not available.
    """
    name = name or chosen()
    cfg, weights = _read(name)
    return _bridge(name, cfg, weights)


def encode(text: str) -> Int[Tensor, "1 pos"]:
    """Turn a text into a batch of one row of the reference model's tokens, `<|endoftext|>` first.

    A tokenizer without it has the text alone.
    """
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
    """The two fairy-tale openings, cut to the same number of tokens, which the activations belong to.

    Raises ReferenceUnavailable, with the way out, when the model has no such tokens.
    """
    return _prompts(name, _read(name)[0])


def _prompts(name: str, cfg: Config) -> Int[Tensor, "batch pos"]:
    rows = [_encode(tokenizer_of(name), text) for text in PROMPTS]
    pos = min(PROMPT_TOKENS, cfg.n_ctx, *(row.shape[-1] for row in rows))
    tokens = torch.cat([row[:, :pos] for row in rows])
    if tokens.numel() == 0 or tokens.max() >= cfg.d_vocab:
        largest = f"token {int(tokens.max())}" if tokens.numel() else "no token"
        raise ReferenceUnavailable(
            f"The reference model {name!r}: its tokenizer makes {largest} of a text, and the model has {cfg.d_vocab}: "
            f"they don't fit. Copy there the tokenizer that the model was trained with, or {folders.WAY_OUT}."
        )
    return tokens


@cache
def _reference(name: str) -> Reference:
    if name == "bundled":
        record = load_file(BUNDLED / "activations.safetensors")
        tokens = record.pop("tokens")
        cfg, weights = folders.read(BUNDLED)
    else:
        cfg, weights = _read(name)
        tokens = _prompts(name, cfg)
        record = activation_names.record(_bridge(name, cfg, weights), tokens)
    activations = activation_names.with_aliases(record, tokens, cfg.n_layers)
    return Reference(name, cfg, tokens, weights, activations)


def _read(name: str) -> tuple[Config, dict[str, Tensor]]:
    return folders.read(folders.directory(name))


def _bridge(name: str, cfg: Config, weights: Mapping[str, Tensor]) -> "TransformerBridge":
    """TransformerLens's model of these weights: what it is handed, nothing is read from the folder again."""
    directory, reads = folders.directory(name), tokenizer_of(name)
    with _quiet_loading():
        from transformer_lens.model_bridge import TransformerBridge

        model, tokenizer = _huggingface(cfg, weights), _with_end_of_text(reads, directory)
        return TransformerBridge.boot_transformers(
            str(directory), hf_model=model, tokenizer=tokenizer, device="cpu", dtype=torch.float32
        )


def _huggingface(cfg: Config, weights: Mapping[str, Tensor]) -> "GPT2LMHeadModel":
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(**huggingface_config(cfg)))
    model.load_state_dict(huggingface_weights(weights, cfg), strict=True)
    return model.eval()


def _with_end_of_text(tokenizer: "Tokenizer", directory: Path) -> "TokenizersBackend":
    from transformers.tokenization_utils_tokenizers import TokenizersBackend

    end = END_OF_TEXT if tokenizer.token_to_id(END_OF_TEXT) is not None else None
    named = dict.fromkeys(("bos_token", "eos_token", "unk_token"), end)
    return TokenizersBackend(
        tokenizer_object=tokenizer, name_or_path=str(directory), add_bos_token=end is not None, **named
    )


def _encode(tokenizer: "Tokenizer", text: str) -> Int[Tensor, "1 pos"]:
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    end = tokenizer.token_to_id(END_OF_TEXT)
    return torch.tensor([ids if end is None else [end, *ids]], dtype=torch.int64)


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
