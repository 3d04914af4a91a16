"""What can be proved of an exercise when it is declared, with file and line for its author; and small parts of it."""

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from torch import nn

from utils.checking.asking import runs_locally
from utils.checking.declaration import Components, Declaration
from utils.checking.places import Place, calling_place, nearest
from utils.checking.verdict import Failure
from utils.running.kinds import KINDS
from utils.running.libraries import LIBRARIES
from utils.running.settings import allow, is_allowed

ALMOST = 0.85  # how much like a size of the settings an axis may be named: d_modle is above, d_out far below


def default_drive(exercise: Declaration) -> str:
    """The kind of an exercise that names none: a component if it has parameters, else a function of its library."""
    if exercise.parameters is not None:
        return "component"
    library = exercise.library or "torch"
    if library not in LIBRARIES:
        meant = nearest(library, list(LIBRARIES))
        raise exercise.declared_at.mistake(f"there is no library {library!r}{meant} Known are {', '.join(LIBRARIES)}.")
    return LIBRARIES[library].drive


def prove(exercise: Declaration) -> None:
    """Raise CourseError for a declaration that can't be right."""
    place = exercise.declared_at
    if exercise.drive not in KINDS:
        raise place.mistake(f"there is no driver {exercise.drive!r}{nearest(exercise.drive, list(KINDS))}")
    if exercise.settings is not None:
        prove_settings([exercise.settings])
    sizes = exercise.known_settings.sizes
    named = [axis for axes in exercise.inputs.values() for axis in axes.split()]
    for axis in named:
        if axis != "..." and not axis.isidentifier():
            raise place.mistake(f"the axis {axis!r} of an input is not a name; write axes as in 'batch pos d_model'.")
        meant = difflib.get_close_matches(axis, sizes, 1, ALMOST)
        if meant and axis not in sizes:
            unlike = "If it is an axis of its own, give it a name less alike."
            raise place.mistake(f"an input has an axis {axis!r}; did you mean {meant[0]!r}? {unlike}")
    known = [*sizes, *named, *exercise.free_axes.split(), "..."]
    unknown = f"neither an input's nor a size of {_kind_of_settings(exercise)}"
    _prove_axes(place, "the output", exercise.output, known, unknown, " If only the answer knows it: free_axes=.")
    if not callable(exercise.parameters):
        _prove_parameters(exercise, exercise.parameters or {})


def _prove_parameters(exercise: Declaration, parameters: dict[str, str]) -> None:
    place = exercise.declared_at
    sizes, unknown = exercise.known_settings.sizes, f"not a size of {_kind_of_settings(exercise)}"
    for name, axes in parameters.items():
        if exercise.kind.of_settings:
            _prove_axes(place, f"the parameter {name!r}", axes, sizes, unknown)
    for name in {} if callable(exercise.initial) else exercise.initial:
        if name not in parameters:
            raise place.mistake(f"initial= names {name!r}, which is not a parameter{nearest(name, list(parameters))}")


def _kind_of_settings(exercise: Declaration) -> str:
    """Config."""
    small = exercise.known_settings.small
    return "its settings" if small is None or type(small) is dict else type(small).__name__


def prove_settings(arguments: Iterable[Any]) -> None:
    """Let settings among these cross the wall. Raises CourseError, with the line, for those that can't."""
    for value in arguments:
        if not dataclasses.is_dataclass(value) or isinstance(value, type) or is_allowed(type(value)):
            continue
        try:
            allow(type(value))
        except TypeError as error:
            raise calling_place().mistake(str(error)) from None


def _prove_axes(place: Place, what: str, axes: str, known: list[str], unknown: str, way_out: str = "") -> None:
    """Raise CourseError for an axis whose size nobody would know."""
    for axis in axes.split():
        if axis not in known:
            raise place.mistake(f"{what} has an axis {axis!r}, which is {unknown}{nearest(axis, known)}{way_out}")


def prove_against_solution(exercise: Declaration, made_of: Any, parameters: dict[str, Any]) -> None:
    """Raise CourseError when the initial `parameters` of the solution are not those that the exercise declares."""
    declared, where = exercise.axes(made_of), f"{exercise.solution}.{exercise.symbol}"
    for name in declared:
        if name not in parameters:
            message = f"parameters= names {name!r}, which {where} does not have{nearest(name, list(parameters))}"
            raise exercise.declared_at.mistake(message)
    if extra := ", ".join(name for name in parameters if name not in declared):
        raise exercise.declared_at.mistake(f"{where} has parameters that parameters= leaves out: {extra}.")


def prove_call(exercise: Declaration, solution: Any) -> None:
    """Raise CourseError when the solution is not called as the exercise declares."""
    place, where = exercise.declared_at, f"{exercise.solution}.{exercise.symbol}"
    unfit = exercise.kind.unfit(solution)
    if unfit:
        raise place.mistake(f"{where} {unfit}")
    taken = exercise.kind.parameters_of(solution)
    if taken is not None and list(exercise.inputs) != taken[: len(exercise.inputs)]:
        names = f"inputs= names {', '.join(exercise.inputs)}, but {where} takes {', '.join(taken) or 'nothing'}"
        raise place.mistake(f"{names}. Give the same names in the same order.")


def symbol_of(function: Callable[..., None]) -> str:
    """What the learner writes: the test function's first parameter, the only one that is required."""
    place, name = calling_place(), function.__name__
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        takes = "A test function takes what the learner wrote, under its name: def test_layer_norm(LayerNorm)."
        raise place.mistake(f"{name}() has no parameter. {takes}")
    for parameter in parameters[1:]:
        if parameter.default is inspect.Parameter.empty:
            raise place.mistake(f"{name}() must not require {parameter.name}; give it a default, such as None.")
    return parameters[0].name


def misuse(exercise: Declaration, test: str, components: Components, by_name: dict[str, Any]) -> Failure | None:
    """What to say to a learner who called the test function wrongly: without the component, or on something else."""
    call = f"{test}({exercise.symbol})"
    if components or exercise.symbol in by_name:
        reason = _misgiven(components[0] if components else by_name[exercise.symbol], call)
    else:
        reason = f"`{test}()` was called without what it tests: write `{call}`."
    return Failure(call, (reason,), drawn=False) if reason else None


def _misgiven(given: Any, call: str) -> str | None:
    if issubclass(type(given), nn.Module):  # isinstance would look at what may live behind a wall
        return f"it was given an instance, and the test makes its own. Write `{call}`, with the class itself."
    if given is None or given is ...:
        return f"it was given `{'...' if given is ... else given}`: write `{call}`."
    if runs_locally() and not callable(given):
        return f"it was given a value of type {type(given).__name__}, not what the test calls: write `{call}`."
    return None
