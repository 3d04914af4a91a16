#!/usr/bin/env bash
# jnp.cumsum of small integers stays in their type and wraps round: of a mask of ones in int8 it goes to 127 and on to
# -128, in uint8 to 255 and on to 0. So positions counted from an attention mask, `cumsum(mask) - 1`, are right in every
# short text and begin anew, or below zero, in a longer one. jnp.sum takes 32 bits for the same mask, and so do
# jnp.cumulative_sum, which one takes for the same function, and jnp.cumsum of booleans. NumPy's cumsum takes 64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/positions.py" <<'END'
import jax
import jax.numpy as jnp
import numpy as np

print(f"JAX {jax.__version__}, NumPy {np.__version__}")
found = {}
for kind in ("bool", "int8", "uint8"):
    mask = jnp.ones(300, kind)
    for name, sums in {
        "jnp.cumsum": jnp.cumsum(mask),
        "jnp.cumulative_sum": jnp.cumulative_sum(mask),
        "np.cumsum": np.cumsum(np.asarray(mask)),
    }.items():
        found[f"{name} of 300 ones in {kind}"] = str(sums.dtype), int(sums.min()), int(sums.max())
    total = jnp.sum(mask)
    print(f"jnp.sum of 300 ones in {kind}: {total} in {total.dtype}")
for name, (kind, low, high) in found.items():
    print(f"{name}: from {low} to {high}, in {kind}")
narrow = {name for name, (_, low, high) in found.items() if (low, high) != (1, 300)}
raise SystemExit(narrow != {"jnp.cumsum of 300 ones in int8", "jnp.cumsum of 300 ones in uint8"})
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/positions.py"; then
  echo "This has changed." >&2
  exit 1
fi
