"""What can be proved of an exercise when it is declared, with file and line for its author; and small parts of it."""

import dataclasses
import difflib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from utils.checking.verdict import Failure
from utils.config import Config
from utils.course import CourseError
from utils.running.drivers import DRIVERS

if TYPE_CHECKING:
    from utils.checking.exercise import Exercise

SIZES = [field.name for field in dataclasses.fields(Config) if field.type is int or field.type == "int"]
_OWN = str(Path(__file__).parent)


@dataclasses.dataclass(frozen=True)
class Place:
    """A line of an author's file."""

    path: Path
    line: int

    def mistake(self, message: str) -> CourseError:
        return CourseError.at(self.path, self.line, message)


def calling_place() -> Place:
    """The line outside utils.checking from which this was called."""
    frame = sys._getframe(1)
    while frame.f_back and (frame.f_code.co_filename.startswith((_OWN, "<string>"))):
        frame = frame.f_back
    return Place(Path(frame.f_code.co_filename), frame.f_lineno)


def prove(exercise: "Exercise") -> None:
    """Raise CourseError for a declaration that can't be right."""
    place = exercise.declared_at
    if exercise.drive not in DRIVERS:
        raise place.mistake(f"there is no driver {exercise.drive!r}{_nearest(exercise.drive, list(DRIVERS))}.")
    known = [*SIZES, *(axis for axes in exercise.inputs.values() for axis in axes.split())]
    for what, axes in (("the output", exercise.output), *_parameter_axes(exercise)):
        for axis in axes.split():
            if axis not in known and axis not in exercise.free_axes.split() and axis != "...":
                raise place.mistake(
                    f"{what} has an axis {axis!r}, which is neither an input's nor a size of Config"
                    f"{_nearest(axis, known)}. An axis that only the answer knows belongs into free_axes."
                )
    for axis in (axis for axes in exercise.inputs.values() for axis in axes.split() if axis != "..."):
        if not axis.isidentifier():
            raise place.mistake(f"the axis {axis!r} of an input is no name; write axes as in 'batch pos d_model'.")
    names = dict(exercise.parameters) if isinstance(exercise.parameters, dict) else {}
    for name in exercise.initial:
        if names and name not in names:
            raise place.mistake(f"initial= names {name!r}, which is no parameter{_nearest(name, list(names))}.")


def _parameter_axes(exercise: "Exercise") -> list[tuple[str, str]]:
    if not isinstance(exercise.parameters, dict):
        return []
    return [(f"the parameter {name!r}", axes) for name, axes in exercise.parameters.items()]


def prove_against_solution(exercise: "Exercise", solution: Any, parameters: dict[str, Any]) -> None:
    """Raise CourseError when the solution's initial `parameters` are not those that the exercise declares."""
    if exercise.parameters is None:
        return
    declared = set(exercise.axes(Config()))
    if callable(exercise.parameters) or declared == set(parameters):
        return
    for name in sorted(declared - set(parameters)):
        raise exercise.declared_at.mistake(
            f"parameters= names {name!r}, which {exercise.solution}.{exercise.symbol} does not have"
            f"{_nearest(name, list(parameters))}."
        )
    extra = ", ".join(sorted(set(parameters) - declared))
    raise exercise.declared_at.mistake(
        f"{exercise.solution}.{exercise.symbol} has parameters that parameters= leaves out: {extra}. Name their axes."
    )


def symbol_of(function: Callable) -> str:
    """What the learner writes: the test function's first parameter, the only one that is required."""
    path, line = Path(inspect.getsourcefile(function) or "?"), function.__code__.co_firstlineno
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        message = "takes what the learner wrote, under its name: def test_layer_norm(LayerNorm)."
        raise CourseError.at(path, line, f"{function.__name__}() has no parameter. A test function {message}")
    for parameter in parameters[1:]:
        if parameter.default is inspect.Parameter.empty:
            raise CourseError.at(
                path, line, f"{function.__name__}() must not require {parameter.name}; give it a default, such as None."
            )
    return parameters[0].name


def misuse(exercise: "Exercise", test: str, components: tuple, by_name: dict[str, Any]) -> Failure | None:
    """What to say to a learner who called the test function wrongly: without the component, or on an instance."""
    symbol = exercise.symbol
    given = components[0] if components else by_name.get(symbol)
    if not components and symbol not in by_name:
        return Failure(
            f"{test}({symbol})", (f"`{test}()` was called without what it tests: write `{test}({symbol})`.",)
        )
    if isinstance(given, nn.Module):
        said = f"it was given an instance, with its weights made; the test makes its own. Write `{test}({symbol})`."
        return Failure(f"{test}({symbol})", (said,))
    if given is None or given is ...:
        return Failure(f"{test}({symbol})", (f"it was given `{given}`: write `{test}({symbol})`.",))
    return None


def given_class(parameters: dict[str, str], initial: dict[str, float]) -> type[nn.Module]:
    """The class that a misconception's `forward` is put into: it has the parameters, with their initial values."""

    class Given(nn.Module):
        def __init__(self, cfg: Config):
            super().__init__()
            self.cfg = cfg
            for name, axes in parameters.items():
                shape = [getattr(cfg, axis) for axis in axes.split()]
                value = torch.full(shape, initial[name]) if name in initial else torch.randn(shape) * cfg.init_range
                setattr(self, name, nn.Parameter(value))

    return Given


def _nearest(word: str, known: list[str]) -> str:
    """`; did you mean 'd_model'?`, or nothing."""
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else ""
