"""utils.checking.diagnosis: what is right where the answer is wrong is no cause of it."""

from dataclasses import replace

from tests.checking.tiny import WEIGHTS, X, judged_by, scale
from utils.checking import check_repeatable, line
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
