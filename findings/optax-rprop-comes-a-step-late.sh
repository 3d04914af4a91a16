#!/usr/bin/env bash
# Optax's Rprop returns at each call the step of the call before: the first changes nothing, and each further one moves
# the weights by what the gradient before asked for. Where the gradient changes its sign, two calls change nothing, and the
# step that was due is never taken. torch's Rprop takes each step at its own call. So one step after `init`, as a test
# takes it, looks as if no gradient arrived.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/late.py" <<'END'
import jax.numpy as jnp
import optax
import torch

gradients = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]
optimiser = optax.rprop(0.1)
state = optimiser.init(jnp.zeros(1))
of_optax = []
for gradient in gradients:
    change, state = optimiser.update(jnp.array([gradient]), state)
    of_optax.append(round(float(change[0]), 4) + 0.0)
w = torch.nn.Parameter(torch.zeros(1))
optimiser = torch.optim.Rprop([w], lr=0.1)
of_torch = []
for gradient in gradients:
    before = w.item()
    w.grad = torch.tensor([gradient])
    optimiser.step()
    of_torch.append(round(w.item() - before, 4) + 0.0)
print(f"optax {optax.__version__}, torch {torch.__version__}: gradients {gradients}")
print(f"steps of torch: {of_torch}")
print(f"steps of optax: {of_optax}")
as_told = [-0.1, -0.12, -0.144, 0.0, 0.072, 0.0864, 0.1037], [0.0, -0.1, -0.12, 0.0, 0.0, 0.072, 0.0864]
raise SystemExit((of_torch, of_optax) != as_told)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet optax==0.2.8 jax==0.10.2 torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/late.py"; then
  echo "This has changed." >&2
  exit 1
fi
