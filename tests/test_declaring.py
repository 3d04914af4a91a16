"""Authors' mistakes: each is named when it is made, or when its line is reached, with file, line and the way out."""

import inspect
from dataclasses import replace

import pytest
import torch

from tests.fresh_python import fresh_python
from tests.tiny_exercise import WEIGHTS, Scale, X, judged_by, scale
from utils.checking import (
    SMALL,
    Exercise,
    check_agrees,
    check_alone,
    check_causal,
    check_parameters,
    check_shape,
    line,
    random_tensor,
)
from utils.checking.declaring import prove_against_solution
from utils.course import CourseError

STREAM = "batch pos d_model"
HERE = __file__


def declare(**changes):
    options = {"inputs": {"x": STREAM}, "output": STREAM, "solution": "tests.tiny_exercise"} | changes
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


def marked_line(function):
    """The line of the function that ends in `# here`."""
    lines, first = inspect.getsourcelines(function)
    return next(number for number, text in enumerate(lines, first) if text.rstrip().endswith("# here"))


@pytest.mark.parametrize(("where", "make", "said"), DECLARATIONS.values(), ids=DECLARATIONS.keys())
def test_a_declaration_that_cant_be_right_is_refused_with_its_line(where, make, said):
    with pytest.raises(CourseError) as caught:
        make()
    assert str(caught.value) == f"{HERE}:{marked_line(where)}: {said}"


def test_declarations_that_are_right_are_accepted():
    declare(output="batch new_pos", free_axes="new_pos")
    declare(inputs={"x": "..."}, output="...")
    declare(
        parameters=lambda cfg: {f"blocks.{i}.w": "d_model" for i in range(cfg.n_layers)}, initial={"blocks.0.w": 1.0}
    )
    declare(parameters={"layers.0.weight": "d_in d_out"}, drive="stream")
    assert registered(lambda Scale, other=None: None).exercise.symbol == "Scale"


def outside_a_line(Scale):
    check_shape(Scale, SMALL, WEIGHTS, X)  # here


def without_weights(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, X)  # here


def without_inputs(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, WEIGHTS)  # here


def too_many_inputs(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, WEIGHTS, X, X)  # here


def too_few_axes(Scale):
    with line("agrees"):
        check_agrees(Scale, SMALL, WEIGHTS, random_tensor(5, 8))  # here


def a_line_in_a_line(Scale):
    with line("outer"):
        with line("inner"):  # here
            pass


def lines_in_a_line(Scale):
    with line("outer"):
        check_parameters(Scale, SMALL)  # here


def no_such_axis(Scale):
    with line("alone"):
        check_alone(Scale, SMALL, WEIGHTS, X, axis="poss")  # here


def not_causal_in_what(Scale):
    with line("causal"):
        check_causal(Scale, SMALL, WEIGHTS, X, axis="d_head")  # here


def within_a_helper(Scale):
    def helper(x):
        with line("agrees"):
            check_agrees(Scale, SMALL, WEIGHTS, x)  # here

    helper(random_tensor(8))


CHECKS = {
    outside_a_line: "check_shape stands outside `with line(...)`, so the card could not say what did not hold.",
    without_weights: "a check of Scale takes cfg, weights (a dict, or None), and then the inputs.",
    without_inputs: "0 inputs, but inputs= of Scale names x.",
    too_many_inputs: "2 inputs, but inputs= of Scale names x.",
    too_few_axes: "`x` has shape [5, 8], but inputs= says [batch pos d_model].",
    a_line_in_a_line: "the line 'inner' stands inside the line 'outer'; close that one first.",
    lines_in_a_line: "the line 'parameters `w` [d_model], `b` [d_model]' stands inside the line 'outer'; "
    "close that one first.",
    no_such_axis: "`x` [batch pos d_model] has no axis 'poss'; did you mean 'pos'?",
    not_causal_in_what: "`x` [batch pos d_model] has no axis 'd_head'.",
    within_a_helper: "`x` has shape [8], but inputs= says [batch pos d_model].",
}


@pytest.mark.parametrize(("body", "said"), CHECKS.items(), ids=[body.__name__ for body in CHECKS])
def test_a_check_that_cant_be_right_is_named_with_its_line(body, said):
    for component in (Scale, scale.misconceptions[0].component):  # whoever is judged, the author learns of it
        with pytest.raises(CourseError) as caught:
            judged_by(body, component)
        assert str(caught.value) == f"{HERE}:{marked_line(body)}: {said}"


def opaque(x):
    return {1, 2}


def raising(x):
    raise ZeroDivisionError("division by zero")


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        ("opaque", f"the reference solution {__name__}.opaque gives a set, which can't be compared; use a driver that"),
        ("raising", f"the reference solution {__name__}.raising raised ZeroDivisionError: division by zero"),
        ("rasing", f"{__name__} does not define rasing, the test function's first parameter; did you mean 'raising'?"),
    ],
)
def test_a_reference_that_is_no_answer_is_a_mistake_of_the_author(symbol, said):
    def body(component):
        with line("agrees"):
            check_agrees(component, 3)

    exercise = Exercise(inputs={"x": ""}, solution=__name__)
    exercise.test(body)
    exercise.symbol = symbol
    with pytest.raises(CourseError) as caught:
        exercise.judge(lambda x: x)
    place, _, message = str(caught.value).partition(": ")
    assert place.startswith(f"{HERE}:") and message.startswith(said)


def test_a_size_that_nobody_knows_is_named():
    exercise = declare(inputs={"x": "pos"}, output="new_pos", free_axes="new_pos")

    def body(Scale):
        with line("keeps the shape"):
            check_shape(Scale, torch.ones(3))  # here

    exercise.test(body)
    with pytest.raises(CourseError) as caught:
        exercise.judge(lambda x: x)
    said = "the size of 'new_pos' is known neither from the inputs nor from a Config."
    assert str(caught.value).endswith(f": {said}")


def test_the_solution_must_have_the_parameters_that_are_declared():
    made = {"w": torch.ones(8), "b": torch.ones(8)}
    prove_against_solution(scale, SMALL, made)
    prove_against_solution(replace_parameters(lambda cfg: {"w": "d_model", "b": "d_model"}), SMALL, made)
    for parameters, said in (
        (
            {"w": "d_model", "scale": "d_model"},
            "parameters= names 'scale', which tests.tiny_exercise.Scale does not have.",
        ),
        ({"w_": "d_model"}, "parameters= names 'w_', which tests.tiny_exercise.Scale does not have; did you mean 'w'?"),
        ({"w": "d_model"}, "tests.tiny_exercise.Scale has parameters that parameters= leaves out: b."),
        (lambda cfg: {"b": "d_model"}, "tests.tiny_exercise.Scale has parameters that parameters= leaves out: w."),
    ):
        with pytest.raises(CourseError) as caught:
            prove_against_solution(replace_parameters(parameters), SMALL, made)
        place, _, message = str(caught.value).partition(": ")
        assert place.startswith(f"{HERE}:") and message == said


def replace_parameters(parameters):
    exercise = replace(scale, parameters=parameters, initial={})
    exercise.symbol = "Scale"
    return exercise


def test_the_solution_is_found_by_the_files_name_whoever_runs_it(tmp_path):
    """As a script the module's name is __main__, under pytest's other modes something else."""
    path = tmp_path / "ch77_other.py"
    path.write_text(
        "from utils.checking import Exercise\n"
        "other = Exercise(inputs={'x': ''})\n"
        "@other.test\n"
        "def test_other(other): pass\n"
        "print(other.solution, other.stem, other.symbol)\n"
    )
    run = fresh_python(f"import runpy; runpy.run_path({str(path)!r}, run_name='__main__')")
    assert run.stdout.split() == ["solutions.ch77_other", "ch77_other", "other"]
