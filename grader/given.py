"""What a released chapter gives: its code cells in order, and the places among them where the learner writes.

`Restored` is a fork's chapter with all that as it was released: only what the learner wrote is the fork's own.

It is read off the executed solution, which learners need not touch, as they do their chapter. A release without
solutions carries the same as tests/given/<stem>.json (`as_json`), in which nothing is solved.
"""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from grader.submissions.answers import SECONDS, find_answer
from grader.submissions.chapters import STUB
from grader.submissions.commands import parsed, runnable
from grader.submissions.parsing import parsed_cell
from grader.submitted import CodeCell
from judge.running.limited import Limit, TooSlow, limited
from utils.course import ROOT, CourseError, ExerciseInfo, exercises
from utils.course.cells import calls, cells_of, defines, unanswered

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
        stored: list[dict[str, Any]] = json.loads(listed.read_text(encoding="utf-8"))
        return [
            Place(**{**place, "writes": tuple(place["writes"]), "tests": tuple(place["tests"])}) for place in stored
        ]
    solution = root / "solutions" / f"{stem}.ipynb"
    if not solution.is_file():
        raise CourseError(
            f"What {stem} gives is not known: neither {listed} nor {solution} is there. "
            "Take the course's own copy of them back: they are part of every release."
        )
    read = _Reader(_written(solution.with_suffix(".py").read_text(encoding="utf-8")), exercises(stem, root))
    for cell in cells_of(solution):
        read.cell(cell["source"], cell["cell_type"], cell.get("id", ""))
    return read.places


def as_json(found: list[Place]) -> str:
    """The text of tests/given/<stem>.json."""
    return json.dumps([asdict(place) for place in found], ensure_ascii=False, indent=1) + "\n"


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
        if writes := tuple(name for name in self.names if defines(text, name)):
            if self.heading:
                self.bug, self.heading = writes[0], False
            return Place(number, id, "", writes)
        tests = tuple(exercise.symbol for exercise in self.tested if calls(text, exercise.test, exercise.symbol))
        return Place(number, id, unanswered(text), tests=tests, mends=self._checked(text))

    def _checked(self, text: str) -> str:
        """The bug that this cell checks: it is the first given one that names it."""
        name = self.bug
        named = rf"\b{re.escape(name)}\b"
        if not name or not re.search(named, text):
            return ""
        self.bug = ""
        return name


def _written(source: str) -> list[str]:
    """The names of functions and classes that have a solution region in them."""
    lines = [line.strip() for line in source.splitlines()]
    return sorted(
        node.name
        for node in ast.parse(source).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and BEGINS in lines[node.lineno - 1 : node.end_lineno]
    )


@dataclass(frozen=True)
class Restored:
    """A released chapter and the learner's own cells of it."""

    places: Sequence[Place]
    cells: Sequence[CodeCell]

    @cached_property
    def own(self) -> list[str]:
        """What is the learner's in each of the fork's code cells: nothing in a given one.

        In a given cell that was edited that is what it defines beside the names that it is there to define; nothing,
        where so many were edited that to read them takes too long.
        """
        given = [place for place in self.places if not place.writes]
        texts, by_id = {_text(place.source) for place in given}, {place.id: place for place in given}

        def theirs(cell: CodeCell, is_read: bool) -> str:
            if _text(cell.source) in texts:
                return ""
            if cell.id and cell.id in by_id:
                return _added(cell.source, by_id[cell.id]) if is_read else ""
            return cell.source

        try:
            return limited(Limit(SECONDS), lambda: [theirs(cell, is_read=True) for cell in self.cells])
        except TooSlow:
            return [theirs(cell, is_read=False) for cell in self.cells]

    @cached_property
    def judged(self) -> list[str]:
        """The cells by which a judge goes, under their numbers in the fork: above the first is all that is given.

        So nothing of it is missing, wherever it was, and what the learner defines anew counts as theirs.
        """
        given = "\n".join(
            statement.source  # one by one: a cell may begin with a magic
            for place in self.places
            if not place.writes
            for statement in parsed_cell(place.source).statements
            if statement.binds or statement.changes
        )
        own = self.own
        try:
            return limited(Limit(SECONDS), lambda: _below(given, own))
        except TooSlow:  # there are thousands of cells that nobody can read
            return [given, *own]

    def written_at(self, place: Place) -> str:
        """What the learner's cells define for this place, with all of theirs that it uses; "" if nothing."""
        return "\n\n".join(filter(None, self._gathered(place)))

    def is_written(self, place: Place) -> bool:
        """Whether the learner has written all of it: no stub is left."""
        found = self._gathered(place)
        return all(found) and STUB not in "".join(found)

    def _gathered(self, place: Place) -> list[str]:
        return [find_answer(self.own, name).source for name in place.writes]


def _below(given: str, cells: list[str]) -> list[str]:
    """The cells with what is given above the first that can be read: what can't be defines nothing."""
    for index, cell in enumerate(cells):
        source = runnable(cell)
        if parsed(source) is None:  # to see that together with all that is given takes long
            continue
        together = f"{given}\n{source}"
        if parsed_cell(together).is_read:
            return [*cells[:index], together, *cells[index + 1 :]]
    return [given, *cells]


def _added(source: str, given: Place) -> str:
    """What a cell defines that a given one, whose id it has, does not; all of one that only a newer Python can read."""
    if parsed_cell(source).newer:
        return source
    theirs = set().union(*(statement.binds for statement in parsed_cell(given.source).statements))
    return "\n".join(
        statement.source
        for statement in parsed_cell(source).statements
        if not statement.binds | statement.changes <= theirs
    )


def _text(source: str) -> str:
    """A cell's text without what an editor changes by the way."""
    lines = source.strip().splitlines()
    return "\n".join(map(str.rstrip, lines))
