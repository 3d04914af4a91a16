#!/usr/bin/env bash
# torch.rand in bfloat16 on the CPU gives an exact 0 once in 512 numbers, though bfloat16 knows far smaller ones and draws
# some of them. What relies on small shares of uniform numbers goes wrong without a word: `rand < 0.001`, as a mask, takes
# three in a thousand, and Gumbel noise, -log(-log(rand)), is minus infinity for some hundred of GPT-2's 50,257 tokens at
# each draw, which then can't be sampled. float16 gives 0 once in some 4,000, float32 nearly never.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/zeros.py" <<'END'
import torch

print(f"torch {torch.__version__}")
found = {}
for dtype in (torch.bfloat16, torch.float16, torch.float32):
    torch.manual_seed(0)
    drawn = torch.rand(4_000_000, dtype=dtype)
    zeros, masked = (drawn == 0).double().mean().item(), (drawn < 0.001).double().mean().item()
    lost = (-(-torch.rand(50_257, dtype=dtype).log()).log() == -torch.inf).sum().item()
    found[dtype] = zeros, masked, lost
    smallest = drawn[drawn > 0].min().item()
    print(f"{dtype}: 0 with a share of {zeros:.6f}; smallest above it {smallest:.1e}; `rand < 0.001` with a share of "
          f"{masked:.5f}; Gumbel noise of minus infinity for {lost} tokens of 50,257")
zeros, masked, lost = found[torch.bfloat16]
raise SystemExit(not (abs(zeros * 512 - 1) < 0.1 and masked > 0.002 and lost > 50) or found[torch.float32][0] > 1e-5)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/zeros.py"; then
  echo "This has changed." >&2
  exit 1
fi
