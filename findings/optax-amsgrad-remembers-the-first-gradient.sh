#!/usr/bin/env bash
# One large gradient at the start holds Optax's AMSGrad back for good. It takes the largest second moment after the
# correction for the first steps, which blows the first one up to the whole square: after a gradient of 10 all steps
# with gradients of 1 are a tenth of the rate, the thousandth too. torch's Adam(amsgrad=True) takes the largest before
# the correction, and is back at the full rate soon. With `bias_correction_nu=False`, as in the paper, Optax is too,
# though its first step is then ten times the rate.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/steps.py" <<'END'
import jax
import jax.numpy as jnp
import optax
import torch

gradients = [10.0] + [1.0] * 999
looked_at = (0, 1, 10, 100, 999)


def of_optax(optimiser):
    w = jnp.zeros(1)
    state = optimiser.init(w)
    steps = []
    update = jax.jit(optimiser.update)
    for gradient in gradients:
        change, state = update(jnp.array([gradient]), state)
        steps.append(float(change[0]))
    return [round(steps[i], 3) for i in looked_at]


def of_torch():
    w = torch.nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.Adam([w], lr=0.1, betas=(0.9, 0.99), amsgrad=True)
    steps = []
    for gradient in gradients:
        before = w.item()
        w.grad = torch.tensor([gradient])
        optimiser.step()
        steps.append(w.item() - before)
    return [round(steps[i], 3) for i in looked_at]


print(f"optax {optax.__version__}, torch {torch.__version__}: a rate of 0.1, a gradient of 10, then gradients of 1")
found = {
    "optax": of_optax(optax.amsgrad(0.1, b1=0.9, b2=0.99)),
    "torch": of_torch(),
    "optax, bias_correction_nu=False": of_optax(optax.amsgrad(0.1, b1=0.9, b2=0.99, bias_correction_nu=False)),
}
for name, steps in found.items():
    print(f"{name}: steps {looked_at} are {steps}")
last = [steps[-1] for steps in found.values()]
raise SystemExit(found["optax"][0] != found["torch"][0] or last != [-0.01, -0.1, -0.1])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet optax==0.2.8 jax==0.10.2 torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/steps.py"; then
  echo "This has changed." >&2
  exit 1
fi
