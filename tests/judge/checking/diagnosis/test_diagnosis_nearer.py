"""judge.checking.diagnosis: what is right where the answer is wrong is no cause of it, and what a function keeps is."""

from dataclasses import replace

import torch

from judge.checking import Exercise, check_agrees, check_repeatable, line
from tests.judge.checking.tiny import WEIGHTS, X, judged_by, scale
from utils.gpt import SMALL


def test_a_misconception_that_is_right_on_the_question_is_no_cause():
    """One answer remembers its last input, the other is wrong after `eval()` alone, which nobody asks here."""

    class Remembering(scale.given):
        seen = 0.0

        def forward(self, x):
            answer = x * self.w + self.b + self.seen
            self.seen = 0.1 * x.detach()
            return answer

    def body(Scale):
        with line("the same twice"):
            check_repeatable(Scale, SMALL, WEIGHTS, X)

    one = replace(scale)
    one.symbol = scale.symbol
    one.misconception("after `eval()` alone", "Do it always.")(
        lambda self, x: x * self.w + self.b + (not self.training)
    )
    assert judged_by(body, Remembering, one).failure.misconception is None


def identity(x):
    return x


SEEN = {}


def remembering(x):
    SEEN[len(SEEN)] = x
    return x + 0.1 * len(SEEN) * x.roll(1)


def forgetting(x):
    seen = {0: x}
    return x + 0.1 * len(seen) * x.roll(1)


def test_what_a_function_keeps_outside_is_named_where_a_value_is_wrong():
    one = Exercise(inputs={"x": "pos"}, output="pos", solution=__name__)

    @one.test
    def test_identity(identity):
        with line("agrees"):
            check_agrees(identity, torch.arange(5.0))

    said = [one.judge(component).failure.advice for component in (remembering, forgetting)]
    assert said == ["`SEEN` stands outside of the function, and keeps what each call puts there: make it inside.", None]
