"""`Answer`: what a component said to a question of the test, and the way from there to a mismatch."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judge.checking.diagnosis.evidence import Evidence
from judge.checking.likeness import Distance
from judge.checking.session import Mismatch
from judge.checking.trial import Trial
from judge.checking.wording import Difference
from judge.running.records import Record


@dataclass(frozen=True)
class Answer:
    """A record with the question that it answers, and whose it is."""

    trial: Trial
    component: Any
    record: Record

    @property
    def output(self) -> Any:
        """The first call's result."""
        return self.record.output

    @property
    def viewed(self) -> Any:
        """The same as the exercise looks at it."""
        return self.trial.session.view(self.output)

    def mismatch(self, difference: Difference, evidence: Evidence, apart: Callable[[Record], Distance]) -> Mismatch:
        """The Mismatch for this difference; `apart` says how far another record is in what is wrong of this one."""
        # why an answer failed is asked at a failure, and not imported before
        from judge.checking.diagnosis.explaining import explain

        known = evidence.of(self.trial, self.component)
        failure = explain(known, self.record, difference, apart)
        return Mismatch(failure, difference.error_over_tolerance, self.component)

    def raised(self) -> Mismatch:
        """The Mismatch for an answer that is an error."""
        from judge.checking.diagnosis.explaining import explain_error

        failure = explain_error(self.trial, self.component, self.record)
        return Mismatch(failure, math.inf, self.component)


def asked(trial: Trial, component: Any) -> Answer:
    """What the component answers, an error included."""
    return Answer(trial, component, trial.record(component))


def answered(trial: Trial, component: Any) -> Answer:
    """What the component answers. Raises Mismatch when that is an error."""
    answer = asked(trial, component)
    if answer.record.error:
        raise answer.raised()
    return answer
