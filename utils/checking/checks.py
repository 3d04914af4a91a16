"""The checks: each compares one thing, and raises Mismatch with all there is to say when it does not hold."""

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from utils.checking.comparing import (
    Difference,
    dtype_difference,
    number,
    place,
    shape_difference,
    tensor_difference,
    value_difference,
)
from utils.checking.judging import line, session
from utils.checking.measuring import distance, equal
from utils.checking.trial import Alike, Trial, compare_output, same_if, same_output, trial_of
from utils.config import Config
from utils.running.records import Record


def check_parameters(component: Any, cfg: Config) -> None:
    """A line of its own: the component has exactly the parameters that the exercise names, in their shapes."""
    axes = session().exercise.parameters
    with line("parameters " + ", ".join(f"`{name}` [{names}]" for name, names in axes.items())):
        trial = Trial(cfg, None, ())
        record = trial.of(component)
        got = {name: tuple(value.shape) for name, value in record.parameters.items()}
        sizes = {name: session().sizes(cfg, (), names) for name, names in axes.items()}
        lines = [*_name_lines(set(got), set(sizes)), *_parameter_shape_lines(got, sizes)]
        lines += [
            f"`{name}` is {str(value.dtype).removeprefix('torch.')}, expected float32"
            for name, value in record.parameters.items()
            if value.dtype != torch.float32
        ]
        if lines:
            raise trial.mismatch(
                record,
                Difference(tuple(lines)),
                lambda other: same_if({name: tuple(value.shape) for name, value in other.parameters.items()} == got),
            )


def _name_lines(got: set[str], want: set[str]) -> list[str]:
    lines = [f"`{name}` is missing" for name in sorted(want - got)]
    lines += [f"`{name}` is not a parameter of this component" for name in sorted(got - want)]
    if want - got:
        lines.append("A parameter is an nn.Parameter assigned in __init__ to self under exactly this name.")
    return lines


def _parameter_shape_lines(got: dict[str, tuple], sizes: dict[str, dict[str, int]]) -> list[str]:
    return [
        f"`{name}` has shape {list(got[name])}, expected {place(list(want.values()), ' '.join(want))}"
        for name, want in sizes.items()
        if name in got and got[name] != tuple(want.values())
    ]


def check_initial(component: Any, cfg: Config, **initial: float) -> None:
    """Each named parameter starts with the same given value everywhere."""
    trial = Trial(cfg, None, ())
    record = trial.of(component)
    for name, value in initial.items():
        got = record.parameters[name]
        wrong = got[got != value]
        if wrong.numel():
            said = f"{wrong.numel()} of {got.numel()} values of `{name}` do not start at {value:g}, the first"
            difference = Difference((f"{said} at {number(wrong[0].item())}",))
            raise trial.mismatch(record, difference, functools.partial(_same_parameter, name, got))


def _same_parameter(name: str, got: Tensor, other: Record) -> Alike:
    return distance(got, other.parameters[name]) if name in other.parameters else math.inf


def check_shape(component: Any, *arguments: Any) -> None:
    """The output is a float32 tensor with the axes that the exercise names, sized by the inputs and the config."""
    _formed(trial_of(arguments), component)


def _formed(trial: Trial, component: Any) -> Record:
    """The record of a run whose output has the right shape and dtype. Raises Mismatch when it has not."""
    record = trial.of(component)
    got, sizes = record.output, session().sizes(trial.cfg, trial.inputs, session().exercise.output)
    difference = shape_difference(got, sizes) or dtype_difference(got, torch.float32)
    if difference:
        raise trial.mismatch(record, difference, lambda other: _same_form(got, other.output))
    return record


def _same_form(got: Any, other: Any) -> Alike:
    if isinstance(got, Tensor) and isinstance(other, Tensor):
        return same_if((got.shape, got.dtype) == (other.shape, other.dtype))
    return same_if(equal(got, other))


def check_agrees(component: Any, *arguments: Any, allowed: float = 1e-5) -> None:
    """The output is the reference solution's, within `allowed` (times the largest expected value if above 1)."""
    trial = trial_of(arguments)
    record = trial.of(component)
    compare_output(trial, record, trial.expected().output, session().exercise.output, allowed)


def check_value(component: Any, *arguments: Any, want: Any, allowed: float = 1e-4) -> None:
    """The output is `want`, such as an activation of the reference model, within `allowed` as in check_agrees."""
    trial = trial_of(arguments)
    compare_output(trial, trial.of(component), want, session().exercise.output, allowed)


def check_alone(component: Any, *arguments: Any, axis: str) -> None:
    """Cutting the first input to one index of `axis` leaves that index of the output alone: no index sees another."""
    trial = trial_of(arguments)
    record = _formed(trial, component)
    names = session().exercise.output.split()
    where = names.index(axis)
    first, *others = trial.inputs
    for index in range(first.shape[where]):
        single = _formed(replace(trial, inputs=(first.narrow(where, index, 1), *others)), component).output
        got = record.output.narrow(where, index, 1)
        difference = tensor_difference(got, single, " ".join(names), 1e-5)
        if difference:
            said = (
                f"{axis} {index} gets another answer when the other indices of {axis} are there too",
                *difference.lines[:1],
            )
            alike = lambda other: same_output(record.output, other.output, record.output, 1e-5)  # noqa: E731
            raise trial.mismatch(record, Difference(said, difference.ratio), alike)


def check_repeatable(component: Any, *arguments: Any, before: Sequence[tuple] = ()) -> None:
    """Three calls on the same input give what a fresh one gives, also after calls on the inputs in `before`.

    These come before the weights are loaded, so that nothing kept from them goes unseen, not even rows of a table.
    """
    fresh = trial_of(arguments)
    first = fresh.of(component).output
    trial = replace(fresh, times=3, before=tuple(before))
    record = trial.of(component)
    for output in record.outputs:
        difference = value_difference(output, first, session().exercise.output, 1e-6)
        if difference:
            lines = ("on the same input, a later call gives another answer than the first", *difference.lines[:1])
            said = Difference(lines, difference.ratio)
            mismatch = trial.mismatch(record, said, lambda other: same_if(_differ(*other.outputs[:2])))
            mismatch.advice = (
                mismatch.advice or "Keep nothing from one call to the next: compute it anew from the input."
            )
            raise mismatch


def _differ(one: Any, other: Any) -> bool:
    return value_difference(one, other, "", 1e-6) is not None


def check_inputs_unchanged(component: Any, *arguments: Any) -> None:
    """The inputs hold after the call what they held before, to the last bit."""
    trial = trial_of(arguments)
    record = trial.of(component)
    for name, before, after in zip(session().exercise.inputs, trial.inputs, record.inputs_after, strict=False):
        if isinstance(before, Tensor) and not (before.shape == after.shape and before.equal(after)):
            changed = tensor_difference(after, before, "", 0.0) if before.shape == after.shape else None
            lines = [
                f"`{name}` was modified in place",
                *(changed.lines[:1] if changed else [f"its shape is now {list(after.shape)}"]),
            ]
            advice = "Assign to a new name instead of using +=, -=, a method that ends in _, or out=."
            mismatch = trial.mismatch(record, Difference(tuple(lines)), lambda other: _same_inputs(record, other))
            mismatch.advice = mismatch.advice or advice
            raise mismatch


def _same_inputs(record: Record, other: Record) -> Alike:
    pairs = zip(record.inputs_after, other.inputs_after, strict=True)
    return same_if(all(not isinstance(a, Tensor) or distance(a, b) <= 1e-5 for a, b in pairs))
