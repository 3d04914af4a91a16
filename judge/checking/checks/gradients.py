"""The check that gradients flow back as they do in the reference solution."""

import math
from typing import Any

from judge.checking.answer import Answer, answered, check
from judge.checking.checks.outputs import same_output
from judge.checking.comparing import axis_names
from judge.checking.evidence import Evidence
from judge.checking.likeness import (
    ANOTHER_WAY,
    VISIBLE,
    Distance,
    absolute_tolerance,
    distance,
    error_over_tolerance,
    largest,
    near,
)
from judge.checking.session import Session
from judge.checking.tensors import number_difference
from judge.checking.trial import Trial, trial_of
from judge.checking.wording import Difference
from judge.running.on_demand import Tensor
from judge.running.records import Record

# By the name of the parameter or input; None where none arrived.
Gradients = dict[str, Tensor | None]
# Of the largest gradient of all: one as small as this says that the parameter changes no output.
NOTHING = 1e-5


@check
def check_gradients(
    session: Session,
    component: Any,
    *arguments: Any,
    tolerance: float = ANOTHER_WAY,
    cotangent: Tensor | None = None,
    **options: Any,
) -> None:
    """The gradients of every parameter and every float input are the reference solution's, for a random cotangent.

    A parameter that changes no output, such as `b_K`, may be left out.
    """
    plain = trial_of(session, arguments, options)
    if cotangent is None:
        cotangent = session.random(*(size for _, size in plain.output_sizes))
    trial = plain.also(cotangent=cotangent)
    answer, right = answered(trial, component), trial.right()
    compared = _Compared(answer, right, tolerance)
    for name, got in compared.got.items():
        difference = compared.difference(name)
        if difference:
            raise answer.mismatch(difference, compared.evidence(name), compared.apart)
        want = compared.want[name]
        if got is not None and want is not None:
            error, allowed = distance(got, want), absolute_tolerance(tolerance, want)
            session.close_call(error_over_tolerance(error, allowed))


class _Compared:
    """The gradients of an answer beside those of the reference."""

    def __init__(self, answer: Answer, right: Record, tolerance: float):
        self.answer, self.right, self.tolerance = answer, right, tolerance
        self.got, self.want = (_gradients(either, answer.trial) for either in (answer.record, right))
        self.nothing = NOTHING * largest(self.want)

    def difference(self, name: str) -> Difference | None:
        """How one gradient differs from what is due; None where it does not."""
        got, want = self.got[name], self.want[name]
        if got is None and want is None:
            return None
        if want is None:
            return None if largest(got) <= self.nothing else _line(f"`{name}` should be frozen")
        if got is None:
            return None if largest(want) <= self.nothing else _line(f"no gradient reaches `{name}`")
        if got.shape != want.shape:
            return _line(f"the gradient of `{name}` has shape {list(got.shape)}, expected {list(want.shape)}")
        axes = axis_names(_axes(self.answer.trial)[name].split(), want.ndim)
        difference = number_difference(got, want, axes, self.tolerance)
        return difference and difference.under(f"the gradient of `{name}` is wrong")

    def evidence(self, name: str) -> Evidence:
        """The outputs, where this gradient is wrong."""
        if self.got[name] is None:
            return Evidence("gradient", name=name)
        right = self.answer.trial.session.exercise.view(self.right.output)
        return Evidence("gradient", self.answer.viewed, right, name=name, tolerance=self.tolerance)

    def apart(self, other: Record) -> Distance:
        """How far a misconception is from the learner in output and gradients together."""
        exercise, answer = self.answer.trial.session.exercise, self.answer.viewed
        if not near(exercise.viewed(other.output), answer, VISIBLE):
            return math.inf
        theirs = _gradients(other, self.answer.trial)
        return max((self._one_apart(name, theirs[name]) for name in self.got), default=0.0)

    def _one_apart(self, name: str, theirs: Tensor | None) -> Distance:
        got, right = self.got[name], self.want[name]
        if got is None or theirs is None:
            return 0.0 if got is theirs else math.inf
        return 0.0 if right is None else same_output(got, theirs, self.tolerance, right)


def _gradients(record: Record, trial: Trial) -> Gradients:
    session = trial.session
    named: Gradients = {name: record.grads.get(name) for name in session.exercise.axes(trial.made_of)}
    return named | dict(zip(session.exercise.inputs, record.input_grads, strict=False))


def _axes(trial: Trial) -> dict[str, str]:
    exercise = trial.session.exercise
    return exercise.axes(trial.made_of) | exercise.inputs


def _line(text: str) -> Difference:
    return Difference((text,))
