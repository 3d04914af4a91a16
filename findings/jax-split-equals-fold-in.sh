#!/usr/bin/env bash
# In JAX `split(key, n)[i]` is `fold_in(key, i)`, whatever n is. Where a run splits its key into one for the weights and
# one for the dropout, and folds the number of each step into the same key, step 0 draws the numbers that the weights
# were made of, and step 1 those of the dropout. JAX's own check for keys that are used twice lets it pass.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/splitting.py" <<'END'
import jax
import numpy as np

jax.config.update("jax_debug_key_reuse", True)
key = jax.random.key(0)
for_weights, for_dropout = jax.random.split(key)
steps = [jax.random.fold_in(key, step) for step in range(2)]
print(f"jax {jax.__version__}, with its check of reused keys: {jax.config.jax_debug_key_reuse}")
weights, dropout = jax.random.normal(for_weights, 3), jax.random.normal(for_dropout, 3)
batches = [jax.random.normal(step, 3) for step in steps]
print(f"keys split off draw {weights} and {dropout}")
print(f"steps folded in draw {batches[0]} and {batches[1]}")
again = jax.random.key(0)
try:
    jax.random.normal(again), jax.random.normal(again)
    checked = False
except jax.errors.KeyReuseError:
    checked = True
print("the check refuses a key that is drawn from twice:", checked)
alike = np.array_equal(weights, batches[0]) and np.array_equal(dropout, batches[1])
raise SystemExit(not (alike and checked))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/splitting.py"; then
  echo "This has changed." >&2
  exit 1
fi
