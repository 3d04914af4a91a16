#!/usr/bin/env bash
# A mask of four dimensions goes to a model of transformers as it is, and what it means depends on the implementation of
# attention. A boolean one hides what is False under "sdpa"; under "eager" it is added to the scores, 1 for True and 0
# for False, and hides nothing: GPT-2 sees the tokens to come. The same mask as floats of 1 and 0 is added by both. A
# mask of two dimensions hides in all types and both implementations.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/masking.py" <<'END'
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel

print(f"torch {torch.__version__}, transformers {transformers.__version__}")
causal = torch.ones(6, 6, dtype=torch.bool).tril()[None, None]
tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
others = torch.tensor([[1, 2, 3, 4, 5, 7]])  # another last token
found = []
for implementation in ("sdpa", "eager"):
    torch.manual_seed(0)
    sizes = dict(vocab_size=10, n_positions=8, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(GPT2Config(**sizes, attn_implementation=implementation)).eval()
    for name, mask in {
        "four dimensions, bool": causal,
        "four dimensions, float": causal.float(),
        "two dimensions, bool": torch.ones(1, 6, dtype=torch.bool),
        "two dimensions, float": torch.ones(1, 6),
    }.items():
        with torch.no_grad():
            change = model(tokens, attention_mask=mask).logits[0, 0] - model(others, attention_mask=mask).logits[0, 0]
        found.append(bool(change.abs().max() > 1e-6))
        print(f"{implementation}, {name}: position 0 sees the last token: {found[-1]}")
raise SystemExit(found != [False, True, False, False, True, True, False, False])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformers==5.23.0
if ! "$folder/venv/bin/python" "$folder/masking.py"; then
  echo "This has changed." >&2
  exit 1
fi
