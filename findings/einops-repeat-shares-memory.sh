#!/usr/bin/env bash
# einops.repeat of a torch tensor copies nothing where the pattern leaves the new axis on its own: all rows are one
# memory, and the input's. Writing in one row writes in all of them and in the input. With a NumPy array the same
# pattern makes copies, as torch's own Tensor.repeat does; so does a pattern that merges the new axis with another.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/repeating.py" <<'END'
from importlib.metadata import version

import einops
import numpy as np
import torch


def written(x, pattern):
    rows = einops.repeat(x, pattern, n=2)
    rows[0] = 7
    print(f"{type(x).__name__}, '{pattern}': rows {rows.tolist()}, input {x.tolist()}")
    return int((rows == 7).sum()), int((x == 7).sum())


print(", ".join(f"{name} {version(name)}" for name in ("einops", "torch", "numpy")))
print("written once, in the first place of the first axis:")
found = [
    written(torch.zeros(3), "d -> n d"),
    written(np.zeros(3), "d -> n d"),
    written(torch.zeros(3), "d -> (n d)"),
]
raise SystemExit(found != [(6, 3), (3, 0), (1, 0)])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 einops==0.8.2 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/repeating.py"; then
  echo "This has changed." >&2
  exit 1
fi
