#!/usr/bin/env bash
# torch.randint on a CPU is uneven below 2**28: it takes 32 random bits modulo the range. For a text of 260 million
# tokens 17 of the 2**32 numbers lead to each of the first 135 million positions and 16 to each of the others, so a
# batch begins at one of the first 6 % more often than at one of the others. From 2**28 on it takes 64 bits, and nothing
# is seen of it. NumPy's integers() is even.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/drawing.py" <<'END'
import numpy as np
import torch

count = 8_000_000


def share(draws, early):
    return (draws < early).mean()


print(f"torch {torch.__version__}, numpy {np.__version__}, {count:,} draws")
torch.manual_seed(0)
uneven = []
for tokens in (260_000_000, 300_000_000):
    early = 2**32 % tokens
    even = early / tokens
    by_torch = share(torch.randint(tokens, (count,)).numpy(), early)
    by_numpy = share(np.random.default_rng(0).integers(tokens, size=count), early)
    deviation = (even * (1 - even) / count) ** 0.5
    print(f"of {tokens:,} positions the first {early:,} are {even:.2%}: torch {by_torch:.2%}, numpy {by_numpy:.2%}")
    uneven += [abs(by_torch - even) > 20 * deviation, abs(by_numpy - even) > 6 * deviation]
raise SystemExit(uneven != [True, False, False, False])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/drawing.py"; then
  echo "This has changed." >&2
  exit 1
fi
