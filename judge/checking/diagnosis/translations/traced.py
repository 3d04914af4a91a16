"""Errors of JAX: arrays that never change, numbers that have no value while a function is compiled, shapes."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule

WHOSE = re.compile(r"depends on the value of the argument (\w+)")
TRACED = "Within `jax.jit` and `jax.vmap` arrays have shapes and no values"


def immutable(match: Match, raised: Raised) -> str:
    return (
        "JAX's arrays never change. Make a new one: `jnp.where(condition, x, y)`, or keep what `x.at[index].set(y)` "
        "returns, which leaves `x` as it is."
    )


def condition(match: Match, raised: Raised) -> str:
    return f"{TRACED}: Python's `if` and `while` can't ask for one. Choose value by value with `jnp.where`."


def conversion(match: Match, raised: Raised) -> str:
    return f"{TRACED}, and a function of NumPy asks for values. Stay in JAX: `jnp` in the place of `np`, here too."


def whole_number(match: Match, raised: Raised) -> str:
    static = _of_a_setting(raised)
    if static:
        return static
    return (
        f"{TRACED}: none of them can become Python's own number or an index of a list. Index arrays by arrays, "
        "`table[input_ids]`, and take sizes from shapes, `len(x)`."
    )


def _of_a_setting(raised: Raised) -> str | None:
    """Where it is a plain number that was handed to `jit` among the arrays."""
    whose = WHOSE.search(raised.error.message)
    is_one_number = re.search(r"int32\[\]", raised.error.message)
    if not whose or not is_one_number or raised.of_inputs.get(whose[1]):
        return None
    return (
        f"`{whose[1]}` decides about a shape, and `jax.jit` has taken its value away: name it in `static_argnums` or "
        "`static_argnames`. (The test compiles the function itself: it need not do so.)"
    )


def shape_of_a_setting(match: Match, raised: Raised) -> str | None:
    return _of_a_setting(raised) or f"{TRACED}: take the sizes of a new shape from other shapes, `x.shape` or `len(x)`."


def clash(match: Match, raised: Raised) -> str:
    one, other = (raised.shape(", ".join(re.findall(r"\d{1,15}", shape))) for shape in match.groups())
    return (
        f"These shapes do not fit together: {one} and {other}. Sizes are lined up from the last axis, and only an axis "
        "of size 1 or a new one in front can be stretched."
    )


def product(match: Match, raised: Raised) -> str:
    left, right = (raised.sized(size) for size in match.groups())
    return (
        f"In a matrix product the last axis of the first array, of size {left}, must be as long as the last but one of "
        f"the second, of size {right}: look at which of the two needs `.T`, or another order."
    )


def reshape(match: Match, raised: Raised) -> str:
    before, size, after, asked = match.groups()
    return (
        f"The array has {size} values, in [{before.strip('(),')}], and [{after.strip('(),')}] asks for {asked}: "
        "`reshape` keeps the number of values."
    )


def out_of_axes(match: Match, raised: Raised) -> str:
    axis, ndim, shape = match.groups()
    return (
        f"`vmap` should map over axis {axis}, and this argument has {ndim} axes, [{shape}]. Say for each argument "
        "which axis is mapped, `in_axes=(0, 0, 0, None)`: None is for what is the same every time."
    )


TRACED_RULES: list[Rule] = [
    (r"TypeError: JAX arrays are immutable and do not support in-place item assignment\..*", immutable),
    (r"TracerBoolConversionError: .*", condition),
    (r"TracerArrayConversionError: .*", conversion),
    (r"TracerIntegerConversionError: .*", whole_number),
    (r"ConcretizationTypeError: .*", whole_number),
    (r"TypeError: Shapes must be 1D sequences of concrete values of integer type, .*", shape_of_a_setting),
    (r"TypeError: \w+ got incompatible shapes for broadcasting: (\([\d, ]+\)), (\([\d, ]+\))\.", clash),
    (r"ValueError: Incompatible shapes for broadcasting: (?:shapes=\[)?(\([\d, ]+\)), (\([\d, ]+\))\]?", clash),
    (
        r"TypeError: dot_general requires contracting dimensions to have the same shape, "
        r"got \((\d+),\) and \((\d+),\)\.",
        product,
    ),
    (
        r"TypeError: cannot reshape array of shape (\([\d, ]+\)) \(size (\d+)\) "
        r"into shape (\([\d, ]+\)) \(size (\d+)\)",
        reshape,
    ),
    (
        r"ValueError: vmap was requested to map its argument along axis (\d+), which implies that its rank should be "
        r"at least \d+, but is only (\d+) \(its shape is \(([\d, ]*)\)\)",
        out_of_axes,
    ),
    (
        r"ValueError: vmap got inconsistent sizes for array axes to be mapped:.*",
        "`vmap` maps over one axis of each argument, and these must be equally long. Say which they are: "
        "`in_axes=(0, 0, 0, None)` has None for what is the same every time, such as the mask.",
    ),
    (
        r"TypeError: \w+ requires ndarray or scalar arguments, got <class '(?:list|tuple)'> at position \d+\.",
        "JAX's functions take arrays, and this is a list of them: `jnp.stack(list)` makes one array, with a new axis "
        "in front; `jnp.concatenate` and `jnp.hstack` join.",
    ),
]
