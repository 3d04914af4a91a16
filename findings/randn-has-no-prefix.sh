#!/usr/bin/env bash
# torch.randn(n) on a CPU does not begin with the numbers of torch.randn(k) of the same seed, for k below n, as torch.rand
# and NumPy's normal numbers do. Normal numbers are made sixteen at a time, of uniform ones; where n is no multiple of
# sixteen the last sixteen are drawn anew, and fewer than sixteen go another way. So a weight that has one number more
# may start with other numbers, and the same shape in another order of memory (a transposed view) gets other numbers
# at every place.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/prefixes.py" <<'END'
import numpy as np
import torch

LONGEST = 64


def by_torch(draw, count):
    torch.manual_seed(0)
    return draw(count).numpy()


def by_numpy(count):
    return np.random.default_rng(0).standard_normal(count)


def shared(draw, count):
    return int((draw(count) == draw(LONGEST)[:count]).sum())


print(f"torch {torch.__version__}, numpy {np.__version__}")
found = {}
for count in (15, 16, 17, 31, 32, 33):
    normal = shared(lambda n: by_torch(torch.randn, n), count)
    uniform = shared(lambda n: by_torch(torch.rand, n), count)
    found[count] = normal, uniform, shared(by_numpy, count)
    print(f"of the first {count} of {LONGEST}: torch.randn({count}) has {normal}, torch.rand {uniform}, NumPy {found[count][2]}")
torch.manual_seed(0)
contiguous = torch.empty(8, 4).normal_()
torch.manual_seed(0)
transposed = torch.empty(4, 8).t().normal_()
alike = int((contiguous == transposed).sum())
print(f"normal_() of a contiguous and of a transposed [8, 4]: {alike} of 32 places alike")
expected = {15: 0, 16: 16, 17: 1, 31: 15, 32: 32, 33: 17}
raise SystemExit(found != {count: (normal, count, count) for count, normal in expected.items()} or alike != 0)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/prefixes.py"; then
  echo "This has changed." >&2
  exit 1
fi
