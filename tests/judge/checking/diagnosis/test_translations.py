"""Translations of errors: every text against the real error, and against a near relative that must not get it."""

import linecache
import math
import re
import textwrap
import warnings
from itertools import count
from pathlib import Path

import einops
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from judge.checking.diagnosis.translations import RULES
from judge.checking.diagnosis.translations import translate as translated
from judge.checking.diagnosis.translations.modules import PART_RULES
from judge.checking.diagnosis.translations.raised import Raised
from judge.running.frames import own_frames
from judge.running.local import meant
from judge.running.records import Frame, LearnerError
from utils.config import SMALL

HERE = Path(__file__).parent
TOKENS = torch.tensor([[22, 3, 14, 1, 0], [5, 14, 2, 9, 22]])
RESIDUAL = torch.arange(80.0).view(2, 5, 8).sin()
SHAPES = {
    "tokens": {"batch": 2, "pos": 5},
    "residual": {"batch": 2, "pos": 5, "d_model": 8},
    "W_E": {"d_vocab": 23, "d_model": 8},
    "W_pos": {"n_ctx": 9, "d_model": 8},
    "w": {"d_model": 8},
    "b": {"d_model": 8},
}
OF_HEADS = {"W_Q": {"n_heads": 3, "d_model": 8, "d_head": 4}, "b_Q": {"n_heads": 3, "d_head": 4}}
LINE_OF_HEADS = "q = x @ self.W_Q + self.b_Q"
PARTS = {  # the inputs and the parameters of a component
    "Answer": (["tokens", "residual"], ["W_E", "W_pos", "w", "b"]),
    "Embed": (["tokens"], ["W_E"]),
    "PosEmbed": (["tokens"], ["W_pos"]),
    "LayerNorm": (["residual"], ["w", "b"]),
}
NEVER_SAID = {"Embed": ["keepdim"], "PosEmbed": ["tokens]", "keepdim"], "LayerNorm": ["table", "rows", "tokens"]}


def translate(error, shapes):
    """The translation where these are the shapes of what is called, and of its parameters."""
    of_parameters = {name: axes for name, axes in shapes.items() if "." in name or name in PARTS["Answer"][1]}
    of_inputs = {name: axes for name, axes in shapes.items() if name not in of_parameters}
    return translated(Raised(error, of_inputs, of_parameters))


def blocks(name):
    """What a table of real errors holds: code, then "=>" and its translation, perhaps "<>" and a near relative."""
    for block in (HERE / name).read_text(encoding="utf-8").strip().split("\n\n"):
        yield re.split(r"\n(?:=>|<>) ", block)


def component(symbol, forward):
    """A cell with a whole component that has its parameters and this `forward`, and its call."""
    inputs, parameters = PARTS[symbol]
    sizes = {name: ", ".join(f"cfg.{axis}" for axis in SHAPES[name]) for name in parameters}
    made = [f"self.{name} = nn.Parameter(torch.ones({axes}))" for name, axes in sizes.items()]
    init = "\n".join(["super().__init__()", "self.cfg = cfg", *made])
    passed = ", ".join(f"given_{name}" for name in inputs)
    methods = {"__init__(self, cfg)": init, f"forward({', '.join(['self', *inputs])})": forward}
    body = "\n".join(f"def {head}:\n{textwrap.indent(code, '    ')}" for head, code in methods.items())
    return f"class {symbol}(nn.Module):\n{textwrap.indent(body, '    ')}\n{symbol}(cfg)({passed})"


def cell(code):
    """Code of the table as a cell: a `forward` of all parameters; behind "init:" an `__init__`; else what it is."""
    if code.startswith("init: "):
        body = f"super().__init__()\n{code.removeprefix('init: ')}"
        return f"class Answer(nn.Module):\n    def __init__(self, cfg):\n{textwrap.indent(body, ' ' * 8)}\nAnswer(cfg)"
    return code if code.startswith(("class ", "def ")) else component("Answer", code)


_numbers = count()


def error_of(source):
    """What a runner reports of the error that this cell ends with."""
    name = f"<cell {next(_numbers)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    given = {"torch": torch, "nn": nn, "F": F, "einops": einops, "math": math, "np": np, "cfg": SMALL}
    given |= {"given_tokens": TOKENS.clone(), "given_residual": RESIDUAL.clone(), "FakeTensorMode": FakeTensorMode}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, name, "exec"), given)
    except Exception as error:
        # The runner makes and calls the component; here the cell does, so its last line is no frame of the learner's.
        frames = [one for one in own_frames(error) if one.where == "your cell" and one.function != "<module>"]
        return LearnerError(type(error).__name__, str(error), frames, meant=meant(error))
    pytest.fail(f"no error: {source}")


def applying(error):
    """The numbers of the rules whose pattern fits an error."""
    text = f"{error.type}: {error.message}"
    return {number for number, (pattern, _) in enumerate(RULES) if re.fullmatch(pattern, text, re.DOTALL)}


CASES = list(blocks("translated_errors.txt"))
ANSWERS = [(*title.partition(": ")[::2], text) for title, text in blocks("translated_answers.txt")]


@pytest.mark.parametrize(("code", "text", "relative"), CASES, ids=[case[0].splitlines()[-1] for case in CASES])
def test_the_real_error_gets_this_text_and_its_relative_does_not(code, text, relative):
    assert translate(error_of(cell(code)), SHAPES) == text
    assert translate(error_of(cell(relative)), SHAPES) != text


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (LINE_OF_HEADS, "`self.b_Q` is [n_heads d_head], and its `n_heads` meets `pos`: "),
        ("q = x @ self.W_Q + self.b_Q[:, None, None]", "Axes are lined up from the last one"),
        ("q = x + self.b_Q", "Axes are lined up from the last one"),
        ("q = x @ self.W_E + self.b_Q", "Axes are lined up from the last one"),
    ],
)
def test_a_bias_of_heads_is_told_to_make_room_for_the_positions(line, says):
    clash = "The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 2"
    error = LearnerError("RuntimeError", clash, [Frame("your cell", 1, "forward", line)])
    text = translated(Raised(error, {"x": SHAPES["residual"]}, SHAPES | OF_HEADS))
    assert text.startswith(f"At dimension 2 one tensor has size 5 (`pos`) and the other 3 (`n_heads`). {says}")


def test_a_product_that_fails_says_nothing_of_the_bias_behind_it():
    heads = torch.ones(3, 8, 4)
    with pytest.raises(RuntimeError) as raised:
        RESIDUAL @ heads
    error = LearnerError("RuntimeError", str(raised.value), [Frame("your cell", 1, "forward", LINE_OF_HEADS)])
    assert "b_Q" not in translated(Raised(error, {"x": SHAPES["residual"]}, SHAPES | OF_HEADS))


@pytest.mark.parametrize("text", sorted({text for _, text, _ in CASES}))
def test_a_translation_is_short(text):
    prose = re.sub(r"`[^`]*`", "", text)
    assert len(re.findall(r"[.](?: |$)", prose)) <= 2 and len(text) <= 310 and text.endswith(".")


def test_every_rule_has_a_real_error():
    met = set().union(*(applying(error_of(cell(code))) for code, _, _ in CASES))
    proved_elsewhere = PART_RULES  # in test_parts.py, since no component here is made of parts
    assert [rule[0] for number, rule in enumerate(RULES) if number not in met and rule not in proved_elsewhere] == []


@pytest.mark.parametrize(("symbol", "answer", "text"), ANSWERS, ids=[answer for _, answer, _ in ANSWERS])
def test_a_wrong_answer_is_not_misled(symbol, answer, text):
    _mistake, _, forward = answer.partition("\n")
    shapes = {name: SHAPES[name] for part in PARTS[symbol] for name in part}
    told = translate(error_of(component(symbol, forward)), shapes)
    assert str(told) == text
    assert not [word for word in NEVER_SAID[symbol] if word in (told or "")]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("AssertionError", "Torch not compiled with CUDA enabled"),
        ("RuntimeError", "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and"),
        ("RuntimeError", "No CUDA GPUs are available"),
        ("RuntimeError", "The NVIDIA driver on your system is too old (found version 11040)."),
        ("AcceleratorError", "CUDA error: CUDA driver version is insufficient for CUDA runtime version\nSearch for"),
    ],
)
def test_without_a_gpu_every_build_of_torch_gets_the_same_advice(kind, message):
    advice = translate(LearnerError(kind, message), SHAPES)
    assert advice and advice.startswith("PyTorch finds no GPU here")
    assert translate(LearnerError(kind, f"mine: {message}"), SHAPES) != advice


OTHER_VERSIONS = [  # what torch 2.11 and 2.15 say in the place of the errors above
    ("RuntimeError", "expected scalar type Long but found Float", "F.cross_entropy(x, y)", "The targets are numbers"),
    ("RuntimeError", "expected scalar type Long but found Float", "x @ y", "One side holds integers"),
    ("TypeError", "mean() received an invalid combination of arguments - got (dims=int, ), but", "", "Name the axis"),
    ("RuntimeError", "mm: mat1 and mat2 shapes cannot be multiplied (10x8 and 23x8)", "x @ y", "A product sums over"),
    ("NotImplementedError", "std and var only support floating point and complex dtypes", "", "The tensor holds int"),
    ("NotImplementedError", "mean(): could not infer output dtype. Input. Got: Long", "", "The tensor holds integers"),
]


@pytest.mark.parametrize(("kind", "message", "line", "advice"), OTHER_VERSIONS)
def test_other_versions_of_torch_get_the_same_advice(kind, message, line, advice):
    error = LearnerError(kind, message, [Frame("your cell", 1, "forward", line)])
    assert str(translate(error, SHAPES)).startswith(advice)


def test_an_axis_is_named_only_where_its_size_is_its_own():
    error = error_of(cell("return residual + self.W_pos"))
    same_size = {**SHAPES, "mask": {"query_pos": 5}}
    one_row = {"tokens": {"batch": 1}}
    assert "5 (`pos`) and the other 9 (`n_ctx`)" in translate(error, SHAPES)
    assert "size 5 and the other 9 (`n_ctx`)" in translate(error, same_size)
    assert "size 5 and the other 9." in translate(error, {})
    single = LearnerError("RuntimeError", "shape '[1, 3]' is invalid for input of size 5")
    assert translate(single, one_row).startswith("The tensor has 5 values and [1, 3] asks for 3")


@pytest.mark.parametrize(
    ("forward", "said"),
    [
        ("batch, pos = b.shape", "`b` has 1 axis: `(d_model,) = b.shape`."),
        ("batch, pos = residual.shape", "`residual` may have any number of axes, here 3: don't take its shape apart."),
        ("return residual.shape[3]", "`residual` may have any number of axes, here 3: count on none of them."),
        ("return b.shape[1]", "`b` has one axis, `d_model`: its number is 0."),
    ],
)
def test_of_an_input_of_any_shape_no_axis_is_named(forward, said):
    any_shape = {"residual": {"axis 0": 2, "axis 1": 5, "axis 2": 8}, "b": {"d_model": 8}}
    assert translate(error_of(cell(f"b = self.b\n{forward}")), any_shape) == said


def test_without_the_line_nothing_is_read_into_it():
    dropped = error_of(cell("return residual - residual.mean(-1)"))
    unknown = LearnerError(dropped.type, dropped.message, [Frame("your cell", 3, "forward", "")])
    assert "keepdim" in translate(dropped, SHAPES)
    assert "keepdim" not in translate(unknown, SHAPES)
    assert translate(LearnerError("AttributeError", "'LayerNorm' object has no attribute 'w'"), SHAPES) is None


@pytest.mark.parametrize(
    "error",
    [
        LearnerError("ValueError", "name 'W_E' is not defined"),
        LearnerError("NameError", "I say: name 'W_E' is not defined"),
        LearnerError("RuntimeError", ""),
        LearnerError("IndexError", f"index {'9' * 5000} is out of bounds for dimension 0 with size {'9' * 5000}"),
        LearnerError("TypeError", "unsupported operand type(s) for " + ": 'a" * 300_000),
        LearnerError("AttributeError", f"'Config' object has no attribute '{'d' * 10_000}'", []),
    ],
)
def test_a_message_of_someone_elses_making_is_left_alone_or_survived(error):
    assert "W_E" not in (translate(error, SHAPES) or "")
