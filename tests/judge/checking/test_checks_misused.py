"""Authors' mistakes in the body of a test function: each is named when it is reached, with its line and the way out."""

import pytest
import torch

from judge.checking import (
    Exercise,
    check_agrees,
    check_alone,
    check_causal,
    check_draws,
    check_parameters,
    check_raises,
    check_shape,
    line,
    random_tensor,
)
from tests.judge.checking.marked import marked_line
from tests.judge.checking.tiny import WEIGHTS, Scale, X, judged_by, scale
from utils.course import CourseError
from utils.gpt import SMALL

HERE = __file__


def outside_a_line(Scale):
    check_shape(Scale, SMALL, WEIGHTS, X)  # here


def without_weights(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, X)  # here


def without_inputs(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, WEIGHTS)  # here


def too_many_inputs(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, WEIGHTS, X, X)  # here


def too_few_axes(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, WEIGHTS, random_tensor(5, 8))  # here


def a_line_in_a_line(Scale):
    with line("outer"):
        with line("inner"):  # here
            pass


def lines_in_a_line(Scale):
    with line("outer"):
        check_parameters(Scale, SMALL)  # here


def no_such_axis(Scale):
    with line("alone"):
        check_alone(Scale, SMALL, WEIGHTS, X, axis="poss")  # here


def not_causal_in_what(Scale):
    with line("causal"):
        check_causal(Scale, SMALL, WEIGHTS, X, axis="d_head")  # here


def within_a_helper(Scale):
    def helper(x):
        with line("agrees"):
            check_agrees(Scale, SMALL, WEIGHTS, x)  # here

    helper(random_tensor(8))


CHECKS = {
    outside_a_line: "check_shape stands outside `with line(...)`, so the card could not say what did not hold.",
    without_weights: "a check of Scale takes cfg, weights (a dict, or None), and then the inputs.",
    without_inputs: "0 inputs, but inputs= of Scale names x.",
    too_many_inputs: "2 inputs, but inputs= of Scale names x.",
    too_few_axes: "`x` has shape [5, 8], but inputs= says [batch pos d_model].",
    a_line_in_a_line: "the line 'inner' stands inside the line 'outer'; close that one first.",
    lines_in_a_line: "the line 'parameters `w` [d_model], `b` [d_model]' stands inside the line 'outer'; "
    "close that one first.",
    no_such_axis: "`x` [batch pos d_model] has no axis 'poss'; did you mean 'pos'?",
    not_causal_in_what: "`x` [batch pos d_model] has no axis 'd_head'.",
    within_a_helper: "`x` has shape [8], but inputs= says [batch pos d_model].",
}


@pytest.mark.parametrize(("body", "said"), CHECKS.items(), ids=[body.__name__ for body in CHECKS])
def test_a_check_that_cant_be_right_is_named_with_its_line(body, said):
    for component in (Scale, scale.misconceptions[0].component):  # whoever is judged, the author learns of it
        with pytest.raises(CourseError) as caught:
            judged_by(body, component)
        assert str(caught.value) == f"{HERE}:{marked_line(body)}: {said}"


def no_distribution(f):
    with line("draws"):
        check_draws(f, torch.zeros(3), want=torch.ones(3))  # here


def an_error_that_is_not_due(f):
    with line("raises"):
        check_raises(f, torch.zeros(3), error="KeyError", naming="dog")  # here


def argmax(logits):
    return int(logits.argmax())


DUE = {
    no_distribution: "want= adds up to 3; it is the probability of each index, and adds up to 1.",
    an_error_that_is_not_due: "the reference solution ends here with no error, not with KeyError 'dog'.",
}


@pytest.mark.parametrize(("body", "said"), DUE.items(), ids=[body.__name__ for body in DUE])
def test_an_answer_that_is_not_due_is_a_mistake_of_the_author(body, said):
    exercise = Exercise(inputs={"logits": "d_vocab"}, solution=__name__)
    exercise.test(body)
    exercise.symbol = "argmax"
    with pytest.raises(CourseError) as caught:
        exercise.judge(argmax)
    assert str(caught.value) == f"{HERE}:{marked_line(body)}: {said}"


def test_a_gpt2_is_made_of_a_config_and_weights():
    exercise = Exercise(inputs={"tokens": "pos"}, drive="with_gpt", solution=__name__)

    @exercise.test
    def body(argmax):
        with line("agrees"):
            check_agrees(argmax, SMALL, torch.arange(3))

    with pytest.raises(CourseError, match=r"a check of argmax takes cfg, weights \(a dict, or None\), and then"):
        exercise.judge(argmax)


@pytest.mark.parametrize("arguments", [("a", "b"), (["a"], ["encode", "a"]), (["a"],), ()])
def test_methods_are_called_by_name(arguments):
    exercise = Exercise(inputs={"vocab": ""}, drive="methods", solution=__name__)

    @exercise.test
    def body(argmax):
        with line("calls"):
            check_agrees(argmax, *arguments)

    with pytest.raises(
        CourseError, match=r"takes a list of what it is made of, and then calls: \(\"encode\", \"a b\"\)"
    ):
        exercise.judge(argmax)


def opaque(x):
    return {1, 2}


def raising(x):
    raise ZeroDivisionError("division by zero")


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        ("opaque", f"the reference solution {__name__}.opaque gives a set, which can't be compared; use a driver that"),
        ("raising", f"the reference solution {__name__}.raising raised ZeroDivisionError: division by zero"),
        ("rasing", f"{__name__} does not define rasing, the test function's first parameter; did you mean 'raising'?"),
    ],
)
def test_a_reference_that_is_no_answer_is_a_mistake_of_the_author(symbol, said):
    def body(component):
        with line("agrees"):
            check_agrees(component, 3)

    exercise = Exercise(inputs={"x": ""}, solution=__name__)
    exercise.test(body)
    exercise.symbol = symbol
    with pytest.raises(CourseError) as caught:
        exercise.judge(lambda x: x)
    place, _, message = str(caught.value).partition(": ")
    assert place.startswith(f"{HERE}:") and message.startswith(said)


def two_answers(x):
    return x, x


def test_a_size_that_nobody_knows_is_named():
    exercise = Exercise(inputs={"x": "pos"}, output="new_pos", free_axes="new_pos", solution=__name__)

    def body(two_answers):
        with line("keeps the shape"):
            check_shape(two_answers, torch.ones(3))  # here

    exercise.test(body)
    exercise.symbol = "two_answers"
    with pytest.raises(CourseError) as caught:
        exercise.judge(lambda x: x)
    said = "the size of 'new_pos' is known neither from the inputs nor from a Config."
    assert str(caught.value).endswith(f": {said}")
