#!/usr/bin/env bash
# torchao's weight-only int8, which is meant to spare the reading of weights, makes a linear layer for one token slower
# on a CPU where it is not compiled: each call casts the whole matrix to the type of the activations, and multiplies
# then. GPT-2 small's last layer takes several times as long as with its weights in float32 or in bfloat16. Nothing warns
# of it, and the memory is spared all the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/slower.py" <<'END'
import logging
import time
import warnings

import torch

logging.disable(logging.WARNING)
warnings.simplefilter("ignore")
import torchao
from torchao.quantization import Int8WeightOnlyConfig, quantize_

D_MODEL, D_VOCAB = 768, 50257
torch.set_num_threads(1)


def milliseconds(layer, x):
    took = []
    with torch.no_grad():
        for _ in range(9):
            began = time.process_time()
            layer(x)
            took.append(time.process_time() - began)
    return 1e3 * min(took)


print(f"torch {torch.__version__.partition('+')[0]}, torchao {torchao.__version__}, one thread, one token")
ratios = []
for dtype in (torch.float32, torch.bfloat16):
    layer = torch.nn.Sequential(torch.nn.Linear(D_MODEL, D_VOCAB, bias=False)).to(dtype)
    x = torch.randn(1, D_MODEL, dtype=dtype)
    before = milliseconds(layer, x)
    quantize_(layer, Int8WeightOnlyConfig())
    after = milliseconds(layer, x)
    print(f"    {dtype}: {before:.1f} ms as it is, {after:.1f} ms with weights in {layer[0].weight.qdata.dtype}")
    ratios.append(after / before)
raise SystemExit(min(ratios) < 2)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 torch==2.13.0 torchao==0.18.0
if ! "$folder/venv/bin/python" "$folder/slower.py"; then
  echo "This has changed." >&2
  exit 1
fi
