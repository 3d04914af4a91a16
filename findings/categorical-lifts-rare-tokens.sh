#!/usr/bin/env bash
# torch's Categorical, given probabilities, takes none for smaller than the spacing of their type at 1: 0.0078 in
# bfloat16, 0.001 in float16. Over a vocabulary that is nearly all tokens: each of them gets the same log_prob, -4.84
# in bfloat16, whatever its probability, and what all tokens have together is far more than 1. An impossible token is
# -15.94 in float32. Nothing is drawn otherwise, and the same distribution given as logits is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/rare.py" <<'END'
import torch
from torch.distributions import Categorical

VOCABULARY = 1000
print(f"torch {torch.__version__}")
tokens = torch.arange(VOCABULARY)
logits = -tokens / 100.0


def described(distribution):
    """Of a distribution over the tokens: the least log_prob, how many tokens have it, and what all have together."""
    log_prob = distribution.log_prob(tokens).float()
    return round(log_prob.min().item(), 2), int((log_prob == log_prob.min()).sum()), log_prob.exp().sum().item()


found = {}
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    scores = logits.to(dtype)
    ways = {"logits": Categorical(logits=scores), "probs": Categorical(probs=scores.softmax(-1))}
    for way, distribution in ways.items():
        least, count, total = found[dtype, way] = described(distribution)
        print(f"{dtype}, {way:6}: the least log_prob is {least}, of {count} tokens; all have {total:.2f} together")
impossible = Categorical(probs=torch.tensor([0.0, 1.0])).log_prob(torch.tensor(0)).item()
print(f"an impossible token's log_prob in float32 is {impossible:.2f} by probs")
least, count, total = found[torch.bfloat16, "probs"]
lifted = least == -4.84 and count > 700 and total > 5
right = all(0.9 < found[dtype, "logits"][2] < 1.1 for dtype in (torch.float32, torch.float16, torch.bfloat16))
raise SystemExit(not (lifted and right and -16 < impossible < -15))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/rare.py"; then
  echo "This has changed." >&2
  exit 1
fi
