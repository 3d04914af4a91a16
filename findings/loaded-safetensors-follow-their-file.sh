#!/usr/bin/env bash
# What safetensors.torch.load_file gives back is the file itself, mapped into memory: where the file's bytes are written
# over afterwards (another run that saves the same checkpoint in place, a download that is continued), the tensors that
# were loaded long ago change with it. So do those of safe_open. safetensors.numpy and torch.load read a copy. A clone
# of each tensor, or a new file that is renamed into place, is safe.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/follow.py" <<'END'
import pathlib
import sys

import numpy as np
import safetensors
import safetensors.numpy
import safetensors.torch
import torch

COUNT = 1000
folder = pathlib.Path(sys.argv[1])
ones = torch.ones(COUNT)


def through_safe_open(file):
    with safetensors.safe_open(file, "pt") as opened:
        return opened.get_tensor("weight")


def write_zeros_over(file):
    whole = file.read_bytes()
    where = whole.index(np.ones(COUNT, np.float32).tobytes())
    with file.open("r+b") as opened:
        opened.seek(where)
        opened.write(bytes(4 * COUNT))


print(f"safetensors {safetensors.__version__}, torch {torch.__version__}, numpy {np.__version__}")
LOADERS = {
    "safetensors.torch.load_file": lambda file: safetensors.torch.load_file(file)["weight"],
    "safe_open, get_tensor": through_safe_open,
    "safetensors.numpy.load_file": lambda file: safetensors.numpy.load_file(file)["weight"],
    "torch.load": lambda file: torch.load(file)["weight"],
}
after = {}
for number, (name, load) in enumerate(LOADERS.items()):
    file = folder / f"{number}.weights"
    save = torch.save if name == "torch.load" else safetensors.torch.save_file
    save({"weight": ones}, file)
    weight = load(file)
    before = float(weight.sum())
    write_zeros_over(file)
    after[name] = float(weight.sum())
    print(f"{name}: the sum of {COUNT} ones is {before:g}, and {after[name]:g} once the file was written over")
raise SystemExit(list(after.values()) != [0.0, 0.0, COUNT, COUNT])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet safetensors==0.8.0 torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/follow.py" "$folder"; then
  echo "This has changed." >&2
  exit 1
fi
