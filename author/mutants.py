"""Mutants: a reference solution with one small mistake each, judged by the exercise's own test function.

Each is judged in a process of its own where that is possible, so that none hangs `verify`, takes its memory, or leaves
anything behind for the next one. One that nothing tells from the solution must be declared, or a check must.
"""

import ast
import inspect
import json
import textwrap
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from author.canonical import canonical, of_whole_numbers
from author.source import Source
from judge.checking import Exercise, Verdict
from judge.checking.asking import ask_own
from judge.checking.oracle import solution_of
from judge.checking.places import did_you_mean
from judge.checking.rewriting import rewritten
from judge.checking.verdict import Failure
from judge.edits.candidates import Edit, edits
from judge.edits.operators import BREAKING
from judge.edits.operators.breaking import detach
from judge.edits.trees import bare, node_at
from judge.edits.vocabulary import vocabulary_of
from judge.running.children import can_fork, in_children, processors
from judge.running.limited import Limit, TooSlow, limited
from utils.course import ROOT

FILE = "<mutant>"
SEEDS = (0, 1)
LEFT_OUT = "(left out)"
LEAST, TIMES = 2.0, 10  # a mutant may take these seconds, and so many times what the solution takes
MOST_LISTED = 3  # changes in a note
ENDLESS = "did not come to an end, or took too much memory"


@dataclass(frozen=True)
class Mutant:
    """One change of the solution, in a line of its file."""

    line: int
    change: str  # "-1 → 2"
    text: str  # the whole solution, with this change


@dataclass(frozen=True)
class Fate:
    """What became of a mutant. `told` is the first thing on its card, where someone asked for the card."""

    rejected: bool
    ended: bool = True  # False where it was stopped, or could not be judged
    misconception: bool = False
    advice: bool = False
    told: str = ""

    @property
    def named(self) -> bool:
        return self.misconception or self.advice


def mutants_of(exercise: Exercise) -> list[Mutant]:
    """Every single edit of the solution's functions that breaks right code, each way of writing it once."""
    annotated = _annotated(exercise)
    tree, whole_numbers = bare(annotated), of_whole_numbers(annotated)
    seen, found = {canonical(tree, whole_numbers)}, list[Mutant]()
    operators = list(BREAKING)
    if not _has_gradients(exercise):
        operators.remove(detach)
    for edit in edits(tree, vocabulary_of(exercise), operators):
        changed = edit.applied(tree) if _is_small(edit, tree) else tree
        text = ast.unparse(changed)
        if not _compiles(text):
            continue
        form = canonical(changed, whole_numbers)
        if form not in seen:
            found.append(Mutant(edit.line, change_of(edit), text))
        seen.add(form)
    return sorted(found, key=lambda mutant: mutant.line)


def _has_gradients(exercise: Exercise) -> bool:
    """Whether it matters that gradients flow: not where a function is asked for numbers alone, such as tokens."""
    asked = exercise.questions(seed=SEEDS[0])
    return exercise.kind.has_parameters or any("cotangent" in question.options for question in asked)


def _is_small(edit: Edit, tree: ast.Module) -> bool:
    """Whether it is made in one place, and does not leave out a whole function."""
    (path, _), *others = edit.places
    return not others and not isinstance(node_at(tree, path), ast.FunctionDef)


def change_of(edit: Edit) -> str:
    """What an author reads of an edit, and writes to declare it: `before → after`, on one line."""
    before, after = ("; ".join(text.splitlines()) for text in (edit.before, edit.after))
    return f"{before} → {after or LEFT_OUT}"


def fates(exercise: Exercise, mutants: list[Mutant], cards: bool = False) -> list[Fate]:
    """What becomes of each, with these seeds until one rejects it; with `cards` also what a learner would be told.

    Raises RuntimeError where the solution itself, made and judged in the same way, is not accepted.
    """
    if cards:
        _remember_misconceptions(exercise)
    seconds = _seconds(exercise)
    itself = Mutant(0, "", ast.unparse(bare(_annotated(exercise))))
    works = [_work(exercise, mutant, cards) for mutant in (itself, *mutants)]
    if can_fork():
        answers = in_children(works, seconds, processors())
    else:
        answers = _here(works, seconds)
    control, *found = map(_fate, answers)
    if control.rejected or (not can_fork() and not exercise.passes(solution_of(exercise))):
        raise RuntimeError("the solution is not accepted where its mutants are judged, so these prove nothing")
    return found


def _fate(answer: list[Any] | None) -> Fate:
    return Fate(rejected=True, ended=False) if answer is None else Fate(*answer)


def _annotated(exercise: Exercise) -> ast.Module:
    """The solution, with the line numbers of its file."""
    lines, first = inspect.getsourcelines(inspect.unwrap(solution_of(exercise)))
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    return tree


def _compiles(text: str) -> bool:
    try:
        compile(text, FILE, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _work(exercise: Exercise, mutant: Mutant, cards: bool) -> Callable[[], list[Any]]:
    """What a child does with one mutant; the answer is that of a Fate, as JSON can say it."""

    def work() -> list[Any]:
        try:
            component = rewritten(exercise, mutant.text, FILE)
        except Exception as error:  # such as a decorator that is given something else
            return [True, True, False, False, f"{type(error).__name__}: {error}"]
        for seed in SEEDS:
            if not exercise.passes(component, seed=seed):
                return _told(exercise.judge(component, seed=seed)) if cards else [True]
        return [False]

    return work


def _told(verdict: Verdict) -> list[Any]:
    failure = verdict.failure
    if failure is None:
        return [True, True, False, False, "it passes when it is judged once more"]
    return [True, True, bool(failure.misconception), bool(failure.advice), _first_said(failure)]


def _first_said(failure: Failure) -> str:
    """The first thing that a card says, with what Python said where that is an error of a call."""
    first, *more = failure.details
    said = f"{first}: {more[0]}" if more and first.endswith(("raised", "answered")) else first
    return said.splitlines()[0]


def _here(works: list[Callable[[], list[Any]]], seconds: float) -> list[list[Any] | None]:
    """In this process, where no other can be forked: only time is bounded."""
    answers: list[list[Any] | None] = []
    for work in works:
        try:
            answers.append(limited(Limit(seconds), work))
        except (Exception, TooSlow):  # whatever is left of a mutant that was stopped
            answers.append(None)
    return answers


def _seconds(exercise: Exercise) -> float:
    """How long a mutant may take; on the way the reference's answers are remembered, for every child."""
    solution = solution_of(exercise)
    for seed in SEEDS:
        exercise.passes(solution, seed=seed)
    started = time.monotonic()
    for seed in SEEDS:
        exercise.passes(solution, seed=seed)
    return LEAST + TIMES * (time.monotonic() - started)


def _remember_misconceptions(exercise: Exercise) -> None:
    """Ask each all that the test asks: a child can't tell its siblings."""
    for question in exercise.questions(seed=SEEDS[0]):
        for misconception in exercise.misconceptions:
            ask_own(misconception.component, question)


@dataclass(frozen=True)
class Outcome:
    """How many of the mutants that count were rejected, what is wrong, and what is worth knowing."""

    rejected: int
    counted: int
    reasons: list[str]
    notes: list[str]


@dataclass(frozen=True)
class Place:
    """Where an exercise's solution and its declaration are, for messages; both files in the course's root."""

    solution: Path
    # the file where its equivalents are declared
    known: Path
    # of the Exercise, in the tests
    name: str
    # the lines that a learner writes; empty where that is all of them
    written: Collection[int]
    root: Path = ROOT


def place_of(exercise: Exercise, source: Source, tests: ModuleType) -> Place:
    """The place of an exercise of a chapter."""
    written = set[int]()
    for cell in source.cells:
        start = cell.line + 1
        for region in cell.regions_of(exercise.symbol):
            written.update(range(start + region.first, start + region.last))
    names = (name for name, value in vars(tests).items() if value is exercise)
    known = [*exercise.equivalents, *exercise.variants, *exercise.misconceptions]
    asked = source.root / "tests" / f"{source.stem}.py"
    files = [answer.declared_at.path for answer in known] + [asked]
    return Place(
        solution=source.path,
        known=_in_the_course(files[0], source.root),
        name=next(names, "exercise"),
        written=written,
        root=source.root,
    )


def _in_the_course(path: Path, root: Path) -> Path:
    """A file by its path in the course's root; one that is elsewhere by its whole path."""
    return path.relative_to(root) if path.is_relative_to(root) else path


def outcome_of(exercise: Exercise, place: Place) -> Outcome:
    """Judge every mutant: one that survives must be declared, or change what is given."""
    mutants = mutants_of(exercise)
    fated = list(zip(mutants, fates(exercise, mutants), strict=True))
    stopped = [mutant for mutant, fate in fated if not fate.ended]
    survivors = [mutant for mutant, fate in fated if not fate.rejected]
    rejected = len(mutants) - len(survivors)
    declared = {equivalent.change for equivalent in exercise.equivalents}
    undeclared = [survivor for survivor in survivors if survivor.change not in declared]
    lines = place.written or {survivor.line for survivor in undeclared}
    given = [survivor for survivor in undeclared if survivor.line not in lines]
    wrong = [survivor for survivor in undeclared if survivor.line in lines]
    notes = {
        "mutants of lines that the stub gives pass the test": given,
        f"mutants that {ENDLESS}, count as rejected": stopped,
    }
    stale = _stale(exercise, survivors, place.root)
    return Outcome(
        rejected=rejected,
        counted=rejected + len(wrong),
        reasons=[*_undeclared(wrong, place), *stale],
        notes=[f"{what}: {_listed(some)}" for what, some in notes.items() if some],
    )


def _undeclared(survivors: list[Mutant], place: Place) -> Iterator[str]:
    lines: dict[str, list[int]] = defaultdict(list)
    for mutant in survivors:
        lines[mutant.change].append(mutant.line)
    for change, (first, *others) in lines.items():
        also = f" (and in line {', '.join(map(str, others))})" if others else ""
        quoted = json.dumps(change, ensure_ascii=False)
        yield (
            f"{place.solution}:{first}: no check tells `{change}`{also} from the solution. "
            "Ask a question on which the two differ; or, if they never do, "
            f'write in {place.known}: {place.name}.equivalent({quoted}, "why")'
        )


def _stale(exercise: Exercise, survivors: list[Mutant], root: Path) -> Iterator[str]:
    changes = {mutant.change for mutant in survivors}
    stale = [equivalent for equivalent in exercise.equivalents if equivalent.change not in changes]
    for equivalent in stale:
        path = _in_the_course(equivalent.declared_at.path, root)
        meant = did_you_mean(equivalent.change, sorted(changes))
        yield (
            f"{path}:{equivalent.declared_at.line}: "
            f"no mutant with the change {equivalent.change!r} passes the test{meant} "
            "If nothing is left to excuse, take the declaration away."
        )


def _listed(mutants: list[Mutant]) -> str:
    listed = [f"line {mutant.line}, `{mutant.change}`" for mutant in mutants]
    if len(listed) > MOST_LISTED:
        listed[MOST_LISTED:] = [f"and {len(listed) - MOST_LISTED} more"]
    return "; ".join(listed)


def unnamed(exercise: Exercise, solution: Path) -> Iterator[str]:
    """A line for each mutant that is rejected without a cause, and last the share that is rejected with one."""
    mutants = mutants_of(exercise)
    fated = zip(mutants, fates(exercise, mutants, cards=True), strict=True)
    rejected = [(mutant, fate) for mutant, fate in fated if fate.rejected]
    for mutant, fate in rejected:
        if not fate.named:
            told = fate.told or f"it {ENDLESS}"
            yield f"{solution}:{mutant.line}: `{mutant.change}`: {told}"
    yield f"{exercise.symbol}: {_share([fate for _, fate in rejected])}"


def _share(rejected: list[Fate]) -> str:
    misconceptions = sum(fate.misconception for fate in rejected)
    named = sum(fate.named for fate in rejected)
    percent = f" ({100 * named / len(rejected):.0f} %)" if rejected else ""
    return (
        f"{named} of {len(rejected)} rejected mutants are named{percent}, "
        f"{misconceptions} by a misconception and "
        f"{named - misconceptions} by an advice alone"
    )
