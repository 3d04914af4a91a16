"""Proves every exercise of a chapter, whatever happens in one of them, and puts the outcome in a table."""

import contextlib
import importlib
import io
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from author.dependencies import digest, mistakes_of
from author.mutants import unnamed
from author.proofs import LASTING, PROOFS, Case, Wrong
from author.proved import record, to_leave_out
from author.source import read_source
from judge.running.children import can_fork, in_children, processors
from utils.course import ROOT, CourseError, ExerciseInfo, throwaway_state

LONGEST, MEMORY = 1800.0, 2**34  # seconds and bytes that one exercise may take: bounds for what has gone astray
PROOFS_OF_AN_EXERCISE = "author.proofs"
BEFORE = "before"  # the mark of a proof that held of the same files


@dataclass
class Row:
    """One exercise in the table: what each proof says, and why those that failed did."""

    exercise: ExerciseInfo
    marks: dict[str, str] = field(default_factory=dict)  # proof -> "✔", "✔ 10" or "✘"
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = field(default=0.0, compare=False)


def verify_exercise(
    exercise: ExerciseInfo, root: Path = ROOT, thorough: bool = True, left_out: Collection[str] = ()
) -> Row:
    """Every proof of one exercise but those left out, thorough or quick; what goes wrong is a reason in the row."""
    row, began = Row(exercise), time.monotonic()
    if exercise.is_missing_its_package:
        row.marks = dict.fromkeys(PROOFS, "skipped")
        row.notes = [f"not proved here: {exercise.needs} is not installed (pip install {exercise.needs})"]
        return row
    try:
        with _quietly():
            case = replace(_case(exercise, root, row.notes), thorough=thorough)
    except (Exception, SystemExit) as error:
        row.marks, row.reasons = dict.fromkeys(PROOFS, "✘"), [_described(error, root)]
    else:
        row.marks |= {name: BEFORE if name in left_out else _prove(proof, case, row) for name, proof in PROOFS.items()}
    row.seconds = time.monotonic() - began
    return row


def verify_together(
    infos: list[ExerciseInfo],
    root: Path = ROOT,
    proved: Collection[ExerciseInfo] = (),
    each: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """A row for each of these exercises, proved side by side in processes of their own where these can be forked.

    What takes long is left out of those that were `proved` before. `each` row is handed over as it comes.
    """
    left_out = [LASTING if info in proved else () for info in infos]
    rows: dict[int, Row] = {}

    def verified(number: int) -> Row:
        return verify_exercise(infos[number], root, left_out=left_out[number])

    def came(number: int, answer: Any) -> None:
        rows[number] = Row(infos[number], *answer) if answer else verified(number)
        each(rows[number])

    if len(infos) < 2 or processors() < 2 or not can_fork():
        for number in range(len(infos)):
            came(number, None)
    else:
        works = [lambda number=number: _as_data(verified(number)) for number in range(len(infos))]
        in_children(works, LONGEST, processors(), MEMORY, answered=came)
    return [rows[number] for number in range(len(infos))]


def digests_of(infos: list[ExerciseInfo]) -> dict[str, str]:
    """By the name of each exercise's proof, the digest of what it depends on: its modules, and those that prove it."""
    return {proof_of(info): _digest_of(info) for info in infos}


def proved_before(infos: list[ExerciseInfo], digests: Mapping[str, str]) -> set[ExerciseInfo]:
    """The exercises of which what takes long was proved of the same files, but for a sample that the commit draws."""
    names = to_leave_out(digests)
    return {info for info in infos if proof_of(info) in names}


def remember(row: Row, digests: Mapping[str, str]) -> None:
    """Write down of which files an exercise is proved now; of one that is not, nothing stays."""
    name = proof_of(row.exercise)
    if row.reasons:
        record({}, failed=[name])
    elif "skipped" not in row.marks.values():
        took = {} if BEFORE in row.marks.values() else {name: row.seconds}
        record({name: digests[name]}, seconds=took)


def proof_of(exercise: ExerciseInfo) -> str:
    """The name of an exercise's proof in tests/proved.json."""
    return f"proofs of {exercise.symbol} in {exercise.stem}"


def _digest_of(exercise: ExerciseInfo) -> str:
    own = [f"tests.{exercise.stem}", f"solutions.{exercise.stem}", *mistakes_of(exercise)]
    return digest([PROOFS_OF_AN_EXERCISE, *own])


def _as_data(row: Row) -> list:
    return [row.marks, row.reasons, row.notes, row.seconds]


def unnamed_mutants(infos: list[ExerciseInfo], root: Path = ROOT) -> Iterator[str]:
    """A line for each small mistake that an exercise's cards reject without a cause; after each exercise the share."""
    for exercise in infos:
        with _quietly():
            case = _case(exercise, root, [])
            lines = list(unnamed(case.registered, case.source.path))
        yield from lines


def table(rows: list[Row]) -> str:
    """The rows as text: a line for each exercise, then the reasons and notes."""
    cells = [["exercise", *PROOFS]]
    cells += [[f"{row.exercise.stem} {row.exercise.symbol}", *row.marks.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
    for row in rows:
        for sign, texts in (("✘", row.reasons), ("note:", row.notes)):
            lines += [f"{sign} {row.exercise.symbol}: {text}".replace("\n", "\n    ") for text in texts]
    return "\n".join(lines)


def _case(exercise: ExerciseInfo, root: Path, notes: list[str]) -> Case:
    source = read_source(exercise.stem, root)
    task = next(task for task in source.tasks if task.symbol == exercise.symbol)
    return Case(exercise, source, task, importlib.import_module(f"tests.{exercise.stem}"), root, notes)


def _prove(proof: Callable[[Case], str], case: Case, row: Row) -> str:
    try:
        with _quietly():
            return f"✔ {proof(case)}".rstrip()
    except Wrong as wrong:
        row.reasons += wrong.args
    except (Exception, SystemExit) as error:
        if (reason := _described(error, case.root)) not in row.reasons:  # one mistake stops several proofs
            row.reasons.append(reason)
    return "✘"


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Cards and prints go nowhere, and what a passing component leaves behind is thrown away."""
    with throwaway_state(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _described(error: BaseException, root: Path) -> str:
    """An author's mistake as it is; another error behind the innermost line of the chapter's own that led to it."""
    if isinstance(error, CourseError):
        return str(error)
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {error.msg}"
    text = f"{type(error).__name__}: {error}"
    for entry in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(entry.filename)
        folders = {root / "tests", root / "solutions"}
        if folders & {*file.parents}:
            return f"{entry.filename}:{entry.lineno}: {text}"
    return text
