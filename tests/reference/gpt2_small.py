"""GPT-2 small for the tests: its shape with random weights, in HuggingFace's form; and itself, where it is here."""

from pathlib import Path

import pytest
import torch

from utils.reference import ReferenceUnavailable, folders, reference


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


def real_gpt2(monkeypatch):
    """The reference model with GPT-2's real weights; the test is skipped, with the reason, where they are not here."""

    def stay_offline():
        raise OSError("the tests download nothing")

    monkeypatch.setattr(folders, "_reach_hub", stay_offline)
    monkeypatch.setenv("COURSE_REFERENCE", "gpt2")
    try:
        return reference()
    except ReferenceUnavailable as missing:
        pytest.skip(str(missing))
