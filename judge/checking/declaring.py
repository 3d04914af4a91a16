"""Proofs of an exercise's declaration, made at once, with file and line for its author; and small parts of it."""

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from typing import Any, cast

from judge.checking.asking import runs_locally
from judge.checking.declaration import Components, Declaration
from judge.checking.places import Place, calling_place, did_you_mean
from judge.checking.verdict import Failure
from judge.running.kinds import KINDS
from judge.running.libraries import LIBRARIES
from judge.running.on_demand import Module
from judge.running.settings import allow, factors_of, is_allowed
from judge.running.spelling import CERTAIN, nearest


def default_drive(exercise: Declaration) -> str:
    """The kind of an exercise that names none: a component if it has parameters, else a function of its library."""
    if exercise.parameters is not None:
        return "component"
    library = exercise.library or "torch"
    if library not in LIBRARIES:
        meant = did_you_mean(library, list(LIBRARIES))
        known = ", ".join(LIBRARIES)
        raise exercise.declared_at.mistake(f"there is no library {library!r}{meant} Known are {known}.")
    return LIBRARIES[library].drive


def prove(exercise: Declaration) -> None:
    """Raise CourseError for a declaration that can't be right."""
    place = exercise.declared_at
    if exercise.drive not in KINDS:
        meant = did_you_mean(exercise.drive, list(KINDS))
        raise place.mistake(f"there is no driver {exercise.drive!r}{meant}")
    if exercise.settings is not None:
        prove_settings([exercise.settings])
    sizes = exercise.known_settings.sizes
    named = [axis for axes in exercise.inputs.values() for axis in axes.split()]
    for axis in named:
        _prove_axis_of_input(place, axis, sizes)
    known = [*sizes, *named, *exercise.free_axes.split(), "..."]
    unknown = f"neither an input's nor a size of {_kind_of_settings(exercise)}"
    way_out = " If only the answer knows it: free_axes=."
    _prove_axes(place, "the output", exercise.output, known, unknown, way_out)
    if not callable(exercise.parameters):
        _prove_parameters(exercise, exercise.parameters or {})


def _prove_axis_of_input(place: Place, axis: str, sizes: list[str]) -> None:
    """Raise CourseError for an axis of an input that is no name, or a size of the settings mistyped."""
    if axis in ("...", *sizes):
        return
    if not axis.isidentifier():
        form = "write axes as in 'batch pos d_model'."
        raise place.mistake(f"the axis {axis!r} of an input is not a name; {form}")
    meant = nearest(axis, sizes, CERTAIN, guess=True)
    if meant:
        unlike = "If it is an axis of its own, give it a name less alike."
        raise place.mistake(f"an input has an axis {axis!r}; did you mean {meant!r}? {unlike}")


def _prove_parameters(exercise: Declaration, parameters: dict[str, str]) -> None:
    place = exercise.declared_at
    sizes = exercise.known_settings.sizes
    unknown = f"not a size of {_kind_of_settings(exercise)}"
    for name, axes in parameters.items():
        if exercise.kind.of_settings:
            _prove_axes(place, f"the parameter {name!r}", axes, sizes, unknown)
    if callable(exercise.initial):
        return
    for name in exercise.initial:
        if name not in parameters:
            meant = did_you_mean(name, list(parameters))
            raise place.mistake(f"initial= names {name!r}, which is not a parameter{meant}")


def _kind_of_settings(exercise: Declaration) -> str:
    """Config."""
    small = exercise.known_settings.small
    if small is None or type(small) is dict:
        return "its settings"
    return type(small).__name__


def prove_settings(arguments: Iterable[Any]) -> None:
    """Let settings among these cross the wall. Raises CourseError, with the line, for those that can't."""
    for value in arguments:
        kind = cast(type[object], type(value))
        if not _are_settings(value) or is_allowed(kind):
            continue
        try:
            allow(kind)
        except TypeError as error:
            raise calling_place().mistake(str(error)) from None


def _are_settings(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _prove_axes(place: Place, what: str, axes: str, known: list[str], unknown: str, way_out: str = "") -> None:
    """Raise CourseError for an axis whose size nobody would know."""
    factors = [name for axis in axes.split() for name in ([axis] if axis in known else factors_of(axis))]
    for axis in factors:
        if axis not in known:
            meant = did_you_mean(axis, known)
            raise place.mistake(f"{what} has an axis {axis!r}, which is {unknown}{meant}{way_out}")


def prove_against_solution(exercise: Declaration, made_of: Any, parameters: dict[str, Any]) -> None:
    """Raise CourseError when the initial `parameters` of the solution are not those that the exercise declares."""
    place = exercise.declared_at
    where = f"{exercise.solution}.{exercise.symbol}"
    declared = exercise.axes(made_of)
    for name in declared:
        if name not in parameters:
            meant = did_you_mean(name, list(parameters))
            raise place.mistake(f"parameters= names {name!r}, which {where} does not have{meant}")
    if extra := ", ".join(name for name in parameters if name not in declared):
        raise place.mistake(f"{where} has parameters that parameters= leaves out: {extra}.")


def prove_call(exercise: Declaration, solution: Any) -> None:
    """Raise CourseError when the solution is not called as the exercise declares."""
    place = exercise.declared_at
    where = f"{exercise.solution}.{exercise.symbol}"
    unfit = exercise.kind.unfit(solution)
    if unfit:
        raise place.mistake(f"{where} {unfit}")
    taken = exercise.kind.parameters_of(solution)
    if taken is None:
        return
    declared = list(exercise.inputs)
    if declared != taken[: len(declared)]:
        takes = ", ".join(taken) or "nothing"
        names = f"inputs= names {', '.join(declared)}, but {where} takes {takes}"
        raise place.mistake(f"{names}. Give the same names in the same order.")


def symbol_of(function: Callable[..., None]) -> str:
    """The learner's component: the test function's first parameter, the only one that is required."""
    place = calling_place()
    name = function.__name__
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        takes = "A test function takes what the learner wrote, under its name"
        example = "def test_layer_norm(LayerNorm)."
        raise place.mistake(f"{name}() has no parameter. {takes}: {example}")
    for parameter in parameters[1:]:
        if parameter.default is inspect.Parameter.empty:
            way_out = "give it a default, such as None."
            raise place.mistake(f"{name}() must not require {parameter.name}; {way_out}")
    return parameters[0].name


def misuse(exercise: Declaration, test: str, components: Components, by_name: dict[str, Any]) -> Failure | None:
    """What to say to a learner who called the test function wrongly: without the component, or on something else."""
    call = f"{test}({exercise.symbol})"
    given = [*components, *by_name.values()]
    if not components and exercise.symbol not in by_name:
        reason = f"`{test}()` was called without what it tests: write `{call}`."
    else:
        reason = _misgiven(by_name.get(exercise.symbol, given[0]), call)
    return Failure(call, (reason,), drawn=False) if reason else None


def _misgiven(given: Any, call: str) -> str | None:
    if issubclass(type(given), Module):  # isinstance would look at what may live behind a wall
        what = "it was given an instance, and the test makes its own"
        return f"{what}. Write `{call}`, with the class itself."
    if given is ...:
        return f"it was given `...`: write `{call}`."
    if given is None:
        return f"it was given `None`: write `{call}`."
    if runs_locally() and not callable(given):
        kind = type(given).__name__
        return f"it was given a value of type {kind}, not what the test calls: write `{call}`."
    return None
