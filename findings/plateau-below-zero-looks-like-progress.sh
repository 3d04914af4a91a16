#!/usr/bin/env bash
# torch's ReduceLROnPlateau never lowers the learning rate for a measure that is negative, as a log-likelihood is. What
# counts as better is, by default, better than the best one times 1.0001 (or 0.9999, where less is better), and for a
# negative number that bar lies on the wrong side of it: a measure that stands still beats it each time, and so does one
# that grows slowly worse, which then becomes the best. `threshold_mode="abs"` is the way out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/plateau.py" <<'END'
import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import ReduceLROnPlateau

EPOCHS = 100
print(f"torch {torch.__version__}")


def rate_after(measures, **options):
    """The learning rate, which begins at 1, once all of these were reported, and the best measure that is kept."""
    optimizer = SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scheduler = ReduceLROnPlateau(optimizer, patience=3, min_lr=0.001, **options)
    for measure in measures:
        scheduler.step(measure)
    return round(optimizer.param_groups[0]["lr"], 6), scheduler.best


RUNS = {
    "a log-likelihood that stays at -2": ([-2.0] * EPOCHS, {"mode": "max"}),
    "one that falls from -2 to -2.01": ([-2 - 0.0001 * epoch for epoch in range(EPOCHS)], {"mode": "max"}),
    "a loss that stays at -2": ([-2.0] * EPOCHS, {"mode": "min"}),
    "a loss that stays at 2": ([2.0] * EPOCHS, {"mode": "min"}),
    "the first, with an absolute threshold": ([-2.0] * EPOCHS, {"mode": "max", "threshold_mode": "abs"}),
}
found = {name: rate_after(measures, **options) for name, (measures, options) in RUNS.items()}
for name, (rate, best) in found.items():
    print(f"{name:38} leaves a rate of {rate:g} after {EPOCHS} epochs; the best is {best:.4f}")
rates = [rate for rate, _ in found.values()]
worst_is_best = found["one that falls from -2 to -2.01"][1] < -2.009
raise SystemExit(not (rates == [1.0, 1.0, 1.0, 0.001, 0.001] and worst_is_best))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/plateau.py"; then
  echo "This has changed." >&2
  exit 1
fi
