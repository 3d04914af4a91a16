"""Imports pointed into the learner's package, and the libraries that it needs."""

import pytest

from utils.own_gpt.parts import NotSelfContained, libraries, rewritten

REWRITTEN = {
    "import torch\nfrom torch import nn as n\n": "import torch\nfrom torch import nn as n\n",
    "from utils.config import Config": "from ..course.config import Config",
    "from utils import config": "from ..course import config",
    "from utils.pieces import pieces as p": "from .pieces import pieces as p",
    "from utils import config, pieces": "from ..course import config\nfrom . import pieces",
    "from jaxtyping import Float, Int as I": "from jaxtyping import Float, Int as I",
    "import regex as re, torch": "import regex as re, torch",
    "x = 1; from utils import config, pieces": "x = 1; from ..course import config; from . import pieces",
    "from solutions.ch02_a import Embed, B as C": "from .ch02_a_embed import Embed\nfrom .ch02_a_b import B as C",
    "def f():  # ✘\n    é = 1; from utils.config import Config  # why\n    return Config\n": (
        "def f():  # ✘\n    é = 1; from ..course.config import Config  # why\n    return Config\n"
    ),
    "def f():\n    from solutions.ch02_a import A, B\n    return A": (
        "def f():\n    from .ch02_a_a import A\n    from .ch02_a_b import B\n    return A"
    ),
    "from solutions.ch02_a import (\n    A,  # one\n)\nx = 1\n": "from .ch02_a_a import A\nx = 1\n",
}


@pytest.mark.parametrize(("source", "expected"), REWRITTEN.items())
def test_only_imports_change(source, expected):
    assert rewritten(source, lambda stem, symbol: f"{stem}_{symbol.lower()}") == expected


REFUSED = [
    *("import utils.config", "from utils.reference import encode", "from utils import reference"),
    *("from tests.ch02_embeddings import test_embed", "import solutions.ch02_embeddings as given"),
    "from solutions.ch02_embeddings import *",
]


@pytest.mark.parametrize("line", REFUSED)
def test_what_the_course_alone_has_is_refused_by_name(line):
    with pytest.raises(NotSelfContained) as refused:
        rewritten(f"x = 1\nif x:\n    {line}\n" if "*" not in line else line, lambda stem, symbol: "nowhere")
    assert str(refused.value) == f"`{line.replace(' as given', '')}`"


def test_the_libraries_that_are_needed_are_known():
    source = "import os, numpy as np\nfrom torch import nn\nfrom safetensors.torch import save\nfrom .a import b\n"
    assert libraries(source + "def f():\n    from scipy.special import erf") == {"numpy", "scipy"}
