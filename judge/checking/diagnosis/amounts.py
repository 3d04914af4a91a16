"""What a wrong count is off by: a part that the exercise names (`Exercise(amounts=...)`), or so many times what is due.

It is said only where it fits every answer of the test that is wrong, and nothing as simple fits them too: one count
may be off by the size of a part by accident, several are not.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judge.checking.diagnosis.cases import proved_by
from judge.checking.evidence import Evidence
from judge.running.kinds import kind_of
from judge.running.records import Question, Record
from judge.running.settings import fields_of

FEWEST = 2  # wrong counts, each off by another number
OR_OTHERS = " (or parts of the same size)"  # of two at once: several pairs may have one size
NOTHING = (
    "It gives 0 wherever your answer is wrong: is something multiplied by 0, or rounded down to 0, "
    "or is the result that you return never added to?"
)
WHEREVER = " The same is true of your other wrong answers."
Numbers = Mapping[str, int]
# What an answer is off by, if it is what the text says.
Guesses = Iterator[tuple[str, Fraction]]


@dataclass(frozen=True)
class Count:
    """A wrong answer beside the right one, the parts that the exercise names, and the sizes that were given."""

    got: Fraction
    want: Fraction
    parts: Numbers
    sizes: Numbers

    @property
    def error(self) -> Fraction:
        return self.got - self.want


Guess = Callable[[Count], Guesses]


@proved_by(
    case={
        "off(lambda rows, columns, shelves: -shelves * 2 * columns)": "sides (shelves",
        "off(lambda rows, columns, shelves: boards(rows, columns, shelves))": "is twice the",
        "off(lambda rows, columns, shelves: (rows - 1) * boards(rows, columns, shelves))": "`rows` times",
        "off(lambda rows, columns, shelves: shelves * shelves * 3 * rows)": "large … shelves",
        "off(lambda rows, columns, shelves: -shelves * (3 * rows + rows * columns))": "by exactly 48",
        "off(lambda rows, columns, shelves: shelves * (3 * rows - rows * columns))": "It leaves out the",
        "off(lambda rows, columns, shelves: -boards(rows, columns, shelves))": "It gives 0",
    },
    near=(
        "off(lambda rows, columns, shelves: -shelves * 2 * columns - (shelves == 3))",
        "off(lambda rows, columns, shelves: boards(rows, columns, shelves) + 1)",
        "off(lambda rows, columns, shelves: rows * boards(rows, columns, shelves))",
        "off(lambda rows, columns, shelves: shelves * 3 * rows)",
        "off(lambda rows, columns, shelves: (shelves == 3) - boards(rows, columns, shelves))",
        "off(lambda rows, columns, shelves: -shelves * (3 * rows + rows * columns + 1))",
        "off(lambda rows, columns, shelves: shelves * (rows * columns - 3 * rows))",
    ),
)
def off_by(evidence: Evidence) -> str | None:
    """For counts that are 0, wrong by a part, by so many times a part, by two parts, or so many times too large.

    The simplest of these that fits is said, unless two fit that are as simple.
    """
    counts = _wrong_counts(evidence)
    errors = {count.error for count in counts}
    if len(errors) < FEWEST:
        return None
    if not any(count.got for count in counts):
        return NOTHING
    for guesses in FROM_THE_SIMPLEST:
        fitting = _fitting(guesses, counts)
        if fitting:
            alone = fitting.pop()
            return None if fitting else _said(alone, evidence)
    return None


def _fitting(guesses: Guess, counts: list[Count]) -> set[str]:
    """The texts that are true of all these counts."""
    first, *others = counts
    texts = _true_of(first, guesses)
    for count in others:
        texts &= _true_of(count, guesses)
    return texts


def _true_of(count: Count, guesses: Guess) -> set[str]:
    return {text for text, error in guesses(count) if error == count.error}


def _said(text: str, evidence: Evidence) -> str:
    is_a_sentence = text[0].isupper()
    if is_a_sentence:
        return text + WHEREVER
    assert evidence.question
    count = _count(evidence, evidence.question)
    error = count.error if count else Fraction(0)
    size = "small" if error < 0 else "large"
    by = f"{float(abs(error)):,.0f}"
    return f"It is too {size} by exactly {by}: {text}{WHEREVER}"


def _one_part(count: Count) -> Guesses:
    for name, size in _parts(count):
        yield from _either_way(f"{name}.", Fraction(size))


def _so_many_times_all(count: Count) -> Guesses:
    """The whole of what is due, taken too often or too seldom."""
    for name, factor in _factors(count):
        too_often = (factor - 1) * count.want
        yield f"Your answer is {name} the right one.", too_often
        too_seldom = (1 - factor) * count.got
        yield f"The right answer is {name} yours.", too_seldom


def _so_many_times_a_part(count: Count) -> Guesses:
    pairs = itertools.product(_parts(count), _factors(count))
    for (part, size), (name, factor) in pairs:
        yield from _either_way(f"{name} {part}.", factor * size)


def _two_parts(count: Count) -> Guesses:
    pairs = itertools.combinations(_parts(count), 2)
    for (one, size), (other, size_of_other) in pairs:
        together = Fraction(size + size_of_other)
        apart = Fraction(size - size_of_other)
        yield from _either_way(f"{one}, and {other}{OR_OTHERS}.", together)
        yield f"It counts {one} once too often, and leaves out {other}{OR_OTHERS}.", apart
        yield f"It leaves out {one}, and counts {other} once too often{OR_OTHERS}.", -apart


def _either_way(text: str, size: Fraction) -> Guesses:
    """Too much, or missing: the card says which by the sign."""
    yield text, size
    yield text, -size


FROM_THE_SIMPLEST: tuple[Guess, ...] = (_one_part, _so_many_times_all, _so_many_times_a_part, _two_parts)


def _parts(count: Count) -> list[tuple[str, int]]:
    return [part for part in count.parts.items() if part[1]]


def _factors(count: Count) -> Iterator[tuple[str, Fraction]]:
    yield "twice", Fraction(2)
    yield "3 times", Fraction(3)
    yield "4 times", Fraction(4)
    for name, size in count.sizes.items():
        yield f"`{name}` times", Fraction(size)
        yield f"(`{name}` − 1) times", Fraction(size - 1)


def _wrong_counts(evidence: Evidence) -> list[Count]:
    """All answers of the test that are numbers, and wrong."""
    trial = evidence.trial
    if not trial or not trial.session.exercise.amounts:
        return []
    counts = [
        _count(evidence, question)
        for question in trial.session.questions
        if kind_of(question).asks_for_a_value(question)
    ]
    return [count for count in counts if count and count.error]


def _count(evidence: Evidence, question: Question) -> Count | None:
    assert evidence.trial
    session = evidence.trial.session
    exercise = session.exercise
    assert exercise.amounts
    got = _number(session.transcript.answer(evidence.component, question))
    want = _number(session.transcript.expected(question))
    if got is None or want is None:
        return None
    return Count(
        got, want, exercise.amounts(*question.args, **question.options), _sizes(question, list(exercise.inputs))
    )


def _number(record: Record) -> Fraction | None:
    """The number that was answered, if one was."""
    if record.error:
        return None
    value: Any = record.output
    if type(value) is float and math.isfinite(value):
        return Fraction(value)
    return Fraction(value) if type(value) is int else None


def _sizes(question: Question, names: list[str]) -> dict[str, int]:
    """The whole numbers that a function was given, by their names, and those in its settings."""
    given: dict[str, Any] = dict(zip(names, question.args, strict=False))
    given |= question.options
    found = dict(given)
    for value in given.values():
        found |= fields_of(value)
    return {name: value for name, value in found.items() if type(value) is int}
