"""Errors of NumPy and JAX: shapes of arrays, numbers without a value in compiled functions, words of torch."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule

WHOSE = re.compile(r"depends on the value of the argument (\w+)")
TRACED = "Within `jax.jit` and `jax.vmap` arrays have shapes and no values"
IN_A_PRODUCT = (
    "In a matrix product the last axis of the first array, of size {left:size}, must be as long as the last but "
    "one of the second, of size {right:size}: look at which of the two needs `.T`, or another order."
)


def other_keyword(match: Match, raised: Raised) -> str | None:
    """torch's word for an argument in a call of NumPy or JAX, such as `keepdim`."""
    word = match[1]
    own = raised.library.keywords.get(word)
    if own is None or not raised.says(rf"\b{word}\s*="):
        return None
    return f"`{word}` is torch's word. {raised.library.called} calls this argument `{own}`."


def whole_number(match: Match, raised: Raised) -> str:
    static = _of_a_setting(raised)
    if static:
        return static
    return (
        f"{TRACED}: none of them can become Python's own number or an index of a list. Index arrays by "
        "arrays, `table[input_ids]`, and take sizes from shapes, `len(x)`."
    )


def _of_a_setting(raised: Raised) -> str | None:
    """Where it is a plain number that was handed to `jit` among the arrays."""
    whose = WHOSE.search(raised.error.message)
    is_one_number = re.search(r"int32\[\]", raised.error.message)
    if not whose or not is_one_number or raised.of_inputs.get(whose[1]):
        return None
    return (
        f"`{whose[1]}` decides about a shape, and `jax.jit` has taken its value away: name it in "
        "`static_argnums` or `static_argnames`. (The test compiles the function itself: it need not do so.)"
    )


def shape_of_a_setting(match: Match, raised: Raised) -> str | None:
    return _of_a_setting(raised) or f"{TRACED}: take the sizes of a new shape from other shapes, `x.shape` or `len(x)`."


ARRAY_RULES: list[Rule] = [
    Rule(
        r"(?:ValueError: operands could not be broadcast together with shapes|"
        r"TypeError: \w+ got incompatible shapes for broadcasting:|"
        r"ValueError: Incompatible shapes for broadcasting:) (?:shapes=\[)?(\([\d, ]+\)),? (\([\d, ]+\))"
        r"[].]? ?",
        "These shapes do not fit together: {1:array} and {2:array}. Sizes are lined up from the last axis, and only an "
        "axis of size 1 or a new one in front can be stretched.",
        case={
            "NumPy: np.ones((2, 5)) + np.ones(3)": "[2, 5] (`batch pos`) … [3]",
            "JAX: TypeError: add got incompatible shapes for broadcasting: (2, 5), (3,).": "[2, 5] (`batch pos`) … [3]",
            (
                "JAX: ValueError: Incompatible shapes for broadcasting: shapes=[(2, 5), (3,)]"
            ): "[2, 5] (`batch pos`) … [3]",
        },
        near="NumPy: torch.ones(2, 5) + torch.ones(3)",
    ),
    Rule(
        r"ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0, .* "
        r"\(size (?P<right>\d+) is different from (?P<left>\d+)\)",
        IN_A_PRODUCT,
        case={"NumPy: np.ones((2, 5)) @ np.ones((3, 4))": "5 (`pos`) … 3"},
        near="NumPy: torch.ones(2, 5) @ torch.ones(3, 4)",
    ),
    Rule(
        r"ValueError: shapes .* not aligned: (?P<left>\d+) \(dim \d+\) != (?P<right>\d+) \(dim \d+\)",
        IN_A_PRODUCT,
        case={"NumPy: np.dot(np.ones((2, 5)), np.ones((3, 4)))": "5 (`pos`) … 3"},
        near="NumPy: torch.ones(2, 5) @ torch.ones(3, 4)",
    ),
    Rule(
        r"(?:numpy\.exceptions\.)?AxisError: axis (-?\d+) is out of bounds for array of dimension (\d+)",
        "There is no axis {1} in an array with {2} axes: they are numbered from 0, or from -1 at the end.",
        case={"NumPy: np.ones((2, 5)).sum(axis=3)": "3 … 2"},
        near="NumPy: torch.ones(2, 5).sum(axis=3)",
    ),
    Rule(
        r"TypeError: \w+\(\) got an unexpected keyword argument '(\w+)'.*",
        other_keyword,
        case={
            "NumPy: np.ones(3).sum(dim=-1)": "NumPy … axis",
            "NumPy: np.mean(np.ones(3), axis=0, keepdim=True)": "keepdim … NumPy … keepdims",
        },
        near="NumPy: np.triu(np.ones((3, 3)), offset=1)",
    ),
    Rule(
        r"ValueError: The truth value of an array with more than one element is ambiguous\..*",
        "`if`, `and`, `or` and `not` need one yes or no, and an array gives one for each value: choose value by value "
        "with `np.where`, or ask `.all()` or `.any()`.",
        case="NumPy: bool(np.ones(3))",
        near="NumPy: bool(torch.ones(3))",
    ),
    Rule(
        r"TypeError: JAX arrays are immutable and do not support in-place item assignment\..*",
        "JAX's arrays never change. Make a new one: `jnp.where(condition, x, y)`, or keep what `x.at[index].set(y)` "
        "returns, which leaves `x` as it is.",
        case=(
            "JAX: TypeError: JAX arrays are immutable and do not support in-place item assignment. "
            "Instead of x[idx] = y, use ..."
        ),
        near="JAX: (1, 2)[0] = 3",
    ),
    Rule(
        r"TracerBoolConversionError: .*",
        "Within `jax.jit` and `jax.vmap` arrays have shapes and no values: Python's `if` and `while` can't ask for "
        "one. Choose value by value with `jnp.where`.",
        case="JAX: TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].",
        near="JAX: ValueError: Attempted boolean conversion",
    ),
    Rule(
        r"TracerArrayConversionError: .*",
        "Within `jax.jit` and `jax.vmap` arrays have shapes and no values, and a function of NumPy asks for values. "
        "Stay in JAX: `jnp` in the place of `np`, here too.",
        case=(
            "JAX: TracerArrayConversionError: The numpy.ndarray conversion method __array__() was called "
            "on traced array"
        ),
        near="JAX: ValueError: The numpy.ndarray conversion method",
    ),
    Rule(
        r"TracerIntegerConversionError: .*",
        whole_number,
        case={
            (
                "JAX: TracerIntegerConversionError: The __index__() method was called on traced array with "
                "shape int32[5]."
            ): "Within `jax.jit`",
            (
                "JAX: TracerIntegerConversionError: The __index__() method was called on traced array with "
                "shape int32[]. It depends on the value of the argument n_heads."
            ): "`n_heads` decides",
        },
        near="JAX: ValueError: The __index__() method was called",
    ),
    Rule(
        r"ConcretizationTypeError: .*",
        whole_number,
        case={
            (
                "JAX: ConcretizationTypeError: A concrete value is expected: traced array with shape int32[]\n"
                "This value depends on the value of the argument tokens."
            ): "Within `jax.jit`",
            (
                "JAX: ConcretizationTypeError: A concrete value is expected: traced array with shape int32[]\n"
                "This value depends on the value of the argument n_heads."
            ): "`n_heads` decides",
        },
        near="JAX: ValueError: A concrete value is expected",
    ),
    Rule(
        r"TypeError: Shapes must be 1D sequences of concrete values of integer type, .*",
        shape_of_a_setting,
        case={
            (
                "JAX: TypeError: Shapes must be 1D sequences of concrete values of integer type, got (5, "
                "JitTracer(~int32[]))."
            ): "Within `jax.jit`",
            (
                "JAX: TypeError: Shapes must be 1D sequences of concrete values of integer type, got int32[].\n"
                "It depends on the value of the argument n_heads"
            ): "`n_heads` decides",
        },
        near="JAX: TypeError: Shapes must be something else",
    ),
    Rule(
        r"TypeError: dot_general requires contracting dimensions to have the same shape, "
        r"got \((?P<left>\d+),\) and \((?P<right>\d+),\)\.",
        IN_A_PRODUCT,
        case={
            (
                "JAX: TypeError: dot_general requires contracting dimensions to have the same shape, got (5,) and (3,)."
            ): "5 (`pos`) … 3"
        },
        near="JAX: TypeError: dot_general requires something else",
    ),
    Rule(
        r"TypeError: cannot reshape array of shape \(([\d, ]+?),?\) \(size (\d+)\) "
        r"into shape \(([\d, ]+?),?\) \(size (\d+)\)",
        "The array has {2} values, in [{1}], and [{3}] asks for {4}: `reshape` keeps the number of values.",
        case={
            (
                "JAX: TypeError: cannot reshape array of shape (3, 3) (size 9) into shape (4, 2) (size 8)"
            ): "9 … 3, 3 … 4, 2 … 8"
        },
        near="JAX: TypeError: cannot reshape array of shape (3, 3) (size 9)",
    ),
    Rule(
        r"ValueError: vmap was requested to map its argument along axis (\d+), which implies that its rank should be "
        r"at least \d+, but is only (\d+) \(its shape is \(([\d, ]*)\)\)",
        "`vmap` should map over axis {1}, and this argument has {2} axes, [{3}]. Say for each argument which axis is "
        "mapped, `in_axes=(0, 0, 0, None)`: None is for what is the same every time.",
        case={
            (
                "JAX: ValueError: vmap was requested to map its argument along axis 3, which implies that "
                "its rank should be at least 4, but is only 2 (its shape is (3, 3))"
            ): "3 … 2 … 3, 3"
        },
        near="JAX: ValueError: vmap was requested to map its argument",
    ),
    Rule(
        r"ValueError: vmap got inconsistent sizes for array axes to be mapped:.*",
        "`vmap` maps over one axis of each argument, and these must be equally long. Say which they are: `in_axes=(0, "
        "0, 0, None)` has None for what is the same every time, such as the mask.",
        case=(
            "JAX: ValueError: vmap got inconsistent sizes for array axes to be mapped:\n"
            "  * one axis had size 5\n  * another had size 3"
        ),
        near="JAX: ValueError: vmap got tired",
    ),
    Rule(
        r"TypeError: \w+ requires ndarray or scalar arguments, got <class '(?:list|tuple)'> at position \d+\.",
        "JAX's functions take arrays, and this is a list of them: `jnp.stack(list)` makes one array, with a new axis "
        "in front; `jnp.concatenate` and `jnp.hstack` join.",
        case="JAX: TypeError: sum requires ndarray or scalar arguments, got <class 'list'> at position 0.",
        near="JAX: TypeError: sum requires something else",
    ),
]
