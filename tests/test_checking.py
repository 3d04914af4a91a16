"""utils.checking: each check holds for the right component, fails for a wrong one, and says what is wrong."""

from dataclasses import replace

import pytest
import torch
from torch import nn
from utils.checking.gradients import CUT

from tests import tiny_exercise as tiny
from tests.tiny_exercise import WEIGHTS, Scale, X, scale, written
from utils import checking
from utils.checking import SMALL, Exercise, line


def verdict(component, check, *arguments, exercise=scale, seed=0, **options):
    """What a test function of only this check says."""
    one = replace(exercise)

    @one.test
    def judge(component):
        with line("it holds"):
            check(component, *arguments, **options)

    return one.judge(component, seed)


def with_dropout(self, x):
    return nn.functional.dropout(x * self.w + self.b, 0.5, self.training)


def alternating(self, x):
    self.calls = getattr(self, "calls", 0) + 1
    return x if self.calls % 2 else x[:, :1]


def in_place(self, x):
    x *= self.w
    return x + self.b


def straight_through(self, x):
    return x * self.w + self.b + (x - x.detach())


def without_grad(self, x):
    with torch.no_grad():
        return x * self.w + self.b


class Frozen(Scale):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.w.requires_grad_(False)


class Thawed(Scale):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.w = nn.Parameter(torch.zeros(cfg.d_model))


def over_axis(dim):
    return written(lambda self, x: x - x.mean(dim=dim, keepdim=True))


# the check: (its arguments, its options, who fails it, what is said of them)
ALL = (SMALL, WEIGHTS, X)
CHECKS = {
    "check_parameters": ((SMALL,), {}, tiny.OtherNames, "`w` is missing"),
    "check_initial": ((SMALL,), {"w": 1.0}, Thawed, "8 of 8 values of `w` do not start at 1, the first at 0.0000"),
    "check_shape": (ALL, {}, written(tiny.shape_lost), "missing: pos"),
    "check_shape: dtype": (ALL, {}, written(lambda self, x: x.half()), "the result is float16, expected float32"),
    "check_agrees": (ALL, {}, written(tiny.two_too_much), "every value is the expected one plus 2.0000"),
    "check_agrees: shape": (ALL, {}, written(tiny.shape_lost), "missing: pos"),
    "check_value": (ALL, {"want": X * WEIGHTS["w"] + 0.5}, written(tiny.no_offset), "plus -0.5000"),
    "check_alone": (ALL, {"axis": "pos"}, over_axis(1), "pos 0 gets another answer when the other indices of pos"),
    "check_alone: batch": (ALL, {"axis": "batch"}, over_axis(0), "batch 0 gets another answer when"),
    "check_alone: shape": (ALL, {"axis": "pos"}, written(lambda self, x: x.sum()), "missing: batch, pos, d_model"),
    "check_repeatable": (ALL, {}, written(with_dropout), "a later call gives another answer than the first"),
    "check_repeatable: shape": (ALL, {}, written(alternating), "got shape [2, 1, 8], expected [batch 2, pos 3, d_m"),
    "check_inputs_unchanged": (ALL, {}, written(in_place), "`x` was modified in place"),
    "check_inputs_unchanged: shape": (ALL, {}, written(lambda self, x: x.unsqueeze_(0)), "shape is now [1, 2, 3, 8]"),
    "check_gradients": (ALL, {}, written(straight_through), "the gradient of `x` is wrong"),
    "check_gradients: no_grad": (ALL, {}, written(without_grad), "no gradient reaches `w`"),
    "check_gradients: detached": (
        ALL,
        {},
        written(lambda self, x: x.detach() * self.w + self.b),
        "no gradient reaches `x`",
    ),
    "check_gradients: frozen": (ALL, {}, Frozen, "no gradient reaches `w`"),
}


@pytest.mark.parametrize(
    ("name", "arguments", "options", "wrong", "said"), [(n, *c) for n, c in CHECKS.items()], ids=CHECKS
)
def test_each_check_holds_for_the_right_and_fails_for_the_wrong(name, arguments, options, wrong, said):
    check = getattr(checking, name.partition(":")[0])
    right = verdict(Scale, check, *arguments, **options)
    assert (right.status, right.passed[-1], right.failed) == ("passed", "it holds", None) and right.ratio < 1
    bad = verdict(wrong, check, *arguments, **options)
    assert bad.status == "failed" and bad.failed in ("it holds", "parameters `w` [d_model], `b` [d_model]")
    assert "it holds" not in bad.passed and said in "\n".join(bad.details)
    assert bad.ratio > 1


def test_a_check_that_knows_the_way_out_says_it():
    assert "instead of using +=, -=" in verdict(written(in_place), checking.check_inputs_unchanged, *ALL).advice
    assert verdict(Frozen, checking.check_gradients, *ALL).advice == CUT
    assert verdict(written(straight_through), checking.check_gradients, *ALL).advice is None


def test_a_parameter_that_should_be_frozen_is_named():
    frozen = replace(scale, symbol="Frozen", solution=__name__)
    said = verdict(Scale, checking.check_gradients, *ALL, exercise=frozen).details
    assert said == ("`w` has a gradient and should be frozen",)


def square_mean(x):
    return x.pow(2).mean()


def count(x):
    return x.numel()


SCALAR = Exercise("square_mean", solution=__name__, inputs={"x": "pos d_model"}, output="")
WHOLE = Exercise("count", solution=__name__, inputs={"x": "pos d_model"}, output="")


def test_functions_are_judged_too():
    for check in (checking.check_shape, checking.check_agrees, checking.check_repeatable, checking.check_gradients):
        right = verdict(square_mean, check, X[0], exercise=SCALAR)
        assert right.status == "passed" and right.ratio < 1
    wrong = verdict(lambda x: x.pow(2).sum(), checking.check_agrees, X[0], exercise=SCALAR)
    assert wrong.details[-1] == "got 43.2400, expected 1.8017"
    for check in (checking.check_agrees, checking.check_repeatable):
        assert verdict(count, check, X[0], exercise=WHOLE).status == "passed"
    wrong = verdict(lambda x: [x, x], checking.check_agrees, X[0], exercise=WHOLE)
    assert wrong.details[0].endswith("(list), expected 24 (int)")
    wrong = verdict(lambda x: torch.rand(1).item(), checking.check_repeatable, X[0], exercise=WHOLE)
    assert wrong.details[0] == "on the same input, a later call gives another answer than the first"
    wrong = verdict(lambda: 24, checking.check_agrees, X[0], exercise=WHOLE)
    assert wrong.details[0] == "it is called as `count(x)`, and Python answered"
