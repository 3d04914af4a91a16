"""From what a check found to a `Failure`: a misconception that does the same, names read by accident, a sentence.

A cause is named only where the evidence holds up: the misconception does what the learner's code does not on one
question alone but on all that the test asks. Whatever is asked here goes through the same runner as the test.
"""

import math
from collections.abc import Callable
from typing import Any, TypeGuard

from utils.checking.asking import UNREADABLE, record_of
from utils.checking.diagnosis.causes import known_cause
from utils.checking.diagnosis.errors import error_lines, not_yet, raised_by
from utils.checking.diagnosis.evidence import Evidence
from utils.checking.diagnosis.example import worked_example
from utils.checking.diagnosis.registry import EXPECTING_ERRORS, SHOWING_THE_EXAMPLE, sentence
from utils.checking.diagnosis.translations.raised import Raised
from utils.checking.measuring import Distance
from utils.checking.trial import Trial
from utils.checking.verdict import Failure
from utils.running.records import LearnerError, Question, Record
from utils.running.values import is_list

# Variables of the notebook: more would hide the rest of the card.
MOST_NAMED = 4


def explain(
    evidence: Evidence,
    record: Record,
    lines: tuple[str, ...],
    apart: Callable[[Record], Distance],
) -> Failure:
    """The Failure that these lines of the card begin.

    `apart` says how far another record is from the learner's in what is wrong; errors are as far as can be, unless an
    error is what is due. A misconception is better than any sentence; and where code reads the notebook's variables,
    its numbers speak of these, and no sentence is looked for.
    """
    trial, component = evidence.trial, evidence.component
    assert trial
    if not trial.session.diagnosing:
        return Failure("", lines, question=trial.question)

    def apart_in_answers(other: Record) -> Distance:
        an_error = other.error is not None and evidence.about not in EXPECTING_ERRORS
        return math.inf if an_error else apart(other)

    known = known_cause(trial, component, apart_in_answers)
    names = names_read(component)
    found = None if known or names else sentence(evidence)
    advice = known.advice if known else found and found.text
    last_resort = evidence.about in SHOWING_THE_EXAMPLE and not known and not (found and found.says_enough)
    return Failure(
        "",
        lines,
        misconception=known and known.name,
        advice=advice,
        hints=(*names, *(worked_example(trial.session, component) if last_resort else ())),
        printed=record.printed,
        question=trial.question,
    )


def explain_error(trial: Trial, component: Any, record: Record) -> Failure:
    """The Failure for an answer that is an error."""
    error = record.error
    assert error
    if not trial.session.diagnosing or error.type == UNREADABLE:
        return Failure("", (error.message,), question=trial.question)
    if error.not_implemented:
        return Failure(
            "",
            (not_yet(error, trial.session.exercise.symbol),),
            not_yet=True,
        )
    known = known_cause(
        trial,
        component,
        lambda other: 0.0 if _same_error(error, other.error) else math.inf,
    )
    names = names_read(component)
    raised = raised_by(error, trial)
    # The notebook's variables have sizes of their own.
    if names:
        raised = Raised(error, settings=raised.settings)
    found = None if known else sentence(Evidence("error", raised, source=raised.line).of(trial, component))
    advice = known.advice if known else found and found.text
    return Failure(
        "",
        error_lines(error, trial, advice or ""),
        misconception=known and known.name,
        advice=advice,
        hints=names,
        frames=tuple(error.frames),
        printed=record.printed,
        question=trial.question,
    )


def _same_error(error: LearnerError, other: LearnerError | None) -> bool:
    return other is not None and (error.type, error.message) == (other.type, other.message)


def names_read(component: Any) -> tuple[str, ...]:
    """A hint where the code reads variables of the notebook that are neither functions, classes nor modules."""
    record = record_of(component, Question("names_read", ()))
    names: Any = record.outputs[0] if not record.error and record.outputs else []
    if not _are_names(names):
        return ()
    listed = ", ".join(f"`{name}`" for name in names[:MOST_NAMED])
    variables, them = ("variables", "them") if len(names) > 1 else ("a variable", "it")
    return (
        f"Your code reads {listed} from the notebook: "
        f"{variables} made in another cell, not in this one. "
        f"If that is not what you meant, make {them} in your own code, "
        "or use what `self` and the arguments hold.",
    )


def _are_names(names: Any) -> TypeGuard[list[str]]:
    """Whether this is a list of names, and not what a far side answers that is no friend."""
    return is_list(names) and bool(names) and all(isinstance(name, str) for name in names)
