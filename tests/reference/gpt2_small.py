"""A checkpoint of GPT-2 small's shape with random weights, in HuggingFace's form."""

from pathlib import Path

import torch


def random_gpt2_small(folder: Path):
    """Save a GPT-2 small in which every parameter is random, biases and LayerNorms too; no tokenizer. Returns it."""
    from transformers import AutoModelForCausalLM, GPT2Config

    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(GPT2Config(), attn_implementation="eager").eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:  # zeros and ones hide mistakes
                parameter.normal_(1.0 if ".ln_" in name and name.endswith("weight") else 0.0, 0.1)
    model.save_pretrained(folder)
    return model
