#!/usr/bin/env bash
# In tinygrad an index beyond a tensor is no error: it reads zeros. A token id beyond the vocabulary is embedded as a row
# of zeros, and the cross-entropy of a class that does not exist is 0, the best loss there is, so that a wrong vocabulary
# size looks like learning. -1 is the last row when a tensor is indexed, and zeros in nn.Embedding.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/indices.py" <<'END'
import os

os.environ["DEV"] = "PYTHON"  # the device that needs no compiler
from importlib.metadata import version

from tinygrad import Tensor
from tinygrad.nn import Embedding

print(f"tinygrad {version('tinygrad')}")
table = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
rows = {index: table[Tensor([index])].tolist()[0] for index in (2, 3, -1)}
print("rows of a table of three, by index:", rows)
embed = Embedding(3, 2)
embed.weight = table
embedded = dict(zip((2, 3, -1), embed(Tensor([[2, 3, -1]])).tolist()[0]))
print("the same table in nn.Embedding:    ", embedded)
losses = {label: abs(round(Tensor([[0.0, 1.0, 2.0]]).cross_entropy(Tensor([label])).item(), 4)) for label in (2, 3)}
print("cross-entropy over three classes, by label:", losses)
wanted = {2: [5, 6], 3: [0, 0], -1: [5, 6]}, {2: [5, 6], 3: [0, 0], -1: [0, 0]}
raise SystemExit((rows, embedded) != wanted or losses[3] != 0 or losses[2] == 0)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tinygrad==0.14.0
if ! "$folder/venv/bin/python" "$folder/indices.py"; then
  echo "This has changed." >&2
  exit 1
fi
