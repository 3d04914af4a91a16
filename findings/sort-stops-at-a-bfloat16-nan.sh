#!/usr/bin/env bash
# NumPy does not sort an array in bfloat16 (JAX's, or ml_dtypes' own) that holds a NaN. In float32 a NaN goes to the end;
# in bfloat16 it stays where it is and keeps the numbers around it apart, so that np.sort([3, nan, 1, 2, 5]) changes
# nothing. np.median then gives 1: neither NaN, as in float32, nor the median of what is left. Nor do NumPy's own ways out
# help, though np.isnan finds the NaN: nanmean and nansum are NaN, and nan_to_num leaves it in.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/sorting.py" <<'END'
import ml_dtypes
import numpy as np

print(f"NumPy {np.__version__}, ml_dtypes {ml_dtypes.__version__}")
found = {}
for kind in (np.float32, ml_dtypes.bfloat16):
    x = np.array([3, np.nan, 1, 2, 5], kind)
    answers = {
        "isnan": np.isnan(x),
        "sort": np.sort(x),
        "median": np.median(x),
        "nanmean": np.nanmean(x),
        "nansum": np.nansum(x),
        "nan_to_num": np.nan_to_num(x),
    }
    found[kind.__name__] = {name: str(np.asarray(each, np.float64).tolist()) for name, each in answers.items()}
    print(f"of [3, nan, 1, 2, 5] in {kind.__name__}:")
    for name, each in found[kind.__name__].items():
        print(f"  {name}: {each}")
as_told = {
    "float32": ["[1.0, 2.0, 3.0, 5.0, nan]", "nan", "2.75", "11.0", "[3.0, 0.0, 1.0, 2.0, 5.0]"],
    "bfloat16": ["[3.0, nan, 1.0, 2.0, 5.0]", "1.0", "nan", "nan", "[3.0, nan, 1.0, 2.0, 5.0]"],
}
raise SystemExit({kind: list(each.values())[1:] for kind, each in found.items()} != as_told)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 ml_dtypes==0.6.0
if ! "$folder/venv/bin/python" "$folder/sorting.py"; then
  echo "This has changed." >&2
  exit 1
fi
