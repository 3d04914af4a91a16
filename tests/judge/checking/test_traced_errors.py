"""Errors of JAX in a learner's terms, by their words: JAX itself need not be here."""

import pytest

from judge.checking.diagnosis.translations import translate
from judge.checking.diagnosis.translations.raised import Raised
from judge.running.libraries import JAX, NUMPY
from judge.running.records import Frame, LearnerError
from tests.judge.checking.test_libraries import SHAPES

TRACED = (
    "\nThe error occurred while tracing the function f at your cell:1 for jit. This concrete value was not available "
)
OF = (
    TRACED
    + "in Python because it depends on the value of the argument {}.\nSee https://docs.jax.dev/en/latest/errors.html"
)
COMPILES = "Within `jax.jit` and `jax.vmap` arrays have shapes and no values"


def told(kind, message, library=JAX):
    error = LearnerError(kind, message, [Frame("your cell", 1, "f", "")])
    return translate(Raised(error, SHAPES, library=library))


@pytest.mark.parametrize(
    ("kind", "message", "begins"),
    [
        (
            "TypeError",
            "JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use ...",
            "JAX's arrays never change. Make a new one: `jnp.where(condition, x, y)`, or keep what",
        ),
        (
            "TracerBoolConversionError",
            "Attempted boolean conversion of traced array with shape bool[]." + OF.format("params.W_e"),
            f"{COMPILES}: Python's `if` and `while` can't ask for one.",
        ),
        (
            "TracerArrayConversionError",
            "The numpy.ndarray conversion method __array__() was called on traced array with shape float32[3,3]"
            + OF.format("params.W_e"),
            f"{COMPILES}, and a function of NumPy asks for values. Stay in JAX: `jnp` in the place of `np`",
        ),
        (
            "ConcretizationTypeError",
            "Abstract tracer value encountered where concrete value is expected: traced array with shape int32[]\nThe "
            "problem arose with the `int` function." + OF.format("x"),
            f"{COMPILES}: none of them can become Python's own number or an index of a list.",
        ),
        (
            "ConcretizationTypeError",
            "Abstract tracer value encountered where concrete value is expected: traced array with shape int32[]\nin "
            "jax.numpy.split argument 1" + OF.format("n_heads"),
            "`n_heads` decides about a shape, and `jax.jit` has taken its value away: name it in `static_argnums`",
        ),
        (
            "TypeError",
            "Shapes must be 1D sequences of concrete values of integer type, got (5, 3, JitTracer(~int32[]), -1).\nIf "
            "using `jit`, try using `static_argnums`" + OF.format("n_heads"),
            "`n_heads` decides about a shape",
        ),
        (
            "TypeError",
            "add got incompatible shapes for broadcasting: (2, 5), (3,).",
            "These shapes do not fit together: [2, 5] (`pos d_model`) and [3].",
        ),
        (
            "TypeError",
            "dot_general requires contracting dimensions to have the same shape, got (5,) and (3,).",
            "In a matrix product the last axis of the first array, of size 5 (`d_model`), must be as long as the last",
        ),
        (
            "TypeError",
            "cannot reshape array of shape (3, 3) (size 9) into shape (4, 2) (size 8)",
            "The array has 9 values, in [3, 3], and [4, 2] asks for 8: `reshape` keeps the number of values.",
        ),
        (
            "ValueError",
            "vmap was requested to map its argument along axis 3, which implies that its rank should be at least 4, "
            "but is only 2 (its shape is (3, 3))",
            "`vmap` should map over axis 3, and this argument has 2 axes, [3, 3].",
        ),
        (
            "ValueError",
            "vmap got inconsistent sizes for array axes to be mapped:\n  * one axis had size 5\n  * another had size 3",
            "`vmap` maps over one axis of each argument, and these must be equally long.",
        ),
        (
            "TypeError",
            "sum requires ndarray or scalar arguments, got <class 'list'> at position 0.",
            "JAX's functions take arrays, and this is a list of them: `jnp.stack(list)` makes one array",
        ),
    ],
)
def test_errors_of_jax_are_told(kind, message, begins):
    assert (told(kind, message) or "").startswith(begins)


def test_what_is_no_error_of_jax_is_not_taken_for_one():
    assert told("TypeError", "sum requires something else") is None
    assert told("ValueError", "vmap got tired", NUMPY) is None
