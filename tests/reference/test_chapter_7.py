"""Chapter 7's cells with other reference models: GPT-2 small's shape with random weights, and the real GPT-2."""

import re
import shutil

import pytest
import torch

from solutions.ch07_transformer import Transformer
from tests.house.fresh_python import fresh_python
from tests.reference.gpt2_small import real_gpt2, with_weights_of
from utils.course import ROOT
from utils.course.cells import code_of
from utils.reference import BUNDLED, encode, reader, str_tokens

PLANETS = (
    " the most powerful machines on the planet.\n\nThe computer is a machine that can perform complex calculations, "
    "and it can perform these calculations in a way that is very similar to the human brain."
)


def cells_up_to(text):
    """The code of the solved notebook's cells, up to the first that holds this text."""
    codes = code_of(ROOT / "solutions" / "ch07_transformer.ipynb")
    last = next(index for index, code in enumerate(codes) if text in code)
    return codes[: last + 1]


@pytest.mark.weekly
@pytest.mark.journey
def test_a_gpt2_small_of_random_weights_goes_through_the_same_cells(gpt2_small, tmp_path):
    with_weights_of(gpt2_small, tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(BUNDLED / name, tmp_path)
    code = "\n\n".join(cells_up_to("load_state_dict")) + "\nprint(model.cfg.n_layers, first_difference(my_gpt2).first)"
    settings = {"COURSE_STATE": str(tmp_path), "COURSE_PROGRESS": ""}  # its numbers may decide a prediction otherwise
    ran = fresh_python(code, COURSE_REFERENCE=str(tmp_path), **settings)
    assert "tensors loaded" in ran.stdout
    apart = re.search(r"largest difference to the reference model's: (.*)", ran.stdout)
    assert apart and float(apart[1]) <= 0.002
    assert ran.stdout.rstrip().endswith("12 None")


@pytest.mark.gpt2
def test_the_real_gpt2_goes_on_as_it_should(monkeypatch):
    model = real_gpt2(monkeypatch)
    names: dict = {"torch": torch}
    exec("".join(cells_up_to("def continued")[-1].partition("def continued")[1:]), names)
    my_gpt2 = Transformer(model.cfg)
    my_gpt2.load_state_dict(dict(model.weights), strict=True)
    prompt = encode("Alan Turing theorized that computers would one day become")[:, 1:]
    told = names["continued"](my_gpt2, prompt, 40)[0, prompt.shape[1] :]
    assert "".join(str_tokens(told)) == PLANETS
    reader._reference.cache_clear()
    reader._tokenizer.cache_clear()
