#!/usr/bin/env bash
# An optimiser of torch that keeps float32 moments for bfloat16 weights loses them in a checkpoint: its state_dict saves
# float32, and load_state_dict casts every tensor of the state, but for `step`, to the type of its weight. So a run that
# is resumed goes another way from the first step on, though every file was written and read without a loss.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/resuming.py" <<'END'
import copy

import torch


class Momentum(torch.optim.Optimizer):
    """Keeps its moment in float32, whatever the weights are in."""

    @torch.no_grad()
    def step(self):
        for weight in self.param_groups[0]["params"]:
            state = self.state[weight]
            moment = state.setdefault("moment", torch.zeros_like(weight, dtype=torch.float32))
            moment.mul_(0.9).add_(weight.grad.float())
            weight.sub_(self.param_groups[0]["lr"] * moment)


weight = torch.nn.Parameter(torch.linspace(1, 2, 5, dtype=torch.bfloat16))
optimiser = Momentum([weight], {"lr": 0.1})
weight.grad = torch.full_like(weight, 0.3)
for _ in range(3):
    optimiser.step()
saved = copy.deepcopy(optimiser.state_dict())
resumed = Momentum([weight], {"lr": 0.1})
resumed.load_state_dict(saved)
before, after = saved["state"][0]["moment"], resumed.state[weight]["moment"]
print(f"torch {torch.__version__}: saved in {before.dtype}, loaded in {after.dtype}")
print(f"saved {before[0].item():.7f}, loaded {after[0].item():.7f}")
raise SystemExit((before.dtype, after.dtype) != (torch.float32, torch.bfloat16))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/resuming.py"; then
  echo "This has changed." >&2
  exit 1
fi
