#!/usr/bin/env bash
# A training loop inside one `with torch.autocast(...)` never sees what it has learned. Autocast keeps the bfloat16 copy
# of each float32 weight until the outermost block ends, and a step of the optimiser changes the weight and not the
# copy: every forward pass has the first weights, and the loss stays the same to the last bit while the weights walk
# away. A block of its own around each forward pass helps only where no other one is around the loop.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/training.py" <<'END'
from contextlib import nullcontext

import torch
from torch import nn

x = torch.linspace(-1, 1, 32).reshape(8, 4)


def losses(whole_loop):
    torch.manual_seed(0)
    layer = nn.Linear(4, 1)
    began = layer.weight.detach().clone()
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.1)
    found = []
    with torch.autocast("cpu", torch.bfloat16) if whole_loop else nullcontext():
        for _ in range(5):
            with torch.autocast("cpu", torch.bfloat16):
                loss = (layer(x).float() - 1).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            found.append(round(loss.item(), 4))
    return found, (layer.weight - began).abs().max().item()


print(f"torch {torch.__version__}")
once, moved = losses(whole_loop=True)
print(f"one block around the loop: losses {once}, yet a weight moved by {moved:.3f}")
each, moved = losses(whole_loop=False)
print(f"one block for each pass:   losses {each}, a weight moved by {moved:.3f}")
raise SystemExit(len(set(once)) != 1 or len(set(each)) != 5)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/training.py"; then
  echo "This has changed." >&2
  exit 1
fi
