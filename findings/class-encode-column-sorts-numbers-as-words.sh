#!/usr/bin/env bash
# datasets' class_encode_column, on a column that holds the classes 0 to 11 already, numbers them anew: it makes words of
# them and sorts those, so that 10 comes after 1 and becomes 2, and 2 becomes 4. Up to ten classes nothing changes. A
# model that was trained on the numbers and is measured on the column then gets every class from 2 on wrong.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/classes.py" <<'END'
import datasets

datasets.disable_progress_bars()
print(f"datasets {datasets.__version__}")
found = []
for count in (10, 12):
    numbers = datasets.Dataset.from_dict({"label": list(range(count))})
    found.append(numbers.class_encode_column("label")["label"][:])
    print(f"the labels 0 to {count - 1} become {found[-1]}")
raise SystemExit(found != [list(range(10)), [0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 2, 3]])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet datasets==5.2.0
if ! "$folder/venv/bin/python" "$folder/classes.py"; then
  echo "This has changed." >&2
  exit 1
fi
