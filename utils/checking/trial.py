"""One run made alike by the learner's code, the reference solution and every misconception, and its comparison."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from utils.checking.comparing import Difference, value_difference
from utils.checking.judging import Misconception, Mismatch, session
from utils.checking.measuring import distance, equal, error_ratio
from utils.checking.oracle import expected
from utils.config import Config
from utils.running.local import LocalRunner, call, run
from utils.running.records import LearnerError, Record

Alike = float  # how far another record is from the learner's: 0 is the same, infinity is not alike


@dataclass(frozen=True)
class Trial:
    """One run, to be made by the learner's code, by the reference solution and by every misconception alike."""

    cfg: Config | None
    weights: dict[str, Tensor] | None
    inputs: tuple
    cotangent: Tensor | None = None
    times: int = 1
    before: tuple[tuple, ...] = ()  # inputs of calls made first, on the same instance

    def of(self, component: Any) -> Record:
        """Run what is being judged; raise Mismatch when it ends in an error."""
        options = {"cotangent": self.cotangent, "times": self.times, "before": self.before}
        if self.cfg is None:
            record = call(component, *self.inputs, **options)
        else:
            record = run(component, self.cfg, self.weights, *self.inputs, **options)
        if record.error:
            raise self._failure(record)
        return record

    def here(self, component: Any) -> Record:
        """Run code of the course's own, always in this process."""
        if self.cfg is None:
            return LocalRunner().call(component, self.inputs, self.cotangent, self.times, list(self.before))
        return LocalRunner().run(
            component, self.cfg, self.weights, self.inputs, self.cotangent, self.times, list(self.before)
        )

    def expected(self) -> Record:
        """What the reference solution makes of it."""
        exercise = session().exercise
        return expected(exercise.solution, exercise.symbol, session().next_key(), self.here)

    def diagnose(self, alike: Callable[[Record], Alike]) -> Misconception | None:
        """The misconception whose record is most alike, None when none is alike at all."""
        known = session().exercise.misconceptions
        distances = [float(alike(self.here(one.component))) for one in known]
        nearest = min(range(len(known)), key=distances.__getitem__, default=None)
        return known[nearest] if nearest is not None and math.isfinite(distances[nearest]) else None

    def mismatch(self, record: Record, difference: Difference, alike: Callable[[Record], Alike]) -> Mismatch:
        """A Mismatch that names the misconception whose record is most alike, if one is."""
        mismatch = Mismatch(difference, self.diagnose(lambda other: math.inf if other.error else alike(other)))
        mismatch.printed = record.printed
        return mismatch

    def _failure(self, record: Record) -> Mismatch:
        error = record.error
        if error.not_implemented:
            mismatch = Mismatch(
                Difference(("Replace the line that raises NotImplementedError, then run this cell again.",))
            )
        else:
            same = (error.type, error.message)
            known = self.diagnose(
                lambda other: same_if(other.error and (other.error.type, other.error.message) == same)
            )
            mismatch = Mismatch(Difference(_error_lines(error)), known)
            mismatch.printed = record.printed
        mismatch.error = error
        return mismatch


def trial_of(arguments: tuple, **options: Any) -> Trial:
    if session().exercise.parameters is None:
        return Trial(None, None, arguments, **options)
    cfg, weights, *inputs = arguments
    return Trial(cfg, weights, tuple(inputs), **options)


def _error_lines(error: LearnerError) -> tuple[str, ...]:
    said = f"{error.type}: {error.message}" if error.message else error.type
    if error.in_the_call:
        exercise = session().exercise
        arguments = ", ".join(exercise.inputs)
        form = (
            f"{exercise.symbol}({arguments})" if exercise.parameters is None else f"{exercise.symbol}(cfg)({arguments})"
        )
        return (f"it is called as `{form}`, and Python answered", said)
    return (said,)


def compare_output(trial: Trial, record: Record, want: Any, axes: str, allowed: float) -> None:
    """Raise Mismatch unless the record's output is the wanted value."""
    got = record.output
    difference = value_difference(got, want, axes, allowed)
    if difference:
        raise trial.mismatch(record, difference, lambda other: same_output(got, other.output, want, allowed))
    if isinstance(want, Tensor):
        session().verdict.ratio = max(session().verdict.ratio, error_ratio(got, want, allowed))


def same_output(got: Any, other: Any, want: Any, allowed: float) -> Alike:
    """How far a misconception's output is from the learner's; infinite unless little beside the learner's error."""
    if not (isinstance(got, Tensor) and isinstance(other, Tensor) and got.is_floating_point()):
        return same_if(equal(got, other))
    far = distance(got, other)
    error = distance(got, want) if isinstance(want, Tensor) else math.inf
    return far if far <= max(allowed, 0.01 * error if math.isfinite(error) else 0.0) else math.inf


def same_if(condition: object) -> Alike:
    """Alike wholly or not at all."""
    return 0.0 if condition else math.inf
