#!/usr/bin/env bash
# An attribute of the class wins over a submodule of the same name. Where a class says `act = nn.GELU()` for those who
# name nothing else, `self.act = nn.ReLU()` in __init__ registers the ReLU: print(model) and named_modules() show it.
# But `self.act` is the GELU still, and that is what forward runs. With a Parameter the same line raises KeyError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/hiding.py" <<'END'
import torch
from torch import nn


class MLP(nn.Module):
    act = nn.GELU()

    def __init__(self, act=None):
        super().__init__()
        if act is not None:
            self.act = act

    def forward(self, x):
        return self.act(x)


class Scaled(nn.Module):
    scale = 1.0

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))


x = torch.tensor([-1.0])
model = MLP(act=nn.ReLU())
print(f"torch {torch.__version__}: registered {dict(model.named_modules())['act']}, found as self.act {model.act}")
print(f"ReLU gives {nn.ReLU()(x).item():.4f}, GELU {nn.GELU()(x).item():.4f}, the model {model(x).item():.4f}")
try:
    refused = Scaled() is None
except KeyError as error:
    print("a Parameter in its place: KeyError", error)
    refused = True
hidden = isinstance(model._modules["act"], nn.ReLU) and isinstance(model.act, nn.GELU)
raise SystemExit(not (hidden and refused and model(x) == nn.GELU()(x)))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/hiding.py"; then
  echo "This has changed." >&2
  exit 1
fi
