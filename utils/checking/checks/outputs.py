"""Checks of what comes out: its form, its agreement with the reference or a given value, the error that is due."""

import functools
from typing import Any

import torch
from torch import Tensor

from utils.checking.comparing import axis_names, no_array, no_tensor, value_difference
from utils.checking.diagnosis.explaining import Distance, explain_error, mismatch
from utils.checking.diagnosis.forms import form_clue
from utils.checking.diagnosis.numbers import value_clue
from utils.checking.diagnosis.unused import unused
from utils.checking.measuring import absolute_tolerance, distance, error_over_tolerance
from utils.checking.oracle import expected
from utils.checking.places import calling_place
from utils.checking.session import session
from utils.checking.tensors import Sizes, dtype_difference, shape_difference
from utils.checking.trial import Trial, check, trial_of
from utils.checking.wording import Difference, short
from utils.running.records import Array, LearnerError, Record

FORM = 1e-4  # how near a misconception's numbers must be where the form is wrong
NO_RETURN = "A function that ends without `return` gives None: end it with `return` and what was computed."
LITTLE = 0.01  # of the learner's error: how near a misconception's answer must come


@check
def check_shape(component: Any, *arguments: Any, **options: Any) -> None:
    """The output is a float32 tensor (of `numpy_arrays`, an array) with the axes that the exercise names."""
    formed(trial_of(arguments, options), component)


def formed(trial: Trial, component: Any) -> Record:
    """The answer, whose output has the right shape and dtype. Raises Mismatch when it has not."""
    record = trial.run(component)
    got = record.output
    difference = _form_difference(got, trial)
    if difference:
        raise mismatch(
            component,
            trial.question,
            record,
            difference,
            lambda other: same_output(got, other.output, FORM),
            advice=lambda: NO_RETURN if got is None else _form_advice(got, trial, component),
        )
    return record


def _form_advice(got: Any, trial: Trial, component: Any) -> str | None:
    return form_clue(got, trial.right().output, trial.output_sizes) or unused(component, trial)


def numbers_of(record: Record) -> Tensor:
    """The output's numbers as a tensor, also where it is a NumPy array."""
    return record.output.tensor if isinstance(record.output, Array) else record.output


def _form_difference(got: Any, trial: Trial) -> Difference | None:
    if session().exercise.written_with.name == "numpy":
        if not isinstance(got, Array):
            return no_array(got)
        got = got.tensor
    if not isinstance(got, Tensor):
        return no_tensor(got)
    return shape_difference(got, trial.output_sizes) or dtype_difference(got, torch.float32)


@check
def check_agrees(component: Any, *arguments: Any, tolerance: float = 1e-5, **options: Any) -> None:
    """The output is the reference solution's, within the tolerance (see `value_difference`)."""
    trial = trial_of(arguments, options)
    compare_output(component, trial, trial.right().output, tolerance)


@check
def check_value(component: Any, *arguments: Any, want: Any, tolerance: float = 1e-4, **options: Any) -> None:
    """The output is `want`, such as an activation of the reference model, within the tolerance."""
    compare_output(component, trial_of(arguments, options), want, tolerance)


@check
def check_equal_to(component: Any, other: Any, *arguments: Any, tolerance: float = 1e-5, **options: Any) -> None:
    """Two of the learner's functions agree, such as cached and uncached generation; nothing where `other` is None."""
    trial = trial_of(arguments, options)
    record = trial.run(component)
    if other is None:
        return
    compare_output(component, trial, trial.run(other).output, tolerance, record)


@check
def check_raises(component: Any, *arguments: Any, error: str, naming: str = "", **options: Any) -> None:
    """The right answer is an exception of this type, whose message names what is at fault."""
    trial = trial_of(arguments, options)
    _prove_due(trial, error, naming)
    record = trial.ask(component)
    raised = record.error
    if raised and raised.is_a(error) and naming in raised.message:
        return
    if raised and (raised.not_implemented or (not raised.is_a(error) and raised.in_the_call)):
        raise explain_error(component, trial.question, record)
    if raised is None:
        difference = Difference((f"no error was raised, expected {error}; got {short(record.output, 80)}",))
    elif not raised.is_a(error):
        difference = Difference((f"got {raised.type}: {raised.message}, expected {error}",))
    else:
        difference = Difference((f"the message of the {error} does not name `{naming}`: {short(raised.message)}",))
    raise mismatch(
        component,
        trial.question,
        record,
        difference,
        lambda other: _same_end(record, other),
        advice=_raising_advice(raised, error),
        with_errors=True,
    )


def _raising_advice(raised: LearnerError | None, error: str) -> str | None:
    if raised and raised.is_a(error):
        return f"Say what it was about: put it into the message of the {error}."
    if raised and raised.type == "AssertionError":
        return f"`assert` raises an AssertionError: write `if ...: raise {error}(...)`."
    if raised and raised.frames and raised.frames[-1].source.strip().startswith("raise "):
        return f"To raise is right here, but another error: write `raise {error}(...)`."
    return None


def _prove_due(trial: Trial, error: str, naming: str) -> None:
    """Raise CourseError, with the line, when the reference itself does not end in this error."""
    end = expected(session().exercise, trial.question).error
    if end is None or end.type != error or naming not in end.message:
        given = f"{end.type}: {end.message}" if end else "no error"
        raise calling_place().mistake(f"the reference solution ends here with {given}, not with {error} {naming!r}.")


def compare_output(component: Any, trial: Trial, want: Any, tolerance: float, record: Record | None = None) -> None:
    """Raise Mismatch unless the component's output is the wanted value."""
    record = record or trial.run(component)
    got, want = session().view(record.output), session().exercise.view(want)
    difference = value_difference(got, want, session().exercise.output.split(), tolerance)
    clue = functools.cache(lambda: value_clue(got, want, _sizes_of(want)))
    if difference:
        raise mismatch(
            component,
            trial.question,
            record,
            difference,
            lambda other: same_output(got, session().view(other.output), tolerance, want),
            advice=lambda: NO_RETURN if got is None else clue() or unused(component, trial),
            show_example=True,
            beside_advice=lambda: not clue() or (isinstance(got, Tensor) and not bool(got.isfinite().all())),
        )
    session().close_call(error_over_tolerance(distance(got, want), absolute_tolerance(tolerance, want)))


def _sizes_of(want: Any) -> Sizes:
    """The expected tensor's axes with their sizes."""
    if isinstance(want, Array):
        want = want.tensor
    if not isinstance(want, Tensor):
        return []
    return list(zip(axis_names(session().exercise.output.split(), want.ndim), want.shape, strict=True))


def same_output(got: Any, other: Any, tolerance: float, want: Any = None) -> Distance:
    """How far a misconception's output is from the learner's; infinite unless that is little beside the error."""
    far, error = distance(got, other), distance(got, want) if want is not None else float("inf")
    little = max(absolute_tolerance(tolerance, got), LITTLE * error if error < float("inf") else 0.0)
    return far if far <= little else float("inf")


def _same_end(record: Record, other: Record) -> Distance:
    """0 where both end alike: with the same error, or with the same answer. An assertion's words are its author's."""
    if record.error or other.error:
        ends = [one and (one.type, one.type != "AssertionError" and one.message) for one in (record.error, other.error)]
        return 0.0 if ends[0] == ends[1] else float("inf")
    return distance(record.outputs, other.outputs)
