"""Looks for one change of a learner's code with which every check passes. See `find_repair`.

A search is dealt out among forked children where that is safe, else all of it is done here.
"""

import ast
import contextlib
import io
import re
import sys
import time
import warnings
from collections.abc import Callable
from ctypes import c_longlong
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any

from judge.checking import Exercise
from judge.checking.verdict import Failure, Verdict
from judge.edits.candidates import Edit, edits
from judge.edits.operators import REPAIRING
from judge.edits.trees import bare
from judge.edits.vocabulary import Vocabulary, vocabulary_of
from judge.repairing.repair import Repair, repair_of
from judge.repairing.trust import is_short, reached_by
from judge.repairing.trying import Answer, is_right, is_slow, mends, reference_still_passes
from judge.running.ambient import undisturbed
from judge.running.children import can_fork, in_children, nothing, processors, shared_number
from judge.running.kinds import briefly
from judge.running.records import Question
from judge.running.watching import work_time

WORK = 12.0  # seconds of all processors together: what is this slow is given up
BY_THE_CLOCK = 60.0  # seconds: however busy the machine is, a search comes to an end
MOST_CHILDREN = 4  # among which the candidates are dealt out

Found = tuple[int, Repair]  # a repair, behind its place among all that were to be tried


@dataclass(frozen=True)
class Share:
    """The part of a search that is done in one process: every so manieth candidate."""

    number: int
    of: int
    work: float  # seconds of all processors together
    meanwhile: Callable[[], None] = nothing
    worked: float = field(default_factory=lambda: work_time())
    began: float = field(default_factory=time.monotonic)

    def places(self, n_candidates: int) -> range:
        """The places of the candidates that are its own."""
        return range(self.number, n_candidates, self.of)

    def left(self) -> float:
        """Seconds of work that are left; 0 where it has taken far too long, which is not to be.

        How many are tried is what ends it.
        """
        self.meanwhile()
        if time.monotonic() - self.began > BY_THE_CLOCK:
            return 0.0
        return max(0.0, self.work / self.of - (work_time() - self.worked))


def first_of(search: Callable[[Share], list[Found]], meanwhile: Callable[[], None]) -> Repair | None:
    """The first of what all shares of the search find; `meanwhile` is called now and then."""
    found = _in_children(search, meanwhile) if can_fork() else _here(search, meanwhile)
    first = min(found, key=lambda placed: placed[0], default=None)
    return first and first[1]


def _in_children(search: Callable[[Share], list[Found]], meanwhile: Callable[[], None]) -> list[Found]:
    shares = min(processors(), MOST_CHILDREN)
    works = [partial(_as_plain, search, number, shares) for number in range(shares)]
    answers = in_children(works, BY_THE_CLOCK, shares, work=WORK / shares, meanwhile=meanwhile)
    return [(place, Repair(**told)) for place, told in chain.from_iterable(filter(None, answers))]


def _as_plain(search: Callable[[Share], list[Found]], number: int, shares: int) -> list[tuple[int, dict[str, Any]]]:
    """The finds of one child, as JSON can say them."""
    return [(place, asdict(repair)) for place, repair in search(Share(number, shares, WORK))]


def _here(search: Callable[[Share], list[Found]], meanwhile: Callable[[], None]) -> list[Found]:
    """One after another, in this process: nothing that is printed, warned of or set is to stay."""
    with undisturbed(fresh=False), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        return search(Share(0, 1, WORK, meanwhile))


# How many are tried, the plausible first. Of 62 changes that mended an answer of benchmarks/wrong_answers 54 were among
# the first hundred, and the only one behind the 500th was a way round the mistake; a reader waits for all the others.
MOST_CANDIDATES = 500
MOST_OF_DRAWS = 100  # where each of them has to draw again and again; the latest that mended anything was the 52nd
MOST_COMPILED = 80  # where what is new in each is compiled first, a twentieth of a second for each operation


@dataclass(frozen=True)
class Search:
    """The state of a search. `best` is the first place of all that has been found, known to every child."""

    answer: Answer
    question: Question  # that was answered wrongly
    lines: tuple[int, ...]  # of the learner's cell, those that raised an error
    seed: int
    best: c_longlong = field(default_factory=lambda: shared_number(sys.maxsize))

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that edits are made of."""
        return vocabulary_of(self.answer.exercise)

    @property
    def brief(self) -> Question:
        """The question for a first look."""
        return briefly(self.question)

    @property
    def most(self) -> int:
        """How many candidates are tried: fewer where each takes long."""
        if self.answer.exercise.written_with.is_compiled:
            return MOST_COMPILED
        draws = self.brief is not self.question
        return MOST_OF_DRAWS if draws else MOST_CANDIDATES

    @cached_property
    def edits(self) -> list[Edit]:
        """All that is to be tried, the plausible first."""
        return edits(self.answer.definitions, self.vocabulary, REPAIRING, self.lines)[: self.most]


def one_edit(search: Search, share: Share) -> list[Found]:
    """The first edit of this share with which every check passes, and its place; none where there is none.

    What comes after the best place that any of the shares has found so far need not be tried. Nothing is found where
    something that was tried has changed how right answers are judged.
    """
    answer = search.answer
    if is_slow(answer, search.brief) or is_right(answer, search.brief, search.seed, share.left()):
        return []  # where it is right, it is not what was judged
    for place in share.places(len(search.edits)):
        if place > search.best.value or not (left := share.left()):
            break
        edit = search.edits[place]
        if mends(answer, edit, search.question, search.seed, left):
            search.best.value = min(search.best.value, place)
            is_sound = reference_still_passes(answer.exercise, search.question, search.seed)
            return [(place, repair_of(answer, edit, search.vocabulary))] if is_sound else []
    return []


A_WHILE = 1.0  # seconds, after which a reader is told that it goes on
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def find_repair(
    exercise: Exercise,
    verdict: Verdict,
    cell: str,
    namespace: dict[str, Any],
    still_looking: Callable[[], None] = nothing,
) -> Repair | None:
    """One change of the cell with which every check passes; None where none is found.

    Nothing is looked for where a misconception is named, in a stub, in much code, or in code of which not all that it
    reads is known to be harmless. Candidates run in forked children where that is safe, one for each core, else here,
    one after another. How many are tried depends neither on the machine nor on how busy it is; `still_looking` is
    called once where it takes a while.
    """
    failure = verdict.failure
    if failure is None or failure.question is None:
        return None
    if failure.not_yet or failure.misconception or _lacks_an_import(exercise, failure):
        return None
    answer = _answer(exercise, cell, namespace)
    if answer is None:
        return None
    search = Search(answer, failure.question, _lines(failure), verdict.seed)
    _ = search.edits  # before the children begin: each would make the list anew
    return first_of(partial(one_edit, search), _once_late(still_looking))


def _lacks_an_import(exercise: Exercise, failure: Failure) -> bool:
    """Whether a library was used that the notebook has not imported: the card says which line does that.

    An edit could only take its use away.
    """
    undefined = re.findall(r"NameError: name '(\w+)' is not defined", "\n".join(failure.details))
    return any(name in exercise.written_with.imports for name in undefined)


def _answer(exercise: Exercise, cell: str, namespace: dict[str, Any]) -> Answer | None:
    """The cell as what can be changed and run; None where it can't be."""
    if not is_short(cell):
        return None
    try:
        tree = ast.parse(cell)
        kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, DEFINITIONS)]
        definitions = bare(ast.Module(kept, []))
        defined = {getattr(node, "name", "") for node in kept}
        helpers = vocabulary_of(exercise).helpers
        reached = reached_by(definitions, namespace, helpers) if exercise.symbol in defined else None
    except (SyntaxError, ValueError, RecursionError):
        return None
    return Answer(exercise, cell, definitions, namespace, reached) if reached else None


def _once_late(tell: Callable[[], None]) -> Callable[[], None]:
    """Tells once, when it is called after a while."""
    began, waiting = time.monotonic(), [tell]

    def meanwhile() -> None:
        if waiting and time.monotonic() - began > A_WHILE:
            waiting.pop()()

    return meanwhile


def _lines(failure: Failure) -> tuple[int, ...]:
    """Of the learner's cell, those that raised an error."""
    return tuple(frame.line for frame in failure.frames if frame.where == "your cell")
