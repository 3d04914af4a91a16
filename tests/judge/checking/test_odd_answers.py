"""judge.checking: whatever the learner's code is or gives, there is a verdict that can be written down."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.ch02_embeddings import embed
from tests.ch03_layernorm import layer_norm
from tests.ch08_sampling import apply_temperature, greedy, sample_basic
from tests.ch10_cost import counting
from tests.judge.checking.tiny import scale, written


class Hostile:
    """Can be neither shown nor compared."""

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self):
        raise RuntimeError("no repr")

    def __eq__(self, other):
        raise RuntimeError("no eq")


class WithoutAMessage(Exception):
    def __str__(self):
        raise RuntimeError("no str")


def cyclic(self, x):
    answer = []
    answer.append(answer)
    return answer


def raising(error):
    def forward(self, x):
        raise error

    return forward


def of_another_shape(self, x):
    self.w = nn.Parameter(torch.ones(3))
    return x


def without_a_parameter(self, x):
    for name in list(self._parameters):
        delattr(self, name)
    return x


def printing(self, x):
    print("\ud800")


ANSWERS = {
    "complex": lambda self, x: x * 1j,
    "bool": lambda self, x: x > 0,
    "sparse": lambda self, x: x.to_sparse(),
    "quantized": lambda self, x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8),
    "nested": lambda self, x: torch.nested.nested_tensor([x[0]]),
    "meta": lambda self, x: x.to("meta"),
    "empty": lambda self, x: x[:0],
    "0-d": lambda self, x: x.sum(),
    "many axes": lambda self, x: x.reshape([1] * 20 + list(x.shape)),
    "array": lambda self, x: x.detach().numpy(),
    "NumPy's float": lambda self, x: np.float64(1),
    "NaN": lambda self, x: x * torch.nan,
    "infinite": lambda self, x: x * torch.inf,
    "named tuple": lambda self, x: x.double().max(-1),
    "list": lambda self, x: [x],
    "dict with numbers as keys": lambda self, x: {1: x},
    "cyclic": cyclic,
    "generator": lambda self, x: (row for row in x),
    "hostile": lambda self, x: Hostile(),
    "itself": lambda self, x: self,
    "half a character": lambda self, x: "\ud800",
    "a large int": lambda self, x: 10**5000,
    "half a character printed": printing,
    "an error without a message": raising(WithoutAMessage()),
    "a long error": raising(ValueError("x" * 100_000)),
    "half a character in an error": raising(ValueError("\ud800")),
    "the input resized": lambda self, x: x.resize_(1),
    "a parameter of another shape": of_another_shape,
    "a parameter gone": without_a_parameter,
}


@pytest.mark.parametrize("exercise", [scale, layer_norm, embed], ids=lambda exercise: exercise.symbol)
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
@pytest.mark.filterwarnings("ignore")
def test_an_odd_answer_is_refused_in_words_that_can_be_written(answer, exercise):
    verdict = exercise.judge(type(exercise.symbol, (exercise.given,), {"forward": answer}))
    assert verdict.status == "failed" and verdict.failure.details
    assert len(str(verdict).encode()) < 4000


ODD_NUMBERS = {
    "more than a float holds": 1 << 9999,
    "less than one holds": -(1 << 9999),
    "bfloat16": torch.ones(2, dtype=torch.bfloat16),
    "bfloat16 in a list": [torch.ones(2, dtype=torch.bfloat16)],
    "past 64 bits": 1 << 64,
}


@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(exercise, id=exercise.symbol, marks=pytest.mark.slow if exercise is sample_basic else ())
        for exercise in (greedy, counting, sample_basic, apply_temperature)
    ],
)
@pytest.mark.parametrize("number", ODD_NUMBERS.values(), ids=ODD_NUMBERS.keys())
def test_an_odd_number_is_refused_in_words_that_can_be_written(number, exercise):
    verdict = exercise.judge(lambda *given: number)
    assert verdict.status == "failed" and verdict.failure.details
    assert len(str(verdict).encode()) < 8000


class Broken(nn.Module):
    """Nothing can be read off it."""

    def __init__(self, cfg):
        super().__init__()
        self.w, self.b = nn.Parameter(torch.ones(8)), nn.Parameter(torch.zeros(8))

    def named_parameters(self, *args, **kwargs):
        return 5


class Uninitialized(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w, self.b = nn.UninitializedParameter(), nn.Parameter(torch.zeros(8))


class Unlike(nn.Module):
    @property
    def w(self):
        raise ValueError("w")


@pytest.mark.parametrize(
    "component", [Broken, Uninitialized, Unlike, Hostile, lambda cfg: None, len, object, nn.Module]
)
def test_an_odd_component_is_refused_too(component):
    verdict = scale.judge(component)
    assert verdict.status == "failed" and str(verdict).encode()


def test_what_is_said_of_an_error_that_says_nothing_or_too_much():
    def said(error):
        return scale.judge(written(raising(error))).failure.details[0]

    assert said(WithoutAMessage()) == "WithoutAMessage: its message can't be read: __str__ raised RuntimeError"
    assert said(ValueError()) == "ValueError"
    assert said(ValueError("a\ud800")) == "ValueError: a\\ud800"
    assert said(ValueError("x" * 100_000)) == f"ValueError: {'x' * 1000}..."


@pytest.mark.parametrize("many", [lambda tensors: tensors, lambda tensors: [tuple(tensors), tensors]])
def test_of_many_tensors_only_those_are_written_that_are_seen(many, monkeypatch):
    answer, begins = (many([torch.ones(3)] * amount) for amount in (2_000, 9))
    beginning = repr(begins)[:97]
    n_written, write = [], Tensor.__repr__
    monkeypatch.setattr(Tensor, "__repr__", lambda one: n_written.append(one) or write(one))
    verdict = greedy.judge(lambda logits: answer)
    said = verdict.failure.details[0]
    assert said.removeprefix("got ").startswith(beginning + "... (list)") and len(n_written) <= 100
