"""The wrong answers of benchmarks/wrong_answers/: one file for each exercise, of many cells.

An answer is a cell: `# %% Symbol: what the learner did`, a line `# right: name` for each misconception that is a true
cause of it (benchmarks/diagnosis.py counts any other as misled), and the learner's code, whole. Or only what is other
than in a base, which the line behind the causes names:

    # like: the solution
    ~ dim=-1 → dim=1

That is `the solution`, the title of another answer in the file, or that of a right answer, which stands there as
`# %% base: title`. A base stands whole, so that nobody has to look further. A line `~ old → new` changes a part of a
line; nothing behind the arrow takes it away. More than that is a block, as in a diff: lines of the base that stay
begin with a space, those that go with `-`, new ones with `+`; a line `...` parts two blocks. What a change says of the
base, a part of a line or the lines of a block one after the other, must stand there exactly once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from author.source import Region, find_regions, rewritten
from utils.course import ROOT, CourseError
from utils.course.cells import defines

TITLE, RIGHT, LIKE = "# %% ", "# right: ", "# like: "
SOLUTION = "the solution"
BASE = "base"  # stands where an answer has its symbol
ARROW = " → "


@dataclass(frozen=True)
class WrongAnswer:
    """One cell of a file of wrong answers."""

    symbol: str
    title: str  # what the learner did
    causes: tuple[str, ...]  # the misconceptions that are it
    cell: str


@dataclass(frozen=True)
class _Cell:
    """One as it is written down."""

    path: Path
    line: int  # of its title
    symbol: str
    title: str
    causes: tuple[str, ...]
    like: str | None  # its base, where it stands as an edit
    first: int  # the line that `lines` begin with
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip() + "\n"

    def mistake(self, line: int, message: str) -> CourseError:
        return CourseError.at(self.path, line, f"{self.title!r}: {message}")


def wrong_answers(path: Path) -> Iterator[WrongAnswer]:
    """The answers of a file, in order; CourseError where an edit does not fit its base."""
    cells = _cells(path)
    whole: dict[str, str | None] = {SOLUTION: None}
    for one in cells:
        if one.title in whole:
            raise one.mistake(one.line, "there is another of this title.")
        whole[one.title] = None if one.like else one.text
    for one in cells:
        if one.symbol != BASE:
            text = _edited(one, _base(one, whole)) if one.like else one.text
            yield WrongAnswer(one.symbol, one.title, one.causes, text)


def _cells(path: Path) -> list[_Cell]:
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith(TITLE)]
    cells: list[_Cell] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        symbol, _, title = lines[start].removeprefix(TITLE).partition(": ")
        first, causes, like = start + 1, [], None
        while first < end and lines[first].startswith(RIGHT):
            causes.append(lines[first].removeprefix(RIGHT))
            first += 1
        if first < end and lines[first].startswith(LIKE):
            like = lines[first].removeprefix(LIKE)
            first += 1
        cells.append(_Cell(path, start + 1, symbol, title, tuple(causes), like, first + 1, lines[first:end]))
    return cells


def _base(one: _Cell, whole: dict[str, str | None]) -> str:
    assert one.like
    if one.like == SOLUTION:
        solution = solution_cell(one.path.parent.name, one.symbol)
        if solution is None:
            raise one.mistake(one.line, f"the solution defines no {one.symbol}.")
        return solution
    if one.like not in whole:
        raise one.mistake(one.first - 1, f"no answer of this file is called {one.like!r}.")
    base = whole[one.like]
    if base is None:
        raise one.mistake(one.first - 1, f"{one.like!r} is an edit itself; name one that stands whole.")
    return base


def solution_cell(stem: str, symbol: str) -> str | None:
    """The solution's cell without the marks of its regions, as a learner would have written it; None if it has none."""
    path = Path("solutions") / f"{stem}.py"
    text = (ROOT / path).read_text(encoding="utf-8")
    cells = re.split(r"^# %%.*\n", text, flags=re.MULTILINE)
    source = next((cell for cell in cells if defines(cell, symbol)), None)
    if source is None:
        return None
    return rewritten(source, find_regions(path, 1, source), Region.solution).strip() + "\n"


def _edited(one: _Cell, base: str) -> str:
    changes = sorted(_place(one, base, *change) for change in _changes(one))
    if not changes:
        raise one.mistake(one.first - 1, f"nothing says what is other than in {one.like!r}.")
    end, before, parts = 0, 0, []
    for start, stop, new, line in changes:
        if start < end:
            raise one.mistake(max(line, before), "this changes what another change of this answer has changed.")
        parts += [base[end:start], new]
        end, before = stop, line
    return "".join([*parts, base[end:]]).strip() + "\n"


def _place(one: _Cell, base: str, line: int, old: str, new: str) -> tuple[int, int, str, int]:
    """Where in the base the change is: from, to, the text that comes there, and the line that says so."""
    of_lines = old.endswith("\n")
    text, sought = ("\n" + base, "\n" + old) if of_lines else (base, old)
    places = [place for place in range(len(text)) if text.startswith(sought, place)]
    if len(places) != 1:
        found = f"stands {len(places)} times" if places else "does not stand"
        raise one.mistake(line, f"{old.strip()!r} {found} in {one.like!r}; it must stand there once.")
    return places[0], places[0] + len(old), new, line


def _changes(one: _Cell) -> Iterator[tuple[int, str, str]]:
    """Line, old text and new text of each change; those of a block are whole lines."""
    lines = list(enumerate(one.lines, one.first))
    while lines and not lines[-1][1]:
        lines.pop()
    block: list[tuple[int, str]] = []
    for number, line in [*lines, (one.first + len(lines), "...")]:
        if line and line[0] in " -+":
            block.append((number, line))
        elif not line:  # an empty line of the base, whose space no editor keeps
            block.append((number, " "))
        elif line == "..." or line.startswith("~ "):
            if any(text.strip() for _, text in block):
                yield _block(one, block)
            block = []
            if line != "...":
                old, arrow, new = f"{line.removeprefix('~ ')} ".partition(ARROW)
                if not arrow or not old:
                    raise one.mistake(number, f"a change of a part is `~ old{ARROW}new`.")
                yield number, old, new.strip()
        else:
            raise one.mistake(number, "a line of an edit begins with `~ `, `-`, `+` or a space, or is `...`.")


def _block(one: _Cell, block: list[tuple[int, str]]) -> tuple[int, str, str]:
    old, new = ("".join(f"{line[1:]}\n" for _, line in block if line[0] != sign) for sign in "+-")
    if not old:
        raise one.mistake(block[0][0], "this names no line of the base; write one that stands next to it.")
    return block[0][0], old, new
