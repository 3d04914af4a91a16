"""Looks for one change of a learner's code with which every check passes. See `find_repair`."""

import ast
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from utils.checking import Exercise
from utils.checking.asking import ask
from utils.checking.oracle import solution_of
from utils.checking.verdict import Failure, Verdict
from utils.repairing.bounded import can_fork, in_a_child
from utils.repairing.candidates import edits
from utils.repairing.edit import Edit
from utils.repairing.gate import gets_through
from utils.repairing.idle import makes_idle
from utils.repairing.kinds import KINDS
from utils.repairing.operators import REPAIRING
from utils.repairing.showing import shown, whole
from utils.repairing.trees import bare
from utils.repairing.trust import only_computes
from utils.repairing.vocabulary import Vocabulary, vocabulary_of
from utils.running.limited import limited
from utils.running.records import Question

SECONDS = 1.0  # of work; on a busy machine that takes longer, but never more than twice as long
SLOW = 0.05  # seconds of work: an answer that takes longer is not tried
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
    """One change of the cell with which every check passes; None where none is found in a second.

    Nothing is looked for where a misconception is named, in a stub, or in code that does more than compute. Candidates
    run in a forked child where that is safe, else here, one after another until the time is up.
    """
    failure = verdict.failure
    if failure is None or failure.not_yet or failure.misconception or failure.question is None:
        return None
    answer = _answer(exercise, cell, namespace)
    if answer is None:
        return None
    if can_fork():
        found = in_a_child(lambda: _as_data(_first(answer, failure, verdict.seed)), 2 * SECONDS)
        return Repair(**found) if found else None
    return _first(answer, failure, verdict.seed)


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


def _as_data(repair: Repair | None) -> dict[str, Any] | None:
    return repair and asdict(repair)


def _first(answer: Answer, failure: Failure, seed: int) -> Repair | None:
    question, end = failure.question, time.process_time() + SECONDS
    assert question
    vocabulary = vocabulary_of(answer.exercise)
    if _is_slow(answer, question) or answer.exercise.passes(answer.made(answer.definitions), seed=seed):
        return None  # where it passes, it is not what was judged
    lines = [frame.line for frame in failure.frames if frame.where == "your cell"]
    for edit in _in_time(edits(answer.definitions, vocabulary, REPAIRING, lines), end):
        if _passes(answer, edit, question, seed):
            return _repair(answer, edit, vocabulary) if _reference_still_passes(answer.exercise, seed) else None
    return None


def _in_time(candidates: list[Edit], end: float) -> Iterator[Edit]:
    for candidate in candidates:
        if time.process_time() > end:
            return
        yield candidate


def _is_slow(answer: Answer, question: Question) -> bool:
    started = time.process_time()
    with limited(FILE, EACH):
        ask(answer.made(answer.definitions), question)
    return time.process_time() - started > SLOW


def _passes(answer: Answer, edit: Edit, question: Question, seed: int) -> bool:
    """Whether the edited code answers the question rightly, and then passes the whole test."""
    try:
        with limited(FILE, EACH):
            component = answer.made(edit.applied(answer.definitions))
            if not gets_through(answer.exercise, question, ask(component, question)):
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
