"""GPT-2 small for the tests: its shape with random weights, in HuggingFace's form; and itself, where it is here."""

import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from utils.reference import ReferenceUnavailable, folders, reference


class SavedModel(NamedTuple):
    """HuggingFace's model, and the folder that holds its weights and no tokenizer."""

    model: Any
    folder: Path


def random_gpt2_small(folder: Path) -> SavedModel:
    """A GPT-2 small in which every parameter is random, biases and LayerNorms too, saved in this folder."""
    from transformers.models.auto import AutoModelForCausalLM
    from transformers.models.gpt2 import GPT2Config

    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(GPT2Config(), attn_implementation="eager").eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:  # zeros and ones hide mistakes
                parameter.normal_(1.0 if ".ln_" in name and name.endswith("weight") else 0.0, 0.1)
    model.save_pretrained(folder)
    return SavedModel(model, folder)


def with_weights_of(saved: SavedModel, folder: Path) -> None:
    """Put its half a gigabyte into another folder too, without copying it."""
    shutil.copytree(saved.folder, folder, copy_function=os.link, dirs_exist_ok=True)


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
