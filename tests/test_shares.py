"""utils.checking.shares: what draws say of where they come from, and a cause that draws speak against."""

from dataclasses import replace

import pytest
import torch

from tests.tiny_exercise import judged_by
from utils.checking import Exercise, check_draws, line
from utils.checking.shares import same_draws, share_clue

WANT = torch.tensor([0.02, 0.1, 0.0, 0.5, 0.05, 0.3, 0.03], dtype=torch.double)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        (WANT, None),
        (WANT**2, "as if the logits were divided by 0.5"),
        (WANT**0.5, "flatter, as if the logits were divided by 2.0"),
        (WANT * (torch.arange(7) != 1), "Never drawn: index 1. The others keep their proportions: where is it left"),
        (WANT * (WANT > 0.06), "Never drawn: the 3 least likely. The others"),
        (WANT * (torch.arange(7) % 3 != 1), "Never drawn: 1, 4. The others"),
        (WANT.roll(1), "Each index comes as often as the one before it should"),
        (WANT.roll(-1), "Each index comes as often as the next should"),
        (WANT.sort().values, "These are the right shares, at the wrong indices"),
        (torch.eye(7)[3], "Every one of these calls gave the same."),
        (torch.ones(7), None),
    ],
)
def test_shares_say_where_they_come_from(shares, said):
    counts = (2000 * shares.double() / shares.sum()).round()
    clue = share_clue(counts, WANT)
    assert clue is None if said is None else said in clue


def test_few_draws_say_little():
    assert share_clue((200 * WANT**2 / (WANT**2).sum()).round(), WANT) is None


def test_two_samples_of_one_distribution_are_alike_and_of_two_are_not():
    torch.manual_seed(0)
    one, other, different = (torch.multinomial(p, 1000, True).tolist() for p in (WANT, WANT, WANT.flip(0)))
    assert same_draws(one, other) and not same_draws(one, different)


def drawn(p):
    return int(torch.multinomial(p, 1))


def greedy_where_it_is_peaked(p):
    return int(p.argmax()) if p.max() > 0.9 else drawn(p)


DRAWN = Exercise(inputs={"p": "d_vocab"}, solution=__name__)
PEAKED, FLAT = torch.tensor([0.02, 0.95, 0.03]), torch.tensor([0.3, 0.3, 0.4])


@pytest.mark.parametrize(("component", "named"), [(greedy_where_it_is_peaked, None), (torch.argmax, "greedy")])
def test_draws_of_another_question_may_speak_against_a_cause(component, named):
    def body(drawn):
        with line("it holds"):
            for p in (FLAT, PEAKED):
                check_draws(drawn, p, want=p, times=1000)

    one = replace(DRAWN)
    one.symbol = "drawn"
    one.misconception("greedy", "Draw.")(lambda p: int(p.argmax()))
    assert judged_by(body, lambda p: int(component(p)), one).failure.misconception == named


def test_a_cause_that_leaves_less_unexplained_is_named_first():
    def body(drawn):
        with line("it holds"):
            for p in (PEAKED, FLAT):
                check_draws(drawn, p, want=p, times=1000)

    one = replace(DRAWN)
    one.symbol = "drawn"
    one.misconception("greedy where one stands out", "Draw.")(greedy_where_it_is_peaked)
    one.misconception("greedy", "Draw.")(lambda p: int(p.argmax()))
    assert judged_by(body, lambda p: max(range(3), key=lambda i: p[i]), one).failure.misconception == "greedy"
