"""Checks of what must not matter: neighbours, the future, earlier calls, and of inputs that must not change."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from judge.checking.answer import Answer, Mismatch, answered, check
from judge.checking.checks.outputs import formed, numbers_of, same_output
from judge.checking.comparing import axis_names, value_difference
from judge.checking.diagnosis.behaviour import Repeated
from judge.checking.evidence import Evidence
from judge.checking.likeness import REORDERED, REPEATED, Distance, distance
from judge.checking.places import calling_place, did_you_mean
from judge.checking.session import Session
from judge.checking.tensors import number_difference
from judge.checking.trial import Trial, trial_of
from judge.checking.wording import Difference, short
from judge.running.on_demand import Tensor, torch
from judge.running.records import Arguments, Record, Unchanged
from judge.running.values import is_list_or_tuple

LATER = "on the same input, a later call gives another answer than the first"
AFTER_ALL_SEEDS = "after all random numbers are seeded alike, a later call gives another answer than the first"
AFTER_SEEDING = "after `torch.manual_seed`, a later call gives another answer than the first"
ANEW = "on the same input, with the same weights, another run of your code gives another answer"


@check
def check_alone(session: Session, component: Any, *arguments: Any, axis: str, **options: Any) -> None:
    """Cutting the first input to one index of `axis` leaves that index of the output alone: no index sees another."""
    trial = trial_of(session, arguments, options)
    first, *others = trial.inputs
    inward, outward = _where(trial, axis)
    end = first.shape[inward]
    cuts = [trial.on(first.narrow(inward, index, 1).clone(), *others) for index in range(end)]
    # All are asked before any is looked at.
    for cut in cuts:
        cut.record(component)
    answer = formed(trial, component)
    names = [name for name, _ in trial.output_sizes]
    for index, cut in enumerate(cuts):
        single = numbers_of(formed(cut, component))
        start = [index if number == outward else 0 for number in range(single.ndim)]
        together = numbers_of(answer).narrow(outward, index, 1)
        difference = number_difference(together, single, names, REORDERED, start)
        if difference:
            heading = f"{axis} {index} gets another answer when the other indices of {axis} are there too"
            said = Difference((heading, *difference.lines[:1]), difference.error_over_tolerance)
            got, want = numbers_of(answer), trial.right().output
            raise _dependent(answer, said, Evidence("alone", got, want, trial.output_sizes, name=axis, axis=inward))


def _where(trial: Trial, axis: str) -> tuple[int, int]:
    """Which axis of the first input this is, and which of the output. Raises CourseError if it is none of one."""
    first, axes = next(iter(trial.session.exercise.inputs.items()))
    inward = axis_names(axes.split(), trial.inputs[0].ndim)
    outward = [name for name, _ in trial.output_sizes]
    for what, names in ((f"`{first}`", inward), ("the output", outward)):
        if axis not in names:
            raise calling_place().mistake(f"{what} [{' '.join(names)}] has no axis {axis!r}{did_you_mean(axis, names)}")
    return inward.index(axis), outward.index(axis)


@check
def check_causal(session: Session, component: Any, *arguments: Any, axis: str = "pos", **options: Any) -> None:
    """Changing the first input at later indices of `axis` changes no earlier index of the output."""
    trial = trial_of(session, arguments, options)
    first, *others = trial.inputs
    inward, outward = _where(trial, axis)
    changed = [trial.on(_other_from(first, inward, end), *others) for end in range(1, first.shape[inward])]
    for altered in changed:
        altered.record(component)
    answer = formed(trial, component)
    names = [name for name, _ in trial.output_sizes]
    for end, other_trial in enumerate(changed, 1):
        other = formed(other_trial, component)
        early, now = (numbers_of(record).narrow(outward, 0, end) for record in (other, answer))
        difference = number_difference(early, now, names, REORDERED)
        if difference:
            heading = f"{axis} {end - 1} and earlier get another answer when only later ones are changed"
            said = Difference((heading, *difference.lines[:2]), difference.error_over_tolerance)
            raise _dependent(answer, said, Evidence())


def _dependent(answer: Answer, difference: Difference, evidence: Evidence) -> Mismatch:
    """The Mismatch for an answer that changes with what it must not depend on; its cause shows in the whole output."""

    def apart(other: Record) -> Distance:
        return same_output(answer.output, other.output, REORDERED)

    return answer.mismatch(difference, evidence, apart)


def _other_from(value: Tensor, where: int, start: int) -> Tensor:
    """The input with another order of its entries from `start` on along that axis, and the same before it."""
    rolled = value.roll(1, dims=where)
    rolled = rolled + 1.0 if value.is_floating_point() else rolled
    keep = torch.arange(value.shape[where]) < start
    shape = [-1 if axis == where else 1 for axis in range(value.ndim)]
    return torch.where(keep.view(shape), value, rolled)


@check
def check_repeatable(
    session: Session, component: Any, *arguments: Any, before: Sequence[Arguments] = (), **options: Any
) -> None:
    """Three calls on the same input give what a fresh one gives, also after calls on the inputs in `before`, both ways.

    These come before the weights are loaded, so that nothing kept from them goes unseen, not even rows of a table. With
    a `manual_seed` torch is seeded before each call, and what is drawn must come again; with `all_seeds` Python's
    `random` and NumPy are seeded too.
    """
    fresh = trial_of(session, arguments, options)
    later = fresh.also(times=3, before=list(before))
    ways = [later]
    # What is kept may be the first call's, or the last one's.
    if len(before) > 1:
        ways.insert(0, fresh.also(times=1, before=list(before)[::-1]))
    again = fresh.instead(replace(fresh.question, seed=fresh.question.seed + 1))
    for trial in (fresh, later, *ways, again):
        trial.record(component)
    first = answered(fresh, component).output
    answer, kept = _first_to_differ(ways, component, first)
    chance = _difference(session, answered(again, component).output, first)
    difference = kept or chance
    if not difference:
        return
    seeded = bool(options.keys() & {"manual_seed", "all_seeds"})
    heading = LATER if kept else ANEW
    if seeded:
        heading = AFTER_SEEDING if "manual_seed" in options else AFTER_ALL_SEEDS
    raise answer.mismatch(
        Difference((heading, *difference.lines[:1]), difference.error_over_tolerance),
        Evidence("repeat", Repeated(first, bool(kept), bool(chance), seeded, fresh)),
        partial(_apart_from_varying, session, answer.record),
    )


def _apart_from_varying(session: Session, mine: Record, other: Record) -> Distance:
    """How far another record is from one that differs from call to call: a cause differs in that way too."""
    if not other.outputs:
        return math.inf
    if _varies(session, mine) and not _varies(session, other):
        return math.inf
    return distance(other.outputs, mine.outputs)


def _varies(session: Session, record: Record) -> bool:
    first, *later = record.outputs
    return any(_difference(session, answer, first) for answer in later)


def _first_to_differ(ways: list[Trial], component: Any, first: Any) -> tuple[Answer, Difference | None]:
    """The first answer of which an output is not `first`, and how it differs; else the last answer, and None."""
    answers = [answered(trial, component) for trial in ways]
    for answer in answers:
        for output in answer.record.outputs:
            difference = _difference(answer.trial.session, output, first)
            if difference:
                return answer, difference
    return answers[-1], None


def _difference(session: Session, got: Any, first: Any) -> Difference | None:
    return value_difference(got, first, session.exercise.output.split(), REPEATED)


@check
def check_inputs_unchanged(session: Session, component: Any, *arguments: Any, **options: Any) -> None:
    """The inputs hold after the call what they held before, to the last bit."""
    trial = trial_of(session, arguments, options)
    answer = answered(trial, component)
    exercise, question = session.exercise, trial.question
    names = trial.kind.input_names(exercise.symbol, list(exercise.inputs), question)
    afterwards = answer.record.inputs_after
    for place, (name, after) in enumerate(zip(names, afterwards, strict=True)):
        if isinstance(after, Unchanged):
            continue
        before = trial.kind.handed(question)[place]  # not asked before: JAX starts threads at its first array
        raise answer.mismatch(
            Difference((f"{name} was modified in place: {_changed(*map(trial.kind.given_in, (after, before)))}",)),
            Evidence("input", after, before),
            lambda other: _same_inputs(afterwards, other.inputs_after),
        )


@check
def check_new(session: Session, component: Any, *arguments: Any, **options: Any) -> None:
    """The answer shares no memory with an input: who writes into it changes none of them.

    That the call itself leaves its inputs alone is for `check_inputs_unchanged` to say, before.
    """
    trial = trial_of(session, arguments, options | {"written": True})
    answer = answered(trial, component)
    names = trial.kind.input_names(session.exercise.symbol, list(session.exercise.inputs), trial.question)
    shared = [not isinstance(after, Unchanged) for after in answer.record.inputs_after]
    for name, is_shared in zip(names, shared, strict=True):
        if not is_shared:
            continue
        raise answer.mismatch(
            Difference((f"the result is no new tensor: who writes into it changes {name} too",)),
            Evidence(),
            lambda other: (
                0.0 if [not isinstance(after, Unchanged) for after in other.inputs_after] == shared else math.inf
            ),
        )


def _changed(after: Any, before: Any) -> str:
    """The input as the call has left it."""
    if is_list_or_tuple(before):
        return f"it was {short(before)}, and after the call it is {short(after)}"
    difference = value_difference(after, before, [], 0.0)
    said = difference.lines[0] if difference else "it is not what it was"
    return said.replace("got shape", "it has shape").replace("got ", "it is ").replace("expected ", "it was ")


def _same_inputs(mine: list[Any], theirs: list[Any]) -> Distance:
    """0 where both left the inputs alike."""
    pairs = zip(mine, theirs, strict=True)
    return 0.0 if all(distance(one, other) <= REORDERED for one, other in pairs) else math.inf
