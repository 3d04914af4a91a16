"""`Transcript`: who answered what in a judging: questions × {the learner's code, what is right, each known mistake}.

The questions of a test depend on its seed alone, so what it asks of the learner's code can be asked of the reference
and of every known mistake as well. A cell is filled once: checks read the table to the first line that does not hold,
and the explanation of that line reads on in it. The learner's answers are kept here; those of mistakes and of the
reference, which no learner changes, are remembered for all judgings (`ask_own` in asking.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from judge.checking.asking import BatchRunner, can_answer, current_runner, fitting, record_of, records_of
from judge.checking.declaration import Declaration
from judge.checking.known import Misconception
from judge.checking.oracle import Reference, expected
from judge.running.kinds import briefly
from judge.running.records import TOO_SLOW, Question, Record


class Enough(Exception):
    """As many questions were asked as are wanted."""


@dataclass(eq=False)
class Column:
    """The answers of one component that the test is given, and what the test has asked it, in order."""

    component: Any
    records: dict[Question, Record] = field(default_factory=dict[Question, Record])
    asked: dict[Question, None] = field(default_factory=dict[Question, None])  # by the test, and not ahead of it
    # Its answer to a question that took too long. It is not asked again, since each question would take as long.
    hanging: Record | None = None


class Transcript:
    """The table of one judging.

    With `few_draws` whoever is asked for many draws gives few: a survey of the questions looks at no shares. The
    question that makes `most` of them is not answered any more, and raises Enough.
    """

    def __init__(self, exercise: Declaration, few_draws: bool = False, most: int | None = None):
        self.exercise, self.few_draws, self.most = exercise, few_draws, most
        self.asked: dict[Question, None] = {}  # by the test, of whomever, each once
        self._columns: list[Column] = []

    def column(self, component: Any) -> Column:
        """The column of what the test is given; by identity, since a learner's object may say that it equals any."""
        for column in self._columns:
            if column.component is component:
                return column
        self._columns.append(Column(component))
        return self._columns[-1]

    def ask(self, component: Any, question: Question) -> Record:
        """The component's answer to a question of the test."""
        self.column(component).asked[question] = self.asked[question] = None
        if len(self.asked) == self.most:
            raise Enough
        return self.answer(component, question)

    def answer(self, component: Any, question: Question) -> Record:
        """The component's answer, asked once; whoever explains asks more than the test does."""
        column = self.column(component)
        if column.hanging:
            return column.hanging
        if question not in column.records:
            column.records[question] = record = self._answer(component, question)
            if record.error and record.error.type == TOO_SLOW:
                column.hanging = record
        return column.records[question]

    def _answer(self, component: Any, question: Question) -> Record:
        wanted = briefly(question) if self.few_draws else question
        return self.expected(wanted) if type(component) is Reference else record_of(component, wanted)

    def ask_ahead(self, component: Any, questions: Sequence[Question]) -> None:
        """Put to the component what it was not asked yet, in one crossing, where the runner can do that."""
        runner, known = current_runner(), self.column(component).records
        left = [question for question in questions if question not in known]
        if left and isinstance(runner, BatchRunner):
            known.update(zip(left, records_of(runner, component, left), strict=True))

    def enter(self, component: Any, questions: Iterable[Question], records: Iterable[Record]) -> None:
        """Take in the answers to what somebody else has asked the component already."""
        known = self.column(component).records
        for question, record in zip(questions, records, strict=True):
            known[question] = fitting(record, question)

    def expected(self, question: Question) -> Record:
        """The reference solution's answer; it may itself be an error."""
        return expected(self.exercise, question)


@dataclass(frozen=True)
class Row:
    """The answers to one question: the learner's code's, a known mistake's, and the right one.

    Each is asked when it is looked at, and the learner's code may be slow: whoever needs but one asks for no other.
    """

    transcript: Transcript
    component: Any
    mistake: Any
    question: Question

    @cached_property
    def mine(self) -> Record:
        return self.transcript.answer(self.component, self.question)

    @cached_property
    def theirs(self) -> Record:
        return self.transcript.exercise.asks_own(self.mistake, self.question)

    @cached_property
    def right(self) -> Record:
        return self.transcript.expected(self.question)

    def viewed(self, record: Record) -> list[Any]:
        """The outputs of an answer as the exercise looks at them."""
        return list(map(self.transcript.exercise.viewed, record.outputs))


@dataclass(frozen=True)
class Suspect:
    """A misconception beside the learner's code: their two columns of the transcript."""

    transcript: Transcript
    known: Misconception
    component: Any

    @property
    def is_the_component(self) -> bool:  # in the proof that a misconception is named
        return self.known.component is self.component

    def knows(self, question: Question) -> bool:
        """Whether its answer is known: of a course that was handed out without it, some are."""
        return can_answer(self.known.component, question)

    def row(self, question: Question) -> Row:
        """Both answers to a question, and the right one."""
        return Row(self.transcript, self.component, self.known.component, question)

    def rows(self, questions: Iterable[Question]) -> Iterator[Row]:
        """The rows of those of these questions to which its answer is known."""
        return map(self.row, filter(self.knows, questions))
