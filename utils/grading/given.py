"""What a released chapter gives: its code cells in order, and the places among them where the learner writes.

It is read off the executed solution, which learners need not touch, as they do their chapter. A release without
solutions carries the same as tests/given/<stem>.json (`as_json`), in which nothing is solved.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from utils.course import ROOT, CourseError, ExerciseInfo, exercises
from utils.course.cells import calls, defines

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
        return [Place(**{**one, **{key: tuple(one[key]) for key in ("writes", "tests")}}) for one in stored]
    solution = root / "solutions" / f"{stem}.ipynb"
    if not solution.is_file():
        raise CourseError(
            f"What {stem} gives is not known: neither {listed} nor {solution} is there. "
            "Take the course's own copy of them back: they are part of every release."
        )
    return _with_checks(list(_read(stem, solution)))


def as_json(found: list[Place]) -> str:
    """The text of tests/given/<stem>.json."""
    return json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1) + "\n"


def _read(stem: str, solution: Path) -> Iterator[Place]:
    tested, bug, number = exercises(stem, solution.parents[1]), False, 0
    written = set(_written(solution.with_suffix(".py").read_text(encoding="utf-8")))
    for cell in json.loads(solution.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] != "code":
            bug = bug or bool(BUG.search(text))
            continue
        writes = tuple(sorted(name for name in written if defines(text, name)))
        mends = writes[0] if bug and writes else ""
        bug = bug and not writes
        tests = () if writes else tuple(_tested(text, tested))
        yield Place(number, cell.get("id", ""), "" if writes else text, writes, tests, mends)
        number += 1


def _written(source: str) -> Iterator[str]:
    """What has a solution region in it."""
    starts = [number for number, line in enumerate(source.splitlines(), 1) if line.strip() == BEGINS]
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if any(node.lineno <= start <= (node.end_lineno or 0) for start in starts):
                yield node.name


def _tested(text: str, found: list[ExerciseInfo]) -> Iterator[str]:
    yield from (one.symbol for one in found if calls(text, one.test, one.symbol))


def _with_checks(found: list[Place]) -> list[Place]:
    """Say of a bug where it is checked, not where it is mended: in the next given cell that names it."""
    for index, place in enumerate(found):
        name = place.mends
        if place.writes and name:
            found[index] = replace(place, mends="")
            mentions = re.compile(rf"\b{re.escape(name)}\b")
            check = next((i for i in range(index, len(found)) if mentions.search(found[i].source)), None)
            if check is not None:
                found[check] = replace(found[check], mends=name)
    return found
