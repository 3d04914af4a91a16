#!/usr/bin/env bash
# JAX takes 1 for the slope of |x| at 0, where PyTorch takes 0, the middle of the slopes there, and jnp.sign says 0
# too. So a prediction that hits its target exactly has a gradient in the mean absolute error, whose sign depends on
# how it is written: |prediction - target| pushes it down, |target - prediction| up. And an L1 penalty, which should
# keep a weight of 0 where it is, moves it off 0 at one step and back at the next.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/slope.py" <<'END'
import jax
import jax.numpy as jnp

print(f"jax {jax.__version__}")
target = jnp.array([1.0, 2.0, 3.0])


def error(prediction):
    return jnp.abs(prediction - target).sum()


def error_turned(prediction):
    return jnp.abs(target - prediction).sum()


def penalty(weights):
    return jnp.abs(weights).sum()


def descended(weights, steps=3, rate=0.1):
    """Weights after steps of gradient descent on the L1 penalty alone."""
    for _ in range(steps):
        weights -= rate * jax.grad(penalty)(weights)
    return [round(float(weight), 3) for weight in weights]


one_way, other_way = (jax.grad(loss)(target).tolist() for loss in (error, error_turned))
print(f"at a right prediction |prediction - target| has the slopes {one_way}, |target - prediction| {other_way}")
print(f"the sign of 0 is {jnp.sign(0.0):g}")
walked = [descended(jnp.zeros(2), steps) for steps in range(4)]
print(f"two weights of 0 under an L1 penalty, step by step: {walked}")
pushed = one_way == [1.0] * 3 and other_way == [-1.0] * 3
raise SystemExit(not (pushed and walked == [[0.0, 0.0], [-0.1, -0.1], [0.0, 0.0], [-0.1, -0.1]]))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 jax==0.10.2 jaxlib==0.10.2
if ! "$folder/venv/bin/python" "$folder/slope.py"; then
  echo "This has changed." >&2
  exit 1
fi
