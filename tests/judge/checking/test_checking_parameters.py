"""check_parameters: names and shapes are said with the way out, and how parameters start is tested by exact bounds."""

import pytest
import torch
from torch import nn

from judge.checking import check_parameters
from judge.checking.diagnosis.parameters import Due, Made
from judge.checking.diagnosis.registry import sentence
from judge.checking.evidence import Evidence
from judge.running.records import Record
from tests.judge.checking import tiny
from tests.judge.checking.tiny import Scale, judged_by
from utils.gpt import SMALL


def advice(shapes, wanted):
    """What is said where a component has parameters of these shapes."""
    made = Made(Record(parameters={name: torch.zeros(shape) for name, shape in shapes.items()}))
    found = sentence(Evidence("parameters", made, Due(wanted, {})))
    return found and found.text


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


class OneForBoth(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = self.w


NAMED, STARTS = "parameters `w` [d_model], `b` [d_model]", "starts with `w` all ones and `b` all zeros"
PARAMETERS = [
    (tiny.OtherNames, NAMED, "`w` is missing"),
    (tiny.OtherNames, NAMED, "`weight` is one too many"),
    (renamed("weight"), NAMED, "The shapes are right: rename `weight` to `w`."),
    (parameter("w", torch.ones(8, 1)), NAMED, "`w` has shape [8, 1], expected [d_model 8]"),
    (parameter("w", torch.ones(8).double()), NAMED, "`w` is float64, expected float32"),
    (parameter("scale", torch.ones(8)), NAMED, "`scale` is one too many"),
    (
        attribute(lambda cfg: torch.ones(cfg.d_model)),
        NAMED,
        "`self.w` is a plain tensor or a buffer, which no optimiser would find: wrap it, `self.w = nn.Parameter(...)`.",
    ),
    (OneForBoth, NAMED, "`self.b` is a parameter that has another name too: give it one of its own"),
    (attribute(lambda cfg: nn.Linear(1, 1)), NAMED, "`self.w` is a module with a parameter `w.weight`. Make it"),
    (attribute(lambda cfg: 1.0), NAMED, "`self.w` is of type float, not an nn.Parameter."),
    (InAModule, NAMED, "Parameters that belong to the component itself are inside `self.ln`"),
    (lambda cfg: 1, NAMED, "Called with a Config it gives a value of type int, not an nn.Module: "),
    (parameter("w", torch.zeros(8)), STARTS, "8 of 8 values of `w` do not start at 1, the first at 0.0000"),
    (parameter("b", torch.full((8,), torch.nan)), STARTS, "8 of 8 values of `b` do not start at 0, the first at NaN"),
]


@pytest.mark.parametrize(("component", "title", "said"), PARAMETERS, ids=[said for *_, said in PARAMETERS])
def test_parameters_are_checked_by_name_shape_and_initial_value(component, title, said):
    bad = judged_by(lambda Scale: check_parameters(Scale, SMALL), component)
    assert bad.failure.line == title and said in str(bad)


def test_parameters_that_are_right_pass_under_a_second_name_too():
    for right in (Scale, AsLayerNorm):
        assert judged_by(lambda Scale: check_parameters(Scale, SMALL), right).passed == [NAMED, STARTS]


class TwoTensors(nn.Module):
    """Holds these under other names than `w` and `b`, in the order of the names."""

    def __init__(self, **values):
        super().__init__()
        for name, value in values.items():
            setattr(self, name, nn.Parameter(value))


def in_buffers(cfg):
    module = nn.Module()
    module.register_buffer("w", torch.ones(cfg.d_model))
    module.b = nn.Parameter(torch.zeros(cfg.d_model))
    return module


ONES, ZEROS = torch.ones(8), torch.zeros(8)
ADVICE = {
    "a buffer": (in_buffers, "`self.w` is a plain tensor or a buffer, which no optimiser would find: wrap it, "),
    "offset first": (lambda cfg: TwoTensors(beta=ZEROS, gamma=ONES), "rename `gamma` to `w`, rename `beta` to `b`."),
    "by how they start": (lambda cfg: TwoTensors(p=ZEROS, q=ONES), "rename `q` to `w`, rename `p` to `b`."),
    "by their names": (lambda cfg: TwoTensors(bias=ONES, weight=ONES), "rename `weight` to `w`, rename `bias` to `b`."),
    "nobody knows": (lambda cfg: TwoTensors(p=ONES + 1, q=ONES + 1), "under exactly this name: `self.w = nn.Param"),
    "one too many": (lambda cfg: TwoTensors(w=ONES, b=ZEROS, c=ONES), "Only what the line above names is trained"),
    "a fixed size": (lambda cfg: TwoTensors(w=ONES[:7], b=ZEROS), "Its sizes come from the Config: `cfg.d_model`."),
    "integers": (lambda cfg: TwoTensors(w=ONES.double(), b=ZEROS), "Parameters are float32, as torch makes them"),
    "zeros for ones": (lambda cfg: TwoTensors(w=ZEROS, b=ZEROS), "`self.w = nn.Parameter(torch.ones(...))`."),
}


@pytest.mark.parametrize(("made", "said"), ADVICE.values(), ids=ADVICE)
def test_parameters_that_are_wrong_come_with_what_to_do(made, said):
    bad = judged_by(lambda Scale: check_parameters(Scale, SMALL), made)
    assert said in (bad.failure.advice or ""), str(bad)


def test_a_parameter_of_an_inner_module_is_missing_because_that_module_is():
    said = advice({}, {"layers.0.weight": [("d_in", 8)]})
    assert said and said.startswith("`layers.0.weight` belongs to a module inside this one.")
    assert "nn.ModuleList" in said and "nn.Parameter" not in said


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((8, 50257), "50257 is GPT-2's own `d_vocab`: write `cfg.d_vocab`."),
        ((768, 50257), "These are GPT-2's own sizes: take the sizes from `cfg` instead."),
        ((9, 50257), "Its sizes come from the Config, in this order: `cfg.d_model, cfg.d_vocab`."),
        ((50257,), "Its sizes come from the Config, in this order: `cfg.d_model, cfg.d_vocab`."),
        ((8, 23), None),
    ],
)
def test_a_size_that_is_written_out_is_named(shape, said):
    assert advice({"W_U": shape}, {"W_U": [("d_model", 8), ("d_vocab", 23)]}) == said


def buffered(persistent):
    """The solution, with a buffer of its own."""

    def init(self, cfg):
        Scale.__init__(self, cfg)
        self.register_buffer("where", torch.arange(3), persistent=persistent)

    return type("Scale", (Scale,), {"__init__": init})


@pytest.mark.parametrize(
    ("persistent", "only_saved", "passes"), [(True, True, False), (True, False, True), (False, True, True)]
)
def test_a_buffer_that_is_saved_is_refused_where_weights_load_strictly(persistent, only_saved, passes):
    verdict = judged_by(lambda Scale: check_parameters(Scale, SMALL, only_saved=only_saved), buffered(persistent))
    assert (verdict.failure is None) == passes
    if not passes:
        assert verdict.failure.details == ("`where` is a buffer that `state_dict()` saves with them",)
        assert "persistent=False" in verdict.failure.advice


def test_parameters_with_other_names_are_known_by_shapes_that_no_other_has():
    due = {"W": [("d_model", 8), ("d_vocab", 23)], "b": [("d_vocab", 23)]}
    both = advice({"weight": (8, 23), "bias": (23,)}, due)
    assert both == "The shapes are right: rename `weight` to `W`, rename `bias` to `b`."
    same = {"w": [("d_model", 8)], "b": [("d_model", 8)]}
    assert advice({"one": (8,), "other": (8,)}, same).startswith("A parameter is an nn.Parameter")
