#!/usr/bin/env bash
# torch's FlopCounterMode counts nothing for attention on a CPU: the kernel that scaled_dot_product_attention takes there
# for queries of four dimensions has no formula in the counter's table, and what has none counts as 0, without a word. The
# same call under sdpa_kernel(SDPBackend.MATH) is counted, as two matrix products; so is one with three dimensions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/counting.py" <<'END'
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as attention
from torch.utils.flop_counter import FlopCounterMode


def flops(q, **options):
    with FlopCounterMode(display=False) as counter:
        attention(q, q, q, **options)
    return counter.get_total_flops()


batch, heads, pos, d_head = 2, 3, 16, 8
q = torch.randn(batch, heads, pos, d_head)
expected = 2 * 2 * batch * heads * pos * pos * d_head
print(f"torch {torch.__version__}; two products of this size are {expected:,} operations")
found = {"4 dimensions": flops(q), "4 dimensions, causal": flops(q, is_causal=True), "3 dimensions": flops(q[0])}
with sdpa_kernel(SDPBackend.MATH):
    found["4 dimensions, by the kernel MATH"] = flops(q)
for name, count in found.items():
    print(f"{name}: {count:,}")
as_told = [found["4 dimensions"], found["4 dimensions, causal"], found["4 dimensions, by the kernel MATH"]]
raise SystemExit(as_told != [0, 0, expected])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/counting.py"; then
  echo "This has changed." >&2
  exit 1
fi
