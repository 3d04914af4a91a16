#!/usr/bin/env bash
# An array without a single number agrees with every number: `np.testing.assert_allclose`, `np.testing.assert_array_equal`,
# `torch.allclose` and `pytest.approx` all take an empty result for right, since a number is compared with each element
# and there is none. A test of a function that has filtered everything away passes. `torch.testing.assert_close` refuses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/empty.py" <<'END'
import numpy as np
import pytest
import torch

print(f"numpy {np.__version__}, torch {torch.__version__}, pytest {pytest.__version__}")
empty = np.empty(0)


def agrees(check):
    try:
        return check() is not False
    except AssertionError:
        return False


CHECKS = {
    "np.testing.assert_allclose(empty, 3.14)": lambda: np.testing.assert_allclose(empty, 3.14),
    "np.testing.assert_array_equal(empty, 3.14)": lambda: np.testing.assert_array_equal(empty, 3.14),
    "torch.allclose(empty, tensor([3.14]))": lambda: torch.allclose(torch.empty(0), torch.tensor([3.14])),
    "empty == pytest.approx(3.14)": lambda: bool(empty == pytest.approx(3.14)),
    "torch.testing.assert_close(empty, tensor([3.14]))": lambda: torch.testing.assert_close(
        torch.empty(0), torch.tensor([3.14])
    ),
}
found = {said: agrees(check) for said, check in CHECKS.items()}
for said, holds in found.items():
    print(f"{said:52} {'agrees' if holds else 'is refused'}")
raise SystemExit([*found.values()] != [True, True, True, True, False])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 torch==2.13.0 pytest==9.2.0
if ! "$folder/venv/bin/python" "$folder/empty.py"; then
  echo "This has changed." >&2
  exit 1
fi
