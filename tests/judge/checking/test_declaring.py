"""Authors' mistakes: each is named when it is made, or when its line is reached, with file, line and the way out."""

import inspect
from dataclasses import replace

import pytest
import torch

from judge.checking import Exercise
from judge.checking.declaring import prove_against_solution, prove_call
from tests.house.fresh_python import fresh_python
from tests.judge.checking.marked import marked_line
from tests.judge.checking.tiny import Scale, scale
from utils.course import CourseError
from utils.gpt import SMALL

SCALE = "tests.judge.checking.tiny.Scale"

STREAM = "batch pos d_model"
HERE = __file__


def declare(**changes):
    options = {"inputs": {"x": STREAM}, "output": STREAM, "solution": "tests.judge.checking.tiny"} | changes
    return Exercise(**options)  # here


def registered(function):
    return declare().test(function)  # here


def forward_alone():
    exercise = declare(parameters=lambda cfg: {"w": "d_model"}, drive="component")

    @exercise.misconception("a name", "Advice.")  # here
    def adds(self, x):
        return x


# what the mistake is: (whose line is named, how it is made, what is said after the file)
DECLARATIONS = {
    "an axis of the output": (
        declare,
        lambda: declare(output="batch pos d_modle"),
        "the output has an axis 'd_modle', which is neither an input's nor a size of Config; did you mean 'd_model'? "
        "If only the answer knows it: free_axes=.",
    ),
    "an axis of a parameter": (
        declare,
        lambda: declare(parameters={"w": "d_modle"}),
        "the parameter 'w' has an axis 'd_modle', which is not a size of Config; did you mean 'd_model'?",
    ),
    "an input's axis as a parameter's": (
        declare,
        lambda: declare(parameters={"w": "batch"}),
        "the parameter 'w' has an axis 'batch', which is not a size of Config.",
    ),
    "an axis that is no name": (
        declare,
        lambda: declare(inputs={"x": "batch, pos"}),
        "the axis 'batch,' of an input is not a name; write axes as in 'batch pos d_model'.",
    ),
    "an input's axis that is almost a size": (
        declare,
        lambda: declare(inputs={"x": "batch pos d_modle"}, output="batch pos"),
        "an input has an axis 'd_modle'; did you mean 'd_model'? "
        "If it is an axis of its own, give it a name less alike.",
    ),
    "an unknown driver": (
        declare,
        lambda: declare(drive="functoin"),
        "there is no driver 'functoin'; did you mean 'function'?",
    ),
    "initial= of an unknown parameter": (
        declare,
        lambda: declare(parameters={"W_E": "d_vocab d_model"}, initial={"W_e": 1.0}),
        "initial= names 'W_e', which is not a parameter; did you mean 'W_E'?",
    ),
    "initial= without parameters": (
        declare,
        lambda: declare(initial={"w": 1.0}),
        "initial= names 'w', which is not a parameter.",
    ),
    "no parameter": (
        registered,
        lambda: registered(lambda: None),
        "<lambda>() has no parameter. A test function takes what the learner wrote, under its name: "
        "def test_layer_norm(LayerNorm).",
    ),
    "two that are required": (
        registered,
        lambda: registered(lambda Scale, other: None),
        "<lambda>() must not require other; give it a default, such as None.",
    ),
    "a forward without a class": (
        forward_alone,
        forward_alone,
        "adds is a forward alone, and given= does not say what class it belongs to.",
    ),
}


@pytest.mark.parametrize(("where", "make", "said"), DECLARATIONS.values(), ids=DECLARATIONS.keys())
def test_a_declaration_that_cant_be_right_is_refused_with_its_line(where, make, said):
    with pytest.raises(CourseError) as caught:
        make()
    assert str(caught.value) == f"{HERE}:{marked_line(where)}: {said}"


def test_declarations_that_are_right_are_accepted():
    declare(output="batch new_pos", free_axes="new_pos")
    declare(inputs={"x": "..."}, output="...")
    declare(inputs={"x": "batch pos ... d_model"}, output="batch pos ... d_model")
    declare(
        parameters=lambda cfg: {f"blocks.{i}.w": "d_model" for i in range(cfg.n_layers)}, initial={"blocks.0.w": 1.0}
    )
    declare(parameters={"layers.0.weight": "d_in d_out"}, drive="stream")
    assert registered(lambda Scale, other=None: None).exercise.symbol == "Scale"


def test_the_solution_must_have_the_parameters_that_are_declared():
    made = {"w": torch.ones(8), "b": torch.ones(8)}
    prove_against_solution(scale, SMALL, made)
    prove_against_solution(replace_parameters(lambda cfg: {"w": "d_model", "b": "d_model"}), SMALL, made)
    for parameters, said in (
        ({"w": "d_model", "scale": "d_model"}, f"parameters= names 'scale', which {SCALE} does not have."),
        ({"w_": "d_model"}, f"parameters= names 'w_', which {SCALE} does not have; did you mean 'w'?"),
        ({"w": "d_model"}, f"{SCALE} has parameters that parameters= leaves out: b."),
        (lambda cfg: {"b": "d_model"}, f"{SCALE} has parameters that parameters= leaves out: w."),
    ):
        with pytest.raises(CourseError) as caught:
            prove_against_solution(replace_parameters(parameters), SMALL, made)
        place, _, message = str(caught.value).partition(": ")
        assert place.startswith(f"{HERE}:") and message == said


def replace_parameters(parameters):
    exercise = replace(scale, parameters=parameters, initial={})
    exercise.symbol = "Scale"
    return exercise


@pytest.mark.slow
def test_the_solution_is_found_by_the_files_name_whoever_runs_it(tmp_path):
    """As a script the module's name is __main__, under pytest's other modes something else."""
    path = tmp_path / "ch77_other.py"
    path.write_text(
        "from judge.checking import Exercise\n"
        "other = Exercise(inputs={'x': ''})\n"
        "@other.test\n"
        "def test_other(other): pass\n"
        "print(other.solution, other.stem, other.symbol)\n"
    )
    run = fresh_python(f"import runpy; runpy.run_path({str(path)!r}, run_name='__main__')")
    assert run.stdout.split() == ["solutions.ch77_other", "ch77_other", "other"]


def two_inputs(x, y=None):
    return x


class Methods:
    """A class that is no nn.Module."""


CALLED = [
    ({}, Scale, "is an nn.Module, so parameters= is needed; write {} if it has none."),
    ({}, Methods, "is a class, but no nn.Module: name its driver, such as drive='methods'."),
    ({"parameters": {}}, Methods, "is a class, but no nn.Module: name its driver, such as drive='methods'."),
    ({"parameters": {}}, two_inputs, "is a function, and a function has no parameters: leave parameters= out."),
    ({"inputs": {"x": STREAM, "mask": ""}}, two_inputs, "takes x, y. Give the same names in the same order."),
    ({"inputs": {"y": "", "x": STREAM}}, two_inputs, "takes x, y. Give the same names in the same order."),
    ({"inputs": {"q": STREAM}, "parameters": {}}, Scale, "takes x. Give the same names in the same order."),
]


@pytest.mark.parametrize(("changes", "solution", "said"), CALLED)
def test_a_solution_is_called_as_declared(changes, solution, said):
    with pytest.raises(CourseError) as caught:
        prove_call(declare(**changes), solution)
    assert str(caught.value).startswith(f"{HERE}:{marked_line(declare)}: ") and str(caught.value).endswith(said)


def test_a_solution_may_take_more_than_the_inputs_that_are_declared():
    prove_call(declare(), two_inputs)
    prove_call(declare(parameters={}), Scale)
    prove_call(declare(drive="methods"), Methods)


def test_the_line_where_a_known_answer_is_registered():
    exercise = declare()
    exercise.misconception("a name", "Advice.")(two_inputs)  # the wrong one
    exercise.also("a name")(two_inputs)
    exercise.correct(two_inputs)
    known = (*exercise.misconceptions, *exercise.variants)
    assert all(one.declared_at.path.samefile(HERE) for one in known)
    first, form, right = (one.declared_at.line for one in known)
    assert (form, right) == (first + 1, first + 2)


def test_a_misconception_may_be_said_as_one_change_of_the_solution():
    wrong = scale.changed("+ self.b", "- self.b")
    exercise = replace(scale, solution="tests.judge.checking.tiny")
    exercise.misconception("a minus", "Add.")(wrong)
    assert [one.component for one in exercise.misconceptions] == [wrong]
    assert issubclass(wrong, scale.given) and wrong.forward is not Scale.forward
    verdict = scale.judge(wrong)
    assert verdict.status == "failed"


def answers_as(wrong, *forms, **options):
    """What an exercise like `scale` has registered of these, as (name, whether it is another form)."""
    exercise = replace(scale, solution="tests.judge.checking.tiny")
    exercise.symbol = "Scale"
    exercise.misconception("a minus", "Add.", wrong, *forms, **options)
    return exercise


def test_wrong_answers_may_stand_behind_the_advice():
    exercise = answers_as("+ self.b → - self.b", ("x * → x +", "+ self.b → - self.b"), lambda self, x: x - self.b)
    exercise.also("a minus", "+ self.b → - 2 * self.b", Scale)
    first, *others = exercise.misconceptions
    assert (first.name, first.advice, first.another_form) == ("a minus", "Add.", False)
    assert [(one.name, one.advice, one.another_form) for one in others] == [("a minus", "Add.", True)] * 4
    assert len({inspect.getsource(one.component.forward) for one in exercise.misconceptions}) == 5


def halved(self, x):
    return x / 2 * HALVED


HALVED = 3.0


@scale.correct
def decorated(self, x):
    return x * self.w + self.b


def test_a_change_of_another_function():
    exercise = answers_as("/ 2 → / 4", of=halved)
    [wrong] = exercise.misconceptions
    assert wrong.component.forward(None, 4.0) == 3.0  # with the names of the module that `halved` is in
    assert halved(None, 4.0) == 6.0
    n_variants = len(scale.variants)
    assert answers_as("self.b → 1", of=decorated).misconceptions and len(scale.variants) == n_variants


@pytest.mark.parametrize(
    ("wrong", "of", "said"),
    [
        ("+ self.b", None, "'+ self.b' is no change: write it as 'before → after'."),
        ("/ 3 → / 4", halved, "'/ 3' is 0 times in halved; a change names what is there once."),
        ("* HALVED → * (", halved, "with '* (' in the place of '* HALVED' halved is no Python: '(' was never closed."),
    ],
)
def test_a_text_that_is_no_change_is_named_where_it_stands(wrong, of, said):
    with pytest.raises(CourseError) as caught:
        answers_as(wrong, of=of)
    assert str(caught.value).startswith(f"{HERE}:") and str(caught.value).endswith(said)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("* self.c", "", f"'* self.c' is 0 times in {SCALE}; a change names what is there once."),
        ("self", "", f"'self' is 3 times in {SCALE}; a change names what is there once."),
        ("return x", "return (", "the solution is no Python: '(' was never closed."),
    ],
)
def test_a_change_that_can_not_be_made_is_named_where_it_stands(before, after, said):
    with pytest.raises(CourseError) as caught:
        scale.changed(before, after)
    assert str(caught.value).startswith(f"{HERE}:") and str(caught.value).endswith(said)


def test_a_change_of_a_solution_that_is_not_there_is_left_out():
    exercise = replace(scale, solution="solutions.not_handed_out")
    exercise.misconception("a minus", "Add.")(exercise.changed("+ self.b", "- self.b"))
    exercise.misconception("a plus", "Subtract.", "+ self.b → - self.b")
    exercise.also("a plus", ("+ self.b → - self.b", "x → 2 * x"))
    assert exercise.misconceptions == []
