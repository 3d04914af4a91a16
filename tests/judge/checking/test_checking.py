"""judge.checking: each check holds for the right component, fails for a wrong one, and says what is wrong."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from judge import checking
from judge.checking import Exercise, check_form, line
from judge.errors import CourseError
from tests.judge.checking import tiny
from tests.judge.checking.tiny import WEIGHTS, Scale, X, judged_by, judged_by_check, scale, written
from utils.gpt import SMALL


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


class StartsAtZero(Scale):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.w = nn.Parameter(torch.zeros(cfg.d_model))


def over_axis(dim):
    return written(lambda self, x: x - x.mean(dim=dim, keepdim=True))


def all_but_the_first(self, x):
    """Nothing is wrong at position 0; at 1 and 2 a mean is added."""
    later = (torch.arange(x.shape[1]) > 0)[:, None]
    return x * self.w + self.b + later * x.mean(dim=1, keepdim=True)


def remembering(self, x):
    self.first = getattr(self, "first", x)
    return (self.first[:1, :1] if self.first.shape != x.shape else self.first) * self.w + self.b + 0 * x


def keeping_the_first(self, x):
    self.first = x if getattr(self, "first", None) is None else self.first
    return (self.first if self.first.shape == x.shape else x) * self.w + self.b


def looking_ahead(self, x):
    return x.flip(1).cumsum(1).flip(1) * self.w + self.b


# the check: (its arguments, its options, who fails it, what is said of them)
ALL = (SMALL, WEIGHTS, X)
CHECKS = {
    "check_shape": (ALL, {}, written(tiny.shape_lost), "missing: pos"),
    "check_shape: dtype": (ALL, {}, written(lambda self, x: x.half()), "the result is float16, expected float32"),
    "check_agrees": (ALL, {}, written(tiny.two_too_much), "every value is the expected one plus 2.0000"),
    "check_agrees: shape": (ALL, {}, written(tiny.shape_lost), "missing: pos"),
    "check_agrees: after eval()": (
        ALL,
        {"training": False},
        written(lambda self, x: x * self.w + self.b + 2 * (not self.training)),
        "every value is the expected one plus 2.0000",
    ),
    "check_value": (ALL, {"want": X * WEIGHTS["w"] + 0.5}, written(tiny.no_offset), "plus -0.5000"),
    "check_alone": (ALL, {"axis": "pos"}, over_axis(1), "pos 0 gets another answer when the other indices of pos"),
    "check_alone: batch": (ALL, {"axis": "batch"}, over_axis(0), "batch 0 gets another answer when"),
    "check_alone: place": (ALL, {"axis": "pos"}, written(all_but_the_first), "most at batch 1, pos 1, d_model"),
    "check_alone: shape": (ALL, {"axis": "pos"}, written(lambda self, x: x.sum()), "missing: batch, pos, d_model"),
    "check_causal": (ALL, {}, written(looking_ahead), "pos 0 and earlier get another answer when only later ones are"),
    "check_causal: batch": (ALL, {"axis": "batch"}, over_axis(0), "batch 0 and earlier get another answer when"),
    "check_repeatable": (ALL, {}, written(with_dropout), "a later call gives another answer than the first"),
    "check_repeatable: memory": (
        ALL,
        {"before": [(X[:1, :2] + 1,)]},
        written(remembering),
        "a later call gives another answer than the first",
    ),
    "check_repeatable: shape": (ALL, {}, written(alternating), "got shape [2, 1, 8], expected [batch 2, pos 3, d_m"),
    "check_inputs_unchanged": (ALL, {}, written(in_place), "`x` was modified in place"),
    "check_inputs_unchanged: shape": (
        ALL,
        {},
        written(lambda self, x: x.unsqueeze_(0)),
        "it has shape [1, 2, 3, 8], it was [2, 3, 8]",
    ),
    "check_new": (ALL, {}, written(lambda self, x: x), "who writes into it changes `x` too"),
    "check_new: view": (ALL, {}, written(lambda self, x: x[:]), "the result is no new tensor"),
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
    right = judged_by_check(check, Scale, *arguments, **options)
    assert (right.status, right.passed, right.failure) == ("passed", ["it holds"], None)
    assert right.error_over_tolerance < 1
    bad = judged_by_check(check, wrong, *arguments, **options)
    assert (bad.status, bad.passed, bad.failure.line) == ("failed", [], "it holds")
    assert said in "\n".join((*bad.failure.details, *bad.failure.more))
    assert bad.error_over_tolerance > 1


of_more_axes = replace(scale, inputs={"x": "batch pos ... d_model"}, output="batch pos ... d_model")
of_more_axes.symbol = scale.symbol
FOUR = (SMALL, WEIGHTS, torch.arange(192.0).view(2, 3, 4, 8) / 10)


@pytest.mark.parametrize(
    ("check", "options", "arguments", "wrong", "said"),
    [
        ("check_shape", {}, ALL, written(tiny.shape_lost), "expected [batch 2, pos 3, d_model 8]"),
        ("check_shape", {}, FOUR, written(lambda self, x: x.mean(dim=1)), "got shape [2, 4, 8], expected [2, 3, 4, 8]"),
        ("check_agrees", {}, ALL, written(lambda self, x: x * self.w), "most at batch 0, pos 0, d_model 0"),
        ("check_agrees", {}, FOUR, written(lambda self, x: x * self.w), "most at [0, 0, 0, 0]"),
        ("check_alone", {"axis": "pos"}, ALL, over_axis(1), "pos 0 gets another answer"),
        ("check_alone", {"axis": "pos"}, FOUR, over_axis(1), "pos 0 gets another answer"),
        ("check_gradients", {}, FOUR, written(straight_through), "the gradient of `x` is wrong"),
    ],
)
def test_axes_without_names_may_stand_between_those_with_names(check, options, arguments, wrong, said):
    asked = getattr(checking, check)
    assert judged_by_check(asked, Scale, *arguments, exercise=of_more_axes, **options).status == "passed"
    failure = judged_by_check(asked, wrong, *arguments, exercise=of_more_axes, **options).failure
    assert said in "\n".join((*failure.details, *failure.more))


def test_weights_in_half_precision_bring_the_parameters_to_it():
    halved = SMALL, {name: weight.half() for name, weight in WEIGHTS.items()}, X.half()
    assert judged_by_check(checking.check_agrees, Scale, *halved, tolerance=1e-2).status == "passed"
    in_float32 = written(lambda self, x: x.float() * self.w + self.b)
    failure = judged_by_check(checking.check_agrees, in_float32, *halved, tolerance=1e-2).failure
    assert failure.details == ("the result is float32, expected float16",)


def test_too_few_axes_are_the_authors_mistake():
    with pytest.raises(CourseError, match=r"`x` has shape \[3, 8\], but inputs= says \[batch pos ... d_model\]"):
        judged_by_check(checking.check_agrees, Scale, SMALL, WEIGHTS, X[0], exercise=of_more_axes)


def test_a_check_that_knows_the_way_out_says_it():
    def said(check, wrong):
        return judged_by_check(check, wrong, *ALL).failure.advice

    assert "instead of `+=`, `-=`" in said(checking.check_inputs_unchanged, written(in_place))
    assert said(checking.check_gradients, Frozen).startswith("No gradient passes through `requires_grad=False`: ")
    assert said(checking.check_gradients, written(straight_through)).startswith(
        "The values are right, and only the gradient is not. No gradient passes through `detach()`: "
    )
    assert said(checking.check_gradients, written(lambda self, x: 2 * x * self.w + self.b)) is None


def test_what_is_kept_from_the_first_call_shows_whatever_stands_first():
    before = {"before": [(X[:1, :2],), (X.flip(1),)]}
    for component in (written(remembering), written(keeping_the_first)):
        assert judged_by_check(checking.check_repeatable, component, *ALL, **before).failure.advice.startswith(
            "Keep nothing from one call to the next: "
        )


def test_entries_taken_out_of_a_dict_or_a_list_are_told_from_values_that_were_changed():
    def advice(f, given):
        whole = Exercise({"given": ""}, solution="tests.judge.checking.kinds.decomposing")
        return judged_by_check(checking.check_inputs_unchanged, f, given, exercise=whole).failure.advice

    assert advice(lambda cache: cache.pop("a"), {"a": 1, "b": 2}).startswith("`pop`, `del`, `append`")
    assert advice(lambda words: words.append("c"), ["a", "b"]).startswith("`pop`, `del`, `append`")
    assert advice(lambda cache: cache["a"].add_(1), {"a": torch.ones(2)}).startswith("Assign to a new name instead of")


class RandomTable(scale.given):
    """Draws a table once, when it is made, that is no parameter."""

    def __init__(self, cfg):
        super().__init__(cfg)
        self.table = torch.rand(cfg.d_model)

    def forward(self, x):
        return x * self.w + self.b + self.table


def test_what_is_random_is_told_from_what_is_remembered():
    before = {"before": [(X[:1, :2] + 1,)]}
    later = "on the same input, a later call gives another answer than the first"
    for component, advice, heading in (
        (written(with_dropout), "The answer depends on random numbers: ", later),
        (written(remembering), "Keep nothing from one call to the next: ", later),
        (
            RandomTable,
            "The answer depends on random numbers that are drawn once",
            "with the same weights, another run of your code gives another answer",
        ),
    ):
        failure = judged_by_check(checking.check_repeatable, component, *ALL, **before).failure
        assert failure.advice.startswith(advice) and failure.details[0].endswith(heading)


def test_a_parameter_that_should_be_frozen_is_named():
    def body(Frozen):
        with line("it holds"):
            checking.check_gradients(Frozen, *ALL)

    exercise = Exercise(scale.inputs, scale.output, scale.parameters, solution=__name__)
    exercise.test(body)
    assert exercise.judge(Scale).failure.details == ("`w` should be frozen",)


def test_what_changes_no_output_may_be_left_out_of_the_graph():
    def body(NoEffect):
        with line("it holds"):
            checking.check_gradients(NoEffect, *ALL)

    exercise = Exercise(scale.inputs, scale.output, scale.parameters, solution=__name__)
    exercise.test(body)
    assert exercise.judge(written(lambda self, x: x * self.w)).status == "passed"


class NoEffect(scale.given):
    def forward(self, x):
        return x * self.w + 0 * self.b


def test_check_form_has_two_lines_of_its_own():
    def form(component, exercise=scale, cfg=SMALL, **options):
        made_of = () if cfg is None else (cfg.d_model,)
        probe = lambda *sizes: torch.rand(*sizes, *made_of)  # noqa: E731
        return judged_by(lambda component: check_form(component, cfg, probe, **options), component, exercise)

    shape, manners = "keeps the shape [batch pos d_model]", "leaves `x` as it was, and answers the same twice"
    assert form(Scale).passed == [shape, manners]
    assert form(Scale, repeats=False).passed == [shape]
    assert form(written(tiny.shape_lost)).failure.line == shape
    for wrong in (in_place, with_dropout, remembering):
        assert form(written(wrong)).failure.line == manners, wrong
    norms = Exercise(inputs={"vectors": "batch pos"}, output="batch", solution=__name__)
    norms.test(lambda norm: None)
    assert form(lambda vectors: vectors.norm(dim=-1), norms, None).passed == [
        "turns [batch pos] into [batch]",
        "leaves `vectors` as they were, and answers the same twice",
    ]
