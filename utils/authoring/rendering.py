"""A chapter's source as notebooks: what the learner opens, and the same with everything written."""

import copy
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from utils.authoring.colab import add_colab
from utils.authoring.regions import answer, solved, stub
from utils.authoring.source import FOLDED, FOLDS, Cell, Source, Task
from utils.course import ROOT

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {  # as ipykernel tells it to whoever opens the notebook, but for Python's version
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}
HINTS = {"idea": "Hint 1: the idea", "pseudocode": "Hint 2: pseudocode", "solution": "Hint 3: the solution"}
LONGEST_SECTION = 56  # of the 64 characters that a cell's id may have


@dataclass(frozen=True)
class Piece:
    """A cell of a notebook to be."""

    kind: str
    source: str
    section: str  # the exercise or heading that it stands under; its id is made of this
    tags: tuple[str, ...] = ()
    name: str | None = None  # its id's last part where that is not a number


def chapter(source: Source, root: Path = ROOT) -> NotebookNode:
    """What the learner opens: stubs in place of solution regions, three folded hints, no outputs."""
    hints: dict[int, list[Piece]] = defaultdict(list)
    for task in source.tasks:
        place = _solution_hint_place(source, task)
        hints[place].append(_solution_hint(source, task))
    pieces: list[Piece] = []
    for index, piece in enumerate(_pieces(source, _stub)):
        pieces += [piece, *hints[index]]
    return _notebook(source.stem, "chapters", pieces, root)


def _stub(cell: Cell) -> str:
    return stub(cell.source, cell.regions)


def _solved(cell: Cell) -> str:
    return solved(cell.source)


def solution(source: Source, root: Path = ROOT) -> NotebookNode:
    """The same chapter with everything written, not executed yet."""
    pieces = list(_pieces(source, _solved))
    return _notebook(source.stem, "solutions", pieces, root)


def text_of(notebook: NotebookNode) -> str:
    """The file's content, the same for the same notebook on every machine."""
    nbformat.validate(notebook)
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


def _pieces(source: Source, code: Callable[[Cell], str]) -> Iterator[Piece]:
    """One piece for each cell of the source, `code` giving the text of code cells."""
    section = "start"
    tasks = {task.symbol: task for task in source.tasks}
    for cell in source.cells:
        about, text, name = cell.metadata, cell.source, None
        if "exercise" in about:
            section = about["exercise"]
            text = _with_details(text, tasks[section])
        elif "hint" in about:
            text, name = _folded(about["hint"], text), about["hint"]
        elif cell.heading:
            section = re.sub(r"[^a-z0-9]+", "-", cell.heading.lower()).strip("-") or "section"
        if cell.kind == "code":
            text = code(cell)
        yield Piece(cell.kind, text.strip("\n"), section, tuple(cell.tags), name)


def _with_details(text: str, task: Task) -> str:
    """The text of an exercise's first cell with difficulty, importance and minutes under its heading."""
    details = [
        _dotted("Difficulty", task.difficulty),
        _dotted("Importance", task.importance),
        _about(task.minutes),
    ]
    heading, _, rest = text.partition("\n")
    line = " · ".join(filter(None, details))
    return "\n\n".join(filter(None, [heading, line, rest.strip("\n")]))


def _dotted(name: str, dots: int | None) -> str:
    return "" if dots is None else f"{name} {'●' * dots}{'○' * (5 - dots)}"


def _about(minutes: int | None) -> str:
    if minutes is None:
        return ""
    return f"about {minutes} minute{'s' * (minutes > 1)}"


def _folded(hint: str, text: str) -> str:
    return f"<details>\n<summary>{HINTS[hint]}</summary>\n\n{text.strip()}\n\n</details>"


def _solution_hint_place(source: Source, task: Task) -> int:
    """The index of the cell that an exercise's solution hint follows: its last written hint, else its code."""
    hints, code, exercise = [], [], None
    for index, cell in enumerate(source.cells):
        exercise = cell.metadata.get("exercise", exercise)
        if "hint" in cell.metadata and exercise == task.symbol:
            hints.append(index)
        if task.symbol in {region.symbol for region in cell.regions}:
            code.append(index)
    return (hints or code)[-1]


def _solution_hint(source: Source, task: Task) -> Piece:
    answers: list[str] = []
    for cell in source.cells:
        regions = tuple(region for region in cell.regions if region.symbol == task.symbol)
        if regions:
            answers.append(answer(cell.source, regions))
    text = "```python\n" + "\n\n".join(answers) + "\n```"
    return Piece("markdown", _folded("solution", text), task.symbol, name="solution")


def _notebook(stem: str, folder: str, pieces: list[Piece], root: Path) -> NotebookNode:
    numbers: Counter[str] = Counter()
    cells = []
    for piece in pieces:
        section = f"{stem}-{piece.section}"[:LONGEST_SECTION].rstrip("-")
        if piece.name is None:
            numbers[section] += 1
        new_cell = getattr(v4, f"new_{piece.kind}_cell")
        cell = new_cell(piece.source, id=f"{section}-{piece.name or numbers[section]}")
        if piece.tags:
            cell.metadata["tags"] = list(piece.tags)
        if FOLDED in piece.tags:
            cell.metadata |= copy.deepcopy(FOLDS)
        cells.append(cell)
    add_colab(cells, stem, f"{folder}/{stem}.ipynb", root)
    return v4.new_notebook(cells=cells, metadata=copy.deepcopy(METADATA))
