#!/usr/bin/env bash
# A learning rate may be a tensor, which torch.compile asks for. Where it is given once for several groups of parameters,
# all groups hold that same tensor. `group["lr"] *= 0.5` in a loop over the groups, as one halves a rate by hand, changes
# it in place and so acts once for each group: with two groups the rate becomes a quarter. With a number it is a half.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/halving.py" <<'END'
import torch
from torch import nn

print(f"torch {torch.__version__}")


def halved(rate):
    """The rates of two groups after each was halved."""
    parameters = [nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))]
    optimiser = torch.optim.AdamW([{"params": [one]} for one in parameters], lr=rate)
    for group in optimiser.param_groups:
        group["lr"] *= 0.5
    return [round(float(group["lr"]), 4) for group in optimiser.param_groups]


number, tensor = halved(0.8), halved(torch.tensor(0.8))
print(f"a rate of 0.8, halved in both groups: {number}")
print(f"the same as a tensor:                 {tensor}")
raise SystemExit(number != [0.4, 0.4] or tensor != [0.2, 0.2])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/halving.py"; then
  echo "This has changed." >&2
  exit 1
fi
