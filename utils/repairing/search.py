"""Looks for one change of a learner's code with which every check passes. See `find_repair`."""

import ast
import sys
import time
from collections.abc import Iterator, Mapping
from ctypes import c_longlong
from dataclasses import asdict, dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from utils.checking import Exercise
from utils.checking.asking import ask
from utils.checking.counts import briefly
from utils.checking.oracle import solution_of
from utils.checking.verdict import Failure, Verdict
from utils.edits.candidates import edits
from utils.edits.edit import Edit
from utils.edits.kinds import KINDS
from utils.edits.operators import REPAIRING
from utils.edits.trees import bare
from utils.edits.vocabulary import Vocabulary
from utils.repairing.bounded import can_fork, in_children, processors, shared_number
from utils.repairing.gate import gets_through
from utils.repairing.idle import makes_idle
from utils.repairing.showing import shown, whole
from utils.repairing.trust import only_computes
from utils.repairing.vocabulary import vocabulary_of
from utils.running.limited import limited
from utils.running.records import Question

SECONDS = 1.0  # of work, until a candidate is found that goes on to be judged whole; twice that where draws are judged
LONGER = 5  # times as long at most by the clock, on a busy machine and where a test takes most of a second
SLOW = 0.05  # seconds of work: an answer that takes longer is not tried
MOST_CHILDREN = 4  # among which the candidates are dealt out
EACH = 0.2  # seconds for one candidate on one question
FILE = "<candidate>"
SEEDS = 2  # with which a candidate is judged whole


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


@dataclass(frozen=True)
class Answer:
    """What a learner wrote, ready to be changed and run."""

    exercise: Exercise
    cell: str
    definitions: ast.Module  # the functions and classes of the cell
    namespace: dict[str, Any]  # of the notebook

    def made(self, tree: ast.Module, more: Mapping[str, Any] = MappingProxyType({})) -> Any:
        """The component that the changed definitions make; the notebook's own names stay as they are."""
        names = {**self.namespace, **more}
        exec(compile(tree, FILE, "exec", dont_inherit=True), names)
        return names[self.exercise.symbol]

    def judged(self, tree: ast.Module, more: Mapping[str, Any], *, seed: int) -> bool:
        """Whether what the changed definitions make passes."""
        return self.exercise.passes(self.made(tree, more), seed=seed)


def find_repair(exercise: Exercise, verdict: Verdict, cell: str, namespace: dict[str, Any]) -> Repair | None:
    """One change of the cell with which every check passes; None where none is found in a second or two.

    Nothing is looked for where a misconception is named, in a stub, or in code that does more than compute. Candidates
    run in forked children where that is safe, one for each core, else here, one after another until the time is up.
    """
    failure = verdict.failure
    if failure is None or failure.not_yet or failure.misconception or failure.question is None:
        return None
    answer = _answer(exercise, cell, namespace)
    if answer is None:
        return None
    shares, best = min(processors(), MOST_CHILDREN), shared_number(sys.maxsize)
    if not can_fork():
        return next((repair for _, repair in _first(answer, failure, verdict.seed, best)), None)
    works = [partial(_as_data, answer, failure, verdict.seed, best, share, shares) for share in range(shares)]
    found = [one for data in in_children(works, SECONDS * LONGER, shares) for one in data or []]
    return Repair(**min(found, key=lambda one: one[0])[1]) if found else None


def _answer(exercise: Exercise, cell: str, namespace: dict[str, Any]) -> Answer | None:
    try:
        tree = ast.parse(cell)
        kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        definitions = bare(ast.Module(kept, []))
        defined = {getattr(node, "name", "") for node in kept}
        fit = exercise.symbol in defined and only_computes(definitions, namespace)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return Answer(exercise, cell, definitions, namespace) if fit else None


def _as_data(*arguments: Any) -> list[tuple[int, dict[str, Any]]]:
    return [(place, asdict(repair)) for place, repair in _first(*arguments)]


def _first(
    answer: Answer, failure: Failure, seed: int, best: c_longlong, share: int = 0, shares: int = 1
) -> Iterator[tuple[int, Repair]]:
    """The first edit of this share with which every check passes, and its place among all edits; nothing, or one.

    `best` is the first place that any of the shares has found so far: what comes after it need not be tried.
    """
    question = failure.question
    assert question
    vocabulary = vocabulary_of(answer.exercise)
    if _is_slow(answer, briefly(question)) or _is_right(answer, briefly(question), seed):
        return  # where it is right, it is not what was judged
    lines = [frame.line for frame in failure.frames if frame.where == "your cell"]
    end = time.process_time() + SECONDS * (1 if briefly(question) is question else 2)
    candidates = edits(answer.definitions, vocabulary, REPAIRING, lines)
    for place in range(share, len(candidates), shares):
        if place > best.value or time.process_time() > end:
            return
        if _passes(answer, candidates[place], question, seed):
            best.value = min(best.value, place)
            if _reference_still_passes(answer.exercise, seed):
                yield place, _repair(answer, candidates[place], vocabulary)
            return


def _is_slow(answer: Answer, question: Question) -> bool:
    started = time.process_time()
    with limited(FILE, EACH):
        ask(answer.made(answer.definitions), question)
    return time.process_time() - started > SLOW


def _is_right(answer: Answer, question: Question, seed: int) -> bool:
    component = answer.made(answer.definitions)
    first = gets_through(answer.exercise, question, ask(component, question))  # most answers are told from right by it
    return first and answer.exercise.passes(component, seed=seed)


def _passes(answer: Answer, edit: Edit, question: Question, seed: int) -> bool:
    """Whether the edited code answers the question rightly, and then passes the whole test."""
    looks = [briefly(question)] if briefly(question) is question else [briefly(question), question]
    try:
        with limited(FILE, EACH * len(looks)):
            component = answer.made(edit.applied(answer.definitions))
            if not all(gets_through(answer.exercise, one, ask(component, one)) for one in looks):
                return False
        if not all(answer.exercise.passes(component, seed=seed + more) for more in range(SEEDS)):
            return False
        return not makes_idle(edit, answer.definitions, lambda *made: answer.judged(*made, seed=seed))
    except Exception:  # whatever an edited line does while the class is made
        return False


def _reference_still_passes(exercise: Exercise, seed: int) -> bool:
    """Whether nothing that a candidate did has changed how right answers are judged."""
    try:
        return exercise.passes(solution_of(exercise), seed=seed)
    except ImportError:
        return True  # a course without its solutions: answers are recorded, which nothing here can change


def _repair(answer: Answer, edit: Edit, vocabulary: Vocabulary) -> Repair:
    before, after = shown(edit, answer.definitions, answer.cell)
    source = answer.cell.splitlines()[edit.line - 1].strip()
    gives_away = whole(edit, before, after, vocabulary)
    return Repair(edit.line, source, KINDS[edit.kind].words, before, after, len(edit.places), gives_away)
