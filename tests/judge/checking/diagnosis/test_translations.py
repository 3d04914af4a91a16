"""Translations of errors: each rule against the errors of its cases, and against near relatives that it must not fit.

A case is an expression or the lines of a `forward` that has all parameters; what stands before a colon says where else
the code stands: `Embed: tokens @ self.W_E` is in a component of that name, with its own parameters, `init: ...` and
`Block init: ...` are in an `__init__`, `NumPy: ...` is in a function of arrays. Whole classes and functions, with their
call, are read as they are, and so is an error that no code makes here, perhaps with ` | ` and the learner's line.
"""

import ast
import linecache
import math
import re
import textwrap
import warnings
from contextlib import suppress
from functools import cache
from itertools import count

import einops
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from judge.checking.diagnosis.translations import RULES, WITHOUT_TENSORS
from judge.checking.diagnosis.translations import translate as translated
from judge.checking.diagnosis.translations.raised import FIELD, Raised
from judge.running.frames import own_frames
from judge.running.libraries import JAX, NUMPY, PYTHON, TORCH
from judge.running.local import meant
from judge.running.records import Frame, LearnerError
from utils.config import SMALL

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
ALL_INPUTS = ["tokens", "residual"]
PARTS = {  # the inputs and the parameters of a component
    "Answer": (ALL_INPUTS, ["W_E", "W_pos", "w", "b"]),
    "Embed": (["tokens"], ["W_E"]),
    "PosEmbed": (["tokens"], ["W_pos"]),
    "LayerNorm": (["residual"], ["w", "b"]),
}
ALONE = {"NumPy": NUMPY, "JAX": JAX, "Plain": TORCH, "Python": PYTHON}  # without inputs or parameters of their own
OF_PARTS = {"residual": {"batch": 2, "pos": 5}, "ln1.w": {"d_model": 8}, "mlp.W_in": {"d_model": 8, "d_mlp": 17}}
BLOCK = """
class LayerNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(cfg.d_model))
    def forward(self, residual):
        return residual.mean() * self.w
class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg, self.ln1, self.blocks = cfg, LayerNorm(cfg), nn.ModuleList([LayerNorm(cfg)])
{}
    def forward(self, residual):
{}
Block(cfg)(given_residual)
"""


def translate(error, shapes, library=TORCH):
    """The translation where these are the shapes of what is called, and of its parameters."""
    return translated(raised_with(error, shapes, library))


def raised_with(error, shapes, library=TORCH):
    of_parameters = {name: axes for name, axes in shapes.items() if "." in name or name in PARTS["Answer"][1]}
    of_inputs = {name: axes for name, axes in shapes.items() if name not in of_parameters}
    return Raised(error, of_inputs, of_parameters, library=library)


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


def cell(code, symbol="Answer"):
    """Code of a case as a cell."""
    if symbol == "init":
        body = f"super().__init__()\n{code}"
        return f"class Answer(nn.Module):\n    def __init__(self, cfg):\n{textwrap.indent(body, ' ' * 8)}\nAnswer(cfg)"
    if code.startswith(("class ", "def ")):
        return code
    with suppress(SyntaxError):
        ast.parse(code, mode="eval")
        code = f"return {code}"
    if symbol == "Block init":
        return BLOCK.format(textwrap.indent(code, " " * 8), " " * 8 + "pass")
    if symbol == "Block":
        return BLOCK.format("", textwrap.indent(code, " " * 8))
    return component(symbol if symbol in PARTS else "Answer", code)


@cache
def raised_by(case):
    """What is known of the error of a case."""
    before, colon, after = case.partition(": ")
    if colon and re.fullmatch(r"NumPy|JAX|Plain|Python|init|Block|Block init|Embed|PosEmbed|LayerNorm", before):
        symbol, code = before, after
    else:
        symbol, code = "Answer", case
    shapes = {name: SHAPES[name] for part in PARTS.get(symbol, PARTS["Answer"]) for name in part}
    if symbol in ALONE:
        named = ALL_INPUTS if symbol in ("NumPy", "JAX") else ()
        shapes = {name: axes for name, axes in shapes.items() if name in named}
    if symbol.startswith("Block"):
        shapes = OF_PARTS
    kind, colon, message = code.partition(": ")
    if colon and re.fullmatch(r"\w+Error", kind):
        message, _, line = message.partition(" | ")
        error = LearnerError(kind, message, [Frame("your cell", 1, "f", line)])
    else:
        error = error_of(cell(code, symbol))
    return raised_with(error, shapes, ALONE.get(symbol, TORCH))


def told(case):
    """The rule that says something of this case, and what."""
    raised = raised_by(case)
    for rule in RULES if raised.library.has_tensors else WITHOUT_TENSORS:
        if text := rule.advice(raised):
            return rule, text
    return None, None


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


def as_pairs(case):
    """The codes of a rule with what tells the words of each from the others."""
    if isinstance(case, dict):
        return case.items()
    return [(code, "") for code in ([case] if isinstance(case, str) else case)]


def has_pieces(text, pieces):
    return re.search(".*".join(map(re.escape, pieces.split(" … "))), text)


ALL_RULES = list({id(rule): rule for rule in (*RULES, *WITHOUT_TENSORS)}.values())
CASES = [(rule, code, pieces) for rule in ALL_RULES for code, pieces in as_pairs(rule.case)]
RELATIVES = [(rule, code) for rule in ALL_RULES for code, _ in as_pairs(rule.near)]


@pytest.mark.parametrize(("rule", "code", "pieces"), CASES, ids=[code.splitlines()[-1] for _, code, _ in CASES])
def test_an_error_gets_the_words_of_its_rule(rule, code, pieces):
    fits, text = told(code)
    assert (fits, text) == (rule, text) and not re.search(FIELD, text)
    assert has_pieces(text, pieces), text
    if rule.of_parts:  # where there are no parts, none is spoken of
        assert translate(raised_by(code).error, {"residual": OF_PARTS["residual"]}) != text


@pytest.mark.parametrize(("rule", "code"), RELATIVES, ids=[code.splitlines()[-1] for _, code in RELATIVES])
def test_a_near_relative_does_not(rule, code):
    """By this rule alone, whatever an earlier one makes of it."""
    texts = {told(case)[1] for case, _ in as_pairs(rule.case)}
    said = rule.advice(raised_by(code))
    assert said is None or (callable(rule.says) and said not in texts)
    assert told(code)[1] not in texts


def test_every_rule_has_a_case_and_a_near_relative():
    assert [rule.pattern for rule in ALL_RULES if not (rule.case and rule.near)] == []


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


@pytest.mark.parametrize("text", sorted({told(code)[1] for _, code, _ in CASES}))
def test_a_translation_is_short(text):
    prose = re.sub(r"`[^`]*`", "", text)
    assert len(re.findall(r"[.](?: |$)", prose)) <= 2 and len(text) <= 310 and text.rstrip(")").endswith(".")


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
