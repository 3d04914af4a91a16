#!/usr/bin/env bash
# `load_state_dict(..., assign=True)` makes two Parameters of a tied weight, over one memory. GPT-2's embedding and head
# still hold the same numbers and follow each other, so all looks well; but `parameters()` has both now, and Adam steps
# both: the one memory moves twice as far at each step, and a count of the parameters has it twice. Without `assign` the
# same state keeps the tie.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/loading.py" <<'END'
import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.unembed = nn.Linear(3, 5, bias=False)
        self.unembed.weight = self.embed.weight


def of_a_step(assign):
    model = Tied()
    model.load_state_dict(Tied().state_dict(), assign=assign)
    weights = list(model.parameters())
    shared = model.embed.weight.data_ptr() == model.unembed.weight.data_ptr()
    before = model.embed.weight.detach().clone()
    (model.embed.weight.sum() + model.unembed.weight.sum()).backward()
    torch.optim.Adam(weights, lr=0.1).step()
    moved = (before - model.embed.weight).max().item()
    print(f"assign={assign}: {len(weights)} parameters, memory shared: {shared}, one step of 0.1 moves by {moved:.3f}")
    return len(weights), shared, round(moved, 3)


print(f"torch {torch.__version__}")
raise SystemExit((of_a_step(False), of_a_step(True)) != ((1, True, 0.1), (2, True, 0.2)))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/loading.py"; then
  echo "This has changed." >&2
  exit 1
fi
