"""Looks for one change of a learner's code with which every check passes. See `find_repair`."""

import ast
import sys
import time
from collections.abc import Iterator
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
from utils.repairing.bounded import can_fork, in_children, processors, shared_number
from utils.repairing.showing import shown, whole
from utils.repairing.trust import only_computes
from utils.repairing.trying import (
    Answer,
    is_right,
    is_slow,
    looks,
    passes,
    reference_still_passes,
)
from utils.repairing.vocabulary import vocabulary_of
from utils.running.records import Question

SECONDS = 1.0  # of work, until a candidate is found that goes on to be judged whole; twice that where draws are judged
LONGER = 5  # times as long at most by the clock, on a busy machine and where a test takes most of a second
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


def find_repair(exercise: Exercise, verdict: Verdict, cell: str, namespace: dict[str, Any]) -> Repair | None:
    """One change of the cell with which every check passes; None where none is found in a second or two.

    Nothing is looked for where a misconception is named, in a stub, or in code that does more than compute. Candidates
    run in forked children where that is safe, one for each core, else here, one after another until the time is up.
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
    return _found_by_children(search) if can_fork() else _found_here(search)


def _answer(exercise: Exercise, cell: str, namespace: dict[str, Any]) -> Answer | None:
    """The cell as what can be changed and run; None where it can't be."""
    try:
        tree = ast.parse(cell)
        kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, DEFINITIONS)]
        definitions = bare(ast.Module(kept, []))
        defined = {getattr(node, "name", "") for node in kept}
        fit = exercise.symbol in defined and only_computes(definitions, namespace)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return Answer(exercise, cell, definitions, namespace) if fit else None


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


def _found_by_children(search: _Search) -> Repair | None:
    shares = min(processors(), MOST_CHILDREN)
    works = [partial(search.share, share, shares) for share in range(shares)]
    answers = in_children(works, SECONDS * LONGER, shares)
    found = list(chain.from_iterable(filter(None, answers)))
    if not found:
        return None
    _, repair = min(found, key=lambda one: one[0])
    return Repair(**repair)


def _found_here(search: _Search) -> Repair | None:
    found = [repair for _, repair in _first(search, 0, 1)]
    return found[0] if found else None


def _first(search: _Search, share: int, shares: int) -> Iterator[tuple[int, Repair]]:
    """The first edit of this share with which every check passes, and its place among all edits; nothing, or one.

    What comes after the best place that any of the shares has found so far need not be tried.
    """
    answer, question, best = search.answer, search.question, search.best
    vocabulary = vocabulary_of(answer.exercise)
    brief = briefly(question)
    if is_slow(answer, brief) or is_right(answer, brief, search.seed):
        return  # where it is right, it is not what was judged
    end = time.process_time() + SECONDS * len(looks(question))
    candidates = edits(answer.definitions, vocabulary, REPAIRING, _lines(search.failure))
    for place in range(share, len(candidates), shares):
        if place > best.value or time.process_time() > end:
            return
        candidate = candidates[place]
        if passes(answer, candidate, question, search.seed):
            best.value = min(best.value, place)
            if reference_still_passes(answer.exercise, search.seed):
                yield place, _repair(answer, candidate, vocabulary)
            return


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
