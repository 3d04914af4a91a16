#!/usr/bin/env bash
# torch's cross_entropy takes the right tokens as ids or as one-hot rows. Without weights for the classes the two losses
# are the same. With weights they are not: for ids the mean is divided by the weights of the right tokens, for rows by
# their number. So one batch has two losses, and a batch of heavy classes a gradient as many times as large as they
# weigh.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/weighing.py" <<'END'
import torch
from torch.nn.functional import cross_entropy, one_hot

print(f"torch {torch.__version__}")
torch.manual_seed(0)
logits = torch.randn(4, 3, requires_grad=True)
ids = torch.tensor([0, 2, 2, 2])
weight = torch.tensor([1.0, 1.0, 10.0])


def losses_and_gradients(weight):
    for target in (ids, one_hot(ids, 3).float()):
        loss = cross_entropy(logits, target, weight=weight)
        (gradient,) = torch.autograd.grad(loss, logits)
        yield loss.item(), gradient.norm().item()


(plain, _), (plain_rows, _) = losses_and_gradients(None)
(by_ids, slope), (by_rows, slope_of_rows) = losses_and_gradients(weight)
print(f"without weights: ids {plain:.3f}, one-hot rows {plain_rows:.3f}")
print(f"with weights 1, 1, 10: ids {by_ids:.3f}, rows {by_rows:.3f}; gradients' norms {slope:.3f}, {slope_of_rows:.3f}")
ratio = weight[ids].mean().item()
print(f"rows are {by_rows / by_ids:.2f} times as large; the right tokens weigh {ratio:.2f} on average")
same = abs(plain - plain_rows) < 1e-6
by_number = abs(by_rows / by_ids - ratio) < 1e-4 and abs(slope_of_rows / slope - ratio) < 1e-4
raise SystemExit(not (same and by_number))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/weighing.py"; then
  echo "This has changed." >&2
  exit 1
fi
