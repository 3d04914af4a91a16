#!/usr/bin/env bash
# torch.topk(1) and torch.argmax choose different entries where several are the largest. argmax takes the first of
# them; topk of five equal numbers gives the third, of fifty the thirty-fourth, and of three hundred the first. In
# 1000 rows of fifty small whole numbers, which tie as scores in few bits do, the two part in most rows. So greedy
# sampling and top-k sampling with k = 1 may write different texts from the same scores.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/choosing.py" <<'END'
import torch

print(f"torch {torch.__version__}")
chosen = {}
for size in (5, 50, 300):
    equal = torch.zeros(size)
    chosen[size] = equal.argmax().item(), equal.topk(1).indices.item()
    print(f"of {size} equal numbers: argmax {chosen[size][0]}, topk(1) {chosen[size][1]}")
torch.manual_seed(0)
scores = torch.randint(8, (1000, 50)).float()
apart = (scores.argmax(dim=-1) != scores.topk(1).indices[:, 0]).sum().item()
print(f"of 1000 rows of 50 whole numbers below 8 the two part in {apart}")
parts_when_small = chosen[5][1] != 0 and chosen[50][1] != 0
raise SystemExit(not (all(first == 0 for first, _ in chosen.values()) and parts_when_small and apart > 500))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/choosing.py"; then
  echo "This has changed." >&2
  exit 1
fi
