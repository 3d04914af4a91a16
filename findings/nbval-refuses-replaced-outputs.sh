#!/usr/bin/env bash
# nbval refuses a notebook that nbclient has executed a second before, with the same kernel and nothing changed, where
# an output takes the place of another: after clear_output, as progress bars use it, and where a handle of display() is
# updated. What is stored is the last one; nbval keeps all that was printed, and of a display the first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/executing.py" <<'END'
import sys
from importlib.metadata import version

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

cells = {
    "plain": "print('loss 2')\nprint('loss 1')",
    "cleared": "from IPython.display import clear_output\nprint('loss 2')\nclear_output(wait=True)\nprint('loss 1')",
    "updated": "handle = display('loss 2', display_id=True)\nhandle.update('loss 1')",
}
named = ("nbval", "nbclient", "ipykernel", "ipython", "pytest")
print(", ".join(f"{name} {version(name)}" for name in named))
for name, source in cells.items():
    notebook = new_notebook(cells=[new_code_cell(source)])
    NotebookClient(notebook, kernel_name="python3").execute()
    nbformat.write(notebook, f"{sys.argv[1]}/{name}.ipynb")
    (output,) = notebook.cells[0].outputs
    print(f"{name}: stored {output.get('text') or output.data['text/plain']!r}")
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet nbval==0.11.0 nbclient==0.11.0 ipykernel==7.4.0 ipython==9.18.1 pytest==9.2.0 \
  nbformat==5.11.1
export PATH="$folder/venv/bin:$PATH" JUPYTER_PATH="$folder/venv/share/jupyter"
python "$folder/executing.py" "$folder" 2>"$folder/warned"
found=""
for name in plain cleared updated; do
  said=fails
  python -m pytest -q --nbval -p no:cacheprovider "$folder/$name.ipynb" >"$folder/said" 2>&1 && said=passes
  echo "nbval, run at once on $name: $said $(grep -m1 "^ *['\"].* == " "$folder/said" || true)"
  found+="$said "
done
if [ "$found" != "passes fails fails " ]; then
  echo "This has changed." >&2
  exit 1
fi
