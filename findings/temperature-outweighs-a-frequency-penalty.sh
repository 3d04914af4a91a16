#!/usr/bin/env bash
# TransformerLens takes its frequency penalty off after it has divided by the temperature, and its repetition penalty
# before that. So the lower the temperature, the less the frequency penalty counts beside the logits: the likeliest of
# four tokens, which came three times and is penalised by 1 for each, is drawn one time in twelve at temperature 1,
# and nearly three times in four at 0.25. Where the penalty comes first, as in OpenAI's formula, it is drawn there
# three times in ten thousand.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/penalty.py" <<'END'
from importlib.metadata import version

import torch
from transformer_lens.utilities import sample_logits

DRAWS = 10_000
print(*(f"{name} {version(name)}" for name in ("transformer-lens", "torch")))
torch.manual_seed(0)
logits = torch.tensor([2.0, 1.0, 0.0, -1.0])
seen = torch.tensor([0, 0, 0])
found = {}
for temperature in (1.0, 0.25):
    drawn = sample_logits(
        logits.repeat(DRAWS, 1), temperature=temperature, freq_penalty=1.0, tokens=seen.repeat(DRAWS, 1)
    )
    share = (drawn == 0).float().mean().item()
    penalties = len(seen) * torch.tensor([1.0, 0.0, 0.0, 0.0])
    before = ((logits - penalties) / temperature).softmax(-1)[0].item()
    after = (logits / temperature - penalties).softmax(-1)[0].item()
    found[temperature] = share, before, after
    print(
        f"temperature {temperature}: the token that came three times is drawn with {share:.4f}; "
        f"with the penalty before the temperature {before:.4f}, after it {after:.4f}"
    )
share, before, after = found[0.25]
raise SystemExit(not (abs(share - after) < 0.02 and share > 0.5 and before < 0.01 and found[1.0][0] < 0.1))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformer-lens==4.3.0 transformers==5.23.0
if ! HF_HUB_OFFLINE=1 "$folder/venv/bin/python" "$folder/penalty.py" 2>"$folder/errors"; then
  cat "$folder/errors" >&2
  echo "This has changed." >&2
  exit 1
fi
