#!/usr/bin/env bash
# Installing JAX changes what torch.einsum computes. JAX brings opt_einsum, and wherever that is installed torch asks it
# in which order to multiply three operands or more: by cost, no longer from left to right. The last bits differ, and
# the time by far, in a program that imports neither. `torch.backends.opt_einsum.enabled = False` brings the old bits
# back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/multiplying.py" <<'END'
import hashlib
import sys
import time
from importlib.util import find_spec

import torch

torch.backends.opt_einsum.enabled = sys.argv[1] == "as it comes"
torch.manual_seed(0)
x, w_in, w_out = torch.randn(600, 600), torch.randn(600, 600), torch.randn(600, 2)
times = []
for _ in range(5):
    began = time.process_time()
    y = torch.einsum("pm,mh,ho->po", x, w_in, w_out)
    times.append(time.process_time() - began)
beside = "jax beside it" if find_spec("jax") else "no jax"
bits = hashlib.sha256(y.numpy().tobytes()).hexdigest()[:12]
print(f"torch {torch.__version__}, {beside}, {sys.argv[1]}: {min(times) * 1e3:.2f} ms, bits {bits}", file=sys.stderr)
print(bits)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
before=$("$folder/venv/bin/python" "$folder/multiplying.py" "as it comes")
"$folder/venv/bin/pip" install --quiet jax==0.10.2 numpy==2.4.6
after=$("$folder/venv/bin/python" "$folder/multiplying.py" "as it comes")
off=$("$folder/venv/bin/python" "$folder/multiplying.py" "opt_einsum off")
if [ "$before" = "$after" ] || [ "$before" != "$off" ]; then
  echo "This has changed." >&2
  exit 1
fi
