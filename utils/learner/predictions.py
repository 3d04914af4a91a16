"""Predict, run, see: a question before a figure, and behind it what was predicted beside what the numbers say.

The question stands in the chapter's cell, `predict(name, question, answer="")`. What makes an answer right, and why a
wrong one tempts, stands in tests/predictions/<stem>.py, which a notebook does not show; `see(name, rise=...)` is handed
the figure's own numbers, and they alone decide. Nobody is graded by it: no grader reads what is noted here.

The chapter's author answers too. Where nobody watches (a build, nbval) a question is proved with that: `see` raises
CourseError for one that the numbers don't decide, for a wrong choice that nobody explains, for a wrong answer.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from judge.checking.verdict import MARK, Status
from judge.errors import CourseError
from utils.learner.cards import as_note
from utils.learner.progress import Event, prediction_events, record_prediction
from utils.learner.shell import notebook_shell, progress_hidden

CHOICE = re.compile(r"^\s*([a-z])\)\s+(.+)$", re.MULTILINE)
TYPE = 'Type {} between the quotes of `answer=""`, and run this cell again. It takes a moment, and nobody is graded.'
NOTED = "The card below the numbers will say how it went."
COUNTS = "What counts is your first one: {}."
LATE = "You have seen the numbers already: the card shows this one as a later one, which does not count."
OPEN = "Nothing was predicted before the numbers were seen. They say: {}"
CHANGED = "The numbers here decide for no answer: {}. The chapter's own do. Has a cell above been changed, or not run?"
NOT_STORED = "(It can't be stored, so a new kernel will not know it: {}.)"
Numbers = Mapping[str, Any]


class NotUnderstood(ValueError):
    """What was typed is no answer to the question: the text says what is."""


class Broken(ValueError):
    """The question and the numbers don't fit: what is wrong, and what the author does about it."""


@dataclass(frozen=True)
class Asked:
    """A question as its cell asks it; `columns` are known of the rows of which some are to be selected."""

    text: str = ""
    columns: Numbers | None = None

    @property
    def choices(self) -> dict[str, str]:
        """Those that it names, each on a line: `a) by less than 0.5`."""
        return dict(CHOICE.findall(self.text))


@dataclass(frozen=True)
class Outcome:
    """A prediction held against the numbers."""

    right: bool
    due: str  # what the numbers say
    tempting: str = ""  # why a wrong one tempts
    unexplained: str = ""  # wrong choices of which nobody says that


# Each kind says what is typed (`wants`), puts an answer into words or raises NotUnderstood (`read`), holds it against
# the numbers, "" for what is due alone (`judge`), and yields what is wrong with a question without any (`faults`).


class Choice:
    """One of several. Each has a condition on the numbers, and exactly one is true; a wrong one says why it tempts.

    `Choice(a=(lambda rise: rise < 1, "Since ..."), b=lambda rise: rise >= 1)`: the right one may do without a sentence.
    """

    def __init__(self, **choices: Callable[..., Any] | tuple[Callable[..., Any], str]):
        self.choices = {letter: one if isinstance(one, tuple) else (one, "") for letter, one in choices.items()}
        self.wants = f"a letter, {_or(self.choices)},"

    def read(self, typed: str, asked: Asked) -> str:
        letter = typed.rstrip(")").lower()
        if letter not in self.choices:
            raise NotUnderstood(f"`{typed}` is none of the choices: type {_or(self.choices)}.")
        return f"{letter}) {asked.choices.get(letter, '')}".strip()

    def judge(self, typed: str, asked: Asked, numbers: Numbers) -> Outcome:
        true = [letter for letter, (condition, _) in self.choices.items() if _of(condition, numbers)]
        if len(true) != 1:
            raise Broken(f"{' and '.join(true) or 'no choice'} true, and exactly one has to be; mend their conditions")
        wrong = {letter: why for letter, (_, why) in self.choices.items() if letter not in true}
        unexplained = " and ".join(letter for letter, why in wrong.items() if not why.strip())
        letter = typed and self.read(typed, asked)[0]
        return Outcome(letter in true, self.read(true[0], asked), wrong.get(letter, ""), unexplained)

    def faults(self, asked: Asked) -> Iterator[str]:
        if list(asked.choices) != list(self.choices) or len(self.choices) < 2:
            yield f"the question has the choices {_or(asked.choices)}, the table {_or(self.choices)}: name the same"


@dataclass(frozen=True)
class Number:
    """A number, right to within a factor (`times=2`) or a difference (`within=0.05`), which the question says.

    `low` and `high` say why it is tempting to predict too little or too much.
    """

    low: str
    high: str
    times: float | None = None
    within: float | None = None
    wants = "a number"

    @property
    def tolerance(self) -> str:
        return f"factor of {self.times:g}" if self.times else f"± {self.within:g}"

    def read(self, typed: str, asked: Asked) -> str:
        return f"{_shown(_number(typed))} ({'within a ' if self.times else ''}{self.tolerance})"

    def judge(self, typed: str, asked: Asked, numbers: Numbers) -> Outcome:
        if len(numbers) != 1:
            raise Broken(f"one number decides such a question, and there are {len(numbers)}; hand over that one")
        (due,) = numbers.values()
        guess = _number(typed or "0")
        if self.times:
            right = guess * due > 0 and 1 / self.times <= guess / due <= self.times
        else:
            right = abs(guess - due) <= (self.within or 0)
        return Outcome(right, _shown(due), "" if right else self.low if guess < due else self.high)

    def faults(self, asked: Asked) -> Iterator[str]:
        if (self.times is None) == (self.within is None):
            yield "a number has times= or within=, and not both"
        elif self.tolerance not in asked.text:
            yield f"the question does not say the tolerance: write {self.tolerance!r} into it"
        if not (self.low.strip() and self.high.strip()):
            yield "low= and high= say why too little and too much tempt: write both"


@dataclass(frozen=True)
class Rows:
    """A line of code that selects rows by the columns that `predict` is handed; right if these rows are due.

    `due` is a condition on the columns that `see` is handed. `others` and `left_out` say why it is tempting to select
    rows that are not due, and to leave out some that are.
    """

    due: Callable[..., Any]
    others: str
    left_out: str
    wants = "a line of code that selects rows"

    def read(self, typed: str, asked: Asked) -> str:
        if asked.columns:
            self._chosen(typed, asked.columns)
        return f"`{typed}`"

    def judge(self, typed: str, asked: Asked, numbers: Numbers) -> Outcome:
        import numpy as np  # only this kind needs it

        if not asked.columns:
            raise Broken("the cell of the question has handed over no columns; run it first")
        names = np.array([" ".join(map(str, row)) for row in zip(*asked.columns.values(), strict=True)])
        due = np.asarray(_of(self.due, {name: np.asarray(column) for name, column in numbers.items()}))
        if due.shape != names.shape or due.all() or not due.any():
            raise Broken("the rows that are due are none or all, or not as many as there are; mend `due`")
        chosen = self._chosen(typed, asked.columns) if typed else due
        differences = {"also selects": chosen & ~due, "leaves out": due & ~chosen}
        told = [f"{what} {', '.join(names[rows])}" for what, rows in differences.items() if rows.any()]
        yours = f". Your line {' and '.join(told)}" if told else ""
        tempting = self.others if (chosen & ~due).any() else self.left_out
        return Outcome(not told, ", ".join(names[due]) + yours, tempting)

    def faults(self, asked: Asked) -> Iterator[str]:
        if not (self.others.strip() and self.left_out.strip()):
            yield "others= and left_out= say why wrong rows tempt: write both"

    def _chosen(self, typed: str, columns: Numbers) -> Any:
        import numpy as np

        known = {name: np.asarray(column) for name, column in columns.items()}
        try:
            chosen = np.asarray(eval(typed, {"np": np, **known}))
        except Exception as error:
            way = f"It can use {_or(known)}, and & | ~ between brackets."
            raise NotUnderstood(f"`{typed}` stops with {type(error).__name__}: {error}. {way}") from None
        count = len(next(iter(known.values())))
        if chosen.dtype != bool or chosen.shape != (count,):
            raise NotUnderstood(f"`{typed}` selects no rows: it has to be true or false for each of {count}.")
        return chosen


Kind = Choice | Number | Rows


class Predictions:
    """A chapter's questions, by their names: `Predictions(__name__, one_constant=Choice(...), ...)`."""

    def __init__(self, module: str, **questions: Kind):
        self.stem, self.questions = module.rpartition(".")[2], questions
        self._asked: dict[str, Asked] = {}
        self._here: dict[str, list[Event]] = {name: [] for name in questions}  # what is not stored

    def predict(self, name: str, question: str, answer: str | float = "", **columns: Any) -> None:
        """Note the answer; without one, show the question. It never stops a run of all cells."""
        kind, typed = self.questions[name], str(answer).strip()
        asked = self._asked[name] = Asked(question, columns)
        if not typed:
            lines = [line.strip() for line in question.strip().splitlines()]
            return _show("not yet", "Nothing predicted yet", *lines, TYPE.format(kind.wants))
        try:
            words = kind.read(typed, asked)
        except NotUnderstood as reason:
            return _show("not yet", "Not noted", str(reason))
        seen, answers = self._history(name)
        is_new = [one.answer for one in answers[-1:]] != [typed]  # else the cell is only run again
        problem = self._note(name, Event(datetime.now(UTC), typed)) if is_new else ""
        told = NOTED
        if seen and (is_new or answers[-1].late):
            told = LATE
        elif answers and answers[0].answer != typed:
            told = COUNTS.format(_read(kind, answers[0], asked))
        _show("not yet", f"Noted: {words}", told, problem)

    def see(self, name: str, **numbers: Any) -> None:
        """The card: what was predicted beside what the figure's numbers say. Each is shown under its name."""
        kind, asked = self.questions[name], self._asked.get(name, Asked())
        seen, answers = self._history(name)
        numbers = {key: value.item() if getattr(value, "ndim", None) == 0 else value for key, value in numbers.items()}
        single = [f"{key} = {_shown(value)}" for key, value in numbers.items() if isinstance(value, int | float | str)]
        measured = f"Measured: {', '.join(single)}." if single else ""  # columns stand in the figure
        try:
            due = kind.judge("", asked, numbers).due
            judged = [(one, kind.judge(one.answer, asked, numbers)) for one in answers]
        except (Broken, NotUnderstood) as reason:
            if answers and progress_hidden():
                raise self._broken(name, f"{reason}. {measured}".rstrip()) from None
            return _show("not yet", "Not decided", CHANGED.format(reason), measured)
        counts = judged[:1] if judged and not judged[0][0].late else []
        later = [_later(kind, one, asked, outcome.right) for one, outcome in judged[len(counts) :]]
        if not seen:
            self._note(name, Event(datetime.now(UTC), seen=True, right=any(outcome.right for _, outcome in counts)))
        if not counts:
            return _show("not yet", OPEN.format(due), measured, *later)
        (first, outcome), *_ = counts
        if progress_hidden():
            self._prove(name, first, outcome, measured)
        said = f"You predicted {kind.read(first.answer, asked)}"
        if outcome.right:
            return _show("passed", f"{said}: right", measured, *later)
        tempting = outcome.tempting and f"Why that is tempting: {outcome.tempting}"
        _show("failed", f"{said}; the numbers say: {outcome.due}", measured, tempting, *later)

    def _prove(self, name: str, first: Event, outcome: Outcome, measured: str) -> None:
        """Raises CourseError where the chapter's own answer is wrong, or a wrong choice has no sentence."""
        if not outcome.right:
            what = f"the chapter predicts {first.answer}, and the numbers say {outcome.due}. {measured}"
            raise self._broken(name, f"{what} Write that into its answer=, or mend the conditions.")
        if outcome.unexplained:
            raise self._broken(name, f"{outcome.unexplained} is wrong, and no sentence says why it tempts: write one.")

    def _broken(self, name: str, what: str) -> CourseError:
        return CourseError(f"tests/predictions/{self.stem}.py: {name}: {what}")

    def _history(self, name: str) -> tuple[bool, list[Event]]:
        """Whether the numbers were seen, and the predictions in their order; `late` are those made after that."""
        stored = [] if progress_hidden() else prediction_events(self.stem, name)
        events = sorted([*stored, *self._here[name]], key=lambda event: event.at)
        seen = [event.at for event in events if event.seen]
        answers = [replace(one, late=one.at > min(seen, default=one.at)) for one in events if not one.seen]
        return bool(seen), answers

    def _note(self, name: str, event: Event) -> str:
        """Store it; in this kernel alone where it can't be, and why."""
        try:
            if not progress_hidden():
                record_prediction(self.stem, name, event)
                return ""
        except OSError as error:
            self._here[name].append(event)
            return NOT_STORED.format(error)
        self._here[name].append(event)
        return ""


def _later(kind: Kind, one: Event, asked: Asked, right: bool) -> str:
    when = "After the numbers were seen" if one.late else "Later, before the numbers"
    return f"{when}: {_read(kind, one, asked)}, which is {'right' if right else 'not so'}. It does not count."


def _read(kind: Kind, one: Event, asked: Asked) -> str:
    """An earlier answer in words; as it was typed, where the question has changed since."""
    try:
        return kind.read(one.answer, asked)
    except NotUnderstood:
        return one.answer


def _of(condition: Callable[..., Any], numbers: Numbers) -> Any:
    """The condition of those numbers that it names."""
    try:
        return condition(*(numbers[name] for name in inspect.signature(condition).parameters))
    except Exception as error:
        raise Broken(f"a condition on {_or(numbers)} stops with {type(error).__name__}: {error}") from None


def _number(typed: str) -> float:
    try:
        return float(typed.replace(",", "").replace("−", "-"))
    except ValueError:
        raise NotUnderstood(f"`{typed}` is no number: type one such as 0.5 or 12.") from None


def _shown(value: Any) -> str:
    """A number to three digits."""
    if isinstance(value, float):
        text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        return text if float(text.replace(",", "")) else "0"  # a tiny number below 0 is rounded to -0
    return str(value)


def _or(names: Iterable[str]) -> str:
    *others, last = list(names) or ["none"]
    return f"{', '.join(others)} or {last}" if others else last


def _show(status: Status, title: str, *lines: str) -> None:
    """In a notebook as a card, else as text; in both the words say it without the colour."""
    below = list(filter(None, lines))
    text = "\n".join([f"{MARK[status]} {title}", *(f"  {line}" for line in below)])
    if notebook_shell():
        from IPython.display import display

        display({"text/plain": text, "text/html": as_note(status, title, below)}, raw=True)
    else:
        print(text)
