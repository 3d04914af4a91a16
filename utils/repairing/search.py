"""Looks for one change of a learner's code with which every check passes. See `find_repair`."""

import ast
import contextlib
import io
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from ctypes import c_longlong
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from typing import Any

from utils.checking import Exercise
from utils.checking.counts import briefly
from utils.checking.verdict import Failure, Verdict
from utils.edits.candidates import edits
from utils.edits.edit import Edit
from utils.edits.kinds import KINDS
from utils.edits.operators import REPAIRING
from utils.edits.trees import bare
from utils.edits.vocabulary import Vocabulary
from utils.repairing.bounded import can_fork, in_children, nothing, processors, shared_number
from utils.repairing.showing import shown, whole
from utils.repairing.trust import is_short, reached_by
from utils.repairing.trying import (
    Answer,
    is_right,
    is_slow,
    passes,
    reference_still_passes,
)
from utils.repairing.vocabulary import vocabulary_of
from utils.running.ambient import undisturbed
from utils.running.records import Question

MOST_CANDIDATES = 1500  # that are tried, the plausible first
MOST_OF_DRAWS = 400  # where each of them has to draw again and again
WORK = 12.0  # seconds of all processors together: what is this slow is given up
BY_THE_CLOCK = 60.0  # seconds: however busy the machine is, a search comes to an end
A_WHILE = 1.0  # seconds, after which a reader is told that it goes on
MOST_CHILDREN = 4  # among which the candidates are dealt out
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Repair:
    """One change with which every check passes."""

    line: int  # of the learner's cell, from 1
    source: str  # that line
    words: str  # of what kind the change is
    before: str
    after: str  # "" where it is left out
    places: int  # where it is made
    whole: bool  # whether it is most of the reference solution, and so gives the exercise away


def find_repair(
    exercise: Exercise,
    verdict: Verdict,
    cell: str,
    namespace: dict[str, Any],
    still_looking: Callable[[], None] = nothing,
) -> Repair | None:
    """One change of the cell with which every check passes; None where none is found among so many.

    Nothing is looked for where a misconception is named, in a stub, in much code, or in code of which not all that it
    reads is known to be harmless. Candidates run in forked children where that is safe, one for each core, else here,
    one after another. How many are tried depends neither on the machine nor on how busy it is; `still_looking` is
    called once where it takes a while.
    """
    failure = verdict.failure
    if failure is None or failure.question is None:
        return None
    if failure.not_yet or failure.misconception:
        return None
    answer = _answer(exercise, cell, namespace)
    if answer is None:
        return None
    best = shared_number(sys.maxsize)
    search = _Search(answer, failure, failure.question, verdict.seed, best)
    find = _found_by_children if can_fork() else _found_here
    return find(search, _once_late(still_looking))


def _answer(exercise: Exercise, cell: str, namespace: dict[str, Any]) -> Answer | None:
    """The cell as what can be changed and run; None where it can't be."""
    if not is_short(cell):
        return None
    try:
        tree = ast.parse(cell)
        kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, DEFINITIONS)]
        definitions = bare(ast.Module(kept, []))
        defined = {getattr(node, "name", "") for node in kept}
        reached = reached_by(definitions, namespace) if exercise.symbol in defined else None
    except (SyntaxError, ValueError, RecursionError):
        return None
    return Answer(exercise, cell, definitions, namespace, reached) if reached else None


@dataclass(frozen=True)
class _Search:
    """What is looked for. `best` is the first place of all that has been found, known to every child."""

    answer: Answer
    failure: Failure
    question: Question  # that was answered wrongly
    seed: int
    best: c_longlong

    def share(self, share: int, shares: int) -> list[tuple[int, dict[str, Any]]]:
        """What one child finds, as JSON can say it."""
        return [(place, asdict(repair)) for place, repair in _first(self, share, shares)]


def _found_by_children(search: _Search, meanwhile: Callable[[], None]) -> Repair | None:
    shares = min(processors(), MOST_CHILDREN)
    works = [partial(search.share, share, shares) for share in range(shares)]
    answers = in_children(works, BY_THE_CLOCK, shares, work=WORK / shares, meanwhile=meanwhile)
    found = list(chain.from_iterable(filter(None, answers)))
    if not found:
        return None
    _, repair = min(found, key=lambda one: one[0])
    return Repair(**repair)


def _found_here(search: _Search, meanwhile: Callable[[], None]) -> Repair | None:
    """One after another, in this process: nothing that is printed, warned of or set is to stay."""
    with undisturbed(fresh=False), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        found = [repair for _, repair in _first(search, 0, 1, meanwhile)]
    return found[0] if found else None


def _first(
    search: _Search,
    share: int,
    shares: int,
    meanwhile: Callable[[], None] = nothing,
) -> Iterator[tuple[int, Repair]]:
    """The first edit of this share with which every check passes, and its place among all edits; nothing, or one.

    What comes after the best place that any of the shares has found so far need not be tried.
    """
    answer, question, best = search.answer, search.question, search.best
    vocabulary = vocabulary_of(answer.exercise)
    brief = briefly(question)
    if is_slow(answer, brief) or is_right(answer, brief, search.seed):
        return  # where it is right, it is not what was judged
    candidates = edits(answer.definitions, vocabulary, REPAIRING, _lines(search.failure))
    most = MOST_CANDIDATES if brief is question else MOST_OF_DRAWS
    is_over = _brakes(WORK / shares)
    for place in range(share, min(most, len(candidates)), shares):
        if place > best.value or is_over():
            return
        meanwhile()
        candidate = candidates[place]
        if passes(answer, candidate, question, search.seed):
            best.value = min(best.value, place)
            if reference_still_passes(answer.exercise, search.seed):
                yield place, _repair(answer, candidate, vocabulary)
            return


def _once_late(tell: Callable[[], None]) -> Callable[[], None]:
    """Tells once, when it is called after a while."""
    began, waiting = time.monotonic(), [tell]

    def meanwhile() -> None:
        if waiting and time.monotonic() - began > A_WHILE:
            waiting.pop()()

    return meanwhile


def _brakes(work: float) -> Callable[[], bool]:
    """Says when a search has taken far too long, which is not to be: how many it tries is what ends it."""
    worked, began = time.process_time(), time.monotonic()
    return lambda: time.process_time() - worked > work or time.monotonic() - began > BY_THE_CLOCK


def _lines(failure: Failure) -> list[int]:
    """Of the learner's cell, those that raised an error."""
    return [frame.line for frame in failure.frames if frame.where == "your cell"]


def _repair(answer: Answer, edit: Edit, vocabulary: Vocabulary) -> Repair:
    before, after = shown(edit, answer.definitions, answer.cell)
    lines = answer.cell.splitlines()
    return Repair(
        line=edit.line,
        source=lines[edit.line - 1].strip(),
        words=KINDS[edit.kind].words,
        before=before,
        after=after,
        places=len(edit.places),
        whole=whole(edit, before, after, vocabulary),
    )
