"""The notebooks of each chapter: what its source becomes in them, which are out of date, and these written anew.

There are two: what the learner opens, and the same with everything written, executed.
"""

import ast
import copy
import hashlib
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from nbformat import NotebookNode, v4

from author.executing import check_portable, execute
from author.notebooks import (
    FOLDS,
    FOLDS_SECTION,
    TAG,
    add_colab,
    code_cells,
    executed,
    notebook_of,
    same_sources,
    stored,
    tags_of,
    text_of,
)
from author.source import FOLDED, Cell, Part, Region, Source, Task, answer, read_source, rewritten
from utils.course import ROOT, CourseError
from utils.course.cells import as_python, defines, unanswered
from utils.course.files import write_text

HINTS = {"idea": "Hint 1: the idea", "pseudocode": "Hint 2: pseudocode", "solution": "Hint 3: the solution"}
# of the 64 characters that a cell's id may have
LONGEST_SECTION = 56
# whose change makes other outputs of the same cells: what draws, what makes cards, and the texts that are measured
DRAWS = (
    "utils.plotting",
    "utils.pictures",
    "utils.model_map",
    "utils.model_map.drawing",
    "utils.passages",
    "utils.learner.predictions",
    "tests.predictions",
)
# a picture's module has namesakes beside it, and the passages' has their text
BESIDE = (".mjs", ".css", ".txt")
IMPORTED = re.compile(r'^import [^;]*"\./(\w+\.mjs)";$', re.MULTILINE)
COMMENTS = ("#", "//")
# in the metadata of an executed solution
KEY = "drawn_with"


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
    """The chapter with everything written, not executed yet; above each mended bug stands what was mended."""
    cells: list[NotebookNode] = []
    for cell, written in zip(source.cells, _cells(source, Region.solution), strict=True):
        if bug := _bug(cell):
            cells.append(v4.new_markdown_cell(bug, id=f"{written.id}-bug"))
        cells.append(written)
    return _notebook(source, "solutions", cells)


def _bug(cell: Cell) -> str:
    """The lines that a learner is given to mend, as a quotation, which is grey wherever notebooks are shown; or "".

    Without them a reader of the solution is told to find a mistake in code that has none.
    """
    lines = cell.source.split("\n")
    given = [region.stub(lines) for region in cell.regions if region.instead is not None]
    buggy = [textwrap.dedent("\n".join(stub)) for stub in given if "NotImplementedError" not in "".join(stub)]
    if not buggy:
        return ""
    code = "\n\n".join(buggy)
    text = f"With the mistake, in place of the mended lines of the next cell:\n\n```python\n{code}\n```"
    return textwrap.indent(text, "> ", lambda line: True).replace("> \n", ">\n")


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
        if part is Region.stub and cell.kind == "code":
            text = unanswered(text)
        made.append(_cell(cell, text, f"{section}-{name or numbers[section]}"))
    return made


def _section(source: Source, name: str) -> str:
    """What the ids of cells begin with that stand under an exercise or a heading."""
    return f"{source.stem}-{name}"[:LONGEST_SECTION].rstrip("-")


def _cell(cell: Cell, text: str, name: str) -> NotebookNode:
    metadata = {"tags": cell.tags} if cell.tags else {}
    if FOLDED in cell.tags:
        metadata |= copy.deepcopy(FOLDS) if cell.kind == "code" else {**FOLDS_SECTION, "id": name}
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


def build(stem: str, root: Path = ROOT, force: bool = False, may_execute: bool = True) -> Iterator[str]:
    """Write the chapter's notebook and its executed solution, where they are out of date; yields what was done.

    A solution keeps its outputs as long as its code is the same, and that which draws its figures; `force` executes it
    all the same.
    Raises CourseError if the source has a mistake or a cell fails, or where code has changed without `may_execute`;
    a notebook that fails is left as it was.
    """
    source = read_source(stem, root)
    stale = stale_notebooks(source)
    for_learners = chapter_path(stem, root)
    if for_learners in stale and not force:
        _refuse_to_lose_answers(for_learners, source)
    if for_learners in stale or force:
        write_text(for_learners, text_of(chapter(source)))
        yield f"{for_learners.relative_to(root)}: written"
    if solution_path(stem, root) in stale or force:
        yield _build_solution(source, force, may_execute)


def _build_solution(source: Source, force: bool, may_execute: bool) -> str:
    root, path = source.root, solution_path(source.stem, source.root)
    name = path.relative_to(root)
    notebook = solution(source)
    if not force and _carry_outputs(notebook, path):
        # a cell may have lost its nbval-ignore-output
        for cell in notebook.cells:
            check_portable(cell, name, (str(root),))
        done = "written, its outputs kept"
    elif may_execute:
        path.parent.mkdir(exist_ok=True)
        execute(notebook, path, root)
        done = "executed"
    else:
        raise CourseError(_out_of_date(path, root))
    remember_drawing_code(notebook)
    write_text(path, text_of(notebook))
    return f"{name}: {done}"


def _carry_outputs(notebook: NotebookNode, path: Path) -> bool:
    """Give a new notebook the outputs of the one stored at `path`; whether both run the same code in the same order.

    Stored numbers so change with the code alone, never with the day or the machine of a build. The cell that fetches
    the course in Colab doesn't count: it shows nothing elsewhere.
    """
    before = executed(path)
    if before is None or not is_drawn_as_now(before, notebook):
        return False
    cells, old_cells = _course_cells(notebook), _course_cells(before)
    if [cell.source for cell in cells] != [cell.source for cell in old_cells]:
        return False
    for cell, old in zip(cells, old_cells, strict=True):
        cell.outputs = old.outputs
    for count, cell in enumerate(code_cells(notebook), 1):
        _number(cell, count)
    return True


def _course_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that run everywhere."""
    return [cell for cell in code_cells(notebook) if TAG not in tags_of(cell)]


def _number(cell: NotebookNode, count: int) -> None:
    for numbered in (cell, *cell.outputs):
        if "execution_count" in numbered:
            numbered.execution_count = count


def check(stem: str, root: Path = ROOT) -> list[str]:
    """The faults of the chapter's stored notebooks, one sentence each; nothing is written."""
    stale = stale_notebooks(read_source(stem, root))
    return [_out_of_date(path, root) for path in stale]


def stale_notebooks(source: Source) -> list[Path]:
    """The stored notebooks that are missing or have not the cells that `build` would write, all of a solution run.

    Nor may the code have changed that drew a solution's figures.
    """
    stale: list[Path] = []
    path = chapter_path(source.stem, source.root)
    if not same_sources(stored(path), chapter(source)):
        stale.append(path)
    path = solution_path(source.stem, source.root)
    found, built = executed(path), solution(source)
    if not same_sources(found, built) or not is_drawn_as_now(found, built):
        stale.append(path)
    return stale


def chapter_path(stem: str, root: Path = ROOT) -> Path:
    """Where the learner's notebook is."""
    return root / "chapters" / f"{stem}.ipynb"


def solution_path(stem: str, root: Path = ROOT) -> Path:
    """Where the executed solution is."""
    return root / "solutions" / f"{stem}.ipynb"


def _out_of_date(path: Path, root: Path) -> str:
    what = "is out of date" if path.exists() else "is missing"
    name, command = path.relative_to(root), f"python -m utils build {path.stem}"
    return f"{name} {what}. Make it again: {command}"


def _refuse_to_lose_answers(path: Path, source: Source) -> None:
    """A generated chapter has a NotImplementedError in each exercise; where one is gone, a learner has worked."""
    cells = getattr(stored(path), "cells", [])
    sources = [cell.source for cell in cells if cell.cell_type == "code"]  # a hint may read as if it defined something
    written = [text for text in sources if "NotImplementedError" not in text]
    for task in source.tasks:
        if any(defines(text, task.symbol) for text in written):
            name = path.relative_to(source.root)
            command = f"python -m utils build {source.stem} --force"
            raise CourseError(
                f"{name} holds an answer for {task.symbol}, so it is left as it is. "
                f"Move it away, or write over it: {command}"
            )


def drawing_code(notebook: NotebookNode) -> str:
    """A digest of the modules that draw and that the cells import, with those that these import; "" without any.

    A picture's script and its style are modules too.
    """
    modules: dict[Path, str] = {}
    sources = [as_python(cell.source) for cell in code_cells(notebook)]
    waiting = set().union(*map(_drawing_modules, sources))
    while waiting:
        path = waiting.pop()
        modules[path] = path.read_text(encoding="utf-8")
        waiting |= _needed_by(path, modules[path]) - modules.keys()
    if not modules:
        return ""
    in_order = [modules[path] for path in sorted(modules)]
    lines = chain.from_iterable(map(_statements, in_order))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def is_drawn_as_now(old: NotebookNode, new: NotebookNode) -> bool:
    """Whether the figures of an executed notebook were drawn by the code that would draw those of a new one."""
    return old.metadata.get(KEY, "") == drawing_code(new)


def remember_drawing_code(notebook: NotebookNode) -> None:
    """Note in a notebook which code has drawn its figures."""
    if digest := drawing_code(notebook):
        notebook.metadata[KEY] = digest


def _needed_by(path: Path, source: str) -> set[Path]:
    if path.suffix != ".py":
        return {path.with_name(name) for name in IMPORTED.findall(source)}
    namesakes = map(path.with_suffix, BESIDE)
    return _drawing_modules(source) | set(filter(Path.is_file, namesakes))


def _drawing_modules(source: str) -> set[Path]:
    """The modules that draw, of those that a source imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=imported):
                names.update(one.name for one in imported)
            case ast.ImportFrom(module=str(package), names=imported):
                names.add(package)
                # each may be a module of the package
                names.update(f"{package}.{alias.name}" for alias in imported)
    drawing = [name for name in names if name.startswith(DRAWS)]
    folders = [ROOT.joinpath(*name.split(".")) for name in drawing]
    packages = [folder / "__init__.py" for folder in folders]
    modules = [folder.with_suffix(".py") for folder in folders]
    return set(filter(Path.is_file, packages + modules))


def _statements(source: str) -> list[str]:
    """The lines of a module that do something; comments and empty lines draw nothing."""
    lines = map(str.rstrip, source.splitlines())
    return [line for line in lines if line and not line.lstrip().startswith(COMMENTS)]
