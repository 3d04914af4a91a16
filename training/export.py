"""From a checkpoint to the bundled reference model: a HuggingFace GPT-2 folder, and what TransformerLens sees in it."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from training.data import END_OF_TEXT
from utils.config import Config
from utils.huggingface import huggingface_weights
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
    tied = {**weights, "unembed.W_U": weights["embed.W_E"].T}
    model.load_state_dict(huggingface_weights(tied, cfg))
    model.save_pretrained(out)
    special = dict.fromkeys(("bos_token", "eos_token", "unk_token"), END_OF_TEXT)
    fast = GPT2Tokenizer(tokenizer_object=tokenizer, model_max_length=cfg.n_ctx, **special)
    fast.save_pretrained(out)


def save_record(out: Path) -> None:
    """Let TransformerLens run the exported model on the two prompts, and save every activation beside the weights."""
    bridge, tokens = boot(str(out)), prompts(str(out))
    activations = {"tokens": tokens, **record(bridge, tokens)}
    made_by = {"made_by": f"TransformerLens {version('transformer-lens')}"}
    save_file(activations, out / "activations.safetensors", made_by)
