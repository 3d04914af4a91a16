#!/usr/bin/env bash
# Two ways to have a Llama in bfloat16 give equal weights and unequal models. `from_pretrained(dtype=torch.bfloat16)`
# leaves the speeds of the rotary positions in float32; `.to(torch.bfloat16)`, `.half()` and `.bfloat16()` of a loaded
# model round them too, since they are a buffer, and each error is multiplied by the position. On a short text the two
# are equally far from float32; at 2,000 tokens the model that was cast is several times as far. No state_dict shows it,
# because the buffer is not saved.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/casting.py" <<'END'
import sys

import torch
import transformers
from transformers import LlamaConfig, LlamaForCausalLM

transformers.utils.logging.disable_progress_bar()
torch.manual_seed(0)
cfg = LlamaConfig(
    vocab_size=64,
    hidden_size=64,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    max_position_embeddings=8192,
    initializer_range=0.2,
)
LlamaForCausalLM(cfg).save_pretrained(sys.argv[1])
exact = LlamaForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
halves = {
    "read in bfloat16": LlamaForCausalLM.from_pretrained(sys.argv[1], dtype=torch.bfloat16),
    "read, then cast": LlamaForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32).to(torch.bfloat16),
}
tokens = torch.randint(64, (1, 2000), generator=torch.Generator().manual_seed(1))
print(f"torch {torch.__version__}, transformers {transformers.__version__}")
states = [model.state_dict().values() for model in halves.values()]
equal = all(map(torch.equal, *states))
print(f"all that the two state_dicts hold is equal: {equal}")
far = {}
for name, model in halves.items():
    with torch.no_grad():
        off = (model(tokens).logits.float() - exact(tokens).logits)[0].abs()
    far[name] = off[-50:].mean() / off[:50].mean()
    print(
        f"{name}: speeds in {model.model.rotary_emb.inv_freq.dtype}, logits off by {off[:50].mean():.3f} at the first "
        f"50 tokens and {off[-50:].mean():.3f} at the last 50 of 2,000"
    )
read, cast = far.values()
raise SystemExit(not (equal and read < 2 and cast > 4))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformers==5.23.0 numpy
if ! "$folder/venv/bin/python" "$folder/casting.py" "$folder/llama"; then
  echo "This has changed." >&2
  exit 1
fi
