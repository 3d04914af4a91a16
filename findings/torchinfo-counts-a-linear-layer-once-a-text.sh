#!/usr/bin/env bash
# torchinfo's mult-adds of a linear layer are its weights times the first axis of its input alone: for a batch of texts
# (batch, position, feature) the positions are not counted, and a text of ten tokens costs what a text of one does. Laid
# out as (position, feature) the same numbers cost ten times as much. An embedding, which looks up rows and multiplies
# nothing, is counted as if it were a matrix product; attention and what uses bare parameters cost 0; and weights that two
# layers share are counted twice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/costs.py" <<'END'
import torch
import torchinfo
from torch import nn

print(f"torchinfo {torchinfo.__version__}, torch {torch.__version__}")


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.unembed = nn.Embedding(1000, 64), nn.Linear(64, 1000, bias=False)
        self.unembed.weight = self.embed.weight

    def forward(self, tokens):
        return self.unembed(self.embed(tokens))


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_Q = nn.Parameter(torch.ones(12, 64, 64))

    def forward(self, x):
        return torch.einsum("bpd,hde->bphe", x, self.W_Q)


def summary(module, x):
    return torchinfo.summary(module, input_data=x, verbose=0)


tokens, linear = torch.zeros(1, 10, dtype=torch.long), nn.Linear(64, 64, bias=False)
costs = {
    "linear, (1, 10, 64)": (summary(linear, torch.ones(1, 10, 64)).total_mult_adds, 10 * 64 * 64),
    "linear, (10, 64)": (summary(linear, torch.ones(10, 64)).total_mult_adds, 10 * 64 * 64),
    "an embedding": (summary(nn.Embedding(1000, 64), tokens).total_mult_adds, 0),
    "heads of bare parameters": (summary(Heads(), torch.ones(1, 10, 64)).total_mult_adds, 10 * 12 * 64 * 64),
}
for what, (counted, due) in costs.items():
    print(f"{what:26} {counted:7,} mult-adds counted, {due:7,} done")
tied = Tied()
weights = summary(tied, tokens).total_params, sum(one.numel() for one in tied.parameters())
print("weights of a tied model: {:,} counted, {:,} there".format(*weights))
counted = [one for one, _ in costs.values()]
raise SystemExit(counted != [64 * 64, 10 * 64 * 64, 64_000, 0] or weights != (128_000, 64_000))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torchinfo==1.8.0 torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/costs.py"; then
  echo "This has changed." >&2
  exit 1
fi
