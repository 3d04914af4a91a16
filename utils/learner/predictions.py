"""Predict, run, see: a question before a figure, and behind it what was predicted beside what the numbers say.

The question stands in the chapter's cell, `predict(name, question, answer="")`. What makes an answer right, and why a
wrong one tempts, stands in tests/predictions/<stem>.py, which a notebook does not show; `see(name, rise=...)` is handed
the figure's own numbers, and they alone decide. Nobody is graded by it: no grader reads what is noted here.

The chapter's author answers too. Where nobody watches (a build, nbval) a question is proved with that: `see` raises
CourseError for one that the numbers don't decide, for a wrong choice that nobody explains, for a wrong answer.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from judge.checking.verdict import MARK, Status
from judge.errors import CourseError
from judge.running.limited import Limit, TooSlow, limited
from utils.learner.cards import as_note
from utils.learner.progress import Event, prediction_events, record_prediction
from utils.learner.shell import notebook_shell, progress_hidden

CHOICE = re.compile(r"([a-z])\)\s+(.+)")
GROUPED = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")  # 12,000
TYPE = 'Type {} between the quotes of `answer=""`, and run this cell again. It takes a moment, and nobody is graded.'
NOTED = "The card below the numbers will say how it went."
COUNTS = "What counts is your first one: {}."
LATE = "You have seen the numbers already: the card shows this one as a later one, which does not count."
OPEN = "Nothing was predicted before the numbers were seen. They say: {}"
CHANGED = "No answer fits the numbers here. The chapter's own decide: has a cell above been changed, or not run? ({}.)"
NOT_ASKED = "The question's cell has not run in this kernel"
ASK_FIRST = "Run the cell with predict({!r}, ...), and then this one. What you predicted is kept."
NO_LONGER = "Your earlier answer, `{}`, is no answer to the question as it is now, and does not count."
NOT_STORED = "(It can't be stored, so a new kernel will not know it: {}.)"
JOIN = "Join two conditions with & or |, each in brackets: ({0} > 1) & ({0} < 3)."
SECONDS = 5.0  # of work for a line that selects rows
Numbers = Mapping[str, Any]


class NotUnderstood(ValueError):
    """What was typed is no answer to the question: the text says what is."""


class NotAsked(ValueError):
    """The cell of the question has not run, and the numbers can't be held against an answer without it."""


class Broken(ValueError):
    """The question and the numbers don't fit: what is wrong, and what the author does about it."""


@dataclass(frozen=True)
class Asked:
    """A question as its cell asks it; `columns` are known of the rows of which some are to be selected."""

    text: str = ""
    columns: Numbers | None = None

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Those that it names: `a) by less than 0.5`, until the next one begins."""
        found: list[tuple[str, str]] = []
        for line in map(str.strip, self.text.splitlines()):
            if begins := CHOICE.fullmatch(line):
                found.append((begins[1], begins[2]))
            elif found and line:
                letter, words = found[-1]
                found[-1] = letter, f"{words} {line}"
        return found


@dataclass(frozen=True)
class Outcome:
    """A prediction held against the numbers."""

    right: bool
    due: str  # what the numbers say
    tempting: str = ""  # why a wrong one tempts


# Each kind says what is typed (`wants`), puts an answer into words or raises NotUnderstood (`read`), holds it against
# the numbers, "" for what is due alone (`judge`), and yields what is wrong with a question whose answer is known
# (`faults`).


class Choice:
    """One of several. Each has a condition on the numbers, and exactly one is true; a wrong one says why it tempts.

    `Choice(a=(lambda rise: rise < 1, "Since ..."), b=lambda rise: rise >= 1)`: the right one may do without a sentence.
    """

    def __init__(self, **choices: Callable[..., Any] | tuple[Callable[..., Any], str]):
        self.choices = {letter: one if isinstance(one, tuple) else (one, "") for letter, one in choices.items()}
        for letter, one in self.choices.items():
            if len(one) != 2 or not callable(one[0]) or not isinstance(one[1], str):
                raise TypeError(f"{letter} is (condition, why it tempts), a function and a text in this order")
        self.wants = f"a letter, {_or(self.choices)},"

    def read(self, typed: str, asked: Asked) -> str:
        letter = typed.rstrip(")").lower()
        if letter not in self.choices:
            raise NotUnderstood(f"`{typed}` is none of the choices: type {_or(self.choices)}.")
        return f"{letter}) {dict(asked.choices).get(letter, '')}".strip()

    def judge(self, typed: str, asked: Asked, numbers: Numbers) -> Outcome:
        true = [letter for letter, (condition, _) in self.choices.items() if bool(_of(condition, numbers))]
        if len(true) != 1:
            raise Broken(f"{' and '.join(true) or 'no choice'} true, and exactly one has to be; mend their conditions")
        wrong = {letter: why for letter, (_, why) in self.choices.items() if letter not in true}
        letter = typed and self.read(typed, asked)[0]
        return Outcome(letter in true, self.read(true[0], asked), wrong.get(letter, ""))

    def faults(self, asked: Asked, answer: str) -> Iterator[str]:
        letters = [letter for letter, _ in asked.choices]
        if letters != list(self.choices) or len(letters) < 2:
            yield f"the question has the choices {_or(letters)}, the table {_or(self.choices)}: name the same"
        for letter, (_, why) in self.choices.items():
            if letter != answer.rstrip(")").lower() and not why.strip():
                yield f"{letter} is wrong, and no sentence says why it tempts: write one"


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
        return f"± {self.within or 0:g}" if self.times is None else f"factor of {self.times:g}"

    def read(self, typed: str, asked: Asked) -> str:
        return f"{_shown(_number(typed))} ({'' if self.times is None else 'within a '}{self.tolerance})"

    def judge(self, typed: str, asked: Asked, numbers: Numbers) -> Outcome:
        if len(numbers) != 1:
            raise Broken(f"one number decides such a question, and there are {len(numbers)}; hand over that one")
        ((name, measured),) = numbers.items()
        if not isinstance(measured, int | float) or math.isinf(measured):
            raise Broken(f"`{name}` is {measured}; hand over a finite number")
        due, guess = _number(_shown(float(measured))), _number(typed or "0")  # as the card shows it
        if self.times is None:
            right = abs(guess - due) <= (self.within or 0) + 1e-9 * abs(due)
        elif due == 0:
            raise Broken(f"`{name}` is 0, and no number is within a factor of that; ask with within=")
        else:
            right = guess * due > 0 and max(guess / due, due / guess) <= self.times * (1 + 1e-9)
        return Outcome(right, _shown(due), "" if right else self.low if guess < due else self.high)

    def faults(self, asked: Asked, answer: str) -> Iterator[str]:
        if (self.times is None) == (self.within is None):
            yield "a number has times= or within=, and not both"
        elif (self.times is not None and self.times <= 1) or (self.within is not None and self.within <= 0):
            yield "nothing is within that: times= is above 1, and within= above 0"
        elif not re.search(rf"{re.escape(self.tolerance)}(?![.,]?\d)", asked.text):
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
            raise NotAsked
        names = np.array([" ".join(map(_shown, row)) for row in zip(*asked.columns.values(), strict=True)])
        due = np.asarray(_of(self.due, {name: np.array(column) for name, column in numbers.items()}))
        if due.shape != names.shape:
            raise Broken(f"`due` gives {due.size} values for {len(names)} rows; hand over one number of each row")
        if due.all() or not due.any():
            raise Broken(f"{due.sum()} of {len(due)} rows are due; some have to be, and some not: mend `due`")
        chosen = self._chosen(typed, asked.columns) if typed else due
        differences = {"also selects": chosen & ~due, "leaves out": due & ~chosen}
        told = [f"{what} {', '.join(names[rows])}" for what, rows in differences.items() if rows.any()]
        yours = f". Your line {' and '.join(told)}" if told else ""
        tempting = self.others if (chosen & ~due).any() else self.left_out
        return Outcome(not told, ", ".join(names[due]) + yours, tempting)

    def faults(self, asked: Asked, answer: str) -> Iterator[str]:
        if not (self.others.strip() and self.left_out.strip()):
            yield "others= and left_out= say why wrong rows tempt: write both"

    def _chosen(self, typed: str, columns: Numbers) -> Any:
        import numpy as np

        known = {name: np.array(column) for name, column in columns.items()}
        way = f"It can use {_or(known)}, and & | ~ between brackets."
        try:
            chosen = np.asarray(limited(Limit(SECONDS), lambda: eval(typed, {"np": np, **known})))
        except TooSlow:
            raise NotUnderstood(f"`{typed}` takes longer than {SECONDS:g} seconds. {way}") from None
        except Exception as error:
            if "truth value" in str(error):  # of `and`, of a chain such as 1 < layer < 3, and where brackets lack
                raise NotUnderstood(f"`{typed}`: {JOIN.format(next(iter(known)))}") from None
            raise NotUnderstood(f"`{typed}` stops with {type(error).__name__}: {error}. {way}") from None
        count = len(next(iter(known.values())))
        if chosen.dtype != bool or chosen.shape != (count,):
            raise NotUnderstood(f"`{typed}` selects no rows: it has to be true or false for each of {count}.")
        if chosen.all() or not chosen.any():
            raise NotUnderstood(f"`{typed}` selects {'all' if chosen.all() else 'none'} of the {count} rows. {way}")
        return chosen


Kind = Choice | Number | Rows


class Predictions:
    """A chapter's questions, by their names: `Predictions(__name__, one_constant=Choice(...), ...)`."""

    def __init__(self, module: str, **questions: Kind):
        for name, kind in questions.items():
            if not isinstance(kind, Kind):
                what = f"{name} is of type {type(kind).__name__}"
                raise TypeError(f"{what}: write Choice(...), Number(...) or Rows(...), without brackets around it")
        self.stem, self.questions = module.rpartition(".")[2], questions
        self._asked: dict[str, Asked] = {}
        self._here: dict[str, list[Event]] = {name: [] for name in questions}  # what is not stored

    def predict(self, name: str, question: str, /, answer: str | float = "", **columns: Any) -> None:
        """Note the answer; without one, show the question. It never stops a run of all cells."""
        kind, typed = self._kind(name), str(answer).strip()
        columns = {key: _values(column) for key, column in columns.items()}
        lengths = {key: len(column) for key, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise self._broken(name, f"the columns are not of one length: {lengths}.")
        asked = self._asked[name] = Asked(question, columns)
        if not typed:
            lines = [line.strip() for line in question.strip().splitlines()]
            return _show("not yet", "Nothing predicted yet", *lines, TYPE.format(kind.wants))
        try:
            words = kind.read(typed, asked)
        except NotUnderstood as reason:
            if progress_hidden():
                raise self._broken(name, f"its answer= can't be read. {reason}") from None
            return _show("not yet", "Not noted", str(reason))
        seen, answers, _ = self._history(name)
        is_new = [_read(kind, one, asked) for one in answers[-1:]] != [words]  # else the cell is only run again
        problem = self._note(name, Event(datetime.now(UTC), typed)) if is_new else ""
        told = NOTED
        if seen and (is_new or answers[-1].late):
            told = LATE
        elif answers and (first := _read(kind, answers[0], asked)) != words:
            told = COUNTS.format(first)
        _show("not yet", f"Noted: {words}", told, problem)

    def see(self, name: str, /, **numbers: Any) -> None:
        """The card: what was predicted beside what the figure's numbers say. Each is shown under its name."""
        kind, asked = self._kind(name), self._asked.get(name, Asked())
        seen, answers, no_longer = self._history(name)
        numbers = {key: _values(value) for key, value in numbers.items()}
        single = [f"{key} = {_shown(value)}" for key, value in numbers.items() if isinstance(value, int | float | str)]
        measured = f"Measured: {', '.join(single)}." if single else ""  # columns stand in the figure
        try:
            _refuse_nan(numbers)
            due = kind.judge("", asked, numbers).due
            judged = [(one, kind.judge(one.answer, asked, numbers)) for one in answers]
        except NotAsked:
            return _show("not yet", NOT_ASKED, ASK_FIRST.format(name))
        except Broken as reason:
            if answers and progress_hidden():
                raise self._broken(name, f"{reason}. {measured}".rstrip()) from None
            return _show("not yet", "Not decided", CHANGED.format(reason), measured)
        counts = judged[:1] if judged and not judged[0][0].late else []
        later = [_later(kind, one, asked, outcome.right) for one, outcome in judged[len(counts) :]]
        later += [NO_LONGER.format(one.answer) for one in no_longer]
        if not seen:
            self._note(name, Event(datetime.now(UTC), seen=True, right=any(outcome.right for _, outcome in counts)))
        if not counts:
            return _show("not yet", OPEN.format(due), measured, *later)
        (first, outcome), *_ = counts
        if progress_hidden() and not outcome.right:
            what = f"the chapter predicts {first.answer}, and the numbers say {outcome.due}."
            raise self._broken(name, " ".join(filter(None, [what, measured, "Mend its answer=, or the conditions."])))
        said = f"You predicted {kind.read(first.answer, asked)}"
        if outcome.right:
            return _show("passed", f"{said}: right", measured, *later)
        tempting = outcome.tempting and f"Why that is tempting: {outcome.tempting}"
        _show("failed", f"{said}; the numbers say: {outcome.due}", measured, tempting, *later)

    def _kind(self, name: str) -> Kind:
        if name not in self.questions:
            raise CourseError(f"tests/predictions/{self.stem}.py has no {name!r}, only {_or(self.questions)}.")
        return self.questions[name]

    def _broken(self, name: str, what: str) -> CourseError:
        return CourseError(f"tests/predictions/{self.stem}.py: {name}: {what}")

    def _history(self, name: str) -> tuple[bool, list[Event], list[Event]]:
        """Whether the numbers were seen; the predictions in their order; and those that are none any more.

        `late` are those made after the numbers were seen.
        """
        stored = [] if progress_hidden() else prediction_events(self.stem, name)
        events = sorted([*stored, *self._here[name]], key=lambda event: event.at)
        seen = [event.at for event in events if event.seen]
        answers = [replace(one, late=one.at > min(seen, default=one.at)) for one in events if not one.seen]
        kind, asked = self.questions[name], self._asked.get(name, Asked())
        no_longer = [one for one in answers if _read(kind, one, asked) is None]
        return bool(seen), [one for one in answers if one not in no_longer], no_longer

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


def _read(kind: Kind, one: Event, asked: Asked) -> str | None:
    """An earlier answer in words; None where it is no answer to the question as it is now."""
    try:
        return kind.read(one.answer, asked)
    except NotUnderstood:
        return None


def _values(value: Any) -> Any:
    """What a tensor or an array holds, as numbers, or lists of them: nothing that is typed can change the chapter's."""
    return value.tolist() if hasattr(value, "tolist") else list(value) if isinstance(value, list | tuple) else value


def _refuse_nan(numbers: Numbers) -> None:
    for name, value in numbers.items():
        some = value if isinstance(value, list) else [value]
        if any(isinstance(one, float) and math.isnan(one) for one in some):
            raise Broken(f"`{name}` is NaN, or holds one; no answer can be held against that")


def _of(condition: Callable[..., Any], numbers: Numbers) -> Any:
    """The condition of those numbers that it names."""
    wanted = inspect.signature(condition).parameters
    if missing := [name for name in wanted if name not in numbers]:
        raise Broken(f"a condition reads {_or(missing)}, and `see` hands over {_or(numbers)}; use the same names")
    try:
        return condition(*(numbers[name] for name in wanted))
    except Exception as error:
        raise Broken(f"a condition on {_or(wanted)} stops with {type(error).__name__}: {error}") from None


def _number(typed: str) -> float:
    text = typed.replace("−", "-")
    if GROUPED.fullmatch(text):
        text = text.replace(",", "")
    elif "," in text:
        raise NotUnderstood(f"`{typed}`: write a decimal point, as in 0.5.")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise NotUnderstood(f"`{typed}` is no number: type one such as 0.5 or 12.")
    return number


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
