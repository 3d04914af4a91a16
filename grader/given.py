"""What a released chapter gives: its code cells in order, and the places among them where the learner writes.

It is read off the executed solution, which learners need not touch, as they do their chapter. A release without
solutions carries the same as tests/given/<stem>.json (`as_json`), in which nothing is solved.
"""

import ast
import json
import re
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from utils.course import ROOT, CourseError, ExerciseInfo, exercises
from utils.course.cells import calls, cells_of, defines

BUG = re.compile(r"^#+ .*\bbug in the wild", re.IGNORECASE | re.MULTILINE)
BEGINS = "# BEGIN SOLUTION"


@dataclass(frozen=True)
class Place:
    """A code cell of a chapter as it was released."""

    number: int  # among the code cells, from 0
    id: str
    source: str  # "" where the learner writes
    writes: tuple[str, ...] = ()  # the names that the learner defines here
    tests: tuple[str, ...] = ()  # the exercises that it tests
    mends: str = ""  # the bug in the wild that it checks, by the name of what is to be mended


def places(stem: str, root: Path = ROOT) -> list[Place]:
    """The code cells of a released chapter. Raises CourseError where the course has neither form of it."""
    listed = root / "tests" / "given" / f"{stem}.json"
    if listed.is_file():
        stored = json.loads(listed.read_text(encoding="utf-8"))
        return list(map(_from_json, stored))
    solution = root / "solutions" / f"{stem}.ipynb"
    if not solution.is_file():
        raise CourseError(
            f"What {stem} gives is not known: neither {listed} nor {solution} is there. "
            "Take the course's own copy of them back: they are part of every release."
        )
    return _read(stem, solution)


def as_json(found: list[Place]) -> str:
    """The text of tests/given/<stem>.json."""
    written = list(map(asdict, found))
    return json.dumps(written, ensure_ascii=False, indent=1) + "\n"


def _from_json(stored: dict[str, Any]) -> Place:
    return Place(
        number=stored["number"],
        id=stored["id"],
        source=stored["source"],
        writes=tuple(stored["writes"]),
        tests=tuple(stored["tests"]),
        mends=stored["mends"],
    )


def _read(stem: str, solution: Path) -> list[Place]:
    source = solution.with_suffix(".py").read_text(encoding="utf-8")
    read = _Reader(names=_written(source), tested=exercises(stem, solution.parents[1]))
    for cell in cells_of(solution):
        read.cell(cell["source"], cell["cell_type"], cell.get("id", ""))
    return read.places


@dataclass
class _Reader:
    """Takes a solution's cells one by one."""

    names: list[str]  # what learners write
    tested: list[ExerciseInfo]
    places: list[Place] = field(default_factory=list[Place])
    heading: bool = False  # a bug was announced, and has not come yet
    bug: str = ""  # one that was not checked yet

    def cell(self, text: str, kind: str, id: str) -> None:
        if kind == "code":
            self.places.append(self._place(text, id))
        elif BUG.search(text):
            self.heading = True

    def _place(self, text: str, id: str) -> Place:
        number = len(self.places)
        writes = tuple(filter(partial(defines, text), self.names))
        if writes:
            self._remember_bug(writes[0])
            return Place(number, id, "", writes)
        tests = filter(partial(_is_tested, text), self.tested)
        return Place(number, id, text, tests=tuple(one.symbol for one in tests), mends=self._checked(text))

    def _remember_bug(self, name: str) -> None:
        if self.heading:
            self.bug = name
            self.heading = False

    def _checked(self, text: str) -> str:
        """The bug that this cell checks: it is the first given one that names it."""
        name = self.bug
        named = rf"\b{re.escape(name)}\b"
        if not name or not re.search(named, text):
            return ""
        self.bug = ""
        return name


def _written(source: str) -> list[str]:
    """What has a solution region in it."""
    lines = source.splitlines()
    nodes = ast.parse(source).body
    defined = filter(_is_definition, nodes)
    return sorted(
        node.name  # type: ignore[attr-defined]
        for node in defined
        if BEGINS in map(str.strip, lines[node.lineno - 1 : node.end_lineno])
    )


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.ClassDef))


def _is_tested(text: str, exercise: ExerciseInfo) -> bool:
    return calls(text, exercise.test, exercise.symbol)
