#!/usr/bin/env bash
# np.mean of float16 is made in float32, as its page says. np.std and np.var are not: they square in float16 and add up the
# squares there. So the spread of a matrix of GPT-2's size, 768 by 768 normal numbers, is inf, with a warning of an
# overflow; and of small weights it is 0 without a warning, since their squares vanish. np.linalg.norm adds up in float32,
# but keeps the sum in float16 before it takes the root, and so is inf for any norm above 256. `dtype=np.float32` is
# the way out for the first two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/spread.py" <<'END'
import numpy as np

print(f"NumPy {np.__version__}")
normal = np.random.default_rng(0).normal(size=(768, 768))
found = []
for scale in (1, 1e-4):
    w = (scale * normal).astype(np.float16)
    with np.errstate(over="ignore"):
        std, norm = float(w.std()), float(np.linalg.norm(w))
    right = float(w.std(dtype=np.float32)), float(np.linalg.norm(w.astype(np.float32)))
    print(f"768 by 768 numbers with a spread of {scale:g}, in float16: the mean is {w.mean():.1e}")
    print(f"  in float16: std {std}, norm {norm}")
    print(f"  in float32: std {right[0]:.2g}, norm {right[1]:.2g}")
    found.append((std, round(norm, 3), np.allclose(right, [scale, 768 * scale], rtol=0.01)))
raise SystemExit(found != [(np.inf, np.inf, True), (0, 0.077, True)])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/spread.py"; then
  echo "This has changed." >&2
  exit 1
fi
