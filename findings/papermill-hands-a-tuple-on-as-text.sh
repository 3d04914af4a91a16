#!/usr/bin/env bash
# papermill hands a list on to a notebook as a list, and a tuple as its text: of `betas=(0.9, 0.95)` the notebook gets
# a string of eleven characters, whose first is a bracket and which is true even where the tuple is empty. Within a
# list or a dict a tuple becomes text too. What the notebook records about itself, in its metadata, is a list both
# times.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/tuples.py" <<'END'
import ast
import sys
from importlib.metadata import version
from pathlib import Path

import nbformat
import papermill
from nbformat.v4 import new_code_cell, new_notebook

folder = Path(sys.argv[1])
print(*(f"{name} {version(name)}" for name in ("papermill", "ipykernel")))
cells = [
    new_code_cell("list_ = None\ntuple_ = None\nnested = None\nempty = None", metadata={"tags": ["parameters"]}),
    new_code_cell("print([list_, tuple_, nested, empty])"),
]
kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), folder / "betas.ipynb")
given = {"list_": [0.9, 0.95], "tuple_": (0.9, 0.95), "nested": [(0.9, 0.95)], "empty": ()}
notebook = papermill.execute_notebook(folder / "betas.ipynb", folder / "out.ipynb", given, progress_bar=False)
arrived = ast.literal_eval(notebook.cells[-1].outputs[0].text)
recorded = nbformat.read(folder / "out.ipynb", 4).metadata.papermill.parameters
for (name, value), there in zip(given.items(), arrived, strict=True):
    print(f"{value!r:15} arrives as {there!r:17} and is recorded as {recorded[name]!r}")
words = arrived == [[0.9, 0.95], "(0.9, 0.95)", ["(0.9, 0.95)"], "()"]
lists = {"list_": [0.9, 0.95], "tuple_": [0.9, 0.95], "nested": [[0.9, 0.95]], "empty": []}
raise SystemExit(not (words and recorded == lists))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet papermill==2.7.0 ipykernel==7.4.0
if ! HOME="$folder" PATH="$folder/venv/bin:$PATH" python "$folder/tuples.py" "$folder" 2>"$folder/errors"; then
  cat "$folder/errors" >&2
  echo "This has changed." >&2
  exit 1
fi
