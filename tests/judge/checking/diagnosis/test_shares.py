"""judge.checking.diagnosis.shares: what draws say of where they come from, and a cause that draws speak against."""

from collections import Counter
from dataclasses import replace

import pytest
import torch

from judge.checking import Exercise, check_draws, line
from judge.checking.counts import same_draws
from tests.judge.checking.tiny import judged_by

WANT = torch.tensor([0.02, 0.1, 0.0, 0.5, 0.05, 0.3, 0.03], dtype=torch.double)


@pytest.mark.parametrize("shift", [0.0, 1e-4])
def test_of_two_causes_that_fit_the_one_that_draws_the_same_is_named(shift):
    def body(drawn):
        with line("it holds"):
            check_draws(drawn, WANT, want=WANT, times=1000)

    one = replace(DRAWN)
    one.symbol = "drawn"
    for more in (0.0, 1e-4):
        one.misconception(f"{more} more", f"Take {more} off.")(lambda p, more=more: drawn(p.flip(0) + 10 * more))
    found = judged_by(body, lambda p: drawn(p.flip(0) + 10 * shift), one).failure
    assert found.misconception == f"{shift} more"


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


def test_what_draws_rightly_here_is_no_cause():
    """Its 1000 draws are too few to tell it from the learner's, and enough to tell the learner's from what is right."""

    def body(drawn):
        with line("it holds"):
            check_draws(drawn, WANT, want=WANT, times=1000)

    one, shift = replace(DRAWN), torch.tensor([0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0])
    one.symbol = "drawn"
    one.misconception("a change in place", "Copy it.")(lambda p: drawn(WANT + 0.02 * shift))
    found = judged_by(body, lambda p: drawn(WANT + 0.08 * shift), one).failure
    assert found.details[0].startswith("index 5 was drawn") and found.misconception is None


def test_of_causes_that_draw_what_is_right_one_alone_is_asked_for_all_draws():
    def body(drawn):
        with line("it holds"):
            check_draws(drawn, WANT, want=WANT, times=2000)

    one, shift, calls = replace(DRAWN), torch.tensor([0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]), Counter()
    one.symbol = "drawn"

    def counted(name):
        def draws_rightly(p):
            calls[name] += 1
            return 6 - drawn(p.flip(0))

        return draws_rightly

    for name in ("the first", "the second", "the third"):
        one.misconception(name, "It shows elsewhere.")(counted(name))
    assert judged_by(body, lambda p: drawn(WANT + 0.08 * shift), one).failure.misconception is None
    assert calls["the first"] > 2000
    assert calls["the second"] == calls["the third"] < 1000


def test_of_causes_that_draw_alike_and_wrongly_each_is_held_against_the_other_questions():
    def body(drawn):
        with line("it holds"):
            for p in (WANT, FLAT):
                check_draws(drawn, p, want=p, times=2000)

    one = replace(DRAWN)
    one.symbol = "drawn"
    one.misconception("backwards", "Turn it round.")(lambda p: drawn(p.flip(0)))
    one.misconception("the likeliest of few", "Draw.")(lambda p: drawn(p.flip(0)) if len(p) == 7 else int(p.argmax()))
    one.misconception("backwards where there are many", "Leave it.")(
        lambda p: drawn(p.flip(0)) if len(p) == 7 else drawn(p)
    )
    found = judged_by(body, lambda p: 6 - drawn(p) if len(p) == 7 else int(p.argmax()), one).failure
    assert found.misconception == "the likeliest of few"


@pytest.mark.parametrize(
    ("component", "named"),
    [
        (lambda p: drawn(p) + 1, "one too far"),
        (lambda p: drawn(p) - 7, None),
        (lambda p: p.multinomial(1), "a tensor"),
        (lambda p: torch.zeros(3), None),
        (lambda p: float(p[drawn(p)]), "a probability"),
        (lambda p: float(drawn(p)), None),
    ],
)
def test_what_is_no_index_is_told_apart_by_its_form(component, named):
    def body(drawn):
        with line("it holds"):
            check_draws(drawn, WANT, want=WANT, times=1000)

    one = replace(DRAWN)
    one.symbol = "drawn"
    one.misconception("a tensor", "Make an int of it.")(lambda p: torch.multinomial(p, 1))
    one.misconception("one too far", "Leave out `+ 1`.")(lambda p: drawn(p) + 1)
    one.misconception("a probability", "Return the token.")(lambda p: float(p[drawn(p)]))
    assert judged_by(body, component, one).failure.misconception == named


def test_another_power_of_the_probabilities_is_another_cause():
    def body(drawn):
        with line("it holds"):
            check_draws(drawn, WANT, want=WANT, times=1000)

    one = replace(DRAWN)
    one.symbol = "drawn"
    one.misconception("squares", "Leave out the square.")(lambda p: drawn(p**2))
    assert judged_by(body, lambda p: drawn(p**2), one).failure.misconception == "squares"
    assert judged_by(body, lambda p: drawn(p**3), one).failure.misconception is None


def peaked_and_flat(drawn):
    """One where one stands out, and one where none does."""
    with line("it holds"):
        for p in (PEAKED, FLAT):
            check_draws(drawn, p, want=p, times=1000)


def test_what_always_gives_the_same_is_no_draw():
    """A seed set inside looks like greedy where one stands out; elsewhere only the one of them draws."""
    one = replace(DRAWN)
    one.symbol = "drawn"
    one.misconception("greedy where one stands out", "Draw.")(greedy_where_it_is_peaked)
    assert judged_by(peaked_and_flat, lambda p: 1, one).failure.misconception is None


def test_a_cause_that_leaves_less_unexplained_is_named_first():
    one = replace(DRAWN)
    one.symbol = "drawn"
    one.misconception("greedy where one stands out", "Draw.")(greedy_where_it_is_peaked)
    one.misconception("greedy", "Draw.")(lambda p: int(p.argmax()))
    assert (
        judged_by(peaked_and_flat, lambda p: max(range(3), key=lambda i: p[i]), one).failure.misconception == "greedy"
    )


def test_a_wild_index_needs_no_table_of_all_up_to_it():
    wild = [2**63] * 150
    assert same_draws(wild, wild) and not same_draws(wild, [0] * 150)
