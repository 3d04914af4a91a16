#!/usr/bin/env bash
# A figure that plotly 7.1 shows in JupyterLab is stored as `application/vnd.plotly.v1+json`, and nbconvert 7.17 has no
# rule for that type: the HTML has neither a figure nor a word of it. A warning that an element is "not able to be
# represented" goes by, and the conversion succeeds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/converting.py" <<'END'
from importlib.metadata import version

import nbformat
import plotly.graph_objects as go
import plotly.io as pio
from nbconvert import HTMLExporter

figure = go.Figure(go.Bar(x=["one-of-a-kind"], y=[1]))
bundle = pio.renderers["plotly_mimetype"].to_mimebundle(figure.to_dict())
output = nbformat.v4.new_output("display_data", data=bundle)
cell = nbformat.v4.new_code_cell("figure.show()", outputs=[output])
html, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
print(f"plotly {version('plotly')}, nbconvert {version('nbconvert')}: the output has {', '.join(bundle)}")
print(f"of its figure the page has {html.count('one-of-a-kind')} mentions")
raise SystemExit("one-of-a-kind" in html)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet plotly==7.1.0 nbconvert==7.17.2 nbformat==5.11.1
if ! "$folder/venv/bin/python" "$folder/converting.py"; then
  echo "This has changed." >&2
  exit 1
fi
