"""What a call leaves of the model that it was given: what the driver sees, and what `check_model_unchanged` says."""

from dataclasses import replace

import pytest
import torch

from judge.checking import Exercise, check_model_unchanged, line
from judge.checking.diagnosis.behaviour import OF_A_MODEL
from judge.running.local import LocalRunner
from judge.running.records import Question
from utils.course import CourseError
from utils.gpt import SMALL
from utils.gpt.model import GPT

CFG = replace(SMALL, n_layers=1)
WEIGHTS = {name: torch.ones(value.shape) for name, value in GPT(CFG).named_parameters()}
TABLE, TOKENS = torch.eye(5), torch.arange(3)
AS_IT_WAS = {"changed": [], "mode": False, "frozen": False}


def last_logits(model, tokens):
    """The reference solution."""
    return model(tokens[None])[0, -1]


def evaluating(model, tokens):
    model.eval()
    return last_logits(model, tokens)


def evaluating_for_a_while(model, tokens):
    mode = model.training
    logits = evaluating(model, tokens)
    model.train(mode)
    return logits


def back_to_its_mode(model, tokens):
    mode = model.training
    model.train()
    logits = last_logits(model, tokens)
    model.train(mode)
    return logits


def training_on(model, tokens):
    return last_logits(model.train(), tokens)


def training_a_part(model, tokens):
    next(model.children(), model).train()
    return last_logits(model, tokens)


@torch.no_grad()
def writing_to_the_first(model, tokens):
    logits = last_logits(model, tokens)
    next(iter(model.parameters())).data += 1e-6
    return logits


@torch.inference_mode()
def writing_to_all(model, tokens):
    for weight in model.parameters():
        weight.mul_(2)
    return last_logits(model, tokens)


def freezing(model, tokens):
    return last_logits(model.requires_grad_(False), tokens)


def freezing_a_part(model, tokens):
    next(iter(model.parameters())).requires_grad = False
    return last_logits(model, tokens)


@pytest.mark.parametrize("args", [(TABLE, 5), (CFG, WEIGHTS)], ids=["with_model", "with_gpt"])
def test_the_driver_says_what_was_left(args):
    def left(f, **options):
        record = LocalRunner().ask(f, Question("model_after", (*args, TOKENS), options))
        assert record.error is None and len(record.inputs_after) == 1
        return record.output

    for right in (last_logits, evaluating_for_a_while, back_to_its_mode, torch.no_grad()(last_logits)):
        assert left(right) == left(right, training=True) == AS_IT_WAS
    assert left(training_on) == left(training_a_part) == AS_IT_WAS | {"mode": True}
    assert left(training_on, training=True) == left(evaluating) == AS_IT_WAS
    assert left(evaluating, training=True) == AS_IT_WAS | {"mode": True}
    assert left(freezing) == left(freezing_a_part) == AS_IT_WAS | {"frozen": True}
    first, *others = ["table"] if args[0] is TABLE else WEIGHTS
    assert left(writing_to_the_first) == AS_IT_WAS | {"changed": [first]}
    assert left(writing_to_all) == AS_IT_WAS | {"changed": [first, *others]}


def exercise_of(drive, *args):
    reading = Exercise(inputs={"tokens": "pos"}, output="d_vocab", drive=drive, solution=__name__)

    @reading.test
    def judge_reading(last_logits):
        with line("leaves the model as it was"):
            check_model_unchanged(last_logits, *args, TOKENS)

    return reading


def test_the_check_says_what_was_changed_and_what_to_do():
    reading = exercise_of("with_gpt", CFG, WEIGHTS)
    for right in (last_logits, evaluating_for_a_while, back_to_its_mode):
        assert reading.judge(right).status == "passed"
    evaluated = reading.judge(evaluating).failure
    assert evaluated.details == ("the call left the model in evaluation mode",)
    assert evaluated.advice == OF_A_MODEL["evaluation"]
    trained = reading.judge(training_on).failure
    assert (trained.details, trained.advice) == (("the call left the model in training mode",), OF_A_MODEL["training"])
    frozen = reading.judge(freezing).failure
    assert (frozen.details, frozen.advice) == (("the call left weights that can't be trained",), OF_A_MODEL["frozen"])
    one = reading.judge(writing_to_the_first).failure
    assert (one.details, one.advice) == (("the call changed the model: `embed.W_E`",), OF_A_MODEL["changed"])
    every = reading.judge(writing_to_all).failure
    named = "`embed.W_E`, `pos_embed.W_pos`, `blocks.0.ln1.w` and others"
    assert every.details == (f"the call changed the model: {named}",)


def test_what_was_changed_does_not_say_how_so_no_misconception_is_named():
    reading = exercise_of("with_gpt", CFG, WEIGHTS)
    reading.misconception("adding to the rows of `W_E`", "Add elsewhere.")(writing_to_the_first)
    assert reading.judge(writing_to_the_first).failure.advice == OF_A_MODEL["changed"]


def test_the_check_is_for_a_model():
    other = Exercise(inputs={"x": "pos"}, output="pos", solution=__name__)

    @other.test
    def judge_other(last_logits):
        with line("works"):
            check_model_unchanged(last_logits, torch.ones(3))

    with pytest.raises(CourseError, match="check_model_unchanged is for"):
        other.judge(last_logits)
