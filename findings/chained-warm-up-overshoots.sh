#!/usr/bin/env bash
# A warm-up that torch's ChainedScheduler chains with a LambdaLR can raise the learning rate far above its base.
# LinearLR multiplies what stands in the optimiser by a ratio at each step, and LambdaLR sets it anew from the base each
# time. With the LambdaLR first the ratio meets the full rate: what should go from a tenth of the base to four tenths
# goes to four times the base. With the LambdaLR last nothing is left of the warm-up. An ExponentialLR in its place does
# as one thinks.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/warming.py" <<'END'
import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import ChainedScheduler, ExponentialLR, LambdaLR, LinearLR


def rates(*kinds):
    optimiser = SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    schedule = ChainedScheduler([kind(optimiser) for kind in kinds], optimizer=optimiser)
    found = []
    for _ in range(5):
        found.append(round(optimiser.param_groups[0]["lr"], 4))
        optimiser.step()
        schedule.step()
    return found


def warm_up(optimiser):
    return LinearLR(optimiser, start_factor=0.1, total_iters=3)


def constant(optimiser):
    return LambdaLR(optimiser, lambda step: 1.0)


def exponential(optimiser):
    return ExponentialLR(optimiser, gamma=1.0)


print(f"torch {torch.__version__}: a base of 1, warmed up from 0.1 in three steps, chained with a constant rate")
found = {
    "LambdaLR first": rates(constant, warm_up),
    "LambdaLR last": rates(warm_up, constant),
    "ExponentialLR last": rates(warm_up, exponential),
}
for name, each in found.items():
    print(f"{name}: {each}")
as_told = [[0.1, 4.0, 1.75, 1.4286, 1.0], [1.0] * 5, [0.1, 0.4, 0.7, 1.0, 1.0]]
raise SystemExit(list(found.values()) != as_told)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/warming.py"; then
  echo "This has changed." >&2
  exit 1
fi
