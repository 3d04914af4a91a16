"""judge.checking: a test function makes a verdict of whatever the learner wrote, and of nothing else."""

import pytest
import torch
from torch import nn

from judge import checking
from judge.checking import CheckFailed, line, random_tensor, random_tokens, random_weights
from judge.checking.verdict import Failure, Verdict
from tests.ch00_tokens import test_train_bpe as judge_train_bpe
from tests.ch03_layernorm import test_layer_norm as judge_layer_norm
from tests.judge.checking import tiny
from tests.judge.checking.tiny import WEIGHTS, Scale, X, judge_scale, judged_by, scale, written
from utils.gpt import SMALL


class StubInInit(nn.Module):
    def __init__(self, cfg):
        raise NotImplementedError


@pytest.mark.parametrize(("component", "holds", "part"), [(StubInInit, 0, "__init__"), (written(tiny.stub), 2, "stub")])
def test_a_stub_is_not_yet_wherever_it_stands(component, holds, part):
    said = scale.judge(component)
    assert (said.status, said.failure.misconception, said.failure.frames) == ("not yet", None, ())
    assert len(said.passed) == holds
    assert str(said).splitlines()[1].startswith(f"      `{part}` is still to be written: replace the line")


@pytest.mark.parametrize(
    ("component", "message"),
    [
        (written(lambda self, x: x.long().softmax(-1)), "not implemented for 'Long'"),
        (scale.given, 'missing the required "forward" function'),
    ],
)
def test_what_pytorch_does_not_implement_is_no_stub(component, message):
    said = scale.judge(component)
    assert said.status == "failed" and message in said.failure.details[0]


def test_a_recursion_without_an_end_shows_its_first_and_last_lines():
    def again(self, x):
        return again(self, x)

    said = scale.judge(written(again))
    assert said.failure.details[0].startswith("RecursionError") and 1 < len(said.failure.frames) <= 6


def test_a_buffer_of_the_learners_own_is_kept():
    class WithBuffer(Scale):
        def __init__(self, cfg):
            super().__init__(cfg)
            self.register_buffer("factor", torch.tensor(0.5))

        def forward(self, x):
            return super().forward(x) * self.factor / 0.5

    assert scale.judge(WithBuffer).status == "passed"


def test_a_component_goes_in_by_position_or_by_name():
    assert judge_scale(Scale) is None and judge_scale(Scale=Scale, seed=3) is None
    with pytest.raises(TypeError, match="too many positional arguments"):
        judge_scale(Scale, Scale)
    with pytest.raises(CheckFailed) as caught:
        judge_scale(Scale=written(tiny.stub), seed=3)
    assert isinstance(caught.value, AssertionError)
    assert (caught.value.verdict.status, caught.value.verdict.seed) == ("not yet", 3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: judge_scale(), "`judge_scale()` was called without what it tests: write `judge_scale(Scale)`."),
        (
            lambda: judge_scale(scale=Scale),
            "`judge_scale()` was called without what it tests: write `judge_scale(Scale)`.",
        ),
        (
            lambda: judge_scale(Scale(SMALL)),
            "it was given an instance, and the test makes its own. Write `judge_scale(Scale)`, with the class itself.",
        ),
        (
            lambda: judge_scale(Scale=Scale(SMALL)),
            "it was given an instance, and the test makes its own. Write `judge_scale(Scale)`, with the class itself.",
        ),
        (
            lambda: judge_scale(X),
            "it was given a value of type Tensor, not what the test calls: write `judge_scale(Scale)`.",
        ),
        (lambda: judge_scale(None), "it was given `None`: write `judge_scale(Scale)`."),
        (lambda: judge_scale(...), "it was given `...`: write `judge_scale(Scale)`."),
    ],
)
def test_a_test_function_that_is_called_wrongly_says_how(call, said):
    with pytest.raises(CheckFailed) as caught:
        call()
    failure = caught.value.verdict.failure
    assert (failure.line, failure.details) == ("judge_scale(Scale)", (said,))
    assert f"      {said}" in str(caught.value).splitlines()


def test_a_mistake_in_the_test_function_is_no_verdict():
    def broken(Scale):
        with line("it holds"):
            raise ValueError("the author's own")

    with pytest.raises(ValueError, match="the author's own"):
        judged_by(broken, Scale)


def test_the_failure_of_a_test_function_within_another_is_not_swallowed():
    def around(Scale):
        judge_scale(written(tiny.no_offset))

    with pytest.raises(CheckFailed) as caught:
        judged_by(around, Scale)
    assert caught.value.verdict.failure.misconception == "leaving out `b`"


def test_a_verdict_as_text():
    failure = Failure(
        "agrees",
        ("first\nsecond",),
        misconception="leaving out `b`",
        advice="Add it.",
        hints=("a hint",),
        example="On the example:\n  yours: 1",
        call=("scale(2)", "got       3", "expected  4"),
        more=("the largest difference is 1",),
        again=("got = again(Scale)",),
        printed="\n".join(map(str, range(20))),
    )
    verdict = Verdict("Scale", 7, ["keeps the shape"], failure)
    assert verdict.status == "failed" and verdict.summary() == "✘ Scale: agrees"
    assert str(verdict).splitlines() == [
        "✘ Scale",
        "  ✘ agrees",
        "      The cause: leaving out `b`. Add it.",
        *["      a hint", "      first", "      second"],
        *["      scale(2)", "      got       3", "      expected  4"],
        *["      On the example:", "        yours: 1"],
        *[
            "      your code printed:",
            "        ... (earlier lines are left out)",
            *(f"        {i}" for i in range(8, 20)),
        ],
        *["      Details:", "        the largest difference is 1"],
        *["      Try it yourself:", "        got = again(Scale)", "        (random numbers from seed 7)"],
        "  ✔ keeps the shape",
    ]
    assert Verdict("Scale").summary() == "✔ Scale: passed" and str(Verdict("Scale", 0, ["a"])) == "✔ Scale\n  ✔ a"


def test_the_exception_is_one_line_where_the_card_is_seen():
    verdict = Verdict("Scale", failure=Failure("agrees", ("wrong",)))
    assert str(CheckFailed(verdict)) == str(verdict)
    assert CheckFailed(verdict, card_is_seen=True)._render_traceback_() == ["✘ The card above says why."]
    assert CheckFailed(verdict)._render_traceback_() == [str(verdict)]


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
        judged_by(draw, Scale, seed=seed)
    for first, again, other in zip(*drawn, strict=True):
        assert first.equal(again) and not first.equal(other)
    assert not drawn[0][2].equal(drawn[0][3])  # nor are two draws of one test alike


def test_what_is_printed_is_kept_for_the_card_alone(capsys):
    def loud(self, x):
        print("shape", list(x.shape))
        return x * self.w

    assert scale.judge(written(loud)).failure.printed == "shape [2, 3, 8]\n"
    assert capsys.readouterr().out == ""


def test_a_verdict_carries_how_close_it_was():
    def nearly(self, x):
        return x * self.w + self.b + 1e-4

    def margin(forward):
        return scale.judge(written(forward)).error_over_tolerance

    assert 0 < margin(nearly) < 1  # allowed is 1e-5 times the largest value, 38.1
    assert margin(tiny.two_too_much) == pytest.approx(2 / 38.1e-5, rel=1e-3)
    assert margin(tiny.nothing) == float("inf")


ANSWERS = [scale.misconceptions[0].component, Scale]
ANSWERS += [written(forward) for forward in (tiny.two_too_much, tiny.raising)]
ANSWERS += [written(tiny.stub), tiny.OtherNames, nn.Linear, None]


@pytest.mark.parametrize("component", ANSWERS)
@pytest.mark.parametrize("seed", [0, 7])
def test_passing_is_having_no_failure(component, seed):
    assert scale.passes(component, seed=seed) is (scale.judge(component, seed=seed).failure is None)


def test_the_seed_is_named_only_where_another_seed_would_ask_or_answer_otherwise():
    seed = "(random numbers from seed 0)"
    fixed = judge_train_bpe.exercise.judge(lambda text, n_merges: [])
    drawn = judge_layer_norm.exercise.judge(layer_norm(lambda self, residual: residual * 2))
    assert fixed.status == drawn.status == "failed"
    assert seed not in str(fixed) and seed in str(drawn)


def test_a_misspelt_name_gets_pythons_suggestion_unless_the_advice_has_it():
    def total(text, n_merges):
        return text.splt(n_merges)  # pyright: ignore

    (said,) = judge_train_bpe.exercise.judge(total).failure.details
    assert said == "AttributeError: 'str' object has no attribute 'splt'. Did you mean: 'split'?"
    failure = judge_layer_norm.exercise.judge(layer_norm(lambda self, residual: residuall)).failure  # noqa: F821  # pyright: ignore
    assert failure.details == ("NameError: name 'residuall' is not defined",)
    assert failure.advice == "Nothing is called `residuall`; the nearest name is `residual`."


def layer_norm(forward):
    return type("LayerNorm", (judge_layer_norm.exercise.given,), {"forward": forward})


def test_what_a_terminal_would_obey_is_seen_in_its_place():
    said = "\x1b[2J✔ all is well\x07 \u202e"
    verdict = Verdict("Scale", failure=Failure("agrees", (said,), printed="\x1b]0;mine\x07\tand\r more"))
    assert not {*str(verdict)} & {*"\x1b\x07\r\u202e"}
    assert "�[2J✔ all is well� �" in str(verdict) and "�]0;mine�\tand" in str(verdict)
