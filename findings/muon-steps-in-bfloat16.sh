#!/usr/bin/env bash
# torch.optim.Muon takes each step in bfloat16, whatever the type of the weights and the gradient, and its page does
# not say so: of a float64 matrix every number of the step has eight bits. The iteration magnifies what rounding did:
# with the same gradient in full precision single numbers of the step are off by a tenth of the mean number. Whoever
# compares an own Muon with it has to allow for that, and small mistakes pass unseen.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/muon.py" <<'END'
import torch

A, B, C = 3.4445, -4.775, 2.0315  # the defaults of torch.optim.Muon, as are the five rounds


def step_of_torch(gradient):
    weight = torch.nn.Parameter(torch.zeros_like(gradient))
    weight.grad = gradient.clone()
    torch.optim.Muon([weight], lr=1.0, weight_decay=0.0, momentum=0.0, nesterov=False).step()
    return -weight.detach()


def step_in_full(gradient, kind=torch.float64):
    step = gradient.to(kind)
    step = step / step.norm().clamp(min=1e-7)
    for _ in range(5):
        square = step @ step.T
        step = A * step + (B * square + C * square @ square) @ step
    return step.to(gradient.dtype)


print(f"torch {torch.__version__}")
found = []
for seed in range(5):
    torch.manual_seed(seed)
    gradient = torch.randn(32, 32, dtype=torch.float64)
    theirs, full = step_of_torch(gradient), step_in_full(gradient)
    in_float32 = step_in_full(gradient, torch.float32)
    eight_bits = bool((theirs == theirs.bfloat16()).all())
    off = float((theirs - full).abs().max() / full.abs().mean())
    off_in_float32 = float((in_float32 - full).abs().max() / full.abs().mean())
    print(
        f"seed {seed}: float64 step with numbers of eight bits: {eight_bits}; farthest from the formula: {off:.1%} of "
        f"the mean number; the formula in float32: {off_in_float32:.4%}"
    )
    found.append(eight_bits and off > 0.05 and off_in_float32 < 1e-4)
raise SystemExit(not all(found))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/muon.py"; then
  echo "This has changed." >&2
  exit 1
fi
