"""Why a check did not hold: the stub, a misconception that does the same, an error translated, names read by accident.

A cause is named only where the evidence holds up: the misconception does what the learner's code does not on one
question alone but on all that the test asks. Whatever is asked here goes through the same runner as the test.
"""

import math
import re
from collections.abc import Callable
from typing import Any

from utils.checking.asking import UNREADABLE, ask
from utils.checking.diagnosis.causes import Distance, known_cause
from utils.checking.diagnosis.example import worked_example
from utils.checking.diagnosis.translations import translate
from utils.checking.session import Mismatch, session
from utils.checking.verdict import Failure
from utils.checking.wording import Difference
from utils.running.calling import CannotDrive
from utils.running.kinds import kind_of
from utils.running.records import LearnerError, Question, Record

STUB = re.compile(r"(\w+)(\.\w+)?: write this part")  # what the chapters' stubs say
MOST_SAID = 1000  # characters of an error's message


def mismatch(
    component: Any,
    question: Question,
    record: Record,
    difference: Difference,
    apart: Callable[[Record], Distance],
    *,
    advice: str | Callable[[], str | None] | None = None,
    with_errors: bool = False,
    show_example: bool = False,
    beside_advice: Callable[[], bool] = lambda: False,
) -> Mismatch:
    """The Mismatch for this difference; `apart` says how far another record is from the learner's in what is wrong.

    It is asked about records that are errors only `with_errors`. `advice` is for where no misconception does the same;
    it may be a function, where finding it takes more questions. The worked example is for where there is no advice
    either, or for where advice says little.
    """
    if not session().diagnosing:
        return Mismatch(Failure("", difference.lines, question=question), difference.error_over_tolerance)
    known = known_cause(
        component, question, lambda other: math.inf if other.error and not with_errors else apart(other)
    )
    names = _names_read(component)
    advice = advice() if callable(advice) and not (known or names) else advice
    advice = None if names or callable(advice) else advice  # the numbers speak of the notebook's variables then
    last_resort = worked_example(component) if show_example and not known and (not advice or beside_advice()) else ()
    failure = Failure(
        "",
        difference.lines,
        misconception=known and known.name,
        advice=known.advice if known else advice,
        hints=(*names, *last_resort),
        printed=record.printed,
        question=question,
    )
    return Mismatch(failure, difference.error_over_tolerance)


def explain_error(component: Any, question: Question, record: Record) -> Mismatch:
    """The Mismatch for an answer that is an error."""
    error = record.error
    assert error
    if not session().diagnosing or error.type == UNREADABLE:
        return Mismatch(Failure("", (error.message,), question=question), math.inf)
    if error.not_implemented:
        return Mismatch(Failure("", (_not_yet(error),), not_yet=True), math.inf)
    known = known_cause(component, question, lambda other: 0.0 if _same_error(error, other.error) else math.inf)
    names = _names_read(component)  # which have sizes of their own: no axis is named then
    advice = known.advice if known else _translated(error, {} if names else _shapes(question)) or _own_raise(error)
    failure = Failure(
        "",
        _error_lines(error, question, advice or ""),
        misconception=known and known.name,
        advice=advice,
        hints=names,
        frames=tuple(error.frames),
        printed=record.printed,
        question=question,
    )
    return Mismatch(failure, math.inf)


def _translated(error: LearnerError, shapes: dict[str, dict[str, int]]) -> str | None:
    exercise = session().exercise
    return translate(error, shapes, exercise.known_settings, exercise.written_with)


def _own_raise(error: LearnerError) -> str | None:
    if not error.frames or not error.frames[-1].source.strip().startswith("raise "):
        return None
    return "Your own `raise` ended it, where no error is due: its condition holds too often."


def _not_yet(error: LearnerError) -> str:
    stub = STUB.match(error.message)
    if stub and stub[1] != session().exercise.symbol:
        return f"It calls `{stub[1]}`, which is still a stub: write that first, run its cell, then run this one again."
    return "Replace the line that raises NotImplementedError, then run this cell again."


def _error_lines(error: LearnerError, question: Question, advice: str) -> tuple[str, ...]:
    """What was raised, with Python's own suggestion where the advice does not speak of that name."""
    message = error.message if len(error.message) <= MOST_SAID else f"{error.message[:MOST_SAID]}..."
    if error.meant and not re.search(rf"\b{re.escape(error.meant)}\b", advice):
        message += f". Did you mean: '{error.meant}'?"
    raised = f"{error.type}: {message}" if message else error.type
    exercise, kind = session().exercise, kind_of(question)
    if error.type == CannotDrive.__name__:
        return (message,)
    if kind.of_settings and error.frames and error.frames[0].function == "__init__":
        made = f"it is made as `{exercise.symbol}(cfg)`, with a {type(kind.made_of(question)).__name__}"
        return (f"{made}, and `__init__` raised", raised)
    if error.in_the_call and kind.call:
        form = kind.call.format(exercise.symbol, ", ".join(_handed_over(question)))
        return (f"it is called as `{form}`, and Python answered", raised)
    return (raised,)


def _handed_over(question: Question) -> list[str]:
    """The names of what the call is given, as they stand in it."""
    kind, names = kind_of(question), list(session().exercise.inputs)
    inputs = kind.inputs(question)
    return names[: len(inputs) or None] + [f"{name}=..." for name in kind.keywords(question)]


def _shapes(question: Question) -> dict[str, dict[str, int]]:
    """The named axes of what the learner's code was given, with their sizes."""
    exercise, kind = session().exercise, kind_of(question)
    inputs, made_of = kind.inputs(question), kind.made_of(question)
    parameters = exercise.axes(made_of) if kind.of_settings else {}
    known = session().known_sizes(made_of, inputs).keys()
    sized = {name: axes for name, axes in (exercise.inputs | parameters).items() if axes and known >= {*axes.split()}}
    return {name: dict(session().sizes(made_of, inputs, axes)) for name, axes in sized.items()}


def _same_error(error: LearnerError, other: LearnerError | None) -> bool:
    return other is not None and (error.type, error.message) == (other.type, other.message)


def _names_read(component: Any) -> tuple[str, ...]:
    """A hint where the code reads variables of the notebook that are neither functions, classes nor modules."""
    record = ask(component, Question("names_read", ()))
    names = record.outputs[0] if not record.error and record.outputs else []
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        return ()  # as a far side may answer that is no friend
    many = len(names) > 1
    listed = ", ".join(f"`{name}`" for name in names[:4])
    return (
        f"Your code reads {listed} from the notebook: {'variables' if many else 'a variable'} made in another cell, "
        f"not in this one. If that is not what you meant, make {'them' if many else 'it'} in your own code, or use "
        "what `self` and the arguments hold.",
    )
