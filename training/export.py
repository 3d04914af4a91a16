"""From a checkpoint to a folder of HuggingFace's, a GPT-2 or a Llama, and what TransformerLens sees in it."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Int
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from training.data import END_OF_TEXT
from utils.config import Config, ModernConfig
from utils.huggingface import huggingface_weights
from utils.huggingface_llama import llama_config, llama_weights
from utils.reference import PROMPT_TOKENS, boot, prompts
from utils.reference.activation_names import modern_names, record
from utils.reference.reader import PROMPTS

if TYPE_CHECKING:
    from transformer_lens.model_bridge import TransformerBridge


def export(cfg: Config, weights: Mapping[str, Tensor], tokenizer: Tokenizer, out: Path) -> None:
    """Write our tied Transformer to `out` as HuggingFace's GPT-2, weights in float16, with its tokenizer."""
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel

    end = tokenizer.token_to_id(END_OF_TEXT)
    config = GPT2Config(
        vocab_size=cfg.d_vocab,
        n_positions=cfg.n_ctx,
        n_embd=cfg.d_model,
        n_layer=cfg.n_layers,
        n_head=cfg.n_heads,
        n_inner=cfg.d_mlp,
        activation_function="gelu_new",
        layer_norm_epsilon=cfg.layer_norm_eps,
        initializer_range=cfg.init_range,
        bos_token_id=end,
        eos_token_id=end,
    )
    model = GPT2LMHeadModel(config).half()
    tied = {**weights, "unembed.W_U": weights["embed.W_E"].T}
    model.load_state_dict(huggingface_weights(tied, cfg))
    model.save_pretrained(out)
    save_tokenizer(tokenizer, cfg.n_ctx, out)


def export_modern(cfg: ModernConfig, weights: Mapping[str, Tensor], tokenizer: Tokenizer, out: Path) -> None:
    """Write our ModernTransformer to `out` as HuggingFace's Llama, or Qwen 3 where it has QK-norm, in float16."""
    from transformers.models.llama import LlamaConfig, LlamaForCausalLM
    from transformers.models.qwen3 import Qwen3Config, Qwen3ForCausalLM

    end = tokenizer.token_to_id(END_OF_TEXT)
    settings: dict[str, Any] = llama_config(cfg) | {"bos_token_id": end, "eos_token_id": end}
    if cfg.qk_norm:
        model = Qwen3ForCausalLM(Qwen3Config(**settings)).half()
    else:
        model = LlamaForCausalLM(LlamaConfig(**settings)).half()
    model.load_state_dict(llama_weights(weights, cfg))
    model.save_pretrained(out)
    save_tokenizer(tokenizer, cfg.n_ctx, out)


def save_tokenizer(tokenizer: Tokenizer, n_ctx: int, out: Path) -> None:
    """Write tokenizer.json and tokenizer_config.json, which are GPT-2's for either model."""
    from transformers.models.gpt2 import GPT2Tokenizer

    special = dict.fromkeys(("bos_token", "eos_token", "unk_token"), END_OF_TEXT)
    fast = GPT2Tokenizer(tokenizer_object=tokenizer, model_max_length=n_ctx, **special)
    fast.save_pretrained(out)


def save_record(out: Path) -> None:
    """Let TransformerLens run the exported model on the two prompts, and save every activation beside the weights."""
    bridge, tokens = boot(str(out)), prompts(str(out))
    _save({"tokens": tokens, **record(bridge, tokens)}, out)


def save_modern_record(out: Path) -> None:
    """The same for a Llama or a Qwen 3, which read the two prompts as the reference model does."""
    bridge = boot_modern(out)
    tokens = prompt_tokens(Tokenizer.from_file(str(out / "tokenizer.json")), bridge.cfg.n_ctx)
    _save({"tokens": tokens, **record(bridge, tokens, modern_names(bridge.cfg.n_layers))}, out)


def boot_modern(folder: Path) -> "TransformerBridge":
    """A fresh TransformerLens bridge to the Llama or Qwen 3 in a folder: float32, on the CPU."""
    from transformer_lens.model_bridge import TransformerBridge

    return TransformerBridge.boot_transformers(str(folder), device="cpu", dtype=torch.float32)


def prompt_tokens(tokenizer: Tokenizer, n_ctx: int) -> Int[Tensor, "batch pos"]:
    """The two openings as tokens, `<|endoftext|>` first, cut to the same number."""
    rows = [tokenizer.encode(END_OF_TEXT + text).ids for text in PROMPTS]
    pos = min(PROMPT_TOKENS, n_ctx, *map(len, rows))
    return torch.tensor([row[:pos] for row in rows])


def _save(activations: dict[str, Tensor], out: Path) -> None:
    made_by = {"made_by": f"TransformerLens {version('transformer-lens')}"}
    save_file(activations, out / "activations.safetensors", made_by)
