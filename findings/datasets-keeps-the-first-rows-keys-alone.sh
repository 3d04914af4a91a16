#!/usr/bin/env bash
# datasets' `Dataset.from_list` takes its columns from the first row. A key that this row lacks is dropped from all others,
# without a word: of a list of examples whose later ones have a label, no label is left. A dict *inside* a row is treated
# otherwise: its keys are gathered from all rows, and what is missing becomes None.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/columns.py" <<'END'
import datasets

print(f"datasets {datasets.__version__}")
rows = [{"text": "a", "of": {"book": 1}}, {"text": "b", "label": 3, "of": {"page": 2}}]
made = datasets.Dataset.from_list(rows)
print("given:", rows)
print("kept: ", list(made))
turned = datasets.Dataset.from_list(rows[::-1])
print("the other way round:", list(turned))
has_labels = "label" in made.column_names, "label" in turned.column_names
raise SystemExit(has_labels != (False, True) or made[0]["of"] != {"book": 1, "page": None})
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet datasets==5.2.0
if ! "$folder/venv/bin/python" "$folder/columns.py"; then
  echo "This has changed." >&2
  exit 1
fi
