#!/usr/bin/env bash
# TransformerLens's `bridge.tl_named_parameters()` of a model with grouped queries lists keys and values that are copies:
# each head of the model stands there once for every query head that reads it. What is written into `W_Q` or `W_O` is in
# the model at once, since those are views of its weights; the same line for `W_K` or `W_V` changes nothing, and says
# nothing. Where all heads have keys of their own, all four are views. The list also has biases, of zeros, that a Llama
# does not have, so its sizes add up to more numbers than there are.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/writing.py" <<'END'
import tempfile
import warnings
from importlib.metadata import version

import torch
import transformers
from tokenizers import Tokenizer, models
from transformer_lens.model_bridge import TransformerBridge
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

warnings.filterwarnings("ignore")
TOKENS = torch.tensor([[1, 2, 3, 4]])


def llama(n_kv_heads):
    """A folder with a small Llama, whose four query heads share that many heads of keys and values."""
    sizes = {"vocab_size": 23, "hidden_size": 12, "intermediate_size": 17, "num_hidden_layers": 1, "head_dim": 6}
    cfg = LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=n_kv_heads, max_position_embeddings=11)
    torch.manual_seed(0)
    folder = tempfile.mkdtemp()
    LlamaForCausalLM(cfg).save_pretrained(folder)
    words = {f"w{number}": number for number in range(23)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="w0"))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="w1", bos_token="w1").save_pretrained(folder)
    return folder


def is_in_the_model(folder, name):
    """Whether the logits change once 1 has been added to all of these weights."""
    bridge = TransformerBridge.boot_transformers(folder, dtype=torch.float32)
    before = bridge(TOKENS)
    with torch.no_grad():
        dict(bridge.tl_named_parameters())[f"blocks.0.attn.{name}"].add_(1.0)
    return not torch.equal(bridge(TOKENS), before)


def sizes(folder):
    bridge = TransformerBridge.boot_transformers(folder, dtype=torch.float32)
    listed = dict(bridge.tl_named_parameters())
    shape = list(listed["blocks.0.attn.W_K"].shape)
    return shape, sum(map(torch.Tensor.numel, listed.values())), sum(map(torch.Tensor.numel, bridge.parameters()))


transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
print(*(f"{name} {version(name)}" for name in ("transformer-lens", "transformers", "torch")))
found = {}
for n_kv_heads in (4, 2):
    folder = llama(n_kv_heads)
    found[n_kv_heads] = [is_in_the_model(folder, name) for name in ("W_Q", "W_K", "W_V", "W_O")]
    shape, listed, there = sizes(folder)
    print(f"4 query heads, {n_kv_heads} of keys: 1 added to W_Q, W_K, W_V, W_O is in the model: {found[n_kv_heads]}")
    print(f"    W_K is listed as {shape}; {listed} numbers are listed, of a model with {there}")
raise SystemExit(found != {4: [True] * 4, 2: [True, False, False, True]})
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformer-lens==4.3.0 transformers==5.23.0
if ! HF_HUB_OFFLINE=1 "$folder/venv/bin/python" "$folder/writing.py" 2>"$folder/errors"; then
  cat "$folder/errors" >&2
  echo "This has changed." >&2
  exit 1
fi
