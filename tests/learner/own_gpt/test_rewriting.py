"""Imports pointed into the learner's package, and the stand-ins for libraries there."""

import unicodedata

import einops
import pytest
import regex
import torch

from solutions.ch00_tokens import GPT2_PATTERN
from utils.learner.own_gpt.loading import loaded, module
from utils.learner.own_gpt.rewriting import NotSelfContained, libraries, rewritten
from utils.learner.own_gpt.writing import TEMPLATES

REWRITTEN = {
    "import torch\nfrom torch import nn as n\n": "import torch\nfrom torch import nn as n\n",
    "from utils.config import Config": "from ..course.config import Config",
    "from utils import config": "from ..course import config",
    "from utils.pieces import pieces as p": "from .pieces import pieces as p",
    "from jaxtyping import Float, Int as I": "from ..course.jaxtyping import Float, Int as I",
    "import regex": "from ..course import regex",
    "import regex as re, torch": "from ..course import regex as re\nimport torch",
    "import torch; import einops; x = 1": "import torch; from ..course import einops; x = 1",
    "from einops.layers.torch import Rearrange": "from einops.layers.torch import Rearrange",
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


@pytest.mark.parametrize(
    "line",
    [
        "import utils.config",
        "from utils.reference import encode",
        "from utils import reference",
        "from tests.ch02_embeddings import test_embed",
        "import solutions.ch02_embeddings as given",
        "from solutions.ch02_embeddings import *",
    ],
)
def test_what_the_course_alone_has_is_refused_by_name(line):
    with pytest.raises(NotSelfContained) as refused:
        rewritten(f"x = 1\nif x:\n    {line}\n" if "*" not in line else line, lambda stem, symbol: "nowhere")
    assert str(refused.value) == f"`{line.replace(' as given', '')}`"


def test_the_libraries_that_are_needed_are_known():
    source = "import os, numpy as np\nfrom torch import nn\nfrom safetensors.torch import save\nfrom .a import b\n"
    assert libraries(source + "def f():\n    from scipy.special import erf") == {"numpy", "scipy"}


@pytest.fixture(scope="module")
def course():
    """The templates, as a package."""
    with loaded(TEMPLATES):
        yield lambda name: module(f"course.{name}")


@pytest.fixture
def plain_re(course, monkeypatch):
    """The stand-in for `regex`, as where that is not installed."""
    monkeypatch.setattr(course("regex"), "_real", None)
    return course("regex")


def test_gpt2s_pattern_cuts_as_with_regex(plain_re):
    """All of Unicode, each character among others, as far as this Python knows it: regex's tables may be newer."""
    text = "it's 1999, IT'S été! лиса\u2009видела\x1c狐は月を見た, लोमड़ी 🦊🌙\n\n  the end \t x²½Ⅷ_'ll"
    ours = plain_re.compile(GPT2_PATTERN.pattern)
    assert ours.findall(text) == GPT2_PATTERN.findall(text) == plain_re.findall(GPT2_PATTERN.pattern, text)
    for first in range(0, 0x30000, 64):
        known = [chr(code) for code in range(first, first + 64) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
        block = " ".join(f"a{character}1" for character in known)
        assert ours.findall(block) == GPT2_PATTERN.findall(block), hex(first)


@pytest.mark.parametrize("pattern", [r"\P{L}+", r"[^\P{N}a]+", r"[\]\p{Lu}]", r"\p{^L}|\pN", r"[]x\p{L}]+", r"\S\s\\p"])
def test_other_patterns_are_spelt_out_too(plain_re, pattern):
    text = r"Été 12½ ]aB\x \p λΔ_!"
    assert [found[0] for found in plain_re.finditer(pattern, text)] == [
        found[0] for found in regex.finditer(pattern, text)
    ]


def test_the_real_regex_is_used_where_it_is(course):
    assert course("regex").compile is regex.compile and course("regex").IGNORECASE is regex.IGNORECASE


EINOPS = [
    ("rearrange", "b p (h d) -> b h p d", {"h": 4}),
    ("rearrange", "b p hd -> (b p) hd", {}),
    ("rearrange", "... (h d) -> h ... d", {"d": 3}),
    ("rearrange", "b p d -> b 1 p d", {}),
    ("rearrange", "b ... -> (...) b", {}),
    ("repeat", "b p d -> b p n d", {"n": 2}),
    ("repeat", "b p d -> (b n) p d", {"n": 2}),
    ("reduce", "b p d -> b d", {"reduction": "mean"}),
    ("reduce", "b (q two) d -> b q", {"reduction": "max", "two": 2}),
    ("reduce", "b p d -> b 1 1", {"reduction": "prod"}),
]


@pytest.fixture
def stand_in(course):
    """The stand-in for einops, as where that is not installed."""
    source = (TEMPLATES / "course" / "einops.py").read_text(encoding="utf-8")
    names: dict = {"__name__": "stand_in"}
    exec(source.replace('import_module("einops")', 'import_module("no_einops_here")'), names)
    assert names["_real"] is None
    return names


@pytest.mark.parametrize(("name", "pattern", "more"), EINOPS)
def test_the_stand_in_for_einops_does_the_same(stand_in, name, pattern, more):
    tensor = torch.arange(2 * 6 * 12.0).reshape(2, 6, 12).sin()
    given = [more["reduction"]] if "reduction" in more else []
    sizes = {key: value for key, value in more.items() if key != "reduction"}
    expected = getattr(einops, name)(tensor, pattern, *given, **sizes)
    torch.testing.assert_close(stand_in[name](tensor, pattern, *given, **sizes), expected)


def test_the_stand_in_multiplies_as_einsum_does_and_refuses_what_does_not_fit(stand_in):
    x, weight = torch.randn(2, 5, 6), torch.randn(4, 6, 3)
    pattern = "batch pos d_model, head_index d_model d_head -> batch head_index pos d_head"
    assert torch.equal(stand_in["einsum"](x, weight, pattern), einops.einsum(x, weight, pattern))
    with pytest.raises(ValueError, match="an axis of 6 can't be taken apart into h d"):
        stand_in["rearrange"](x, "b p (h d) -> b p h d", h=4)
    with pytest.raises(ValueError, match="loses the axes p"):
        stand_in["rearrange"](x, "b p d -> b d")
    with pytest.raises(ValueError, match="the size of the new axis n is not given"):
        stand_in["repeat"](x, "b p d -> b p d n")
    with pytest.raises(AttributeError, match="pack needs the package einops itself"):
        stand_in["__getattr__"]("pack")


def test_annotations_mean_the_tensor_itself(course):
    names = course("jaxtyping")
    assert names.Float[torch.Tensor, "batch pos"] is torch.Tensor
    assert names.jaxtyped(typechecker=None)(len) is len
