#!/usr/bin/env bash
# jnp.cumsum of numbers that are never negative goes down here and there: JAX adds in a tree, and two neighbouring sums
# are made of other partial sums, each with its own rounding. So cumulative probabilities of a sorted softmax are not
# sorted themselves: what searches in them (searchsorted, "the first place at which p is reached") rests on an order
# that is not there. torch's and NumPy's cumsum add from the left and never go down.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/sums.py" <<'END'
import jax
import jax.numpy as jnp
import numpy as np
import torch

TEXTS, TOKENS = 50, 50_257

logits = 4 * np.random.default_rng(0).standard_normal((TEXTS, TOKENS), dtype=np.float32)
likeliest_first = torch.tensor(logits).softmax(-1).sort(descending=True).values.numpy()
sums = {
    f"jax {jax.__version__}": np.asarray(jnp.cumsum(jnp.asarray(likeliest_first), -1)),
    f"torch {torch.__version__}": torch.tensor(likeliest_first).cumsum(-1).numpy(),
    f"numpy {np.__version__}": np.cumsum(likeliest_first, -1),
}
falls = {}
for name, cumulative in sums.items():
    steps = np.diff(cumulative, axis=-1)
    falls[name] = int((steps < 0).sum())
    texts = int((steps < 0).any(-1).sum())
    print(f"{name}: {falls[name]} of {steps.size} steps go down, in {texts} of {TEXTS} texts; {cumulative.dtype}")
jaxs, torchs, numpys = falls.values()
raise SystemExit(not (jaxs > 1000 and torchs == 0 and numpys == 0))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 torch==2.13.0
if ! "$folder/venv/bin/python" "$folder/sums.py"; then
  echo "This has changed." >&2
  exit 1
fi
