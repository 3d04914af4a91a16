#!/usr/bin/env bash
# Flax's LayerNorm takes the variance as the mean of the squares less the square of the mean. In float32 the two are
# nearly the same number where the mean is large beside the spread, and their difference is noise: around a mean of 1,000
# the result's spread is off by a tenth, around 10,000 it is nearly a thousand in the place of 1. PyTorch's is right in
# both places. `use_fast_variance=False` is the way out; the default is True.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/spread.py" <<'END'
import flax
import jax
import numpy as np
import torch
from flax import linen

print(f"flax {flax.__version__}, jax {jax.__version__}, torch {torch.__version__}")
noise = np.random.default_rng(0).normal(size=(1, 768)).astype("float32")


def spread(mean, is_fast):
    layer = linen.LayerNorm(use_scale=False, use_bias=False, use_fast_variance=is_fast)
    return float(layer.apply({}, jax.numpy.asarray(noise + np.float32(mean))).std())


found = {}
for mean in (0, 100, 1_000, 10_000):
    theirs = torch.nn.functional.layer_norm(torch.tensor(noise + np.float32(mean)), [768]).std(correction=0).item()
    found[mean] = spread(mean, True), spread(mean, False), theirs
    print("mean {:6d}: the result's spread is {:8.3f}, without the fast variance {:.3f}, in torch {:.3f}".format(
        mean, *found[mean]))
right = all(abs(slow - 1) < 0.01 and abs(theirs - 1) < 0.01 for _, slow, theirs in found.values())
raise SystemExit(not right or abs(found[1_000][0] - 1) < 0.05 or found[10_000][0] < 100)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet flax==0.12.8 jax==0.10.2 numpy==2.4.6 torch==2.13.0
if ! "$folder/venv/bin/python" "$folder/spread.py"; then
  echo "This has changed." >&2
  exit 1
fi
