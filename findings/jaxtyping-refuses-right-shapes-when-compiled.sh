#!/usr/bin/env bash
# A function whose shapes jaxtyping checks with beartype takes every right shape, and refuses the same call under
# torch.compile, on the first call already: "Actual value: f32[2,3], Expected type: Float[Tensor, 'batch pos']", which
# it is. The backend `eager` is enough, so no compiler has a part in it: the tracer of torch alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/compiling.py" <<'END'
from importlib.metadata import version

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor


@jaxtyped(typechecker=beartype)
def double(x: Float[Tensor, "batch pos"]) -> Float[Tensor, "batch pos"]:
    return 2 * x


x = torch.ones(2, 3)
print(", ".join(f"{name} {version(name)}" for name in ("torch", "jaxtyping", "beartype")))
print("as it is:", tuple(double(x).shape))
try:
    print("compiled:", tuple(torch.compile(double, backend="eager")(x).shape))
except Exception as error:
    print("compiled:", type(error).__name__, *str(error).splitlines()[:4], sep="\n  ")
    raise SystemExit(0)
raise SystemExit(1)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy jaxtyping==0.3.11 beartype==0.23.1
if ! "$folder/venv/bin/python" "$folder/compiling.py" 2>"$folder/warned"; then
  echo "This has changed." >&2
  exit 1
fi
