#!/usr/bin/env bash
# safetensors 0.8.0 writes a transposed NumPy array with its values in the wrong places: the file has the shape of the
# transpose, and the numbers in the order in which they lie in memory. `W.T`, which makes a Linear weight of GPT-2's
# Conv1D, is saved and loaded without a word, and the model babbles. 0.7.0 wrote it right, and safetensors.torch refuses
# such a tensor.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/saving.py" <<'END'
from importlib.metadata import version

import numpy as np
from safetensors.numpy import load, save

weight = np.arange(6, dtype=np.float32).reshape(2, 3)
loaded = load(save({"weight": weight.T}))["weight"]
print(f"safetensors {version('safetensors')}: saved {weight.T.tolist()}, loaded {loaded.tolist()}")
copied = load(save({"weight": np.ascontiguousarray(weight.T)}))["weight"]
raise SystemExit(2 * (not np.array_equal(loaded, weight.T)) + 4 * (not np.array_equal(copied, weight.T)))
END
python3 -m venv "$folder/venv"
found=""
for version in 0.7.0 0.8.0; do
  "$folder/venv/bin/pip" install --quiet "safetensors==$version" numpy==2.4.6
  "$folder/venv/bin/python" "$folder/saving.py" && found+="0 " || found+="$? "
done
if [ "$found" != "0 2 " ]; then
  echo "This has changed." >&2
  exit 1
fi
