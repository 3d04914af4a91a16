"""utils.checking: a test function makes a verdict of whatever the learner wrote, and of nothing else."""

import pytest
import torch

from tests import tiny_exercise as tiny
from tests.tiny_exercise import WEIGHTS, Given, Scale, X, judge_scale, scale, written
from utils import checking
from utils.checking import SMALL, CheckFailed, Exercise, line, random_tensor, random_tokens, random_weights


@pytest.mark.parametrize(
    ("offset", "name"),
    [(1, "1"), (1.0002, "1"), (1.0008, "1.001"), (1.004, "1.001"), (1.2, None), (-1, None)],
)
def test_the_nearest_misconception_is_named(offset, name):
    said = scale.judge(written(lambda self, x: x * self.w + self.b + offset))
    assert said.mistake == (name and f"an offset of {name} too much")
    assert said.advice == (name and f"Take off {name}.")


def test_a_misconception_is_known_by_its_shape_names_and_error_too():
    assert scale.judge(tiny.OneNumberEach).mistake == "one number each"
    assert scale.judge(written(lambda self, x: x[:, 0])).mistake == "averaging over `pos`"
    assert scale.judge(written(lambda self, x: x / x.size + self.b)).mistake is None  # another message
    assert scale.judge(written(lambda self, x: self.b / x.size)).mistake == "asking for `x.size`"


class StubInInit(Given):
    def __init__(self, cfg):
        raise NotImplementedError


@pytest.mark.parametrize(("component", "holds"), [(StubInInit, 0), (written(tiny.stub), 1)])
def test_a_stub_is_not_yet_wherever_it_stands(component, holds):
    said = scale.judge(component)
    assert (said.status, said.failed, said.mistake, said.frames) == ("not yet", None, None, ())
    assert len(said.passed) == holds


@pytest.mark.parametrize(
    ("component", "message"),
    [
        (written(lambda self, x: x.long().softmax(-1)), "not implemented for 'Long'"),
        (Given, 'missing the required "forward" function'),
    ],
)
def test_what_pytorch_does_not_implement_is_no_stub(component, message):
    said = scale.judge(component)
    assert said.status == "failed" and message in said.details[0]


def test_a_recursion_without_an_end_shows_its_first_and_last_lines():
    def again(self, x):
        return again(self, x)

    said = scale.judge(written(again))
    assert said.details[0].startswith("RecursionError") and 1 < len(said.frames) <= 6


def test_a_buffer_of_the_learners_own_is_kept():
    class WithBuffer(Scale):
        def __init__(self, cfg):
            super().__init__(cfg)
            self.register_buffer("factor", torch.tensor(0.5))

        def forward(self, x):
            return super().forward(x) * self.factor / 0.5

    assert scale.judge(WithBuffer).status == "passed"


def exercise(body):
    """A test function of its own, with this body."""
    return Exercise("Scale", "tests.tiny_exercise", scale.inputs, scale.output, scale.parameters).test(body)


def test_a_component_goes_in_by_position_or_by_name():
    assert judge_scale(Scale) is None and judge_scale(Scale=Scale, seed=3) is None
    for call in (judge_scale, lambda: judge_scale(Scale, Scale), lambda: judge_scale(scale=Scale)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(CheckFailed) as caught:
        judge_scale(Scale=written(tiny.stub), seed=3)
    assert isinstance(caught.value, AssertionError)
    assert (caught.value.verdict.status, caught.value.verdict.seed) == ("not yet", 3)


def test_a_mistake_in_the_test_function_is_no_verdict():
    def broken(Scale):
        with line("it holds"):
            raise ValueError("the author's own")

    with pytest.raises(ValueError, match="the author's own"):
        exercise(broken)(Scale)

    def without_a_line(Scale):
        checking.check_shape(Scale, SMALL, WEIGHTS, X)

    assert exercise(without_a_line)(Scale) is None
    with pytest.raises(RuntimeError, match=r"a check of Scale stands outside `with line\(...\)`: got shape \[2, 8\]"):
        exercise(without_a_line)(written(tiny.shape_lost))


def test_the_failure_of_a_test_function_within_another_is_not_swallowed():
    def around(Scale):
        judge_scale(written(tiny.no_offset))

    with pytest.raises(CheckFailed) as caught:
        exercise(around)(Scale)
    assert caught.value.verdict.mistake == "leaving out `b`"


@pytest.mark.parametrize(
    "use",
    [lambda: checking.check_shape(Scale, SMALL, WEIGHTS, X), lambda: random_tensor(2), lambda: line("x").__enter__()],
)
def test_checks_and_random_numbers_belong_in_a_test_function(use):
    with pytest.raises(RuntimeError, match=r"checks run inside a test function made by @exercise\.test"):
        use()


def test_one_seed_gives_the_same_numbers_and_another_gives_others():
    drawn = []

    def draw(Scale):
        drawn.append([random_tensor(3), random_tokens(SMALL, 2, 9).float(), *random_weights(SMALL, 2.0).values()])

    for seed in (0, 0, 1):
        exercise(draw)(Scale, seed=seed)
    for first, again, other in zip(*drawn, strict=True):
        assert first.equal(again) and not first.equal(other)
    assert not drawn[0][2].equal(drawn[0][3])  # nor are two draws of one test alike


def test_the_learners_random_numbers_and_the_callers_do_not_meet():
    torch.manual_seed(1)
    expected = torch.rand(3)

    def seeding(self, x):
        torch.manual_seed(5)
        return x * self.w + self.b

    torch.manual_seed(1)
    judge_scale(written(seeding))
    assert torch.rand(3).equal(expected)


def test_what_is_printed_is_kept_for_the_card_alone(capsys):
    def loud(self, x):
        print("shape", list(x.shape))
        return x * self.w

    assert scale.judge(written(loud)).printed == "shape [2, 3, 8]\n"
    assert capsys.readouterr().out == ""


def test_a_verdict_carries_how_close_it_was():
    def nearly(self, x):
        return x * self.w + self.b + 1e-4

    assert 0 < scale.judge(written(nearly)).ratio < 1  # allowed is 1e-5 times the largest value, 38.1
    assert scale.judge(written(tiny.two_too_much)).ratio == pytest.approx(2 / 38.1e-5, rel=1e-3)
    assert scale.judge(written(tiny.nothing)).ratio == float("inf")
