#!/usr/bin/env bash
# A column of float64 in `datasets`, read with the format "numpy", is float64 row by row and float32 in batches. So a
# map that copies a column writes float64, and the same map with batched=True rounds the copy to float32 and stores
# that. `with_format("numpy", dtype=np.float64)` rounds nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/formatting.py" <<'END'
from importlib.metadata import version

import datasets
import numpy as np

datasets.disable_progress_bars()
exact = 2.0**24 + 1
data = datasets.Dataset.from_dict({"loss": [exact, exact]})
rows = data.with_format("numpy")


def copied(**options):
    made = rows.map(lambda row: {"copy": row["loss"]}, **options)
    return made.features["copy"].dtype, made.with_format(None)[0]["copy"]


print(f"datasets {version('datasets')}, numpy {np.__version__}: the column is {data.features['loss'].dtype}, {exact}")
found = [str(rows[0]["loss"].dtype), str(rows[:1]["loss"].dtype), copied(), copied(batched=True)]
for name, result in zip(["rows[0]", "rows[:1]", "copied by map", "copied by map, batched"], found, strict=True):
    print(f"{name}: {result}")
wide = str(data.with_format("numpy", dtype=np.float64)[:1]["loss"].dtype)
raise SystemExit([*found, wide] != ["float64", "float32", ("float64", exact), ("float32", exact - 1), "float64"])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet datasets==5.2.0 numpy==2.4.6
if ! HF_HOME="$folder/cache" HF_HUB_OFFLINE=1 "$folder/venv/bin/python" "$folder/formatting.py" 2>"$folder/warned"; then
  echo "This has changed." >&2
  exit 1
fi
