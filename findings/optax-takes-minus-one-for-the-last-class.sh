#!/usr/bin/env bash
# -1 is a usual mark for positions that no loss is asked of. Optax's cross-entropy with integer labels counts it as an
# index from the end, so that such a position is trained to predict the last token of the vocabulary. One past the end
# gives NaN, and so does -100, PyTorch's mark, wherever there are fewer than a hundred classes; with more of them it is
# the class a hundred from the end. PyTorch raises an error for -1 and leaves out -100.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/labels.py" <<'END'
import jax.numpy as jnp
import optax
import torch

print(f"optax {optax.__version__}, torch {torch.__version__}")


def loss(label, classes):
    logits = jnp.arange(float(classes))[None] / classes
    return float(optax.softmax_cross_entropy_with_integer_labels(logits, jnp.array([label]))[0])


few = {label: loss(label, 3) for label in (2, -1, 3, -100)}
print("three classes, the loss by label:", {label: round(value, 4) for label, value in few.items()})
many = loss(-100, 4096), loss(3996, 4096)
print("4,096 classes, labels -100 and 3996:", [round(value, 4) for value in many])
logits = torch.arange(3.0)[None] / 3
left_out = torch.nn.functional.cross_entropy(logits, torch.tensor([-100]), reduction="sum").item()
try:
    torch.nn.functional.cross_entropy(logits, torch.tensor([-1]))
    refused = False
except IndexError as error:
    refused = True
    print(f"torch: {left_out} for -100; for -1 an IndexError: {error}")
is_last = few[-1] == few[2] and many[0] == many[1]
raise SystemExit(not (is_last and refused and left_out == 0 and few[3] != few[3] and few[-100] != few[-100]))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet optax==0.2.8 jax==0.10.2 numpy==2.4.6 torch==2.13.0
if ! "$folder/venv/bin/python" "$folder/labels.py"; then
  echo "This has changed." >&2
  exit 1
fi
