#!/usr/bin/env bash
# PEFT's "linear" combination of LoRA adapters combines no weights linearly. It adds up the A matrices, and the B
# matrices, each times the root of its weight, and multiplies the sums, so that each A meets each B. Half of an
# adapter and half of its own copy make twice the adapter; half and half of two others are about as far from their
# mean as that is from zero. "cat" gives the mean of the two exactly, at twice the rank.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/combining.py" <<'END'
from importlib.metadata import version

import torch
from peft import LoraConfig, get_peft_model
from torch import nn

print(*(f"{name} {version(name)}" for name in ("peft", "transformers", "torch")))
torch.manual_seed(0)
cfg = LoraConfig(r=4, lora_alpha=4, target_modules=["0"], init_lora_weights=False)
model = get_peft_model(nn.Sequential(nn.Linear(32, 32)), cfg, adapter_name="one")
for name in ("copy", "other"):
    model.add_adapter(name, cfg)
layer = model.base_model.model[0]
for matrices in (layer.lora_A, layer.lora_B):
    matrices["copy"].load_state_dict(matrices["one"].state_dict())


def change(name):
    """What the adapter adds to the layer's weights."""
    return layer.get_delta_weight(name).detach()


found = {}
for second in ("copy", "other"):
    mean = (change("one") + change(second)) / 2
    for kind in ("linear", "cat"):
        model.add_weighted_adapter(["one", second], [0.5, 0.5], f"{kind}, {second}", combination_type=kind)
        combined = change(f"{kind}, {second}")
        size, error = (float(each.norm() / mean.norm()) for each in (combined, combined - mean))
        found[kind, second] = size, error
        print(
            f"{kind:6} of one and the {second:5}: {size:.3f} times the size of the mean, {error:.3f} times away from it"
        )
doubled = abs(found["linear", "copy"][0] - 2) < 1e-3 and abs(found["linear", "copy"][1] - 1) < 1e-3
crossed = found["linear", "other"][1] > 0.5
exact = max(found["cat", second][1] for second in ("copy", "other")) < 1e-5
raise SystemExit(not (doubled and crossed and exact))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 peft==0.21.2 transformers==5.23.0 numpy==2.4.6
if ! HF_HUB_OFFLINE=1 "$folder/venv/bin/python" "$folder/combining.py" 2>"$folder/errors"; then
  cat "$folder/errors" >&2
  echo "This has changed." >&2
  exit 1
fi
