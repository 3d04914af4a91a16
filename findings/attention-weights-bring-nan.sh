#!/usr/bin/env bash
# Whether torch's nn.MultiheadAttention returns its weights decides whether its gradient is NaN. For a row of a batch
# that is padding alone it gives zeros with need_weights=False, and NaN with need_weights=True, its default. A loss of
# the other rows is finite both ways; but with the weights every gradient of the layer is NaN, since the row of padding
# hands back a gradient of zero, and zero times NaN is NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/attending.py" <<'END'
import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(embed_dim=4, num_heads=2, bias=False, batch_first=True)
x = torch.randn(2, 3, 4)
hidden = torch.tensor([[False, False, False], [True, True, True]])  # the second row is padding alone


def nan_after(need_weights):
    attention.zero_grad()
    y, _ = attention(x, x, x, key_padding_mask=hidden, need_weights=need_weights)
    y[0].sum().backward()  # of the first row alone
    gradients = torch.cat([weight.grad.flatten() for weight in attention.parameters()])
    print(f"need_weights={need_weights}: the padded row gives {y[1, 0].tolist()}")
    print(f"  the other row has NaN: {bool(y[0].isnan().any())}, all gradients are: {bool(gradients.isnan().all())}")
    return bool(y[1].isnan().all()), bool(y[0].isnan().any()), bool(gradients.isnan().all())


print(f"torch {torch.__version__}")
raise SystemExit((nan_after(False), nan_after(True)) != ((False, False, False), (True, False, True)))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
if ! "$folder/venv/bin/python" "$folder/attending.py"; then
  echo "This has changed." >&2
  exit 1
fi
