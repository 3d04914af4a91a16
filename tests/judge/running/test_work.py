"""The work of a call: what is counted, what `check_work` says of it, and what a far side may say."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from judge.checking import Exercise, check_agrees, check_work, line
from judge.repairing.fresh import gets_through
from judge.running.local import LocalRunner
from judge.running.records import Question, Record
from tests.house.fresh_python import fresh_python
from utils.course import CourseError
from utils.gpt import SMALL
from utils.gpt.model import GPT

CFG = replace(SMALL, n_layers=1)
WEIGHTS = {name: torch.ones(value.shape) for name, value in GPT(CFG).named_parameters()}
TOKENS = torch.arange(5)


def work(f, *inputs, **settings):
    """The operations that the driver counts, as a whole number."""
    record = LocalRunner().ask(f, Question("work_of", (CFG, WEIGHTS, *inputs), settings))
    assert record.error is None and len(record.inputs_after) == len(inputs)
    assert type(record.output) is float
    return int(record.output)


X, W = torch.rand(3, 4), torch.rand(4, 7)


@pytest.mark.parametrize(
    ("call", "operations"),
    [
        (lambda model, x, w: x @ w, 2 * 3 * 4 * 7),
        (lambda model, x, w: x[0] @ w, 2 * 4 * 7),
        (lambda model, x, w: w.T @ x[0], 2 * 4 * 7),
        (lambda model, x, w: x[0] @ x[1], 2 * 4),
        (lambda model, x, w: torch.addmm(w[0], x, w), 2 * 3 * 4 * 7),
        (lambda model, x, w: torch.einsum("pm,md->pd", x, w), 2 * 3 * 4 * 7),
        (lambda model, x, w: F.linear(x, w.T), 2 * 3 * 4 * 7),
        (
            lambda model, x, w: F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None]),
            4 * 3 * 3 * 4,
        ),
        (lambda model, x, w: (x[0] * x[1]).sum() + x.softmax(-1).exp().mean(), 0),
    ],
)
def test_products_of_matrices_and_vectors_are_counted(call, operations):
    assert work(call, X, W) == operations
    with torch.no_grad():
        assert work(call, X, W) == operations


@pytest.mark.slow
def test_it_is_counted_as_by_torch_without_its_compiler():
    model = GPT(CFG).requires_grad_(False)
    with FlopCounterMode(display=False) as torchs:
        model(TOKENS[None])
    assert work(lambda model, tokens: model(tokens[None]), TOKENS) == torchs.get_total_flops()
    counting = (
        "import sys, torch; from judge.running.operations import CountedOperations\n"
        "with CountedOperations() as counted: torch.ones(2, 3).detach() @ torch.ones(3, 4)\n"
        "print(counted.total, 'torch._dynamo' in sys.modules)"
    )
    assert fresh_python(counting).stdout.split() == ["48", "False"]


def test_the_work_of_a_model_is_that_of_its_products():
    projections = 4 * 2 * CFG.d_model * CFG.n_heads * CFG.d_head
    wide, logits = 2 * 2 * CFG.d_model * CFG.d_mlp, 2 * CFG.d_model * CFG.d_vocab
    attention = 2 * 2 * CFG.n_heads * CFG.d_head * 5
    assert work(lambda model, tokens: model(tokens[None]), TOKENS) == 5 * (projections + wide + logits + attention)


def test_settings_are_handed_on_and_nothing_is_left_behind():
    assert work(lambda model, tokens, n: [X @ W for _ in range(n)], TOKENS, n=3) == 3 * 2 * 3 * 4 * 7
    record = LocalRunner().ask(lambda model: 1 / 0, Question("work_of", (CFG, WEIGHTS)))
    assert record.error.type == "ZeroDivisionError" and (X @ W).shape == (3, 7)


def read_once(model, tokens):
    """The reference solution."""
    return model(tokens[None])[0, -1]


reading = Exercise(inputs={"tokens": "pos"}, output="d_vocab", drive="with_gpt", solution=__name__)


@reading.test
def judge_reading(read_once):
    with line("reads the text once"):
        check_work(read_once, CFG, WEIGHTS, TOKENS)


def read_by(times):
    return lambda model, tokens: torch.stack([model(tokens[None])[0, -1] for _ in range(times)])[0]


@reading.misconception("reading it twice", "Once is enough.")
def read_twice(model, tokens):
    return read_by(2)(model, tokens)


def test_check_work_says_how_many_times_and_names_who_does_as_much():
    right = reading.judge(read_once)
    assert right.status == "passed" and math.isclose(right.error_over_tolerance, 1 / 1.5)
    assert reading.judge(lambda model, tokens: read_once(model, tokens[:4])).status == "passed"
    twice = reading.judge(read_by(2)).failure
    assert twice.details == (
        "it takes 2.0 times the work of the reference solution; 1.5 times is allowed",
        "19,200 operations in products of matrices, where 9,600 are enough",
    )
    assert (twice.misconception, twice.advice) == ("reading it twice", "Once is enough.")
    thrice = reading.judge(read_by(3)).failure
    assert (
        "3.0 times" in thrice.details[0]
        and thrice.misconception is None
        and thrice.advice.startswith("Something is computed again")
    )


def test_a_cause_of_wrong_values_is_named_whatever_work_they_take():
    valued = Exercise(inputs={"tokens": "pos"}, output="d_vocab", drive="with_gpt", solution=__name__)
    valued.misconception("twice as much", "Halve it.")(lambda model, tokens: 2 * read_once(model, tokens))

    @valued.test
    def judge_valued(read_once):
        with line("gives the logits"):
            check_agrees(read_once, CFG, WEIGHTS, TOKENS)
        with line("reads the text once"):
            check_work(read_once, CFG, WEIGHTS, TOKENS)

    assert valued.judge(lambda model, tokens: 2 * read_by(2)(model, tokens)).failure.misconception == "twice as much"


def test_check_work_is_for_a_gpt2():
    other = Exercise(inputs={"x": "pos"}, output="pos", solution=__name__)

    @other.test
    def judge_other(read_once):
        with line("works"):
            check_work(read_once, X)

    with pytest.raises(CourseError, match='it is for drive="with_gpt"'):
        other.judge(read_once)


def test_where_a_repair_is_sought_more_work_is_no_wrong_answer():
    question = reading.questions()[0]
    assert question.drive == "work_of"
    assert gets_through(reading, question, Record([12.0])) and not gets_through(reading, question, Record(["much"]))
    drawn = Question("with_gpt", question.args, {"manual_seed": 3})
    assert gets_through(reading, drawn, Record([torch.zeros(1)]))
