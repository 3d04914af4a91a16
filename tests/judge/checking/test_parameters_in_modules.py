"""check_parameters where the parameters are kept in a module: what is known of it is its type, not its name."""

import copy

import pytest
import torch
from torch import nn

from judge.checking import Exercise, check_parameters
from tests.judge.checking.kinds import stream
from tests.judge.checking.tiny import judged_by
from utils.gpt import SMALL

ROWS, COLUMNS = SMALL.d_vocab, SMALL.d_model
table = Exercise(
    inputs={"tokens": "batch pos"}, output="batch pos d_model", parameters={"W": "d_vocab d_model"}, solution=__name__
)


class Table(nn.Module):
    """The reference solution."""


def holding(**modules):
    """A component whose parameters are those of its modules."""

    def init(self, cfg):
        nn.Module.__init__(self)
        for name, module in modules.items():
            self.add_module(name, module)

    return type("Table", (nn.Module,), {"__init__": init})


table.misconception("nn.Embedding", "Assign `self.W`.")(holding(embedding=nn.Embedding(ROWS, COLUMNS)))


@table.test
def check_table(Table):
    check_parameters(Table, SMALL)


NAMES = {
    "its name": (holding(embedding=nn.Embedding(ROWS, COLUMNS)), "nn.Embedding"),
    "another name": (holding(wte=nn.Embedding(ROWS, COLUMNS)), "nn.Embedding"),
    "the parameter's name": (holding(W=nn.Embedding(ROWS, COLUMNS)), "nn.Embedding"),
    "another type with the same shape": (holding(embedding=nn.Linear(COLUMNS, ROWS, bias=False)), None),
    "one more": (holding(wte=nn.Embedding(ROWS, COLUMNS), wpe=nn.Embedding(ROWS, COLUMNS)), None),
    "one layer deeper": (holding(net=nn.Sequential(nn.Embedding(ROWS, COLUMNS))), None),
}


@pytest.mark.parametrize(("component", "named"), NAMES.values(), ids=NAMES)
def test_a_module_is_known_by_its_type(component, named):
    assert judged_by(check_table.exercise.body, component, table).failure.misconception == named


class Scaled(stream.ResidualStream):
    """Learns a factor of its own."""

    def __init__(self, layers):
        super().__init__(layers)
        self.alpha = nn.Parameter(torch.ones(1))


class OfCopies(stream.ResidualStream):
    def __init__(self, layers):
        super().__init__([])
        self.copies = nn.ModuleList(copy.deepcopy(layers))


def test_a_stream_has_no_parameters_but_those_of_its_layers():
    judge = stream.exercise.judge
    assert judge(stream.ResidualStream).status == "passed"
    assert judge(Scaled).failure.details == ("`alpha` is one too many",)
    assert judge(OfCopies).failure.details == tuple(f"`layers.{index}.weight` is missing" for index in range(3))
