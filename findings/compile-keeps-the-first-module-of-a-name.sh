#!/usr/bin/env bash
# torch.compile looks a function's module up by its name, and keeps what it first found there. Execute a changed file
# anew into a fresh module of the same name, by importlib's own recipe, as a notebook does that loads its file again:
# plain Python runs each function with the globals of its own module. A function that calls into both, compiled, gives
# the second module the first one's globals: another number, and no word of it. With a name for each it is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/compiling.py" <<'END'
import importlib.util
import sys
from pathlib import Path

import torch

folder = Path(sys.argv[1])


def loaded(factor, name):
    """A module that is executed anew, as importlib's documentation shows it."""
    file = folder / f"scale_{factor}.py"
    file.write_text(f"FACTOR = {factor}\ndef factor(): return FACTOR\ndef scaled(x): return x * factor()\n")
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def outcome(first, second):
    """What a compiled function says that calls into both, and what plain Python says."""

    def both(x):
        return first.scaled(x) + 10 * second.scaled(x)

    torch.compiler.reset()
    one = torch.ones(1)
    return both(one).item(), torch.compile(both, backend="eager")(one).item()


print(f"torch {torch.__version__}")
same = outcome(loaded(2, "scale"), loaded(3, "scale"))
print(f"two modules of one name:   plain {same[0]}, compiled {same[1]}")
own = outcome(loaded(2, "scale_a"), loaded(3, "scale_b"))
print(f"a name of its own for each: plain {own[0]}, compiled {own[1]}")
raise SystemExit(not (same == (32, 22) and own == (32, 32)))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/compiling.py" "$folder"; then
  echo "This has changed." >&2
  exit 1
fi
