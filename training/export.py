"""From a checkpoint to the bundled reference model: a HuggingFace GPT-2 folder, and what TransformerLens sees in it."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import einops
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from training.data import END_OF_TEXT
from utils.config import Config
from utils.reference import boot, prompts
from utils.reference.activation_names import record


def export(cfg: Config, weights: Mapping[str, Tensor], tokenizer: Tokenizer, out: Path) -> None:
    """Write our tied Transformer to `out` as HuggingFace's GPT-2, weights in float16, with its tokenizer."""
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel, GPT2Tokenizer

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
    model.load_state_dict(huggingface_weights(weights, cfg))
    model.save_pretrained(out)
    special = dict.fromkeys(("bos_token", "eos_token", "unk_token"), END_OF_TEXT)
    fast = GPT2Tokenizer(tokenizer_object=tokenizer, model_max_length=cfg.n_ctx, **special)
    fast.save_pretrained(out)


def huggingface_weights(weights: Mapping[str, Tensor], cfg: Config) -> dict[str, Tensor]:
    """Our weights by the names of HuggingFace's GPT2LMHeadModel; `W_U` is left out, being `W_E` there.

    Source: transformers, modeling_gpt2.py (Conv1D keeps its weight as [in out]; Q, K and V side by side in c_attn).
    """
    state = {"wte.weight": weights["embed.W_E"], "wpe.weight": weights["pos_embed.W_pos"]}
    for layer in range(cfg.n_layers):
        ours = {name.removeprefix(f"blocks.{layer}."): weight for name, weight in weights.items()}
        state |= {f"h.{layer}.{name}": weight for name, weight in _block(ours).items()}
    state |= {"ln_f.weight": weights["ln_final.w"], "ln_f.bias": weights["ln_final.b"]}
    named = {f"transformer.{name}": weight for name, weight in state.items()}
    return named | {"lm_head.weight": weights["embed.W_E"]}


def save_record(out: Path) -> None:
    """Let TransformerLens run the exported model on the two prompts, and save every activation beside the weights."""
    bridge, tokens = boot(str(out)), prompts(str(out))
    activations = {"tokens": tokens, **record(bridge, tokens)}
    made_by = {"made_by": f"TransformerLens {version('transformer-lens')}"}
    save_file(activations, out / "activations.safetensors", made_by)


def _block(ours: Mapping[str, Tensor]) -> dict[str, Tensor]:
    join_w = "part head_index d_model d_head -> d_model (part head_index d_head)"
    join_b = "part head_index d_head -> (part head_index d_head)"
    return {
        "ln_1.weight": ours["ln1.w"],
        "ln_1.bias": ours["ln1.b"],
        "attn.c_attn.weight": einops.rearrange([ours[f"attn.W_{letter}"] for letter in "QKV"], join_w),
        "attn.c_attn.bias": einops.rearrange([ours[f"attn.b_{letter}"] for letter in "QKV"], join_b),
        "attn.c_proj.weight": einops.rearrange(
            ours["attn.W_O"], "head_index d_head d_model -> (head_index d_head) d_model"
        ),
        "attn.c_proj.bias": ours["attn.b_O"],
        "ln_2.weight": ours["ln2.w"],
        "ln_2.bias": ours["ln2.b"],
        "mlp.c_fc.weight": ours["mlp.W_in"],
        "mlp.c_fc.bias": ours["mlp.b_in"],
        "mlp.c_proj.weight": ours["mlp.W_out"],
        "mlp.c_proj.bias": ours["mlp.b_out"],
    }
