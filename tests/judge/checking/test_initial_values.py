"""check_parameters: how parameters start is tested by exact bounds, whatever the seed."""

import pytest
import torch
from torch import nn

from judge.checking import Exercise, check_parameters
from tests.judge.checking.tiny import judged_by
from utils.gpt import SMALL

TABLE = Exercise(
    inputs={"tokens": "batch pos"}, output="batch pos d_model", parameters={"W": "d_vocab d_model"}, solution=__name__
)
SPREAD = "starts with `W` at random, with spread `cfg.init_range`"


def table(first):
    def init(self, cfg):
        nn.Module.__init__(self)
        self.W = nn.Parameter(first(cfg.d_vocab, cfg.d_model))

    return type("Table", (nn.Module,), {"__init__": init})


def drawn(self, cfg):
    nn.Module.__init__(self)
    self.W = nn.Parameter(torch.randn(cfg.d_vocab, cfg.d_model) * cfg.init_range)


@pytest.mark.parametrize("seed", range(5))
def test_random_initial_values_pass_whatever_the_seed(seed):
    right = type("Table", (nn.Module,), {"__init__": drawn})
    assert judged_by(lambda Table: check_parameters(Table, SMALL), right, TABLE, seed).passed[1] == SPREAD


SHRUNK = Exercise(
    {"x": "batch pos"},
    "batch pos d_model",
    {"W": "d_vocab d_model"},
    spreads=lambda name, cfg: (cfg.init_range, cfg.init_range / 2),
    solution=__name__,
)


@pytest.mark.parametrize(("factor", "right"), [(1, True), (0.5, True), (2, False), (0.2, False)])
def test_each_of_several_right_spreads_is_accepted(factor, right):
    def init(self, cfg):
        nn.Module.__init__(self)
        self.W = nn.Parameter(torch.randn(cfg.d_vocab, cfg.d_model) * cfg.init_range * factor)

    verdict = judged_by(
        lambda Table: check_parameters(Table, SMALL), type("Table", (nn.Module,), {"__init__": init}), SHRUNK
    )
    assert (SPREAD in verdict.passed) == right


def test_a_spread_that_is_written_out_is_refused_though_it_is_gpt_2s_own():
    wrong = table(lambda *shape: torch.randn(shape) * SMALL.init_range)
    bad = judged_by(lambda Table: check_parameters(Table, SMALL), wrong, TABLE)
    assert bad.failure.line == SPREAD
    assert bad.failure.details[0].endswith("expected mean 0 and spread 0.3000, `cfg.init_range`")


def test_what_another_left_in_memory_is_no_initial_value():
    for seed in range(5):
        judged_by(lambda Table: check_parameters(Table, SMALL), type("Table", (nn.Module,), {"__init__": drawn}), TABLE)
        bad = judged_by(lambda Table: check_parameters(Table, SMALL), table(torch.empty), TABLE, seed)
        assert "numbers that are not finite: torch.empty holds whatever was in memory" in bad.failure.details[0]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (lambda *shape: torch.zeros(shape), "`W` starts at 0.0000 everywhere, so all its rows would learn the same"),
        (lambda *shape: torch.full(shape, torch.inf), "numbers that are not finite: torch.empty holds whatever was in"),
        (lambda *shape: torch.randn(shape), "expected mean 0 and spread 0.0200, `cfg.init_range`"),
        (lambda *shape: torch.randn(shape) * 0.02 + 0.02, "`W` starts with mean 0.0"),
        (lambda *shape: torch.rand(shape) * 0.02, "`W` starts with mean 0.0"),
    ],
)
def test_initial_values_that_are_not_as_random_as_they_should_be(first, said):
    bad = judged_by(lambda Scale: check_parameters(Scale, SMALL), table(first), TABLE)
    assert bad.failure.line == SPREAD and said in bad.failure.details[0]
