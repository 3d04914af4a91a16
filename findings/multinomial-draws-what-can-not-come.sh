#!/usr/bin/env bash
# torch.multinomial without replacement draws indices of probability 0 once those that can come are used up. Asked for
# three of four of which two are possible, it gives these two and an impossible third, and says nothing: only more draws
# than there are entries is an error. NumPy's choice refuses the same question: "Fewer non-zero entries in p than size".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/drawing.py" <<'END'
import numpy as np
import torch

PROBABILITIES = [0.7, 0.3, 0.0, 0.0]
print(f"torch {torch.__version__}, numpy {np.__version__}, probabilities {PROBABILITIES}")
drawn = []
for seed in range(20):
    torch.manual_seed(seed)
    drawn.append(torch.multinomial(torch.tensor(PROBABILITIES), 3, replacement=False).tolist())
print(f"three drawn by torch, with the first seeds: {drawn[:5]}")
try:
    np.random.default_rng(0).choice(4, 3, replace=False, p=PROBABILITIES)
    refused = ""
except ValueError as error:
    refused = str(error)
print(f"by NumPy: {refused}")
raise SystemExit(not (all(set(one[:2]) == {0, 1} and one[2] in (2, 3) for one in drawn) and refused))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/drawing.py"; then
  echo "This has changed." >&2
  exit 1
fi
