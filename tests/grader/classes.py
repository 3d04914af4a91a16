"""A class of made-up learners: `write_class` writes their submissions of one chapter, and what each should get.

All is made of the repository's own text: solutions/ with other names and comments, benchmarks/wrong_answers/, and
the stubs of chapters/. With the same seed it is the same class.
"""

import ast
import functools
import json
import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.answers import wrong_answers
from grader.grades import Status
from utils.course import ROOT, ExerciseInfo, doable, exercises
from utils.course.cells import defines

# How many of a hundred; the rest are right
SHARES = {"wrong": 28, "unfinished": 12, "broken": 6, "hostile": 4, "endless": 2}
RENAMED = ("found", "result", "temp", "out", "val", "thing", "my_value", "res")
BOMB = "hog = bytearray(40_000_000_000)"
HOSTILE: dict[str, Status] = {
    "import os; os._exit(0)": "error",
    BOMB: "limit",
    "print('x' * 10_000_000)": "pass",
    "import os; os.kill(os.getpid(), 9)": "pass",  # the first process of its namespace, which no signal of its own ends
}
ENDLESS = "while True: pass"


@dataclass
class Learner:
    """One of the class."""

    name: str
    kind: str
    status: dict[str, Status] = field(default_factory=dict[str, Status])  # by symbol
    misconceptions: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # one of which is the cause


def write_class(
    folder: Path, stem: str, n: int, seed: int = 0, by_name: bool = False, at_least: int = 0
) -> list[Learner]:
    """Write n submissions of a chapter into a folder, and beside it <folder>.json: what each should get.

    Some answers have the same text, as in any class; with `by_name` each has its learner's name in it. With `at_least`
    there are so many of each kind, however small the class.
    """
    dice = random.Random(f"{stem} {seed}")
    folder.mkdir(parents=True, exist_ok=True)
    asked = doable(exercises(stem))
    chapter = _with_steps(_notebook("chapters", stem), _notebook("solutions", stem), {one.symbol for one in asked})
    kinds = _kinds(n, dice, at_least)
    learners = [Learner(f"learner-{number:03}", kind) for number, kind in enumerate(kinds)]
    for learner in learners:
        cells = {one.symbol: _right(one, dice) for one in asked}
        learner.status = dict.fromkeys(cells, "pass")
        CHANGES[learner.kind](learner, cells, asked, dice)
        if by_name:
            cells = {symbol: signed(cell, learner.name) for symbol, cell in cells.items()}
        _write(folder, learner, _filled(chapter, cells), dice)
    expected = [vars(learner) for learner in learners]
    folder.with_name(f"{folder.name}.json").write_text(json.dumps(expected, indent=1), encoding="utf-8")
    return learners


def _kinds(n: int, dice: random.Random, at_least: int) -> list[str]:
    kinds = [kind for kind, share in SHARES.items() for _ in range(max(at_least, round(n * share / 100)))]
    kinds += ["right"] * (n - len(kinds))
    dice.shuffle(kinds)
    return kinds[:n]


def _notebook(folder: str, stem: str) -> dict[str, Any]:
    return json.loads(_text(folder, stem))


@functools.cache
def _text(folder: str, stem: str) -> str:
    return (ROOT / folder / f"{stem}.ipynb").read_text(encoding="utf-8")


@functools.cache
def _source(folder: str, stem: str, symbol: str) -> str:
    """The cell that defines it, as it was published."""
    return "".join(_cell_of(_notebook(folder, stem), symbol)["source"])


def _with_steps(chapter: dict[str, Any], solution: dict[str, Any], symbols: set[str]) -> dict[str, Any]:
    """The released notebook in which the steps on the way to an exercise have been written."""
    for cell in chapter["cells"]:
        source = "".join(cell["source"])
        names = set(re.findall(r"^(?:def|class) (\w+)", source, re.MULTILINE))
        if "raise NotImplementedError" in source and names and not names & symbols:
            cell["source"] = _cell_of(solution, min(names))["source"]
    return chapter


def _cell_of(notebook: dict[str, Any], symbol: str) -> dict[str, Any]:
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return next(cell for cell in code if defines("".join(cell["source"]), symbol))


def _right(exercise: ExerciseInfo, dice: random.Random) -> str:
    """The solution as somebody else would have written it: other names, other comments, perhaps a print."""
    source = _source("solutions", exercise.stem, exercise.symbol)
    tree = ast.parse(source)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        _rename(function, dice)
    written = ast.unparse(tree) if dice.random() < 0.8 else source
    if dice.random() < 0.3:
        written = f"# {exercise.symbol}, as I understand it\n{written}"
    if dice.random() < 0.2:
        written += f"\n\nprint({exercise.symbol})"
    return written


def signed(cell: str, name: str) -> str:
    """The cell with a comment above what it defines, which belongs to the answer."""
    return re.sub(r"^(?=@|def |class )", f"# {name}\n", cell, count=1, flags=re.MULTILINE)


def _rename(function: ast.FunctionDef, dice: random.Random) -> None:
    """Give one of a function's own variables another name."""
    inner = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    parameters = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    given = {node.id for node in inner if isinstance(node.ctx, ast.Store)} - parameters
    if not given or any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(function)):
        return
    old, new = dice.choice(sorted(given)), dice.choice(RENAMED)
    if new in parameters | {node.id for node in inner}:
        return
    for node in inner:
        node.id = new if node.id == old else node.id


def _wrong(learner: Learner, cells: dict[str, str], asked: list[ExerciseInfo], dice: random.Random) -> None:
    for exercise in dice.sample(asked, dice.randint(1, max(1, len(asked) // 2))):
        cause, cell = dice.choice(wrong_cells(exercise))
        cells[exercise.symbol] = cell
        learner.status[exercise.symbol] = "fail"
        learner.misconceptions[exercise.symbol] = cause


def wrong_cells(exercise: ExerciseInfo) -> list[tuple[list[str], str]]:
    """Of each in benchmarks/wrong_answers/ the misconceptions that are true of it, and its cell."""
    name = exercise.test.removeprefix("test_")
    answers = wrong_answers(ROOT / "benchmarks" / "wrong_answers" / exercise.stem / f"{name}.py")
    return [(list(one.causes), one.cell.strip()) for one in answers]


def _unfinished(learner: Learner, cells: dict[str, str], asked: list[ExerciseInfo], dice: random.Random) -> None:
    """The stub is still there, or the whole cell is gone."""
    for exercise in dice.sample(asked, dice.randint(1, len(asked))):
        gone = dice.random() < 0.25
        learner.status[exercise.symbol] = "missing" if gone else "not_yet"
        stub = _source("chapters", exercise.stem, exercise.symbol)
        cells[exercise.symbol] = "" if gone else stub


def _broken(learner: Learner, cells: dict[str, str], asked: list[ExerciseInfo], dice: random.Random) -> None:
    learner.status = dict.fromkeys(learner.status, "error")


def _hostile(learner: Learner, cells: dict[str, str], asked: list[ExerciseInfo], dice: random.Random) -> None:
    line = dice.choice(sorted(HOSTILE))
    _put_first(line, HOSTILE[line], learner, cells, dice)


def _endless(learner: Learner, cells: dict[str, str], asked: list[ExerciseInfo], dice: random.Random) -> None:
    _put_first(ENDLESS, "limit", learner, cells, dice)


def _put_first(line: str, status: Status, learner: Learner, cells: dict[str, str], dice: random.Random) -> None:
    """Let the answer to one exercise begin with this line, whenever it is called."""
    symbol = dice.choice(sorted(cells))
    tree = ast.parse(cells[symbol])
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    called = [node for node in functions if node.name == "forward"] or functions[:1]
    called[0].body[:0] = ast.parse(line).body
    cells[symbol] = ast.unparse(tree)
    learner.status[symbol] = status


Change = Callable[[Learner, dict[str, str], list[ExerciseInfo], random.Random], None]
CHANGES: dict[str, Change] = {
    "right": lambda *_: None,
    "wrong": _wrong,
    "unfinished": _unfinished,
    "broken": _broken,
    "hostile": _hostile,
    "endless": _endless,
}


def _filled(chapter: dict[str, Any], cells: dict[str, str]) -> dict[str, Any]:
    """The released notebook with these in the place of its stubs."""
    copy = json.loads(json.dumps(chapter))
    for symbol, source in cells.items():
        _cell_of(copy, symbol)["source"] = source.splitlines(keepends=True)
    return copy


def _write(folder: Path, learner: Learner, notebook: dict[str, Any], dice: random.Random) -> None:
    """As a file, in a folder, or in a zip."""
    text = json.dumps(notebook, indent=1)
    if learner.kind == "broken":
        text = dice.choice([text[: len(text) // 2], "", "not JSON", text.replace('"nbformat": 4', '"nbformat": 9')])
    stem = _stem_of(notebook)
    form = dice.choice(["file", "folder", "zip"])
    if form == "file":
        (folder / f"{learner.name}_{stem}.ipynb").write_text(text, encoding="utf-8")
    elif form == "folder":
        (folder / learner.name).mkdir()
        (folder / learner.name / f"{stem}.ipynb").write_text(text, encoding="utf-8")
    else:
        with zipfile.ZipFile(folder / f"{learner.name}.zip", "w", zipfile.ZIP_DEFLATED) as file:
            member = zipfile.ZipInfo(f"{stem}.ipynb", (2026, 1, 1, 0, 0, 0))
            file.writestr(member, text)


def _stem_of(notebook: dict[str, Any]) -> str:
    """The chapter that its set-up cell starts."""
    found = re.search(r'start\(\\?"(ch\d\d_\w+)\\?"\)', json.dumps(notebook))
    assert found
    return found[1]
