"""A chapter 12 model as HuggingFace lays it out: config.json, and its weights by LlamaForCausalLM's names.

With QK-norm it is a Qwen3ForCausalLM, which has two more norms in each block. nn.Linear keeps a weight as [out in].
Source: transformers, modeling_llama.py and modeling_qwen3.py.
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from utils.config import ModernConfig

NORMS = {"ln1": "input_layernorm", "ln2": "post_attention_layernorm"}
MLP = {"W_gate": "gate_proj", "W_in": "up_proj", "W_out": "down_proj"}


def llama_config(cfg: ModernConfig) -> dict[str, Any]:
    """What config.json says of a model of these sizes. It names no token: whoever has the tokenizer adds them."""
    return {
        "architectures": ["Qwen3ForCausalLM" if cfg.qk_norm else "LlamaForCausalLM"],
        "model_type": "qwen3" if cfg.qk_norm else "llama",
        "vocab_size": cfg.d_vocab,
        "max_position_embeddings": cfg.n_ctx,
        "hidden_size": cfg.d_model,
        "num_hidden_layers": cfg.n_layers,
        "num_attention_heads": cfg.n_heads,
        "num_key_value_heads": cfg.n_kv_heads,
        "head_dim": cfg.d_head,
        "intermediate_size": cfg.d_mlp,
        "hidden_act": "silu",
        "attention_bias": False,
        "rms_norm_eps": cfg.rms_norm_eps,
        "rope_parameters": {"rope_type": "default", "rope_theta": cfg.rotary_base},
        "initializer_range": cfg.init_range,
        "tie_word_embeddings": cfg.tied,
    }


def llama_weights(weights: Mapping[str, Tensor], cfg: ModernConfig) -> dict[str, Tensor]:
    """Our weights by the names of LlamaForCausalLM. Raises ValueError where one is missing."""
    try:
        W_E = weights["embed.W_E"]
        named = {"model.embed_tokens.weight": W_E, "model.norm.weight": weights["ln_final.w"]}
        for layer in range(cfg.n_layers):
            block = _block(weights, f"blocks.{layer}", cfg.qk_norm)
            named |= {f"model.layers.{layer}.{name}.weight": weight for name, weight in block.items()}
        return named | {"lm_head.weight": W_E if cfg.tied else weights["W_U"].T}
    except KeyError as missing:
        raise ValueError(
            f"the model has no parameter {missing}: give a ModernTransformer as chapter 12 has it"
        ) from None


def _block(weights: Mapping[str, Tensor], at: str, qk_norm: bool) -> dict[str, Tensor]:
    """The heads of Q, K and V below one another, those of W_O side by side, all turned to [out in]."""
    block = {their: weights[f"{at}.{our}.w"] for our, their in NORMS.items()}
    for one in "QKV":
        W = weights[f"{at}.attn.W_{one}"]  # [head_index d_model d_head]
        block[f"self_attn.{one.lower()}_proj"] = W.mT.flatten(0, 1)
    block["self_attn.o_proj"] = weights[f"{at}.attn.W_O"].flatten(0, 1).T
    if qk_norm:
        block |= {f"self_attn.{one}_norm": weights[f"{at}.attn.{one}_norm.w"] for one in "qk"}
    return block | {f"mlp.{their}": weights[f"{at}.mlp.{our}"].T for our, their in MLP.items()}
