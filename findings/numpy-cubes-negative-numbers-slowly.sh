#!/usr/bin/env bash
# On processors with AVX-512, NumPy raises an array of negative numbers to the third power some hundred times slower
# than the same numbers made positive, in float32 and in float64, and x * x * x takes even less than that: the fast
# power handles no negative base, and each such number goes to the slow one by itself. The square has a way of its own.
# GELU's formula in NumPy, with x**3 over activations of which half are negative, takes most of a model's time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/cubes.py" <<'END'
import timeit

import numpy as np
from numpy._core._multiarray_umath import __cpu_features__ as features

print(f"numpy {np.__version__}")
if not features.get("AVX512_SKX"):
    print("This processor has no AVX-512: nothing to show here.")
    raise SystemExit
positive = np.abs(np.random.default_rng(0).standard_normal(100_000))
ratios = []
for dtype in (np.float32, np.float64):
    numbers = positive.astype(dtype)
    ways = {
        "positive ** 3": lambda numbers=numbers: numbers**3,
        "negative ** 3": lambda numbers=-numbers: numbers**3,
        "negative, x * x * x": lambda numbers=-numbers: numbers * numbers * numbers,
        "negative ** 2": lambda numbers=-numbers: numbers**2,
    }
    # the fastest of several runs is what the machine needs when nothing else disturbs it
    took = {name: min(timeit.repeat(way, number=3, repeat=9)) / 3 * 1e3 for name, way in ways.items()}
    print(dtype.__name__, {name: f"{milliseconds:.3f} ms" for name, milliseconds in took.items()})
    assert np.allclose(ways["negative ** 3"](), ways["negative, x * x * x"]())
    ratios.append(took["negative ** 3"] / took["positive ** 3"])
print(f"negative beside positive: {', '.join(f'{ratio:.0f} times' for ratio in ratios)}")
raise SystemExit(min(ratios) < 10)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/cubes.py"; then
  echo "This has changed." >&2
  exit 1
fi
