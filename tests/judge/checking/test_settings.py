"""Settings of an exercise's own: a frozen dataclass crosses the wall once both sides know it, anything else is told."""

import sys
from dataclasses import dataclass, replace

import pytest
import torch
from torch import nn

from judge import checking
from judge.checking import Exercise, check_agrees, check_parameters, line, random_tensor, random_weights
from judge.running.records import Opaque, Question, plain
from judge.running.settings import CLASSES, allow, allow_those_of, fields_of, is_allowed, standard_settings
from judge.running.wire import digest, from_bytes, to_bytes
from tests.judge.checking.tiny import judged_by_check
from utils.course import CourseError
from utils.gpt import SMALL as GPT2


@dataclass(frozen=True)
class ScaleConfig:
    """What Scale is made of."""

    d_row: int
    factor: float = 2.0


SMALL = ScaleConfig(d_row=7, factor=0.5)
exercise = Exercise(
    inputs={"x": "batch d_row"},
    output="batch d_row",
    parameters={"w": "d_row"},
    initial={"w": 1.0},
    settings=SMALL,
    solution=__name__,
)


class Scale(nn.Module):
    def __init__(self, cfg: ScaleConfig):
        super().__init__()
        self.cfg, self.w = cfg, nn.Parameter(torch.ones(cfg.d_row))

    def forward(self, x):
        return x * self.w * self.cfg.factor


@exercise.test
def judge_scale(Scale):
    check_parameters(Scale, SMALL)
    x = random_tensor(3, 7)
    with line("agrees with the reference solution"):
        check_agrees(Scale, SMALL, random_weights(SMALL), x)
        check_agrees(Scale, replace(SMALL, d_row=4), {"w": random_tensor(4)}, random_tensor(3, 4))


def test_an_exercise_may_have_settings_of_its_own():
    assert exercise.judge(Scale).status == "passed"
    assert exercise.known_settings.sizes == ["d_row"] and exercise.known_settings.numbers == ["factor"]
    assert standard_settings().small is GPT2


def test_what_a_card_says_of_them():
    class Unscaled(Scale):
        def forward(self, x):
            return x * self.w

    class Asking(Scale):
        def __init__(self, cfg):
            super().__init__(cfg)
            cfg.d_model  # noqa: B018 - the mistake

    assert exercise.judge(Unscaled).failure.advice.startswith("`cfg.factor` changes nothing here: ")
    assert exercise.judge(Asking).failure.details[0] == (
        "it is made as `Scale(cfg)`, with a ScaleConfig, and `__init__` raised"
    )


def test_they_cross_as_what_they_are():
    question = Question("component", (SMALL, None), {}, 3)
    assert from_bytes(to_bytes(question)) == question
    assert digest(question) != digest(replace(question, args=(replace(SMALL, factor=0.25), None)))
    assert plain([SMALL]) == [SMALL]
    assert plain(ScaleConfig(d_row="seven")) == Opaque("ScaleConfig with a field of another type")


def test_a_class_that_nobody_has_told_of_does_not_cross():
    @dataclass(frozen=True)
    class Unknown:
        size: int = 1

    assert plain(Unknown()) == Opaque(Unknown.__qualname__)
    with pytest.raises(ValueError, match="which has no form as bytes"):
        to_bytes(Unknown())
    blob = to_bytes(SMALL).replace(b"ScaleConfig", b"ScaleConfiG")
    with pytest.raises(ValueError, match="no object that may cross: ScaleConfiG"):
        from_bytes(blob)


def test_a_far_side_finds_them_in_a_module_that_it_is_told_of(monkeypatch):
    monkeypatch.delitem(CLASSES, "ScaleConfig")
    assert not is_allowed(ScaleConfig)
    allow_those_of(sys.modules[__name__])
    assert is_allowed(ScaleConfig)


@dataclass
class Thawed:
    d_row: int = 3


@dataclass(frozen=True)
class Listed:
    sizes: list


THAWED = "Thawed is no frozen dataclass: write @dataclass(frozen=True) above it, or use a dict"
LISTED = "Listed.sizes is declared as list: settings hold bool, int, float or str"


@pytest.mark.parametrize(("settings", "said"), [(Thawed(), THAWED), (Listed([1]), LISTED)])
def test_others_are_refused_with_the_line(settings, said):
    with pytest.raises(CourseError, match=r"test_settings\.py:\d+: ") as refused:
        Exercise(inputs={"x": "batch"}, settings=settings, solution=__name__)
    assert str(refused.value).endswith(said)
    with pytest.raises(CourseError) as refused:
        judged_by_check(checking.check_agrees, Scale, settings, {}, torch.zeros(1, 7), exercise=exercise)
    assert str(refused.value).endswith(said)


def test_two_classes_of_one_name_are_refused():
    def another():
        @dataclass(frozen=True)
        class ScaleConfig:
            other: int = 1

        return ScaleConfig

    with pytest.raises(TypeError, match="there are two classes of settings called ScaleConfig"):
        allow(another())


def test_a_dict_is_settings_too_where_it_holds_nothing_else():
    assert fields_of({"d_row": 3, "factor": 1.0}) == {"d_row": 3, "factor": 1.0}
    assert fields_of({"w": torch.zeros(2)}) == fields_of([1]) == fields_of(ScaleConfig) == {}
