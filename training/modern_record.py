"""Makes the record of chapter 12: what TransformerLens sees in small random models of Llama's and Qwen 3's shape.

`python -m training.modern_record` writes utils/reference/modern.safetensors. `transformers` builds each model and saves
it as a folder, TransformerLens reads that folder, and our own reader takes the weights from it, because the bridge's
list of weights repeats the keys and values that heads share.
"""

import argparse
import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor

from utils.config import ModernConfig
from utils.model_folder import llama
from utils.reference.modern import FILE, KINDS, recorded_names

SPREAD = 0.4  # large enough for mistakes to show
SETTINGS = {
    "llama_1": ModernConfig(12, 23, 9, 4, 17, 6, 2, n_layers=2, rms_norm_eps=0.05, rotary_base=50.0),
    "llama_2": ModernConfig(8, 19, 11, 6, 15, 4, 2, n_layers=1, rms_norm_eps=1e-3, rotary_base=3000.0, tied=False),
    "llama_3": ModernConfig(9, 22, 10, 8, 14, 3, 1, n_layers=1, rms_norm_eps=0.2, rotary_base=700.0, tied=False),
    "qwen_1": ModernConfig(10, 25, 12, 4, 19, 6, 2, n_layers=2, rms_norm_eps=0.1, rotary_base=80.0, qk_norm=True),
    "qwen_2": ModernConfig(
        7, 20, 9, 8, 13, 6, 3, n_layers=1, rms_norm_eps=1e-2, rotary_base=2000.0, qk_norm=True, tied=False
    ),
}
SIZES = {  # rows and positions that each model reads, and the seed of its weights and tokens
    "llama_1": (2, 5, 1),
    "llama_2": (3, 5, 2),
    "llama_3": (2, 6, 3),
    "qwen_1": (2, 5, 4),
    "qwen_2": (2, 4, 5),
}


class Made(NamedTuple):
    """A model as it is recorded."""

    cfg: ModernConfig
    tokens: Tensor
    weights: dict[str, Tensor]
    activations: dict[str, Tensor]


def made(name: str, folder: Path) -> Made:
    """Build a model in this folder and let TransformerLens read its tokens."""
    from transformer_lens.model_bridge import TransformerBridge

    cfg = SETTINGS[name]
    batch, pos, seed = SIZES[name]
    torch.manual_seed(seed)
    write_folder(cfg, folder)
    tokens = torch.randint(cfg.d_vocab, (batch, pos))
    read, weights = llama.read(folder)
    assert all(getattr(read, field) == value for field, value in asdict(cfg).items() if field != "init_range"), read
    bridge = TransformerBridge.boot_transformers(str(folder), dtype=torch.float32)
    with torch.no_grad():
        _, seen = bridge.run_with_cache(tokens)
    activations = {hook: seen[hook].clone().contiguous() for hook in recorded_names(cfg)}
    return Made(cfg, tokens, weights, activations)


def write_folder(cfg: ModernConfig, folder: Path) -> None:
    """Save a model of this shape with random weights, in which no scale is 1, and a tokenizer, which nobody uses."""
    from tokenizers import Tokenizer, models
    from transformers.models.auto import AutoModelForCausalLM
    from transformers.models.llama import LlamaConfig
    from transformers.models.qwen3 import Qwen3Config
    from transformers.tokenization_utils_tokenizers import TokenizersBackend

    config = (Qwen3Config if cfg.qk_norm else LlamaConfig)(
        vocab_size=cfg.d_vocab,
        hidden_size=cfg.d_model,
        intermediate_size=cfg.d_mlp,
        num_hidden_layers=cfg.n_layers,
        num_attention_heads=cfg.n_heads,
        num_key_value_heads=cfg.n_kv_heads,
        head_dim=cfg.d_head,
        max_position_embeddings=cfg.n_ctx,
        rms_norm_eps=cfg.rms_norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": cfg.rotary_base},
        tie_word_embeddings=cfg.tied,
        bos_token_id=0,
        eos_token_id=1,
    )
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager", dtype=torch.float32)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(1.0 if "norm" in name else 0.0, SPREAD)
    model.save_pretrained(folder)
    words = {f"w{number}": number for number in range(cfg.d_vocab)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="w0"))
    TokenizersBackend(tokenizer_object=tokenizer, bos_token="w0", eos_token="w1").save_pretrained(folder)


def made_anew(folder: Path) -> dict[str, Made]:
    """All models, each in a folder of its own below this one."""
    return {name: made(name, folder / name) for name in SETTINGS}


def save(models: dict[str, Made], file: Path) -> None:
    """Write the record."""
    tensors = {}
    for name, model in models.items():
        tensors[f"{name}/tokens"] = model.tokens
        for kind in KINDS:
            tensors |= {f"{name}/{kind}/{key}": tensor for key, tensor in getattr(model, kind).items()}
    packages = ", ".join(f"{package} {version(package)}" for package in ("transformer-lens", "transformers"))
    settings = {name: asdict(model.cfg) for name, model in models.items()}
    save_file(tensors, file, {"made_by": packages, "settings": json.dumps(settings)})


def main() -> None:
    argparse.ArgumentParser(description="Make the record of chapter 12 anew.").parse_args()
    with TemporaryDirectory() as folder:
        save(made_anew(Path(folder)), FILE)
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
