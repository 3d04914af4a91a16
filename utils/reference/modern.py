"""Small models with random weights in the shape of Llama and of Qwen 3, and what TransformerLens saw inside them.

A reading of GPT-2 can't judge parts that GPT-2 lacks, so these stand in for it in chapter 12. No two axes of one are
equal, and n_heads * d_head is not d_model, so that no mix-up of axes can hide. Weights go by the names of chapter 12's
ModernTransformer, activations by TransformerLens's hook names, in float32. In TransformerLens 4.3 `attn.hook_q` is the
query before q_norm, `attn.hook_q_normed` [batch head_index pos d_head] follows q_norm, and `attn.hook_rot_q` is turned.

`python -m training.modern_record` makes the file anew.

`modern_model` is another: the small Llama in utils/modern_model, which was trained (training/modern.py).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jaxtyping import Float, Int
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor

from utils.config import ModernConfig
from utils.model_folder import llama
from utils.reference.folders import MODERN

FILE = Path(__file__).with_name("modern.safetensors")
OF_A_BLOCK = (
    "hook_resid_pre",
    "ln1.hook_out",
    *(f"attn.hook_{part}" for part in ("q", "k", "rot_q", "rot_k")),
    "hook_attn_out",
    "hook_resid_mid",
    "ln2.hook_out",
    "hook_mlp_out",
    "hook_resid_post",
)
KINDS = ("weights", "activations")
OF_QK_NORM = ("attn.hook_q_normed", "attn.hook_k_normed")


@dataclass(frozen=True)
class ModernReference:
    """A model, the tokens it read, and every activation on the way. Read it; never change a tensor in place."""

    name: str
    cfg: ModernConfig
    tokens: Int[Tensor, "batch pos"]
    weights: Mapping[str, Tensor]
    activations: Mapping[str, Tensor]

    def weights_of(self, part: str) -> dict[str, Tensor]:
        """The weights of one part, such as `blocks.0.attn`, by the names that they have in it."""
        return _below(self.weights, f"{part}.")


class Turned(NamedTuple):
    """Queries or keys of a recorded model before and after they are turned, from position 0 on, and by which tables."""

    where: str  # such as "llama_2, blocks.0.attn.q"
    cfg: ModernConfig
    tables: tuple[Float[Tensor, "pos pair"], Float[Tensor, "pos pair"]]  # cosines, sines
    given: Float[Tensor, "batch pos head_index d_head"]
    gave: Float[Tensor, "batch pos head_index d_head"]


class Recorded(NamedTuple):
    """What one part of a recorded model was given, and what it gave."""

    where: str  # such as "llama_2, blocks.0.ln1"
    cfg: ModernConfig
    weights: dict[str, Tensor]
    given: Float[Tensor, "batch pos ..."]
    gave: Float[Tensor, "batch pos ..."]


def recorded_names(cfg: ModernConfig) -> list[str]:
    """The hook names that a record holds."""
    within = OF_A_BLOCK + (OF_QK_NORM if cfg.qk_norm else ())
    blocks = [f"blocks.{layer}.{hook}" for layer in range(cfg.n_layers) for hook in within]
    return ["rotary_emb.hook_cos", "rotary_emb.hook_sin", *blocks, "ln_final.hook_out", "unembed.hook_out"]


@cache
def modern_references() -> tuple[ModernReference, ...]:
    """The recorded models, three of Llama's shape and two of Qwen 3's: llama_1 to llama_3, qwen_1 and qwen_2."""
    with safe_open(FILE, "pt") as file:
        settings = {name: ModernConfig(**found) for name, found in json.loads(file.metadata()["settings"]).items()}
        found = {key: file.get_tensor(key) for key in file.keys()}
    return tuple(
        ModernReference(name, cfg, found[f"{name}/tokens"], *(_below(found, f"{name}/{kind}/") for kind in KINDS))
        for name, cfg in settings.items()
    )


@cache
def modern_model() -> ModernReference:
    """The trained one, with what TransformerLens saw in it. It reads the same two openings as the reference model."""
    cfg, weights = llama.read(MODERN)
    activations = load_file(MODERN / "activations.safetensors")
    return ModernReference("modern_model", cfg, activations.pop("tokens"), weights, activations)


def recorded_rms_norms() -> Iterator[Recorded]:
    """Every RMSNorm that reads the stream: ln1 and ln2 of each block, and ln_final."""
    for model in modern_references():
        last = f"blocks.{model.cfg.n_layers - 1}.hook_resid_post"
        yield _recorded(model, "ln_final", last, "ln_final.hook_out")
        for at in _blocks(model):
            yield _recorded(model, f"{at}.ln1", f"{at}.hook_resid_pre", f"{at}.ln1.hook_out")
            yield _recorded(model, f"{at}.ln2", f"{at}.hook_resid_mid", f"{at}.ln2.hook_out")


def recorded_tables(model: ModernReference) -> tuple[Float[Tensor, "pos pair"], Float[Tensor, "pos pair"]]:
    """Cosines and sines of the model's angles at the positions that it read.

    TransformerLens has them for each number of a head: both numbers of a pair, d_head / 2 apart, have the same.
    """
    half = model.cfg.d_head // 2
    cos, sin = (model.activations[f"rotary_emb.hook_{one}"][0, :, :half].contiguous() for one in ("cos", "sin"))
    return cos, sin


def recorded_turns() -> Iterator[Turned]:
    """Queries, and keys, of every block."""
    for model in modern_references():
        for at in _blocks(model):
            for one in "qk":
                before = model.activations[f"{at}.attn.hook_{one}"]
                if model.cfg.qk_norm:
                    before = model.activations[f"{at}.attn.hook_{one}_normed"].transpose(1, 2).contiguous()
                after = model.activations[f"{at}.attn.hook_rot_{one}"]
                yield Turned(f"{model.name}, {at}.attn.{one}", model.cfg, recorded_tables(model), before, after)


def recorded_mlps() -> Iterator[Recorded]:
    """The MLP of every block."""
    return _of_each_block("mlp", "ln2.hook_out", "hook_mlp_out")


def recorded_attentions(*, qk_norm: bool) -> Iterator[Recorded]:
    """Attention of every block, of the models with QK-norm or of the others."""
    return _of_each_block("attn", "ln1.hook_out", "hook_attn_out", lambda cfg: cfg.qk_norm == qk_norm)


def recorded_blocks() -> Iterator[Recorded]:
    """Every block: resid_pre and resid_post."""
    return _of_each_block("", "hook_resid_pre", "hook_resid_post")


def _of_each_block(
    part: str, given: str, gave: str, wanted: Callable[[ModernConfig], bool] = lambda cfg: True
) -> Iterator[Recorded]:
    for model in modern_references():
        if wanted(model.cfg):
            for at in _blocks(model):
                yield _recorded(model, f"{at}.{part}".rstrip("."), f"{at}.{given}", f"{at}.{gave}")


def _recorded(model: ModernReference, part: str, given: str, gave: str) -> Recorded:
    seen = model.activations
    return Recorded(f"{model.name}, {part}", model.cfg, model.weights_of(part), seen[given], seen[gave])


def _blocks(model: ModernReference) -> list[str]:
    return [f"blocks.{layer}" for layer in range(model.cfg.n_layers)]


def _below(found: Mapping[str, Tensor], folder: str) -> dict[str, Tensor]:
    """The tensors whose names begin so, by what follows."""
    return {name.removeprefix(folder): tensor for name, tensor in found.items() if name.startswith(folder)}
