"""The judge fits every kind of exercise: right answers pass however they are written, wrong ones are named."""

import importlib
import sys

import pytest
import torch

from judge.checking import Exercise, check_shape, check_value
from judge.checking.asking import ask_own
from judge.checking.oracle import solution_of
from judge.running.children import can_fork
from tests import ch08_sampling as text
from tests.ch00_tokens import space_tokenizer
from tests.ch00_tokens import train as byte_pairs
from tests.ch04_attention import attention
from tests.ch07_transformer import transformer
from tests.judge.checking import kinds
from tests.judge.checking.kinds import mask, numpy_mlp, windows
from tests.judge.checking.spare_answers import stub
from tests.judge.checking.tiny import judged_by_check
from tests.misconceptions.ch00_tokens.space_tokenizer.tables import Popping
from tests.misconceptions.ch08_sampling.sample_top_k import OTHER_WAYS, above_a_threshold

KINDS = kinds.names()
EXERCISES = {kind: importlib.import_module(f"tests.judge.checking.kinds.{kind}").exercise for kind in KINDS}
OF_CHAPTERS = ["a class by its methods", "a function of text that answers bytes"]  # kinds that chapter 0 has
WRONG = [(kind, wrong) for kind, exercise in EXERCISES.items() for wrong in exercise.misconceptions]
LARGE = (attention, transformer, text.writing, text.searching, text.cached)
WRITING = (text.writing, text.cached)
MORE = EXERCISES | {one.symbol: one for one in LARGE}
RIGHT = [(kind, right) for kind, exercise in EXERCISES.items() for right in exercise.variants]


def names(pairs):
    return [f"{kind}: {one.name}" for kind, one in pairs]


def seeds(amount):
    """The first always, the others where there is time."""
    return [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, amount))]


@pytest.mark.parametrize("kind", KINDS)
def test_solution_passes(kind):
    exercise = EXERCISES[kind]
    verdict = exercise.judge(solution_of(exercise))
    assert verdict.status == "passed", str(verdict)


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize(("kind", "wrong"), WRONG, ids=names(WRONG))
def test_misconception_is_rejected_by_name(kind, wrong, seed):
    verdict = EXERCISES[kind].judge(wrong.component, seed=seed)
    assert verdict.failure and verdict.failure.misconception == wrong.name, str(verdict)
    assert verdict.failure.advice.startswith(wrong.advice)  # what cuts a graph may follow
    assert "Python answered" not in str(verdict), "it does not even take the arguments"


@pytest.mark.parametrize("seed", seeds(5))
@pytest.mark.parametrize(("kind", "right"), RIGHT, ids=names(RIGHT))
def test_right_answer_in_disguise_passes(kind, right, seed):
    verdict = EXERCISES[kind].judge(right.component, seed=seed)
    assert verdict.status == "passed", str(verdict)


@pytest.mark.skipif(sys.platform != "linux", reason="a process is forked on Linux alone")
@pytest.mark.parametrize("kind", KINDS)
def test_no_process_is_forked_beside_threads_of_its_library(kind):
    assert EXERCISES[kind].passes(solution_of(EXERCISES[kind]))
    assert can_fork() is (kind != kinds.APART)


@pytest.mark.parametrize("kind", KINDS)
def test_stub_is_not_yet(kind):
    assert EXERCISES[kind].judge(stub).status == "not yet"


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_proved_both_ways(kind):
    exercise = EXERCISES[kind]
    assert len(exercise.misconceptions) >= 3 and len(exercise.variants) >= 2
    for part in ("name", "advice"):
        assert len({getattr(wrong, part) for wrong in exercise.misconceptions}) == len(exercise.misconceptions)


@pytest.mark.slow
def test_draws_are_known_by_their_distribution_not_by_their_order():
    for name, sample in OTHER_WAYS.items():
        verdict = text.sample_top_k.judge(sample)
        assert verdict.failure and verdict.failure.misconception == name, str(verdict)


@pytest.mark.slow
def test_right_draws_are_not_refused():
    """No false alarm, and none near. benchmarks/draws.py asks a thousand seeds."""
    for sample in (solution_of(text.sample_top_k), above_a_threshold):
        verdict = text.sample_top_k.judge(sample)
        assert verdict.status == "passed", str(verdict)
        assert 0.0 < verdict.error_over_tolerance < 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (None, "the result is None, expected an int from 0 to 11"),
        (12, "got 12 (int), expected an int from 0 to 11"),
        ("3", "got '3' (str), expected an int from 0 to 11"),
    ],
)
def test_what_is_no_index_is_no_draw(drawn, said):
    verdict = text.sample_top_k.judge(lambda logits, k: drawn)
    assert verdict.failure and verdict.failure.details == (said,)


def test_wrong_gradients_are_named_where_several_outputs_are_right():
    def detached_with_another_number(scores):
        return scores.detach().masked_fill(mask.future(scores), -1e9)

    verdict = mask.exercise.judge(detached_with_another_number)
    assert verdict.failure and verdict.failure.misconception == "scores cut out of the graph"


def test_a_form_that_is_not_an_arrays_is_said():
    details = numpy_mlp.exercise.judge(lambda x, params: torch.zeros(5, 6)).failure.details
    assert details == ("the result is of type Tensor, not a NumPy array",)
    details = numpy_mlp.exercise.judge(lambda x, params: x[:, :-1]).failure.details
    assert details == ("got shape [5, 5], expected [pos 5, d_model 6]", "d_model is 5, not 6")
    details = numpy_mlp.exercise.judge(lambda x, params: None).failure.details
    assert details == ("the result is None",)


def by_torch(x):
    return torch.from_numpy(x) * 2


def twice(x):
    return x * 2


def test_a_tensor_may_say_what_an_array_must_be():
    exercise = Exercise(inputs={"x": "pos"}, output="pos", library="numpy", solution=__name__)
    exercise.symbol = "twice"

    def said(component):
        return judged_by_check(
            check_value, component, torch.ones(3), want=torch.full((3,), 2.0), exercise=exercise
        ).failure

    assert said(twice) is None
    assert said(by_torch).details == ("the result is of type Tensor, not a NumPy array",)
    assert said(lambda x: x).details[0].startswith("3 of 3 values differ")


def narrowed(x, params):
    return x @ params["w"]


def test_the_size_of_an_axis_that_only_a_dict_knows_is_the_right_answers():
    exercise = Exercise(
        inputs={"x": "pos d_in", "params": ""},
        output="pos d_out",
        free_axes="d_out",
        library="numpy",
        solution=__name__,
    )
    exercise.symbol = "narrowed"

    def said(component):
        given = torch.ones(3, 5), {"w": torch.ones(5, 2)}
        return judged_by_check(check_shape, component, *given, exercise=exercise).failure

    assert said(narrowed) is None
    assert said(lambda x, params: x).details == ("got shape [3, 5], expected [pos 3, d_out 2]", "d_out is 5, not 2")


def test_what_a_view_cannot_look_at_is_compared_as_it_is():
    details = windows.exercise.judge(lambda data, n_ctx, batch_size, generator: data[:n_ctx]).failure.details
    assert details == ("at the batches, number 0: got shape [7], expected [4, 7]", "missing: axis 0")
    details = windows.exercise.judge(lambda data, n_ctx, batch_size, generator: (data, data)).failure.details
    assert details == ("at the batches, number 0: the result is of type tuple, not a tensor",)


def test_what_was_modified_in_place_is_said():
    details = numpy_mlp.exercise.judge(numpy_mlp.in_place).failure.details
    assert details[0].startswith("`params` was modified in place: at key 'c_fc.bias': 10 of 10 values differ")
    assert "got" not in details[0] and "it was" in details[0]
    details = space_tokenizer.judge(Popping).failure.details
    assert details == ("what `decode` was given was modified in place: it was [2, 1], and after the call it is []",)


@pytest.mark.parametrize("answer", [None, 3, "text", [1, 2], torch.zeros(3), torch.zeros(2, 3)])
@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(exercise, id=name, marks=pytest.mark.slow if exercise in WRITING else ())
        for name, exercise in (MORE | dict(zip(OF_CHAPTERS, (space_tokenizer, byte_pairs), strict=True))).items()
    ],
)
def test_no_answer_is_too_odd_to_be_judged(exercise, answer):
    class Odd(torch.nn.Module):
        def forward(self, *inputs, **settings):
            return answer

    for component in (lambda *inputs, **settings: answer, lambda *inputs, **settings: Odd()):
        verdict = exercise.judge(component)
        assert verdict.status == "failed" and verdict.failure.line and verdict.failure.details, str(verdict)


def test_the_view_of_an_exercise_sees_the_answer_and_no_more():
    record = ask_own(windows.get_batch, windows.exercise.questions()[0])
    assert windows.properties(record.output)["starts that occur"][0] == windows.exercise.questions()[0].args[0][0]
