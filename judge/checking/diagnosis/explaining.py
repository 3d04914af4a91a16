"""From what a check found to a `Failure`: a misconception that does the same, names read by accident, a sentence.

A cause is named only where the evidence holds up: the misconception does what the learner's code does not on one
question alone but on all that the test asks. Whatever is asked here goes through the same runner as the test.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from judge.checking.answer import Mismatch
from judge.checking.asking import UNREADABLE, record_of
from judge.checking.code import (
    Code,
    apart_in_line,
    claims_of,
    code_of,
    never_read,
    no_f_string,
    no_power,
    no_sum,
    thrown_away,
)
from judge.checking.diagnosis import gradients
from judge.checking.diagnosis.causes import known_cause, one_of_two
from judge.checking.diagnosis.errors import error_lines, instead, not_yet, raised_by
from judge.checking.diagnosis.example import picture_of, worked_example
from judge.checking.diagnosis.keeping import kept_between_calls
from judge.checking.diagnosis.registry import EXPECTING_ERRORS, SHOWING_THE_EXAMPLE, sentence
from judge.checking.diagnosis.translations.raised import Raised
from judge.checking.evidence import Evidence
from judge.checking.known import Misconception
from judge.checking.likeness import Distance, error_in_short
from judge.checking.showing import both, call_lines
from judge.checking.trial import Trial
from judge.checking.verdict import Failure
from judge.running.records import CHANGES, TOO_SLOW, LearnerError, Question, Record
from judge.running.values import is_list

# What torch says of sizes is said of many operations; other errors name what they are about.
OF_MANY_LINES = {"RuntimeError"}
OF_LOOKING_UP = {"KeyError", "IndexError", "ValueError"}
# Where what came and what is due are the answer, and can be laid beside each other.
SHOWING_VALUES = {"value", "form"}
IN_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")  # the commas of 1,048,576
# Where nothing was called.
MADE_ONLY = {"parameters", "start"}
# Variables of the notebook: more would hide the rest of the card.
MOST_NAMED = 4


def explain(mismatch: Mismatch) -> Failure:
    """The Failure of this mismatch, but for its line, with whatever a card can say of it.

    A misconception is better than any sentence; and where code reads the notebook's variables, its numbers speak of
    these, and no sentence is looked for.
    """
    answer, evidence, difference = mismatch.answer, mismatch.evidence, mismatch.difference
    trial, component, record = answer.trial, answer.component, answer.record
    if evidence is None:
        return explain_error(trial, component, record)

    def apart_in_answers(other: Record) -> Distance:
        """Errors are as far as can be, unless an error is what is due."""
        an_error = other.error is not None and evidence.about not in EXPECTING_ERRORS
        return math.inf if an_error else mismatch.apart(other)

    picture = picture_of(evidence)
    values = () if picture else _values(evidence, trial)
    more = [line for line in difference.more if not (values and _is_a_value(line))]
    said = IN_THOUSANDS.sub("", " ".join(difference.lines))
    sentence_has_them = all(_value(line) in said for line in values)

    code, names = evidence.code, names_read(component)
    slip, known = no_power(code) or no_sum(code), None
    if not slip:
        known = known_cause(trial, component, apart_in_answers, draws=mismatch.draws)
        known = known or one_of_two(trial, component, apart_in_answers)
    found = None if known or names else sentence(evidence)
    advice = advice_on(known, code, trial) if known else slip or thrown_away(code) or (found and found.text)
    if known and evidence.about == "gradient":
        advice = " ".join(filter(None, (advice, gradients.cut(code))))
    last_resort = evidence.about in SHOWING_THE_EXAMPLE and not known and not (found and found.says_enough)
    call = () if evidence.about in MADE_ONLY else call_lines(trial)
    return Failure(
        "",
        difference.lines,
        misconception=_name_of(known, code),
        advice=advice,
        hints=names,
        example=worked_example(trial.session, component) if last_resort else "",
        call=call if sentence_has_them else (*call, *values),
        picture=picture,
        more=tuple(more),
        printed=record.printed,
        about=evidence.about,
        question=trial.question,
    )


def _values(evidence: Evidence, trial: Trial) -> tuple[str, ...]:
    """Both values, unless the sentence has them: both of two numbers.

    Or unless they are an author's notes on what was observed: of these the sentence says what differs.
    """
    are_notes = any(isinstance(place, Mapping) for place in trial.session.exercise.places[:1])
    are_numbers = isinstance(evidence.got, (int, float, type(None))) and isinstance(evidence.want, (int, float))
    if evidence.about not in SHOWING_VALUES or are_notes or are_numbers:
        return ()
    return both(evidence.got, evidence.want)


def _value(line: str) -> str:
    """The value behind "got" or "expected"."""
    return line.partition(" ")[2].strip()


def _is_a_value(line: str) -> bool:
    return line.startswith(("got ", "expected "))


def explain_error(trial: Trial, component: Any, record: Record) -> Failure:
    """The Failure for an answer that is an error."""
    error = record.error
    assert error
    plain = _without_a_search(error, trial, record)
    if plain:
        return plain
    code, names = code_of(component), names_read(component)

    def alike(other: Record) -> Distance:
        if not _same_error(error, other.error):
            return math.inf
        return apart_in_line(record, other) if error.type in OF_MANY_LINES else 0.0

    def another_mistake(known: Misconception) -> bool:
        claims = claims_of(known, trial.session.exercise)
        if error.type not in OF_MANY_LINES:
            return False
        there = claims.asks_for_what_is_there(code) or claims.leaves_unsaid(error.message, code)
        return there or not claims.advice_for(code)

    slip = no_f_string(code) if error.type in OF_LOOKING_UP else None
    known = None if slip else known_cause(trial, component, alike, another_mistake)
    raised = raised_by(error, trial)
    # The notebook's variables have sizes of their own.
    if names:
        raised = Raised(error, settings=raised.settings)
    found = None if known else sentence(Evidence("error", raised, source=raised.line).of(trial, component))
    stays = kept_between_calls(code) if trial.kind.is_function and error.type != "NameError" else None
    means = slip or (found and found.text)
    advice = advice_on(known, code, trial) if known else " ".join(filter(None, (means, stays))) or None
    return Failure(
        "",
        error_lines(error, trial, advice or ""),
        misconception=_name_of(known, code),
        advice=advice,
        hints=names,
        call=call_lines(trial),
        frames=tuple(error.frames),
        printed=record.printed,
        about="error",
        question=trial.question,
    )


def _without_a_search(error: LearnerError, trial: Trial, record: Record) -> Failure | None:
    """The Failure for an error that says by itself what it is; None where its cause is to be looked for."""
    if error.type == UNREADABLE:
        return Failure("", (error.message,), question=trial.question)
    if error.type in (TOO_SLOW, CHANGES):
        return Failure(
            "",
            error_lines(error, trial, ""),
            advice=instead(error),
            call=call_lines(trial),
            frames=tuple(error.frames),
            printed=record.printed,
            question=trial.question,
        )
    if error.not_implemented:
        return Failure("", (not_yet(error, trial.session.exercise.symbol),), not_yet=True)
    return None


def advice_on(known: Misconception, code: Code, trial: Trial) -> str:
    """The part of a misconception's advice that is true of this code, or why code with all of it does not get it."""
    if not known.guard.admits(code.plain):
        return known.guard.otherwise
    claims = claims_of(known, trial.session.exercise)
    lost = never_read(code) if claims.asks_for_what_is_there(code) else None
    return thrown_away(code) or lost or claims.advice_for(code)


def _name_of(known: Misconception | None, code: Code) -> str | None:
    """The name of a cause, where the source shows that it is true of this code."""
    return known.name if known and known.guard.admits(code.plain) else None


def _same_error(error: LearnerError, other: LearnerError | None) -> bool:
    return error_in_short(error) == error_in_short(other)


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
