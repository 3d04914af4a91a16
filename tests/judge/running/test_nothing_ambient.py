"""Nothing ambient: a verdict depends on the seed and the component alone, and a judging leaves nothing behind."""

import dataclasses
import gc
import random
import sys
import warnings

import numpy as np
import pytest
import torch

from judge.checking import check_agrees, check_repeatable, line
from judge.running.local import LocalRunner
from judge.running.records import Question
from tests.house.fresh_python import fresh_python
from tests.judge.checking.tiny import WEIGHTS, Scale, X, judged_by, scale, written
from utils.config import Config
from utils.gpt import SMALL

ALL = (SMALL, WEIGHTS, X)


def draws():
    """One number from each of the three ambient sources."""
    return torch.rand(()).item(), random.random(), float(np.random.rand())


def ask(f, *inputs, seed=0):
    return LocalRunner().ask(f, Question("function", inputs, seed=seed))


def test_code_draws_from_the_questions_seed():
    drawn = [ask(draws, seed=seed).output for seed in (3, 3, 4)]
    assert drawn[0] == drawn[1] and not set(drawn[0]) & set(drawn[2])


async def later(x):
    return x


def uses_it(x):
    return later(x) + 1


@pytest.mark.parametrize("f", [later, uses_it])
def test_a_coroutine_that_nobody_awaits_is_not_heard(f, recwarn):
    record = ask(f, torch.ones(2))
    gc.collect()
    assert not recwarn.list and ("coroutine" in repr(record.outputs) or record.error)


def seeding():
    torch.manual_seed(5)
    random.seed(5)
    np.random.seed(5)
    return draws()


@pytest.mark.parametrize("call", [draws, seeding])
def test_the_callers_random_numbers_go_on_as_if_nothing_had_been(call):
    def after(do):
        seeding()
        do()
        return draws()

    assert after(lambda: ask(call)) == after(lambda: None)
    assert after(lambda: scale.judge(written(lambda self, x: x * call()[0]))) == after(lambda: None)


@pytest.mark.parametrize("seed", [0, 1])
def test_one_seed_and_six_judgings_give_one_verdict(seed):
    """A component that is right or wrong by chance is judged the same each time, whatever was drawn before."""

    def by_chance(self, x):
        chances = torch.rand(()) + random.random() + np.random.rand()
        return x * self.w + self.b + (chances < 1.4).float()

    verdicts = []
    for _ in range(6):
        draws()
        verdicts.append(str(judged_by(repeats, written(by_chance), seed=seed)))
    assert len(set(verdicts)) == 1


def repeats(Scale):
    with line("agrees"):
        check_agrees(Scale, *ALL)
    with line("answers the same twice"):
        check_repeatable(Scale, *ALL)


def test_the_random_numbers_of_a_test_body_come_from_the_seed():
    seen = []

    def body(Scale):
        seen.append((torch.rand(3).tolist(), random.random(), np.random.rand()))
        with line("agrees"):
            check_agrees(Scale, SMALL, WEIGHTS, torch.rand(2, 3, 8))
        seen[-1] += draws()  # the question in between takes nothing from the body's

    for seed in (7, 7, 8):
        draws()
        assert judged_by(body, Scale, seed=seed).status == "passed"
    assert seen[0] == seen[1] and seen[0] != seen[2]


class Noisy(scale.given):
    """Right, and warns of everything."""

    def forward(self, x):
        warnings.warn("deprecated", DeprecationWarning, stacklevel=1)
        np.float64(1) / np.float64(0)
        return x * self.w + self.b


def test_a_component_that_warns_passes_where_warnings_are_errors(recwarn):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scale.judge(Noisy).status == "passed"
    assert not recwarn.list


def test_a_filter_that_the_code_sets_stays_with_it():
    def strict(self, x):
        warnings.simplefilter("error")
        return x * self.w + self.b

    before = list(warnings.filters)
    assert scale.judge(written(strict)).status == "passed" and warnings.filters == before


@pytest.mark.parametrize("leave", [sys.exit, lambda: sys.exit("bye"), exit], ids=["exit", "bye", "site"])
def test_an_exit_is_contained(leave):
    failure = scale.judge(written(lambda self, x: leave())).failure
    assert failure.details[0].startswith("SystemExit")


def test_an_exit_while_it_is_made_is_contained():
    class Leaving(scale.given):
        def __init__(self, cfg):
            raise SystemExit(3)

    assert scale.judge(Leaving).failure.details == (
        "it is made as `Scale(cfg)`, with a Config, and `__init__` raised",
        "SystemExit: 3",
    )


def test_what_code_sets_for_all_of_torch_is_set_back():
    def setting(self, x):
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        return x * self.w + self.b

    assert torch.get_default_dtype() == torch.float32
    for component in (written(setting), written(lambda self, x: setting(self, x).shape[9])):
        scale.judge(component)
        assert torch.get_default_dtype() == torch.float32 and torch.is_grad_enabled()


def test_a_judging_without_gradients_around_it_has_them():
    with torch.no_grad():
        assert scale.judge(Scale).status == "passed"


def test_a_component_gets_a_config_of_its_own():
    class Resetting(scale.given):
        def __init__(self, cfg):
            super().__init__(cfg)
            object.__setattr__(cfg, "d_model", 5)
            self.cfg.__dict__["n_ctx"] = 1

        def forward(self, x):
            return x * self.w + self.b

    before = dataclasses.replace(SMALL)
    assert scale.judge(Resetting).status == "passed"
    assert before == SMALL and Config().n_ctx == 1024


def test_weights_and_inputs_of_a_question_stay_what_they_were():
    class Overwriting(scale.given):
        def forward(self, x):
            self.w.data.zero_()
            return x.mul_(0.0)

    weights, x = {name: value.clone() for name, value in WEIGHTS.items()}, X.clone()
    scale.judge(Overwriting)
    assert X.equal(x) and all(WEIGHTS[name].equal(value) for name, value in weights.items())


@pytest.mark.slow
def test_a_verdict_is_the_same_in_another_process():
    """And there, in a Python whose hashes are salted otherwise, the questions have the same names."""
    code = (
        "from tests.judge.checking.tiny import scale, written, two_too_much\n"
        "print([question.name for question in scale.questions(seed=3)])\n"
        "print(scale.judge(written(two_too_much), seed=3))\n"
    )
    first, second = (fresh_python(code, PYTHONHASHSEED=salt).stdout for salt in ("1", "2"))
    assert first == second and "2.0000" in first
