#!/usr/bin/env bash
# torch and JAX take a seed of 64 bits and use 32 of them. On the CPU torch.manual_seed(1 + 2**32) draws what
# torch.manual_seed(1) draws, though `initial_seed()` tells the two apart, and so does jax.random.key without x64. A
# seed that is put together as `(rank << 32) + step` gives every rank the same numbers. NumPy and Python use all bits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/seeding.py" <<'END'
import random

import jax
import numpy as np
import torch

draws = {
    "torch": lambda seed: torch.rand((), generator=torch.Generator().manual_seed(seed)).item(),
    "jax": lambda seed: jax.random.uniform(jax.random.key(seed)).item(),
    "numpy": lambda seed: np.random.default_rng(seed).random(),
    "python": lambda seed: random.Random(seed).random(),
}
print(f"torch {torch.__version__}, jax {jax.__version__}, numpy {np.__version__}")
alike = {}
for name, draw in draws.items():
    first, second = draw(1), draw(1 + 2**32)
    alike[name] = first == second
    print(f"{name}: seed 1 draws {first:.6f}, seed 1 + 2**32 draws {second:.6f}")
told_apart = torch.Generator().manual_seed(1 + 2**32).initial_seed() != 1
as_told = {"torch": True, "jax": True, "numpy": False, "python": False}
raise SystemExit(alike != as_told or not told_apart)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 jax==0.10.2 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/seeding.py"; then
  echo "This has changed." >&2
  exit 1
fi
