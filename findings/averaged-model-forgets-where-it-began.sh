#!/usr/bin/env bash
# torch's AveragedModel with an exponential moving average begins anew at its first update. The average is made of a
# model, whose weights it holds; the first `update_parameters` overwrites them with the weights of that moment, and
# only the second one averages. With a decay of 0.9, from 0 to a model at 1, one step gives 1.0 and not 0.1, as an
# average that began at 0 would. optax.ema begins at 0, and corrects for it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/averaging.py" <<'END'
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

print(f"torch {torch.__version__}")
model = nn.Linear(1, 1, bias=False)
nn.init.zeros_(model.weight)
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
found = [average.module.weight.item()]
nn.init.ones_(model.weight)
average.update_parameters(model)
found.append(average.module.weight.item())
nn.init.zeros_(model.weight)
average.update_parameters(model)
found.append(average.module.weight.item())
print(f"made of a model at 0: {found[0]}; after an update at 1: {found[1]}; after one at 0: {found[2]:.2f}")
raise SystemExit([round(one, 6) for one in found] != [0.0, 1.0, 0.9])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/averaging.py"; then
  echo "This has changed." >&2
  exit 1
fi
