"""Checks of what must not matter: neighbours, the future, earlier calls, and of inputs that must not change."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from utils.checking.asking import ask
from utils.checking.checks.outputs import formed, numbers_of, same_output
from utils.checking.comparing import value_difference
from utils.checking.diagnosis.explaining import mismatch
from utils.checking.diagnosis.numbers import value_clue
from utils.checking.measuring import distance
from utils.checking.places import calling_place, nearest
from utils.checking.session import Mismatch, session
from utils.checking.tensors import number_difference
from utils.checking.trial import Trial, check, trial_of
from utils.checking.wording import Difference
from utils.running.records import Record, Unchanged

ANOTHER_NAME = "Assign to a new name instead of `+=`, `-=`, `x[...] =`, a method that ends in `_`, or `out=`."
A_COPY = (
    "`pop`, `del`, `append`, `sort` and their like change what the caller still holds: read from it, or work on a copy."
)
SAME = 1e-6  # what two calls on the same input may differ by
CUT = 1e-5  # what an index may change by when others are cut off: sums run in another order
LATER = "on the same input, a later call gives another answer than the first"
AFTER_SEEDING = "after `torch.manual_seed`, a later call gives another answer than the first"
ANEW = "on the same input, with the same weights, another run of your code gives another answer"
KEEP_NOTHING = "Keep nothing from one call to the next: compute it anew from the input."
KEPT_DEFAULT = " A default such as `found=[]` is made once, and kept: make the list inside the function."
RUNS_OVER = (
    "No index of `{0}`, axis {1}, should matter to another: look for an operation with `dim={1}` or without `dim`, for "
    "an index or a loop that picks some of them, for axes that line up wrongly, or for the size of `{0}`, or a count "
    "along it, that is used as a number."
)
NO_CHANCE = (
    "The answer depends on random numbers: something in it is drawn anew in each call, such as dropout or a table made "
    "in `forward`. What is learned is made once, in `__init__`."
)

OTHER_CHANCE = (
    "Not all of its random numbers are torch's: draw with `torch.multinomial` or `torch.rand`, not with `random` or "
    "NumPy, and make no generator of your own."
)
NO_CHANCE_ONCE = (
    "The answer depends on random numbers that are drawn once and are no parameter. What is learned is an "
    "`nn.Parameter`; nothing else may be random."
)


@check
def check_alone(component: Any, *arguments: Any, axis: str, **options: Any) -> None:
    """Cutting the first input to one index of `axis` leaves that index of the output alone: no index sees another."""
    trial = trial_of(arguments, options)
    names = session().exercise.output.split()
    first, *others = trial.inputs
    inward, where = _where(axis)
    end = first.shape[inward]
    cuts = [trial.on(first.narrow(inward, index, 1).clone(), *others) for index in range(end)]
    for cut in cuts:  # all are asked before any is looked at
        cut.ask(component)
    record = formed(trial, component)
    for index, cut in enumerate(cuts):
        single = numbers_of(formed(cut, component))
        got = numbers_of(record).narrow(where, index, 1)
        difference = number_difference(got, single, names, CUT)
        if difference:
            heading = f"{axis} {index} gets another answer when the other indices of {axis} are there too"
            advice = value_clue(numbers_of(record), trial.right().output, trial.output_sizes)
            advice = advice or RUNS_OVER.format(axis, inward)
            raise _dependent(component, trial, record, (heading, *difference.lines[:1]), difference, advice)


def _where(axis: str) -> tuple[int, int]:
    """Which axis of the first input this is, and which of the output. Raises CourseError if it is none of one."""
    exercise = session().exercise
    first = next(iter(exercise.inputs))
    for what, axes in ((f"`{first}`", exercise.inputs[first].split()), ("the output", exercise.output.split())):
        if axis not in axes:
            raise calling_place().mistake(f"{what} [{' '.join(axes)}] has no axis {axis!r}{nearest(axis, axes)}")
    return exercise.inputs[first].split().index(axis), exercise.output.split().index(axis)


@check
def check_causal(component: Any, *arguments: Any, axis: str = "pos", **options: Any) -> None:
    """Changing the first input at later indices of `axis` changes no earlier index of the output."""
    trial = trial_of(arguments, options)
    first, *others = trial.inputs
    inward, outward = _where(axis)
    changed = [trial.on(_other_from(first, inward, end), *others) for end in range(1, first.shape[inward])]
    for one in changed:
        one.ask(component)
    record = formed(trial, component)
    for end, other_trial in enumerate(changed, 1):
        early = numbers_of(formed(other_trial, component)).narrow(outward, 0, end)
        names = session().exercise.output.split()
        difference = number_difference(early, numbers_of(record).narrow(outward, 0, end), names, CUT)
        if difference:
            heading = f"{axis} {end - 1} and earlier get another answer when only later ones are changed"
            raise _dependent(component, trial, record, (heading, *difference.lines[:2]), difference)


def _dependent(
    component: Any,
    trial: Trial,
    record: Record,
    lines: tuple[str, ...],
    difference: Difference,
    advice: str | None = None,
) -> Mismatch:
    """The Mismatch for an answer that changes with what it must not depend on; its cause shows in the whole output."""
    return mismatch(
        component,
        trial.question,
        record,
        Difference(lines, difference.error_over_tolerance),
        lambda other: same_output(record.output, other.output, CUT),
        advice=advice,
    )


def _other_from(value: Tensor, where: int, start: int) -> Tensor:
    """The same up to `start` on that axis, from there on another order of what stands there and before."""
    rolled = value.roll(1, dims=where)
    rolled = rolled + 1.0 if value.is_floating_point() else rolled
    keep = torch.arange(value.shape[where]) < start
    shape = [-1 if axis == where else 1 for axis in range(value.ndim)]
    return torch.where(keep.view(shape), value, rolled)


@check
def check_repeatable(component: Any, *arguments: Any, before: Sequence[tuple] = (), **options: Any) -> None:
    """Three calls on the same input give what a fresh one gives, also after calls on the inputs in `before`, both ways.

    These come before the weights are loaded, so that nothing kept from them goes unseen, not even rows of a table. With
    a `manual_seed` torch is seeded before each call, and what is drawn must come again.
    """
    fresh = trial_of(arguments, options)
    trial = fresh.also(times=3, before=list(before))
    other_way = fresh.also(times=1, before=list(before)[::-1]) if len(before) > 1 else trial  # the first may be kept
    again = Trial(replace(fresh.question, seed=fresh.question.seed + 1))
    for one in (fresh, trial, other_way, again):
        one.ask(component)
    first, axes = fresh.run(component).output, session().exercise.output.split()
    for one in (other_way, trial):
        record = one.run(component)
        later = [value_difference(output, first, axes, SAME) for output in record.outputs]
        if kept := next(filter(None, later), None):
            break
    chance = value_difference(again.run(component).output, first, axes, SAME)
    if difference := kept or chance:
        seeded = "manual_seed" in options
        heading = AFTER_SEEDING if seeded else LATER if kept else ANEW
        raise mismatch(
            component,
            one.question,
            record,
            Difference((heading, *difference.lines[:1]), difference.error_over_tolerance),
            lambda other: distance(other.outputs, record.outputs) if other.outputs else float("inf"),
            advice=lambda: (
                OTHER_CHANCE
                if seeded and chance
                else _what_it_depends_on(component, fresh, first, bool(kept), bool(chance))
            ),
        )


def _what_it_depends_on(component: Any, fresh: Trial, first: Any, kept: bool, chance: bool) -> str:
    """The advice for an answer that differs: on random numbers, or on earlier calls, which another one alone tells."""
    anew = ask(component, fresh.question)
    if not chance or anew.error or value_difference(anew.output, first, [], SAME):
        return KEEP_NOTHING + KEPT_DEFAULT * fresh.kind.is_function
    return NO_CHANCE if kept else NO_CHANCE_ONCE


@check
def check_inputs_unchanged(component: Any, *arguments: Any, **options: Any) -> None:
    """The inputs hold after the call what they held before, to the last bit."""
    trial = trial_of(arguments, options)
    record = trial.run(component)
    exercise, question = session().exercise, trial.question
    names = trial.kind.input_names(exercise.symbol, list(exercise.inputs), question)
    for name, before, after in zip(names, trial.kind.handed(question), record.inputs_after, strict=True):
        if isinstance(after, Unchanged):
            continue
        difference = value_difference(after, before, [], 0.0)
        lines = (f"{name} was modified in place", *(difference.lines[:1] if difference else ()))
        raise mismatch(
            component,
            trial.question,
            record,
            Difference(lines),
            lambda other: _same_inputs(record, other),
            advice=A_COPY if _other_entries(before, after) else ANOTHER_NAME,
        )


def _other_entries(before: Any, after: Any) -> bool:
    """Whether a dict has other keys than before, in another order perhaps, or a list another length."""
    if isinstance(before, dict) and isinstance(after, dict):
        return list(before) != list(after)
    return isinstance(before, list) and isinstance(after, list) and len(before) != len(after)


def _same_inputs(record: Record, other: Record) -> float:
    pairs = zip(record.inputs_after, other.inputs_after, strict=True)
    return 0.0 if all(distance(one, two) <= CUT for one, two in pairs) else float("inf")
