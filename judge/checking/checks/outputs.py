"""Checks of what comes out: its form, its agreement with the reference or a given value, the error that is due."""

import math
from typing import Any

from judge.checking.answer import Answer, answered, asked, check
from judge.checking.comparing import axis_names, no_array, no_tensor, value_difference
from judge.checking.evidence import Evidence, as_tensor
from judge.checking.likeness import (
    ANOTHER_WAY,
    EXPLAINED,
    REORDERED,
    Distance,
    absolute_tolerance,
    distance,
    error_in_short,
    error_over_tolerance,
    unexplained,
)
from judge.checking.places import calling_place
from judge.checking.session import Session
from judge.checking.tensors import Sizes, dtype_difference, shape_difference
from judge.checking.trial import Trial, trial_of
from judge.checking.wording import Difference, short
from judge.running.kinds.kind import Places
from judge.running.libraries import Library
from judge.running.on_demand import Tensor, torch
from judge.running.records import Array, LearnerError, Record, plain
from judge.running.values import is_tuple

IN_ORDER = ("first", "second", "third", "fourth")  # of what is returned
# Characters that are shown of an answer that came in the place of an error.
SHORT = 80


@check
def check_shape(session: Session, component: Any, *arguments: Any, **options: Any) -> None:
    """The output is a float32 tensor (or an array, by the exercise's library) with the axes that the exercise names."""
    formed(trial_of(session, arguments, options), component)


def formed(trial: Trial, component: Any) -> Answer:
    """The answer, whose output has the right shape and dtype. Raises Mismatch when it has not."""
    answer = answered(trial, component)
    got = answer.output
    difference = _form_difference(got, trial)
    if not difference:
        return answer

    def apart(other: Record) -> Distance:
        return same_output(got, other.output, ANOTHER_WAY)

    evidence = Evidence("form", got, trial.right().output, trial.output_sizes)
    raise answer.mismatch(difference, evidence, apart)


def numbers_of(answer: Answer) -> Tensor:
    """The output's numbers as a tensor, also where it is an array."""
    output = answer.output
    return output.tensor if isinstance(output, Array) else output


def _form_difference(got: Any, trial: Trial) -> Difference | None:
    library = trial.session.exercise.written_with
    if library.has_arrays:
        if not isinstance(got, Array) or got.of != library.called:
            return no_array(got, library.called)
        got = got.tensor
    if not isinstance(got, Tensor):
        return no_tensor(got)
    is_precise = trial.session.exercise.float64_too and got.dtype == torch.float64
    due = torch.float64 if is_precise else torch.float32
    return shape_difference(got, trial.output_sizes) or dtype_difference(got, due)


@check
def check_agrees(
    session: Session, component: Any, *arguments: Any, tolerance: float = REORDERED, **options: Any
) -> None:
    """The output is the reference solution's, within the tolerance.

    How they are compared: `value_difference`.
    """
    trial = trial_of(session, arguments, options)
    want = trial.right().output
    compare_output(answered(trial, component), want, tolerance)


@check
def check_value(
    session: Session, component: Any, *arguments: Any, want: Any, tolerance: float = ANOTHER_WAY, **options: Any
) -> None:
    """The output is `want`, such as an activation of the reference model, within the tolerance.

    Of an exercise that answers an array, it may be a tensor of its numbers.
    """
    compare_output(
        answered(trial_of(session, arguments, options), component),
        _of_the_library(want, session.exercise.written_with),
        tolerance,
    )


def _of_the_library(want: Any, library: Library) -> Any:
    """A tensor as the array that an answer is, where the exercise is written with arrays."""
    is_for_an_array = library.has_arrays and isinstance(want, Tensor)
    return Array(want, library.called) if is_for_an_array else plain(want)


@check
def check_equal_to(
    session: Session, component: Any, other: Any, *arguments: Any, tolerance: float = REORDERED, **options: Any
) -> None:
    """Two of the learner's functions agree, such as cached and uncached generation; nothing where `other` is None."""
    trial = trial_of(session, arguments, options)
    answer = answered(trial, component)
    if other is None:
        return
    compare_output(answer, answered(trial, other).output, tolerance)


@check
def check_raises(
    session: Session, component: Any, *arguments: Any, error: str, naming: str = "", **options: Any
) -> None:
    """The right answer is an exception of this type, whose message names what is at fault."""
    trial = trial_of(session, arguments, options)
    _prove_due(trial, error, naming)
    answer = asked(trial, component)
    raised = answer.record.error
    as_due = raised is not None and raised.is_a(error)
    if raised and as_due and naming in raised.message:
        return
    not_reached = raised is not None and not as_due and raised.in_the_call
    if raised and (raised.not_implemented or not_reached):
        raise answer.raised()
    difference = Difference((_end_in_words(answer.record, error, naming),))
    evidence = Evidence("due error", raised, error)
    raise answer.mismatch(difference, evidence, lambda other: _same_end(answer.record, other))


def _end_in_words(record: Record, error: str, naming: str) -> str:
    raised = record.error
    if raised is None:
        return f"no error was raised, expected {error}; got {short(record.output, SHORT)}"
    if not raised.is_a(error):
        return f"got {raised.type}: {raised.message}, expected {error}"
    return f"the message of the {error} does not name `{naming}`: {_in_quotes(raised.message)}"


def _in_quotes(message: str) -> str:
    """An error's message in one pair of quotes: a KeyError's has its own."""
    has_its_own = message[:1] in ("'", '"') and message.endswith(message[:1])
    return short(message[1:-1] if has_its_own else message)


def _prove_due(trial: Trial, error: str, naming: str) -> None:
    """Raise CourseError, with the line, when the reference itself does not end in this error."""
    end = trial.session.transcript.expected(trial.question).error
    if end is None or end.type != error or naming not in end.message:
        given = f"{end.type}: {end.message}" if end else "no error"
        raise calling_place().mistake(f"the reference solution ends here with {given}, not with {error} {naming!r}.")


def compare_output(answer: Answer, want: Any, tolerance: float) -> None:
    """Raise Mismatch unless the output is the wanted value."""
    session = answer.trial.session
    axes = session.exercise.output.split()
    got, want = _seen(answer, want)
    places = session.exercise.places or answer.trial.kind.places(answer.trial.question) or _places_in(want)
    difference = value_difference(got, want, axes, tolerance, places)
    if not difference:
        session.close_call(error_over_tolerance(distance(got, want), absolute_tolerance(tolerance, want)))
        return

    def apart(other: Record) -> Distance:
        return same_output(got, session.exercise.viewed(other.output), tolerance, want)

    told = _as_it_came(answer.output, got, want)
    if told is not got:
        difference = value_difference(told, want, axes, tolerance, places) or difference
    raise answer.mismatch(difference, Evidence("value", told, want, _sizes_of(want, axes), tolerance=tolerance), apart)


def _places_in(want: Any) -> Places:
    """What the parts of a tuple are called, where nobody has named them: a function returns several things."""
    if not is_tuple(want) or len(want) > len(IN_ORDER):
        return ()
    return (tuple(f"the {which} returned value" for which in IN_ORDER),)


def _seen(answer: Answer, want: Any) -> tuple[Any, Any]:
    """Both as the exercise looks at them; as they are where it can't look at the learner's, which has another form."""
    got = answer.viewed
    # a number may be seen as it is, as by `float`
    if got is answer.output and not isinstance(got, int | float):
        return got, want
    return got, answer.trial.session.exercise.view(want)


def _as_it_came(output: Any, got: Any, want: Any) -> Any:
    """The answer as the exercise sees it, but for numbers that it wrongly takes for infinite: these as they came."""
    if (
        not all(isinstance(value, Tensor) for value in (output, got, want))
        or not output.shape == got.shape == want.shape
    ):
        return got
    taken_wrongly = got.isinf() & ~want.isinf()
    return torch.where(taken_wrongly, output, got) if taken_wrongly.any() else got


def _sizes_of(want: Any, axes: list[str]) -> Sizes:
    """The expected value's axes with their sizes, where it has any."""
    numbers = as_tensor(want)
    if numbers is None:
        return []
    return list(zip(axis_names(axes, numbers.ndim), numbers.shape, strict=True))


def same_output(got: Any, other: Any, tolerance: float, want: Any = None) -> Distance:
    """How far a misconception's output is from the learner's; infinite unless that is little beside the error."""
    return unexplained(other, got, want, tolerance, EXPLAINED)


def _same_end(record: Record, other: Record) -> Distance:
    """0 where both end alike: with the same error, or with the same answer."""
    if not record.error and not other.error:
        return distance(record.outputs, other.outputs)
    return 0.0 if _error_in_short(record.error) == _error_in_short(other.error) else math.inf


def _error_in_short(error: LearnerError | None) -> tuple[str, str] | None:
    """The type and the message of an error; an assertion's words are its author's."""
    return (error.type, "") if error and error.type == "AssertionError" else error_in_short(error)
