#!/usr/bin/env bash
# `model.to(torch.bfloat16)` makes a complex buffer real: of a table of rotations for rotary positions, kept as complex
# numbers, only the cosines are left, and the model runs on with wrong positions. `model.to(torch.float32)`, which seems
# to do nothing, does so too. `model.bfloat16()` and `model.float()`, which seem to be the same, leave complex buffers
# alone. All that torch says is a UserWarning in the first of these calls in a process.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/casting.py" <<'END'
import torch
from torch import nn


class Rotations(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("rotations", torch.polar(torch.ones(3), torch.arange(3.0)))


casts = {
    "to(torch.bfloat16)": lambda model: model.to(torch.bfloat16),
    "to(torch.float32)": lambda model: model.to(torch.float32),
    "bfloat16()": nn.Module.bfloat16,
    "float()": nn.Module.float,
}
print(f"torch {torch.__version__}")
kept = []
for name, cast in casts.items():
    model = cast(Rotations())
    print(f"{name}: weight {model.weight.dtype}, rotations {model.rotations.dtype}")
    kept.append(model.rotations.is_complex())
raise SystemExit(kept != [False, False, True, True])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/casting.py" 2>"$folder/warned"; then
  echo "This has changed." >&2
  exit 1
fi
