#!/usr/bin/env bash
# A MetricCollection of torchmetrics decides after its first batch which metrics may share their sums: those whose sums
# are equal then. Perplexity over all tokens and over all but padding are equal on a batch without padding. From then on
# the second is given the first's sums, also on batches with padding, and its result is the first's. With the same two
# batches in the other order both are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/merged.py" <<'END'
import torch
import torchmetrics
from torchmetrics import MetricCollection
from torchmetrics.text import Perplexity

PADDING = 0
print(f"torchmetrics {torchmetrics.__version__}, torch {torch.__version__}")
torch.manual_seed(0)
full = torch.randn(1, 8, 5), torch.tensor([[1, 2, 3, 4, 1, 2, 3, 4]])
padded = torch.randn(1, 8, 5), torch.tensor([[1, 2, 3, 4, 0, 0, 0, 0]])


def metrics():
    return {"all": Perplexity(), "without padding": Perplexity(ignore_index=PADDING)}


def both_ways(batches):
    """The perplexities that a collection gives, and those of the same metrics each by itself."""
    together, alone = MetricCollection(metrics()), metrics()
    for logits, tokens in batches:
        together.update(logits, tokens)
        for metric in alone.values():
            metric.update(logits, tokens)
    return (
        {name: round(value.item(), 3) for name, value in together.compute().items()},
        {name: round(metric.compute().item(), 3) for name, metric in alone.items()},
    )


found = {}
for name, batches in {"the full batch first": [full, padded], "the padded batch first": [padded, full]}.items():
    found[name] = both_ways(batches)
    print(f"{name}: together {found[name][0]}, each alone {found[name][1]}")
(merged, alone), (apart, _) = found.values()
raise SystemExit(not (merged["without padding"] == merged["all"] != alone["without padding"] and apart == alone))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torchmetrics==1.9.0 torch==2.13.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/merged.py"; then
  echo "This has changed." >&2
  exit 1
fi
