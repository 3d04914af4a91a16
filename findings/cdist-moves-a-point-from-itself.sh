#!/usr/bin/env bash
# torch.cdist between 25 vectors and themselves says that each lies at 0 from itself. Give it one vector more, and
# vectors that lie far from the origin, as a residual stream's do, are nearly as far from themselves as from their
# nearest neighbours: beyond 25 rows torch computes |a|² + |b|² - 2ab, where nearly everything cancels. SciPy's cdist
# subtracts first, however many vectors there are, and so does torch's with another compute_mode.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/distances.py" <<'END'
import numpy as np
import scipy
import torch
from scipy.spatial.distance import cdist

print(f"torch {torch.__version__}, scipy {scipy.__version__}")
torch.manual_seed(0)
far = 1000 + torch.randn(26, 64)
few, more = torch.cdist(far[:25], far[:25]), torch.cdist(far, far)
exact = torch.cdist(far, far, compute_mode="donot_use_mm_for_euclid_dist")
by_scipy = cdist(far.numpy(), far.numpy())
print(f"25 vectors: the furthest from itself is at {few.diagonal().max():.2f}")
print(f"26 vectors: at {more.diagonal().max():.2f}, where subtracted first at {exact.diagonal().max():.2f}")
nearest = (by_scipy + np.diag([np.inf] * 26)).min()
print(f"scipy, 26: at {by_scipy.diagonal().max():.2f}; the two nearest neighbours are {nearest:.2f} apart")
moved = more.diagonal().max() > nearest / 3
unmoved = all(distances.diagonal().max() == 0 for distances in (few, exact, by_scipy))
raise SystemExit(not (moved and unmoved))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6 scipy==1.17.1
if ! "$folder/venv/bin/python" "$folder/distances.py"; then
  echo "This has changed." >&2
  exit 1
fi
