#!/usr/bin/env bash
# NumPy adds up an array in bfloat16 one number after the other, in bfloat16: a sum of ones stops at 256, since 257 is
# none of its numbers and is rounded back. So of 10,000 activations around 1 the mean is 0.05 and the spread more than
# twice what it should be, without a warning. Its own float16 is added up in pairs, and averaged in float32.
# `np.mean(x)` of an array of JAX is right, since JAX computes it then; `np.asarray(x).mean()` is not.
# `dtype=np.float32` is the way out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/sums.py" <<'END'
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

COUNT = 10_000
print(f"numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}, jax {jax.__version__}")
normal = 1 + 0.1 * np.random.default_rng(0).standard_normal(COUNT)


def described(numbers):
    """The sum of as many ones, and mean and spread of the numbers."""
    return [float(result) for result in (np.sum(numbers * 0 + 1), np.mean(numbers), np.std(numbers))]


ARRAYS = {
    "NumPy, float64": normal,
    "NumPy, float16": normal.astype(np.float16),
    "NumPy, bfloat16": np.asarray(jnp.asarray(normal, jnp.bfloat16)),
    "JAX, bfloat16": jnp.asarray(normal, jnp.bfloat16),
}
found = {name: described(numbers) for name, numbers in ARRAYS.items()}
for name, (total, mean, spread) in found.items():
    print(
        f"{name:15}: {COUNT} ones make {total:g}; normal numbers have a mean of {mean:.3f} and a spread of {spread:.3f}"
    )
mean_in_float32 = float(ARRAYS["NumPy, bfloat16"].mean(dtype=np.float32))
print(f"in bfloat16, with dtype=np.float32, the mean is {mean_in_float32:.3f}")
total, mean, spread = found.pop("NumPy, bfloat16")
wrong = total == 256 and mean < 0.1 and spread > 0.2 and abs(mean_in_float32 - 1) < 0.01
right = all(np.allclose(results, [COUNT, 1, 0.1], rtol=0.02) for results in found.values())
raise SystemExit(not (wrong and right))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 ml_dtypes==0.6.0 jax==0.10.2 jaxlib==0.10.2
if ! "$folder/venv/bin/python" "$folder/sums.py"; then
  echo "This has changed." >&2
  exit 1
fi
