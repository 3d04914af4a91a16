#!/usr/bin/env bash
# Where tokens are equally likely, the warpers of transformers keep neither k of them nor the first: top_k = 3 keeps
# all ten that tie for a place among the three, so more than k tokens may be drawn; top_p keeps no more than it needs,
# and of those that tie the last by number, for it sorts from the unlikeliest up and cuts from there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/ties.py" <<'END'
import torch
import transformers
from transformers import MinPLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

LIKELY = {"ten alike": [0.1] * 10, "one half, one quarter, two eighths": [0.5, 0.25, 0.125, 0.125]}
WARPERS = {
    "top_k = 3": TopKLogitsWarper(3),
    "top_p = 0.25": TopPLogitsWarper(0.25),
    "top_p = 0.8": TopPLogitsWarper(0.8),
    "min_p = 0.25": MinPLogitsWarper(0.25),
}
print(f"transformers {transformers.__version__}, torch {torch.__version__}")
kept = {}
for name, probabilities in LIKELY.items():
    logits = torch.tensor([probabilities]).log()
    for setting, warper in WARPERS.items():
        left = warper(None, logits).isfinite()[0].nonzero().flatten().tolist()
        kept[name, setting] = left
        print(f"{name}: {setting} keeps the tokens {left}")
whole, four = LIKELY
expected = {
    (whole, "top_k = 3"): list(range(10)),
    (whole, "top_p = 0.25"): [7, 8, 9],
    (four, "top_k = 3"): [0, 1, 2, 3],
    (four, "top_p = 0.8"): [0, 1, 3],
}
raise SystemExit(any(kept[at] != tokens for at, tokens in expected.items()))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet transformers==5.23.0 torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/ties.py"; then
  echo "This has changed." >&2
  exit 1
fi
