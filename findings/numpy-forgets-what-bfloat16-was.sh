#!/usr/bin/env bash
# Arrays of JAX in bfloat16 are NumPy arrays of a type that ml_dtypes adds. np.save writes them without a word, and np.load
# gives two raw bytes for each number, of type V2, with which nothing can be computed: the file does not say what they
# were. safetensors.numpy writes them with their type, PyTorch reads that file, and safetensors.numpy itself does not:
# KeyError: 'BF16'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/halves.py" <<'END'
import io
from importlib.metadata import version

import ml_dtypes
import numpy as np
import safetensors.numpy

print(", ".join(f"{name} {version(name)}" for name in ("numpy", "ml_dtypes", "safetensors")))
numbers = np.array([1.5, 2.0], dtype=ml_dtypes.bfloat16)
file = io.BytesIO()
np.save(file, numbers)
file.seek(0)
loaded = np.load(file)
print(f"saved {numbers} of {numbers.dtype}; loaded {loaded} of {loaded.dtype}")
try:
    loaded + 1
    computes = True
except TypeError as error:
    computes = False
    print(f"loaded + 1: {type(error).__name__}")
print(f"viewed as bfloat16 again: {loaded.view(ml_dtypes.bfloat16)}")
packed = safetensors.numpy.save({"numbers": numbers})
try:
    safetensors.numpy.load(packed)
    reads = True
except KeyError as error:
    reads = False
    print(f"safetensors.numpy writes {packed[8:62]}, and reading it raises KeyError: {error}")
raise SystemExit(loaded.dtype.kind != "V" or computes or reads)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 ml_dtypes==0.6.0 safetensors==0.8.0
if ! "$folder/venv/bin/python" "$folder/halves.py"; then
  echo "This has changed." >&2
  exit 1
fi
