"""utils.checking: each check holds for the right component, fails for a wrong one, and says what is wrong."""

import pytest
import torch
from torch import nn

from tests import tiny_exercise as tiny
from tests.tiny_exercise import WEIGHTS, Scale, X, judged_by, scale, written
from utils import checking
from utils.checking import SMALL, Exercise, check_form, line
from utils.checking.checks.gradients import CUT
from utils.checking.checks.invariance import KEEP_NOTHING, NO_CHANCE, NO_CHANCE_ONCE


def verdict(component, check, *arguments, exercise=scale, **options):
    """What a test function of only this check says."""

    def body(component):
        with line("it holds"):
            check(component, *arguments, **options)

    return judged_by(body, component, exercise)


def with_lines(component, check, *arguments, exercise=scale, **options):
    """The same for a check that has lines of its own."""
    return judged_by(lambda component: check(component, *arguments, **options), component, exercise)


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


def remembering(self, x):
    self.first = getattr(self, "first", x)
    return (self.first[:1, :1] if self.first.shape != x.shape else self.first) * self.w + self.b + 0 * x


def looking_ahead(self, x):
    return x.flip(1).cumsum(1).flip(1) * self.w + self.b


# the check: (its arguments, its options, who fails it, what is said of them)
ALL = (SMALL, WEIGHTS, X)
CHECKS = {
    "check_shape": (ALL, {}, written(tiny.shape_lost), "missing: pos"),
    "check_shape: dtype": (ALL, {}, written(lambda self, x: x.half()), "the result is float16, expected float32"),
    "check_agrees": (ALL, {}, written(tiny.two_too_much), "every value is the expected one plus 2.0000"),
    "check_agrees: shape": (ALL, {}, written(tiny.shape_lost), "missing: pos"),
    "check_value": (ALL, {"want": X * WEIGHTS["w"] + 0.5}, written(tiny.no_offset), "plus -0.5000"),
    "check_alone": (ALL, {"axis": "pos"}, over_axis(1), "pos 0 gets another answer when the other indices of pos"),
    "check_alone: batch": (ALL, {"axis": "batch"}, over_axis(0), "batch 0 gets another answer when"),
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
        "got shape [1, 2, 3, 8], expected [axis 0 2, axis 1 3, axis 2 8]",
    ),
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
    assert (right.status, right.passed, right.failure) == ("passed", ["it holds"], None)
    assert right.error_over_tolerance < 1
    bad = verdict(wrong, check, *arguments, **options)
    assert (bad.status, bad.passed, bad.failure.line) == ("failed", [], "it holds")
    assert said in "\n".join(bad.failure.details)
    assert bad.error_over_tolerance > 1


def parameter(name, value):
    """The solution, but that one parameter starts with this value."""

    def init(self, cfg):
        Scale.__init__(self, cfg)
        setattr(self, name, nn.Parameter(value))

    return type("Scale", (Scale,), {"__init__": init})


def attribute(make):
    """The solution, but that `w` is no parameter of its own."""

    def init(self, cfg):
        Scale.__init__(self, cfg)
        del self.w
        self.w = make(cfg)

    return type("Scale", (Scale,), {"__init__": init})


def renamed(name):
    def init(self, cfg):
        Scale.__init__(self, cfg)
        setattr(self, name, self.w)
        del self.w

    return type("Scale", (Scale,), {"__init__": init})


class AsLayerNorm(nn.LayerNorm):
    """Holds one parameter under two names."""

    def __init__(self, cfg):
        super().__init__(cfg.d_model)
        self.w, self.b = self.weight, self.bias


class InAModule(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln = nn.LayerNorm(cfg.d_model)


NAMED, STARTS = "parameters `w` [d_model], `b` [d_model]", "starts with `w` all ones and `b` all zeros"
PARAMETERS = [
    (tiny.OtherNames, NAMED, "`w` is missing"),
    (tiny.OtherNames, NAMED, "`weight` is not a parameter of this component"),
    (renamed("weight"), NAMED, "`weight` has the shape of `w`: give it that name."),
    (parameter("w", torch.ones(8, 1)), NAMED, "`w` has shape [8, 1], expected [d_model 8]"),
    (parameter("w", torch.ones(8).double()), NAMED, "`w` is float64, expected float32"),
    (parameter("scale", torch.ones(8)), NAMED, "`scale` is not a parameter of this component"),
    (
        attribute(lambda cfg: torch.ones(cfg.d_model)),
        NAMED,
        "`self.w` is a plain tensor, which no optimiser would find",
    ),
    (attribute(lambda cfg: nn.Linear(1, 1)), NAMED, "`self.w` is a module with a parameter `w.weight`. Make it"),
    (attribute(lambda cfg: 1.0), NAMED, "`self.w` is of type float, not an nn.Parameter."),
    (InAModule, NAMED, "`self.ln` is a module with parameters of its own. Here they belong to the component itself"),
    (lambda cfg: 1, NAMED, "called with a Config it gives a int, not an nn.Module"),
    (parameter("w", torch.zeros(8)), STARTS, "8 of 8 values of `w` do not start at 1, the first at 0.0000"),
    (parameter("b", torch.full((8,), torch.nan)), STARTS, "8 of 8 values of `b` do not start at 0, the first at NaN"),
]


@pytest.mark.parametrize(("component", "title", "said"), PARAMETERS, ids=[said for *_, said in PARAMETERS])
def test_parameters_are_checked_by_name_shape_and_initial_value(component, title, said):
    bad = with_lines(component, checking.check_parameters, SMALL)
    assert bad.failure.line == title and said in "\n".join(bad.failure.details)


def test_parameters_that_are_right_pass_under_a_second_name_too():
    for right in (Scale, AsLayerNorm):
        assert with_lines(right, checking.check_parameters, SMALL).passed == [NAMED, STARTS]


TABLE = Exercise(
    inputs={"tokens": "batch pos"}, output="batch pos d_model", parameters={"W": "d_vocab d_model"}, solution=__name__
)
SPREAD = "starts with `W` at random, with spread `cfg.init_range`"


def table(first):
    def init(self, cfg):
        nn.Module.__init__(self)
        self.W = nn.Parameter(first(cfg.d_vocab, cfg.d_model))

    return type("Table", (nn.Module,), {"__init__": init})


@pytest.mark.parametrize("seed", range(5))
def test_random_initial_values_pass_whatever_the_seed(seed):
    right = table(lambda *shape: torch.randn(shape) * 0.02)
    assert judged_by(lambda Table: checking.check_parameters(Table, SMALL), right, TABLE, seed).passed[1] == SPREAD


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (lambda *shape: torch.zeros(shape), "`W` starts at 0.0000 everywhere, so all its rows would learn the same"),
        (lambda *shape: torch.full(shape, torch.inf), "numbers that are not finite: torch.empty holds whatever was in"),
        (lambda *shape: torch.randn(shape), "expected mean 0 and spread 0.0200, `cfg.init_range`"),
        (lambda *shape: torch.randn(shape) * 0.02 + 0.02, "`W` starts with mean 0.0"),
        (lambda *shape: torch.rand(shape) * 0.02, "`W` starts with mean 0.0"),
    ],
)
def test_initial_values_that_are_not_as_random_as_they_should_be(first, said):
    bad = with_lines(table(first), checking.check_parameters, SMALL, exercise=TABLE)
    assert bad.failure.line == SPREAD and said in bad.failure.details[0]


def test_a_check_that_knows_the_way_out_says_it():
    assert "instead of using +=, -=" in verdict(written(in_place), checking.check_inputs_unchanged, *ALL).failure.advice
    assert verdict(Frozen, checking.check_gradients, *ALL).failure.advice == CUT
    assert verdict(written(straight_through), checking.check_gradients, *ALL).failure.advice is None


class RandomTable(scale.given):
    """Draws a table once, when it is made, that is no parameter."""

    def __init__(self, cfg):
        super().__init__(cfg)
        self.table = torch.rand(cfg.d_model)

    def forward(self, x):
        return x * self.w + self.b + self.table


def test_what_is_random_is_told_from_what_is_remembered():
    before = {"before": [(X[:1, :2] + 1,)]}
    for component, advice, heading in (
        (written(with_dropout), NO_CHANCE, "on the same input, a later call gives another answer than the first"),
        (written(remembering), KEEP_NOTHING, "on the same input, a later call gives another answer than the first"),
        (RandomTable, NO_CHANCE_ONCE, "with the same weights, another run of your code gives another answer"),
    ):
        failure = verdict(component, checking.check_repeatable, *ALL, **before).failure
        assert failure.advice == advice and failure.details[0].endswith(heading)


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


def square_mean(x):
    return x.pow(2).mean()


def count(x):
    return x.numel()


SCALAR = Exercise(inputs={"x": "pos d_model"}, solution=__name__)
SCALAR.test(lambda square_mean: None)
WHOLE = Exercise(inputs={"x": "pos d_model"}, solution=__name__)
WHOLE.test(lambda count: None)


def test_functions_are_judged_too():
    for check in (checking.check_shape, checking.check_agrees, checking.check_repeatable, checking.check_gradients):
        right = verdict(square_mean, check, X[0], exercise=SCALAR)
        assert right.status == "passed" and right.error_over_tolerance < 1
    wrong = verdict(lambda x: x.pow(2).sum(), checking.check_agrees, X[0], exercise=SCALAR)
    assert wrong.failure.details[-1] == "got 43.2400, expected 1.8017"
    for check in (checking.check_agrees, checking.check_repeatable):
        assert verdict(count, check, X[0], exercise=WHOLE).status == "passed"
    wrong = verdict(lambda x: [x, x], checking.check_agrees, X[0], exercise=WHOLE)
    assert wrong.failure.details[0].endswith("(list), expected 24 (int)")
    wrong = verdict(lambda x: torch.rand(1).item(), checking.check_repeatable, X[0], exercise=WHOLE)
    assert wrong.failure.details[0] == "on the same input, a later call gives another answer than the first"
    wrong = verdict(lambda: 24, checking.check_agrees, X[0], exercise=WHOLE)
    assert wrong.failure.details[0] == "it is called as `count(x)`, and Python answered"


def lookup(word):
    return {"the": 0, "cat": 1}[word]


LOOKUP = Exercise(inputs={"word": ""}, solution=__name__)
LOOKUP.test(lambda lookup: None)


def raising(error):
    def lookup(word):
        raise error

    return lookup


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (lambda word: 0, "no error was raised, expected KeyError; got 0"),
        (raising(ValueError("dog")), "got ValueError: dog, expected KeyError"),
        (raising(KeyError("a word")), "the message of the KeyError does not name `dog`: \"'a word'\""),
    ],
)
def test_an_error_can_be_the_right_answer(component, said):
    def check(component):
        return verdict(component, checking.check_raises, "dog", error="KeyError", naming="dog", exercise=LOOKUP)

    assert check(lookup).status == "passed"
    assert check(component).failure.details == (said,)


def test_a_stub_or_a_wrong_signature_is_no_error_that_was_asked_for():
    def check(component):
        return verdict(component, checking.check_raises, "dog", error="KeyError", exercise=LOOKUP)

    assert check(raising(NotImplementedError("lookup: write this part"))).status == "not yet"
    assert check(lambda: 0).failure.details[0] == "it is called as `lookup(word)`, and Python answered"


def test_two_of_the_learners_functions_must_agree():
    def check(component, other):
        return verdict(component, checking.check_equal_to, other, X[0], exercise=SCALAR)

    assert check(square_mean, lambda x: (x * x).mean()).status == "passed"
    assert check(square_mean, None).status == "passed"
    assert check(square_mean, lambda x: x.mean()).failure.details[-1] == "got 1.8017, expected 1.1500"
    assert "division by zero" in check(square_mean, lambda x: 1 / 0).failure.details[0]


def draw(p):
    return int(torch.multinomial(p, 1))


DRAW = Exercise(inputs={"p": "d_vocab"}, solution=__name__)
DRAW.test(lambda draw: None)
P = torch.tensor([0.5, 0.0, 0.3, 0.2])


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (lambda p: int(p.argmax()), "index 0 was drawn 5000 times in 5000, expected about 2500"),
        (lambda p: 1, "index 1 was drawn 5000 times in 5000, expected about 0"),
        (lambda p: torch.multinomial(p, 1), "got tensor([2]) (Tensor), expected an int from 0 to 3"),
        (lambda p: 4, "got 4 (int), expected an int from 0 to 3"),
        (lambda p: True, "got True (bool), expected an int from 0 to 3"),
    ],
)
def test_draws_must_come_as_often_as_they_should(component, said):
    assert verdict(draw, checking.check_draws, P, want=P, exercise=DRAW).status == "passed"
    bad = verdict(component, checking.check_draws, P, want=P, exercise=DRAW)
    assert bad.failure.details[0] == said and bad.error_over_tolerance > 1


def sorted_items(items):
    return sorted(items)


VIEWED = Exercise(inputs={"items": ""}, view=lambda answer: sorted(answer, key=str), solution=__name__)
VIEWED.test(lambda sorted_items: None)


def test_answers_are_compared_in_the_exercises_view():
    def check(component):
        return verdict(component, checking.check_agrees, [2, 1, 3], exercise=VIEWED)

    assert check(lambda items: items).status == "passed"
    assert check(lambda items: [1, 2]).failure.details[0] == "got [1, 2]"
    none = check(lambda items: None)  # the view can't look at it
    assert none.failure.details == ("the result is None, expected [1, 2, 3]: is there a `return`?",)


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
