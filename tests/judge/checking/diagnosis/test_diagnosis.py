"""judge.checking.diagnosis: a cause is named only where it is the cause; else what helps is said, and nothing else."""

import linecache

import pytest
import torch

from judge.checking import Exercise, check_agrees, check_raises, line
from judge.checking.diagnosis.causes import MOST_CONFIRMED
from tests.judge.checking import tiny
from tests.judge.checking.tiny import WEIGHTS, X, judged_by, scale, written
from utils.gpt import SMALL


def named(component, exercise=scale):
    return exercise.judge(component).failure.misconception


@pytest.mark.parametrize(
    ("offset", "name"), [(1, "1"), (1.0002, "1"), (1.0008, "1.001"), (1.004, "1.001"), (1.2, None), (-1, None)]
)
def test_the_nearest_misconception_is_named(offset, name):
    said = scale.judge(written(lambda self, x: x * self.w + self.b + offset)).failure
    assert said.misconception == (name and f"an offset of {name} too much")
    assert said.advice == (name and f"Take off {name}.")


def test_a_misconception_is_known_by_its_shape_names_and_error_too():
    assert named(tiny.OneNumberEach) == "one number each"
    assert named(written(lambda self, x: (x * self.w + self.b).mean(1))) == "averaging over `pos`"
    assert named(written(lambda self, x: x * self.w + self.b / x.size)) == "asking for `x.size`"
    assert named(written(lambda self, x: x / x.size + self.b)) is None  # another message


def test_the_same_shape_with_other_numbers_is_another_thing():
    assert named(written(lambda self, x: x[:, 0])) is None
    assert named(written(lambda self, x: x.sum(dim=1) + self.w)) is None


def agreement(*inputs):
    def body(Scale):
        with line("agrees"):
            for x in inputs:
                check_agrees(Scale, SMALL, WEIGHTS, x)

    return body


def test_a_cause_that_matches_on_one_question_only_is_not_named():
    """On an input of zeros two mistakes look alike; a later question, not yet reached, tells them apart."""

    def half_an_offset(self, x):  # like `leaving out b` where b is 0.5 and x is 0
        return x * self.w * 2

    zeros = torch.zeros(2, 3, 8)
    both = [judged_by(agreement(*inputs), written(half_an_offset)) for inputs in ((zeros,), (zeros, X))]
    assert both[0].failure.details == both[1].failure.details
    assert [verdict.failure.misconception for verdict in both] == ["leaving out `b`", None]
    assert judged_by(agreement(zeros, X), written(tiny.no_offset)).failure.misconception == "leaving out `b`"


def test_of_two_that_match_the_one_that_stands_everywhere_is_named():
    one = Exercise(inputs={"x": "pos"}, output="pos", solution=__name__)
    one.misconception("no sign", "Keep the sign.")(lambda x: x.abs())
    one.misconception("no negative numbers", "Keep them.")(lambda x: x.relu())

    @one.test
    def test_identity(identity):
        with line("agrees"):
            for x in (torch.tensor([1.0, -0.0, -1e-3]), torch.tensor([1.0, -5.0])):
                check_agrees(identity, x, tolerance=1e-4)

    assert named(lambda x: x.abs(), one) == "no sign"
    assert named(lambda x: x.relu(), one) == "no negative numbers"
    assert named(lambda x: x.clamp(min=-1.0), one) is None


def identity(x):
    return x


def test_many_questions_are_sampled():
    asked = []

    def wrong(x):
        asked.append(float(x[0]))
        return x + 1

    one = Exercise(inputs={"x": "pos"}, output="pos", solution=__name__)
    one.misconception("one too much", "Take it off.")(lambda x: x + 1)

    @one.test
    def test_identity(identity):
        with line("agrees"):
            for i in range(119):
                check_agrees(identity, torch.full((2,), float(i)))

    assert named(wrong, one) == "one too much"
    assert 1 < len(asked) <= MOST_CONFIRMED


def test_with_errors_a_cause_needs_the_same_error_elsewhere():
    """Both raise alike on the first question; on the second only the misconception does."""

    def now_and_then(self, x):
        return x * self.w + self.b / (x.size if x.shape[0] == 2 else 1)

    bodies = agreement(X), agreement(X, X[:1])
    said = [judged_by(body, written(now_and_then)).failure.misconception for body in bodies]
    assert said == ["asking for `x.size`", None]


def test_a_crash_on_few_other_questions_is_a_mistake_more():
    one = Exercise(inputs={"x": "pos"}, output="pos", solution=__name__)
    one.misconception("no sign", "Keep the sign.")(lambda x: x.abs())

    @one.test
    def test_identity(identity):
        with line("agrees"):
            for size in (5, 4, 3, 2, 1):
                check_agrees(identity, torch.full((size,), -1.0))

    def crashing_up_to(size):
        return lambda x: x.abs() if len(x) > size else x.no_such_name

    assert [named(crashing_up_to(size), one) for size in (1, 2, 3)] == ["no sign", None, None]


table = torch.ones(8)
variance = 0.5
TABLE = torch.ones(8)
LIMIT = 3


def reading_one(self, x):
    return x * self.w + table


def reading_two(self, x):
    return (x * self.w + table) / variance


def reading_what_is_fine(self, x):
    return torch.relu(x) + TABLE + LIMIT


def test_names_read_from_the_notebook_are_pointed_out():
    (hint,) = scale.judge(written(reading_one)).failure.hints
    assert hint == (
        "Your code reads `table` from the notebook: a variable made in another cell, not in this one. If that is not "
        "what you meant, make it in your own code, or use what `self` and the arguments hold."
    )
    (hint,) = scale.judge(written(reading_two)).failure.hints
    assert hint == (
        "Your code reads `table`, `variance` from the notebook: variables made in another cell, not in this one. If "
        "that is not what you meant, make them in your own code, or use what `self` and the arguments hold."
    )


def test_a_name_that_the_same_cell_makes_is_no_accident():
    cell = "offset = 0.5\n\ndef forward(self, x):\n    return x * self.w + table + offset\n"
    linecache.cache["<ipykernel cell>"] = (len(cell), None, cell.splitlines(keepends=True), "<ipykernel cell>")
    names = {"table": torch.ones(8)}
    exec(compile(cell, "<ipykernel cell>", "exec"), names)
    (hint,) = scale.judge(written(names["forward"])).failure.hints
    assert "`table`" in hint and "offset" not in hint


def test_a_global_that_the_code_itself_makes_is_no_accident():
    def keeping(self, x):
        global kept
        kept = torch.ones(8)
        return x * self.w + table + kept

    (hint,) = scale.judge(written(keeping)).failure.hints
    assert "`table`" in hint and "kept" not in hint


def test_functions_modules_and_constants_of_the_notebook_may_be_read():
    assert scale.judge(written(reading_what_is_fine)).failure.hints == ()


def unknown(word):
    raise KeyError(word)


def test_an_error_that_is_due_and_another_are_told_apart_by_cause():
    one = Exercise(inputs={"word": ""}, solution=__name__)
    one.misconception("a default", "Raise KeyError instead.")(lambda word: 0)

    @one.test
    def test_unknown(unknown):
        with line("an unknown word is an error"):
            check_raises(unknown, "dog", error="KeyError")

    assert named(lambda word: 0, one) == "a default"
    assert named(lambda word: 1, one) is None
