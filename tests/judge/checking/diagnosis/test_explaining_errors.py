"""judge.checking.diagnosis: what is said of an error, and of a stub, the learner's own or one that is called."""

import inspect
import re

import pytest
import torch
from torch import nn

from judge.checking import Exercise, check_shape, line
from judge.checking.diagnosis.errors import STUB, instead
from judge.running.records import TOO_SLOW, LearnerError
from tests.judge.checking import tiny
from tests.judge.checking.tiny import X, scale, written
from utils.course import ROOT
from utils.gpt import SMALL
from utils.gpt.model import GPT

GPT2_WEIGHTS = {name: torch.zeros(value.shape) for name, value in GPT(SMALL).named_parameters()}


def test_an_error_is_shown_with_the_learners_own_lines_and_prints():
    failure = scale.judge(written(tiny.raising)).failure
    assert failure.details == ("AttributeError: 'Tensor' object has no attribute 'wieght'",)
    assert [(frame.function, frame.source) for frame in failure.frames] == [
        ("raising", "return self.w * helper(x)"),
        ("helper", "return x.wieght"),
    ]
    assert failure.printed.startswith("x is <here>\n")


class NoConfig(nn.Module):
    def __init__(self):
        super().__init__()


class SizeOfWhat(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w = nn.Parameter(torch.ones(d_model))


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (written(tiny.no_input), "it is called as `Scale(cfg)(x)`, and Python answered"),
        (NoConfig, "it is called as `Scale(cfg)(x)`, and Python answered"),
        (SizeOfWhat, "it is made as `Scale(cfg)`, with a Config, and `__init__` raised"),
    ],
)
def test_how_a_component_is_called_is_said_where_the_call_does_not_fit(component, said):
    assert scale.judge(component).failure.details[0] == said


@pytest.mark.parametrize(
    ("drive", "arguments", "said"),
    [
        ("function", (X,), "it is called as `write(x)`, and Python answered"),
        ("numpy_arrays", (X,), "it is called as `write(x)`, and Python answered"),
        ("with_model", (torch.zeros(5, 5), 4, X), "it is called as `write(model, x)`, and Python answered"),
        ("with_gpt", (SMALL, GPT2_WEIGHTS, X), "it is called as `write(model, x)`, and Python answered"),
        ("stream", ([torch.eye(8)], X), "it is called as `write(layers)(x)`, and Python answered"),
        ("methods", ([], ("encode", "the cat")), "A class is due here, and this is a function."),
    ],
)
def test_how_it_is_called_depends_on_the_driver(drive, arguments, said):
    one = Exercise(inputs={"x": "batch pos d_model"}, output="batch pos d_model", drive=drive, solution=__name__)

    @one.test
    def test_write(write):
        with line("keeps the shape"):
            check_shape(write, *arguments)

    def nothing_fits(a, b, c, d):
        pass

    assert one.judge(nothing_fits).failure.details[0].startswith(said)


def test_an_error_where_not_every_input_was_given():
    """The axes that are known are enough to explain it."""
    one = Exercise(inputs={"x": "pos", "y": "batch"}, output="pos", solution=__name__)

    @one.test
    def test_identity(identity):
        with line("keeps the shape"):
            check_shape(identity, torch.ones(3))

    assert one.judge(lambda x: x @ torch.ones(5)).failure.details[0].startswith("RuntimeError: ")


def calling_a_stub(self, x):
    return sample_top_k(x)


def sample_top_k(logits):
    raise NotImplementedError("sample_top_k: write this part")


class WithAStub(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        raise NotImplementedError("Scale.__init__: write this part")


class CallsAnother(scale.given):
    def forward(self, x):
        return Block(self)(x)


class Block(nn.Module):
    def __init__(self, owner):
        super().__init__()

    def forward(self, x):
        raise NotImplementedError("Block.forward: write this part")


def own(function):
    line = inspect.getsourcelines(function)[1] + len(inspect.getsource(function).rstrip().splitlines()) - 1
    raises = f"the line that raises NotImplementedError (line {line})"
    return f"`{function.__name__}` is still to be written: replace {raises}, then run it again."


def a_helper(x):
    raise NotImplementedError


def calling_a_helper(self, x):
    return a_helper(x)


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (written(tiny.stub), own(tiny.stub)),
        (WithAStub, own(WithAStub.__init__)),
        (written(calling_a_helper), own(a_helper)),
        (
            written(calling_a_stub),
            "It calls `sample_top_k`, which is still a stub: write and run that first, then run this again.",
        ),
        (CallsAnother, "It calls `Block`, which is still a stub: write and run that first, then run this again."),
    ],
)
def test_not_yet_names_the_stub_that_was_met(component, said):
    verdict = scale.judge(component)
    assert verdict.status == "not yet" and verdict.summary() == "○ Scale: not yet"
    assert (verdict.failure.details, verdict.failure.misconception, verdict.failure.hints) == ((said,), None, ())
    assert str(verdict).splitlines()[1] == f"      {said}"


@pytest.mark.parametrize("message", ["TODO", "todo: later", "write this part", "see the hint: Embed"])
def test_a_learners_own_words_are_no_stub_of_another_name(message):
    def unfinished(self, x):
        raise NotImplementedError(message)

    assert scale.judge(written(unfinished)).failure.details == (own(unfinished),)


def test_the_stubs_of_the_chapters_say_what_is_read_here():
    for path in (ROOT / "chapters").glob("ch*.ipynb"):
        said = re.findall(r'raise NotImplementedError\(\\"(.*?)\\"\)', path.read_text(encoding="utf-8"))
        assert said and all(STUB.match(words) for words in said), path


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("it takes longer than 10 seconds", "No single loop"),
        ("it takes more than 2 s of a processor", "No single loop"),
        ("it takes longer than 5 seconds by the clock", "wait for something"),
        ("it answers more than 64 MB", ""),
        ("it takes more than 4 GiB of memory", ""),
    ],
)
def test_only_what_took_its_time_is_asked_where_it_went(said, advice):
    told = instead(LearnerError(TOO_SLOW, said))
    assert advice in told and bool(told) == bool(advice)
