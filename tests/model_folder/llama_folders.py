"""Folders of small Llamas, as transformers writes them."""

import json

import torch

SIZES = {
    "vocab_size": 23,
    "hidden_size": 12,
    "intermediate_size": 17,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "max_position_embeddings": 40,
    "rms_norm_eps": 1e-5,
}
KINDS = ("llama", "qwen3", "mistral")
OWN = {"mistral": {"sliding_window": None}}  # settings without which it is no model of ours


def classes_of(kind):
    """Its Config and its model."""
    from transformers.models.llama import LlamaConfig, LlamaForCausalLM
    from transformers.models.mistral import MistralConfig, MistralForCausalLM
    from transformers.models.qwen3 import Qwen3Config, Qwen3ForCausalLM

    return {
        "llama": (LlamaConfig, LlamaForCausalLM),
        "qwen3": (Qwen3Config, Qwen3ForCausalLM),
        "mistral": (MistralConfig, MistralForCausalLM),
    }[kind]


def saved(folder, kind="llama", shard="1GB", **changes):
    """A model of this kind with random weights of an ordinary size, saved in the folder, and the model."""
    make, model = classes_of(kind)
    torch.manual_seed(3)
    made = model(make(**SIZES | OWN.get(kind, {}) | changes)).eval()
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(torch.randn_like(weight) * (0.2 if weight.ndim > 1 else 1.0))
    made.tie_weights()
    made.save_pretrained(folder, max_shard_size=shard)
    return made


def settings_of(folder):
    return json.loads((folder / "config.json").read_text(encoding="utf-8"))


def write_settings(folder, settings):
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
