"""A chapter's source as notebooks: what the learner opens, and the same with everything written."""

import copy
import re
from collections import Counter, defaultdict

from nbformat import NotebookNode, v4

from author.notebooks import FOLDS, add_colab, notebook_of
from author.source import FOLDED, Cell, Part, Region, Source, Task, answer, rewritten

HINTS = {"idea": "Hint 1: the idea", "pseudocode": "Hint 2: pseudocode", "solution": "Hint 3: the solution"}
# of the 64 characters that a cell's id may have
LONGEST_SECTION = 56


def chapter(source: Source) -> NotebookNode:
    """What the learner opens: stubs in place of solution regions, three folded hints, no outputs."""
    cells: list[NotebookNode] = []
    hints: dict[int, list[NotebookNode]] = defaultdict(list)
    for task in source.tasks:
        place = _solution_hint_place(source, task)
        hints[place].append(_solution_hint(source, task))
    for index, cell in enumerate(_cells(source, Region.stub)):
        cells += [cell, *hints[index]]
    return _notebook(source, "chapters", cells)


def solution(source: Source) -> NotebookNode:
    """The same chapter with everything written, not executed yet."""
    return _notebook(source, "solutions", _cells(source, Region.solution))


def _notebook(source: Source, folder: str, cells: list[NotebookNode]) -> NotebookNode:
    add_colab(cells, source.stem, f"{folder}/{source.stem}.ipynb", source.root)
    return notebook_of(cells)


def _cells(source: Source, part: Part) -> list[NotebookNode]:
    """One for each cell of the source, with this part of each of its regions."""
    made: list[NotebookNode] = []
    numbers: Counter[str] = Counter()
    section = _section(source, "start")
    tasks = {task.symbol: task for task in source.tasks}
    for cell in source.cells:
        about, text, name = cell.metadata, cell.source, None
        if "exercise" in about:
            section = _section(source, about["exercise"])
            text = _with_details(text, tasks[about["exercise"]])
        elif "hint" in about:
            text, name = _folded(about["hint"], text), about["hint"]
        elif cell.heading:
            words = re.findall(r"[a-z0-9]+", cell.heading.lower())
            section = _section(source, "-".join(words) or "section")
        if name is None:
            numbers[section] += 1
        text = rewritten(text, cell.regions, part).strip("\n")
        made.append(_cell(cell, text, f"{section}-{name or numbers[section]}"))
    return made


def _section(source: Source, name: str) -> str:
    """What the ids of cells begin with that stand under an exercise or a heading."""
    return f"{source.stem}-{name}"[:LONGEST_SECTION].rstrip("-")


def _cell(cell: Cell, text: str, name: str) -> NotebookNode:
    metadata = copy.deepcopy(FOLDS) if FOLDED in cell.tags else {}
    if cell.tags:
        metadata = {"tags": cell.tags, **metadata}
    new_cell = getattr(v4, f"new_{cell.kind}_cell")
    return new_cell(text, id=name, metadata=metadata)


def _with_details(text: str, task: Task) -> str:
    """The text of an exercise's first cell with difficulty, importance and minutes under its heading."""
    details = []
    dotted = {"Difficulty": task.difficulty, "Importance": task.importance}
    for name, dots in dotted.items():
        if dots is not None:
            details.append(f"{name} {'●' * dots}{'○' * (5 - dots)}")
    if task.minutes is not None:
        unit = "minute" if task.minutes == 1 else "minutes"
        details.append(f"about {task.minutes} {unit}")
    heading, _, rest = text.partition("\n")
    parts = [heading, " · ".join(details), rest.strip("\n")]
    return "\n\n".join(filter(None, parts))


def _folded(hint: str, text: str) -> str:
    summary = f"<summary>{HINTS[hint]}</summary>"
    return f"<details>\n{summary}\n\n{text.strip()}\n\n</details>"


def _solution_hint_place(source: Source, task: Task) -> int:
    """The index of the cell that an exercise's solution hint follows: its last written hint, else its code."""
    hints, code, exercise = [], [], None
    for index, cell in enumerate(source.cells):
        exercise = cell.metadata.get("exercise", exercise)
        if "hint" in cell.metadata and exercise == task.symbol:
            hints.append(index)
        if cell.regions_of(task.symbol):
            code.append(index)
    return (hints or code)[-1]


def _solution_hint(source: Source, task: Task) -> NotebookNode:
    own = [(cell, cell.regions_of(task.symbol)) for cell in source.cells]
    answers = [answer(cell.source, regions) for cell, regions in own if regions]
    code = "\n\n".join(answers)
    text = _folded("solution", f"```python\n{code}\n```")
    name = f"{_section(source, task.symbol)}-solution"
    return v4.new_markdown_cell(text, id=name)
