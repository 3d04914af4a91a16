#!/usr/bin/env bash
# A DataLoader that shuffles nothing and has no workers draws a number from torch's global generator all the same, each
# time that it is iterated: the seed that workers would have had. So whoever measures a validation loss in the middle of
# a run has another dropout and other batches from there on than whoever does not, with the same seed. `generator=`
# prevents it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/loading.py" <<'END'
import torch
from torch.utils.data import DataLoader


def drawn_after(look):
    torch.manual_seed(0)
    look()
    return torch.rand(()).item()


ways = {
    "nothing": lambda: None,
    "a list is iterated": lambda: list(range(4)),
    "a DataLoader is made": lambda: DataLoader(range(4)),
    "a DataLoader is iterated": lambda: list(DataLoader(range(4), shuffle=False, num_workers=0)),
    "one with a generator is iterated": lambda: list(DataLoader(range(4), generator=torch.Generator())),
}
print(f"torch {torch.__version__}")
found = {name: drawn_after(look) for name, look in ways.items()}
for name, number in found.items():
    print(f"{name}: the next number is {number:.6f}")
changed = [number != found["nothing"] for number in found.values()]
raise SystemExit(changed != [False, False, False, True, False])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/loading.py"; then
  echo "This has changed." >&2
  exit 1
fi
