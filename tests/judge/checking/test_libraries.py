"""The library that an exercise is written with: which names are foreign, which errors are told, which edits belong."""

import ast

import numpy as np
import pytest
import torch

from judge.checking import Exercise
from judge.checking.diagnosis.translations import translate
from judge.checking.diagnosis.translations.raised import Raised
from judge.edits.candidates import edits
from judge.edits.operators import REPAIRING
from judge.edits.vocabulary import Vocabulary
from judge.repairing import find_repair
from judge.running.libraries import JAX, LIBRARIES, NUMPY, PYTHON, TORCH
from judge.running.records import Frame, LearnerError
from tests.judge.checking.kinds import counting, mask, numpy_mlp
from utils.course import CourseError

SHAPES = {"x": {"pos": 2, "d_model": 5}}


def declared(**said):
    return Exercise(**{"inputs": {"x": ""}, "solution": __name__} | said)


def test_who_says_nothing_writes_with_torch_where_there_are_axes():
    assert mask.exercise.written_with is TORCH
    assert counting.exercise.written_with is PYTHON
    assert numpy_mlp.exercise.written_with is NUMPY
    assert declared().written_with is PYTHON
    assert declared(inputs={"x": "pos d_model"}).written_with is TORCH
    assert declared(output="pos", inputs={"x": "pos"}, library="python").written_with is PYTHON
    assert declared(parameters={}).written_with is TORCH


def test_a_function_of_numpy_gets_arrays():
    assert declared(inputs={"x": "pos"}, library="numpy").drive == "numpy_arrays"
    assert declared(inputs={"x": "pos"}, library="jax").drive == "jax_arrays"
    assert declared(inputs={"x": "pos"}, library="python").drive == "function"


def test_a_library_that_can_not_be_is_refused_with_the_line():
    said = "there is no library 'nunpy'; did you mean 'numpy'? Known are torch, numpy, jax, python."
    with pytest.raises(CourseError, match=r"test_libraries\.py:\d+: ") as refused:
        declared(library="nunpy")
    assert str(refused.value).endswith(said)


def told(error, library, line="", function="f"):
    frames = [Frame("your cell", 1, function, line)]
    return translate(Raised(LearnerError(type(error).__name__, str(error), frames), SHAPES, library=library))


def raised(work):
    with pytest.raises(Exception) as error:
        work()
    return error.value


@pytest.mark.parametrize(
    ("name", "library", "said"),
    [
        ("np", TORCH, "`np` is NumPy, and the tensors here are torch's: use torch's own function, or indexing."),
        ("np", NUMPY, "Nothing is called `np` yet: run `import numpy as np` first."),
        ("torch", NUMPY, "`torch` is PyTorch, and the arrays here are NumPy's: use NumPy's own function, or indexing."),
        ("jnp", JAX, "Nothing is called `jnp` yet: run `import jax.numpy as jnp` first."),
        (
            "np",
            PYTHON,
            "`np` is NumPy, and nothing but Python's own values is needed here: use a loop, or one of Python's "
            "functions.",
        ),
    ],
)
def test_a_name_is_foreign_by_the_library(name, library, said):
    assert told(NameError(f"name '{name}' is not defined"), library) == said


def test_a_function_that_the_library_has_is_named():
    error = NameError("name 'tril' is not defined")
    assert told(error, TORCH, "tril(x)") == "Nothing is called `tril` here; torch has one: `torch.tril`."
    assert told(error, NUMPY, "tril(x)") == "Nothing is called `tril` here; numpy has one: `np.tril`."
    assert "has one" not in told(error, PYTHON, "tril(x)")


@pytest.mark.parametrize(
    ("work", "line"),
    [
        (lambda: np.ones(3).sum(dim=-1), "helper(x)"),  # where the learner's own line has no such word
        (lambda: np.triu(np.ones((3, 3)), offset=1), "np.triu(x, offset=1)"),
        (lambda: torch.ones(2, 5) + torch.ones(3), ""),
    ],
)
def test_what_is_no_word_of_torch_is_left_alone(work, line):
    assert told(raised(work), NUMPY, line) is None


def test_the_sign_of_an_array_is_named_as_of_a_tensor():
    card = str(numpy_mlp.exercise.judge(lambda x, params: -numpy_mlp.mlp_numpy(x, params)))
    assert "The sign is wrong everywhere." in card


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_edits_bring_in_nothing_of_another_library(library):
    words = Vocabulary(attributes=[], inputs={"x": []}, keywords={"mean": ["keepdims=True"]}, library=library)
    code = "def f(x):\n    rows = [x.mean(axis=0), math.sqrt(2)]\n    return np.exp(x) + torch.exp(x)"
    written = [edit.after for edit in edits(ast.parse(code), words, REPAIRING)]
    before = set(code.replace(".", " ").replace("(", " ").split())
    foreign = {word for text in written for word in library.foreign_words if word in text.split(".")}
    assert written and foreign <= before
    assert ("np" in written) == (library is NUMPY)
    assert any("keepdim=" in text for text in written) == library.has_tensors


@pytest.mark.slow
def test_a_slip_in_numpy_is_mended_with_numpy(unhurried):
    cell = """
def mlp_numpy(x, params):
    wide = x @ params["c_fc.weight"] + params["c_fc.bias"]
    active = 0.5 * wide * (1 - np.tanh(np.float32(np.sqrt(2 / np.pi)) * (wide + np.float32(0.044715) * wide**3)))
    return active @ params["c_proj.weight"] + params["c_proj.bias"]
"""
    names = {"np": np}
    exec(cell, names)
    verdict = numpy_mlp.exercise.judge(names["mlp_numpy"])
    repair = find_repair(numpy_mlp.exercise, verdict, cell, names)
    assert repair and repair.after.startswith("1 + np.tanh")
