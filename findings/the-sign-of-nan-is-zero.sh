#!/usr/bin/env bash
# torch.sign of NaN is 0; NumPy's and JAX's is NaN. What is made of signs hides a NaN by it: where a prediction is NaN, so is
# nn.L1Loss, but the prediction's gradient is 0, and no check of the gradients finds anything; that of SmoothL1Loss
# is NaN. Rprop, which moves a weight by the sign of its gradient, leaves one with a NaN gradient where it is, and an
# own signSGD or Lion does so too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/signs.py" <<'END'
import numpy as np
import torch
from torch import nn

nan = float("nan")
signs = {"torch": torch.sign(torch.tensor([nan, -2.0])).tolist(), "NumPy": np.sign(np.array([nan, -2.0])).tolist()}
print(f"torch {torch.__version__}, NumPy {np.__version__}")
print(f"the signs of [nan, -2]: {signs}")
gradients = {}
for loss in (nn.L1Loss(), nn.SmoothL1Loss()):
    predicted = torch.tensor([nan, 1.0], requires_grad=True)
    value = loss(predicted, torch.zeros(2))
    value.backward()
    gradients[type(loss).__name__] = predicted.grad.tolist()
    print(f"{type(loss).__name__} of [nan, 1] against zeros is {value.item()}, its gradient {predicted.grad.tolist()}")
weights = {}
for kind in (torch.optim.SGD, torch.optim.Rprop):
    w = nn.Parameter(torch.ones(2))
    w.grad = torch.tensor([nan, 1.0])
    kind([w], lr=0.1).step()
    weights[kind.__name__] = [round(each, 3) for each in w.tolist()]
    print(f"weights of [1, 1] after a step of {kind.__name__} with the gradient [nan, 1]: {weights[kind.__name__]}")
as_told = [
    {"torch": [0.0, -1.0], "NumPy": [nan, -1.0]},
    {"L1Loss": [0.0, 0.5], "SmoothL1Loss": [nan, 0.5]},
    {"SGD": [nan, 0.9], "Rprop": [1.0, 0.9]},
]
raise SystemExit(str([signs, gradients, weights]) != str(as_told))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/signs.py"; then
  echo "This has changed." >&2
  exit 1
fi
