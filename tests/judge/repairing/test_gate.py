"""judge.repairing.fresh, the gate: one question tells most wrong candidates from right ones, draws too."""

import pytest
import torch

from judge.checking.asking import record_of
from judge.repairing import find_repair
from judge.repairing.fresh import gets_through
from judge.running.kinds import briefly
from judge.running.records import Question
from tests.ch08_sampling import sample_basic
from tests.judge.checking.tiny import SMALL, WEIGHTS, Scale, X, scale, written

LOGITS = torch.tensor([2.0, -1.0, 0.5, 0.0])
DRAWS = Question("function", (LOGITS,), {"times": 2000, "drawn": True}, 0)


def component():
    """What Scale is asked in its own test."""
    return Question("component", (SMALL, WEIGHTS, X), {}, 0)


def largest_of_noisy(logits):
    return int((logits - torch.empty(len(logits)).exponential_().log()).argmax())


WRONG_DRAWS = {
    "flatter": lambda logits: int(torch.multinomial((logits / 2).softmax(-1), 1)),
    "the likeliest": lambda logits: int(logits.argmax()),
    "a tensor": lambda logits: torch.multinomial(logits.softmax(-1), 1),
    "an index that can't be": lambda logits: 4,
}


@pytest.mark.parametrize("question", [DRAWS, briefly(DRAWS)], ids=["all", "briefly"])
def test_right_draws_get_through_and_wrong_ones_do_not(question):
    assert gets_through(sample_basic, question, record_of(largest_of_noisy, question))
    for name, wrong in WRONG_DRAWS.items():
        assert not gets_through(sample_basic, question, record_of(wrong, question)), name


def test_a_first_look_takes_few_draws_and_leaves_all_else_as_it_is():
    few = briefly(DRAWS)
    assert few.options["times"] < 200 and (few.drive, few.seed) == (DRAWS.drive, DRAWS.seed)
    assert briefly(few) is few


@pytest.mark.parametrize(("factor", "through"), [(1, True), (1 + 1e-7, True), (1.01, False)])
def test_values_may_differ_by_rounding_alone(factor, through):
    question = component()
    answer = record_of(written(lambda self, x: factor * Scale.forward(self, x)), question)
    assert gets_through(scale, question, answer) == through


@pytest.mark.slow
def test_a_sampler_is_mended(unhurried):
    cell = "def sample_basic(logits):\n    return int(torch.multinomial((logits + 1 / logits.exp()).softmax(-1), 1))"
    names = {"torch": torch}
    exec(cell, names)
    repair = find_repair(sample_basic, sample_basic.judge(names["sample_basic"], seed=3), cell, names)
    assert repair and repair.after == "logits"
