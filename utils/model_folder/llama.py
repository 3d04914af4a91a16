"""Reads a Llama, or a model of its shape, from HuggingFace's folder: by the names of chapter 12's ModernTransformer."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from utils.config import ModernConfig
from utils.model_folder.reading import OF_LLAMAS_SHAPE, Said, State, config_of, refuse_adapters, unprefixed
from utils.model_folder.settings import read_ends
from utils.model_folder.tensors import tensors
from utils.model_folder.unreadable import ANOTHER, Unreadable, as_written

# Source: transformers 5.23, configuration_llama.py, configuration_mistral.py and configuration_qwen3.py. A head_dim or
# num_key_value_heads of null follows from the other sizes.
OF_ALL = {
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-6,
    "initializer_range": 0.02,
    "tie_word_embeddings": False,
    "attention_bias": False,
    "mlp_bias": False,
}
DEFAULTS = {
    "llama": OF_ALL
    | {"vocab_size": 32000, "intermediate_size": 11008, "max_position_embeddings": 2048, "eos_token_id": 2},
    "mistral": OF_ALL
    | {"vocab_size": 32000, "intermediate_size": 14336, "max_position_embeddings": 131072}
    | {"num_key_value_heads": 8, "sliding_window": 4096, "eos_token_id": 2},
    "qwen3": OF_ALL
    | {"vocab_size": 151936, "intermediate_size": 22016, "max_position_embeddings": 32768}
    | {"num_key_value_heads": 32, "head_dim": 128}
    | {"use_sliding_window": False, "sliding_window": 4096, "max_window_layers": 28},
}
SIZES = [
    "vocab_size",
    "max_position_embeddings",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
]
ROTARY_BASE = 10_000.0  # transformers, modeling_rope_utils.py, default_theta
NEEDED = {"hidden_act": ["silu", "swish"], "attention_bias": [False], "mlp_bias": [False]}
NEEDS = "chapter 12's ModernTransformer needs"
WHOLE = "chapter 12's ModernTransformer turns every pair of a head by rope_theta alone"
EVERY = "in chapter 12's ModernTransformer every position sees all before it"
CLASSES = {"llama": "LlamaForCausalLM", "mistral": "MistralForCausalLM", "qwen3": "Qwen3ForCausalLM"}
WHAT = "give the folder that {}.save_pretrained made"
PREFIX = "model."
COMPUTED = "rotary_emb.inv_freq"  # in files that older versions wrote; it follows from rope_theta


class Settings(NamedTuple):
    """The sizes, which of them config.json leaves to transformers, and what to give where the folder is refused."""

    cfg: ModernConfig
    unsaid: list[str]
    what: str


def read(folder: Path) -> tuple[ModernConfig, dict[str, Tensor]]:
    """The sizes, and the weights in float32, each contiguous.

    Raises Unreadable for what ModernTransformer would not compute as transformers does.
    """
    settings = read_settings(folder)
    found = unprefixed(tensors(folder, settings.what), PREFIX)
    refuse_adapters(folder, found)
    state = State(folder, found, settings.unsaid, settings.what)
    weights = dict(_weights(state, settings.cfg))
    _refuse_others(state, settings.cfg.n_layers)
    cfg = replace(settings.cfg, tied="W_U" not in weights)
    return cfg, {name: weight.contiguous() for name, weight in weights.items()}


def read_ends_of(folder: Path) -> frozenset[int]:
    """The tokens at which transformers' `generate` ends; where no file says it, those that transformers has for it."""
    kind = config_of(folder)[1]["model_type"]
    return read_ends(folder, DEFAULTS[kind].get("eos_token_id"), WHAT.format(CLASSES[kind]))


def read_settings(folder: Path) -> Settings:
    """What the folder's config.json says. Raises Unreadable where that is no model of chapter 12's shape."""
    file, settings = config_of(folder)
    kinds = Said(file, settings, {}, NEEDS)
    kinds.need("model_type", [*OF_LLAMAS_SHAPE])
    kind = settings["model_type"]
    said = Said(file, settings, DEFAULTS[kind], NEEDS)
    if (how := settings.get("quantization_config")) is not None:
        quantised = f"{file} says that the weights are quantised (quantization_config: {as_written(how)})"
        raise Unreadable(f"{quantised}; give the folder of the model as it was before that.")
    for key, allowed in NEEDED.items():
        said.need(key, allowed)
    said.whole(*SIZES)
    said.shares("rms_norm_eps", "initializer_range")
    said.switch("tie_word_embeddings")
    cfg = ModernConfig(
        d_model=said.get("hidden_size"),
        d_vocab=said.get("vocab_size"),
        n_ctx=said.get("max_position_embeddings"),
        d_head=_d_head(said),
        d_mlp=said.get("intermediate_size"),
        n_heads=said.get("num_attention_heads"),
        n_kv_heads=_n_kv_heads(said),
        n_layers=said.get("num_hidden_layers"),
        rms_norm_eps=said.get("rms_norm_eps"),
        rotary_base=_rotary_base(said),
        qk_norm=kind == "qwen3",
        tied=said.get("tie_word_embeddings"),
        init_range=said.get("initializer_range"),
    )
    _refuse_windows(said)
    unsaid = [key for key in SIZES if key not in settings]
    return Settings(cfg, unsaid, WHAT.format(CLASSES[kind]))


def _d_head(said: Said) -> int:
    if said.get("head_dim") is not None:
        said.whole("head_dim")
        d_head = said.get("head_dim")
    else:
        d_model, n_heads = said.get("hidden_size"), said.get("num_attention_heads")
        if d_model % n_heads:
            which = f"hidden_size is {d_model}, which num_attention_heads, {n_heads}, can't divide"
            raise Unreadable(f"{said.file} says {which}.")
        d_head = d_model // n_heads
    if d_head % 2:
        raise Unreadable(f"{said.file} gives a head {d_head} numbers, which can't turn in pairs; {ANOTHER}.")
    return d_head


def _n_kv_heads(said: Said) -> int:
    n_heads = said.get("num_attention_heads")
    if said.get("num_key_value_heads") is None:
        return n_heads
    said.whole("num_key_value_heads")
    n_kv_heads = said.get("num_key_value_heads")
    if n_heads % n_kv_heads:
        which = f"num_attention_heads is {n_heads}, which num_key_value_heads, {n_kv_heads}, can't divide"
        raise Unreadable(f"{said.file} says {which}.")
    return n_kv_heads


def _rotary_base(said: Said) -> float:
    """In whichever of three places it stands: transformers 5 writes `rope_parameters`, and what is older goes first.

    Source: transformers, modeling_rope_utils.py, convert_rope_params_to_dict().
    """
    place = "rope_scaling" if said.get("rope_scaling") else "rope_parameters"
    rope = said.get(place) or {}
    if not isinstance(rope, dict) or any(isinstance(value, dict) for value in rope.values()):
        raise Unreadable(f"{said.file} says {place} is {as_written(rope)}, which {WHOLE}: {ANOTHER}.")
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind != "default":
        scaled = f"{said.file} scales rotary positions ({place} has the type {as_written(kind)})"
        raise Unreadable(f"{scaled}, and {WHOLE}: {ANOTHER}.")
    for where in (rope, said.settings):
        if where.get("partial_rotary_factor") not in (None, 1):
            share = f"partial_rotary_factor is {as_written(where['partial_rotary_factor'])}"
            raise Unreadable(f"{said.file} says {share}, and {WHOLE}: {ANOTHER}.")
    base = rope.get("rope_theta", said.settings.get("rope_theta", ROTARY_BASE))
    if type(base) not in (int, float) or base <= 0:
        raise Unreadable(f"{said.file} says rope_theta is {as_written(base)}, and it must be a number above 0.")
    return float(base)


def _refuse_windows(said: Said) -> None:
    """Raises Unreadable where a position may not see all before it, however long a text is."""
    kinds = said.get("layer_types") or []
    others = [kind for kind in kinds if kind != "full_attention"] if isinstance(kinds, list) else [kinds]
    if others:
        raise Unreadable(f"{said.file} says layer_types has {as_written(others[0])}, and {EVERY}: {ANOTHER}.")
    window = said.get("sliding_window")
    if said.settings["model_type"] == "qwen3":
        said.switch("use_sliding_window")
        first, n_layers = said.get("max_window_layers"), said.get("num_hidden_layers")
        slides = said.get("use_sliding_window") and not kinds and (type(first) is not int or first < n_layers)
        window = window if slides else None
    elif said.settings["model_type"] == "llama":
        window = None  # transformers' Llama has none, whatever the file says
    if window is None:
        return
    if type(window) is not int or window < said.get("max_position_embeddings"):
        where = "says" if "sliding_window" in said.settings else "leaves it to transformers that"
        raise Unreadable(f"{said.file} {where} sliding_window is {as_written(window)}, and {EVERY}: {ANOTHER}.")


def _weights(state: State, cfg: ModernConfig) -> Iterator[tuple[str, Tensor]]:
    """Heads on an axis of their own; Linear keeps its weight as [out in].

    Source: transformers, modeling_llama.py and modeling_qwen3.py.
    """
    d_model, d_head = cfg.d_model, cfg.d_head
    yield "embed.W_E", (W_E := state.take("embed_tokens.weight", cfg.d_vocab, d_model))
    for layer in range(cfg.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        yield f"{ours}.ln1.w", state.take(f"{theirs}.input_layernorm.weight", d_model)
        for letter, n_heads in (("Q", cfg.n_heads), ("K", cfg.n_kv_heads), ("V", cfg.n_kv_heads)):
            weight = state.take(f"{theirs}.self_attn.{letter.lower()}_proj.weight", n_heads * d_head, d_model)
            yield f"{ours}.attn.W_{letter}", weight.reshape(n_heads, d_head, d_model).transpose(1, 2)
        weight = state.take(f"{theirs}.self_attn.o_proj.weight", d_model, cfg.n_heads * d_head)
        yield f"{ours}.attn.W_O", weight.T.reshape(cfg.n_heads, d_head, d_model)
        for norm in ("q_norm", "k_norm") if cfg.qk_norm else ():
            yield f"{ours}.attn.{norm}.w", state.take(f"{theirs}.self_attn.{norm}.weight", d_head)
        yield f"{ours}.ln2.w", state.take(f"{theirs}.post_attention_layernorm.weight", d_model)
        for our, their in (("W_gate", "gate_proj"), ("W_in", "up_proj")):
            yield f"{ours}.mlp.{our}", state.take(f"{theirs}.mlp.{their}.weight", cfg.d_mlp, d_model).T
        yield f"{ours}.mlp.W_out", state.take(f"{theirs}.mlp.down_proj.weight", d_model, cfg.d_mlp).T
    yield "ln_final.w", state.take("norm.weight", d_model)
    W_U = state.unembedding(cfg.tied, cfg.d_vocab, d_model)
    if W_U is not None and not (cfg.tied and W_U.equal(W_E)):
        yield "W_U", W_U.T


def _refuse_others(state: State, n_layers: int) -> None:
    """Raises Unreadable for weights that have no place in ModernTransformer: with them it would compute otherwise."""
    for name in state.tensors:
        if name in state.taken or name.endswith(COMPUTED):
            continue
        hold = f"The weights in {state.folder} hold"
        if name.startswith(f"layers.{n_layers}."):
            raise Unreadable(f"{hold} more blocks than config.json says, {n_layers}; {state.what}.")
        lacking = "no biases" if name.endswith(".bias") else "no place for it"
        raise Unreadable(f"{hold} {name}, and chapter 12's ModernTransformer has {lacking}; {ANOTHER}.")
