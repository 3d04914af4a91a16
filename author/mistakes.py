"""What an author may have done wrong in a chapter's source, each with its line and what to do about it."""

import ast
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from author.regions import BEGIN, END, LOOKS_LIKE_A_MARKER
from author.source import FOLDED, HINTS, NOTEBOOK_ONLY, NUMBERS, Cell, Source, Task
from utils.course import ExerciseInfo, stems
from utils.course.cells import as_python, calls

TITLE = re.compile(r"# @title \S.*")
STARTS = re.compile(r"^start\(", re.MULTILINE)
KEYS = {"tags", "exercise", *NUMBERS, "draft", "hint"}

# the line, and what is wrong there
Mistake = tuple[int, str]


def lost_code(above: NotebookNode) -> Iterator[Mistake]:
    """Above the first `# %%` only the module's docstring may stand: it is for those who read the .py."""
    tree = ast.parse(above.source if above.cell_type == "code" else "")
    has_docstring = ast.get_docstring(tree) is not None
    if len(tree.body) > has_docstring:
        what = "code above the first `# %%` would be in no notebook"
        yield 1, f"{what}; put a `# %%` before it."


def cell_mistakes(cell: Cell) -> Iterator[Mistake]:
    """What is wrong with a cell's metadata, the gravest first, and with its first line."""
    given, line = cell.metadata, cell.line
    if {"exercise", "hint"} & given.keys() and cell.kind != "markdown":
        example = "`# %% [markdown] ...`"
        yield line, f"exercise= and hint= belong on a Markdown cell: {example}."
    if given.get("hint", HINTS[0]) not in HINTS:
        hint, known = repr(given["hint"]), ", ".join(HINTS)
        yield line, f"hint={hint} is none of {known}; the build itself adds the solution."
    for key, allowed in reversed(NUMBERS.items()):
        value = given.get(key, allowed[0])
        if type(value) is not int or value not in allowed:
            first, last = allowed[0], allowed[-1]
            yield line, f"{key}={value!r} is not a whole number from {first} to {last}."
    if unknown := sorted(given.keys() - KEYS):
        here, known = ", ".join(unknown), ", ".join(sorted(KEYS))
        yield line, f'can\'t read {here} here; {known} are known, as key="text" or key=3.'
    if FOLDED in cell.tags and not TITLE.match(cell.source):
        example = "`# # @title Draws the pattern of each head`"
        yield line + 1, f"a cell tagged {FOLDED} begins with what it does: {example}."


def not_commented_out(body: list[str], first: int) -> Iterator[Mistake]:
    """Lines that Python would run, or a solution region, in a cell that only the notebook runs."""
    for number, text in enumerate(body, first):
        if not text.startswith("#") and text.strip():
            what = f"a cell tagged {NOTEBOOK_ONLY} is commented out"
            yield number, f"{what}; begin this with `# `."
        if LOOKS_LIKE_A_MARKER.search(text):
            yield number, "a solution region can't be in a cell that only the notebook runs."


def misplaced(cell: Cell, before: list[Task]) -> Iterator[Mistake]:
    """An exercise without a heading; a hint before the first exercise, or given twice for one."""
    hint = cell.metadata.get("hint")
    if "exercise" in cell.metadata:
        if not cell.heading:
            yield cell.line, "the cell of an exercise begins with a heading: `# ## Exercise`."
    elif hint and not before:
        way = 'put it after the stub, and exercise="Name" on the cell before.'
        yield cell.line, f"a hint before the first exercise; {way}"
    elif hint and hint in before[-1].hints:
        yield cell.line, f"a second hint={hint!r} for {before[-1].symbol}; join the two."


def misnamed(source: Source) -> Iterator[Mistake]:
    """Another chapter of its number; a set-up cell that starts no chapter, or another one."""
    twins = [stem for stem in stems(source.root) if stem[:4] == source.stem[:4]]
    if len(twins) > 1:
        yield 1, f"{' and '.join(twins)} are two chapters of one number; give one of them another."
    started = list(_started(source))
    due = f'start("{source.stem}")'
    if not started:
        yield 1, f"no cell tagged {NOTEBOOK_ONLY} calls {due}, as a chapter's first code cell does."
    for line, stem in started:
        if stem != source.stem:
            yield line, f"start({stem or ''!r}) starts another chapter than this one; write {due}."


def _started(source: Source) -> Iterator[tuple[int, str | None]]:
    """The lines in which cells call `start`, and with which chapter; None where that is no text."""
    for cell in [cell for cell in source.cells if cell.notebook_only and STARTS.search(cell.source)]:
        for node in ast.walk(ast.parse(as_python(cell.source))):
            match node:
                case ast.Call(func=ast.Name(id="start"), args=[ast.Constant(value=str(stem))]):
                    yield cell.line + node.lineno, stem
                case ast.Call(func=ast.Name(id="start")):
                    yield cell.line + node.lineno, None


def left_out(source: Source, tested: list[ExerciseInfo]) -> Iterator[Mistake]:
    """Each test function has its exercise, region and test call, in the same order, and no region is nobody's."""
    test_file = f"tests/{source.stem}.py"
    written = [task.symbol for task in source.tasks]
    wanted = [exercise.symbol for exercise in tested]
    if written != wanted:
        here, there = ", ".join(written) or "none", ", ".join(wanted) or "none"
        example = '`# %% [markdown] exercise="Name" ...`'
        way = f"Give each a cell {example}, in the order of the tests."
        yield 1, f"exercises here: {here}; tested in {test_file}: {there}. {way}"
    regions = [region for cell in source.cells for region in cell.regions]
    lines = {region.symbol: cell.line for cell in source.cells for region in cell.regions}
    strangers = [symbol for symbol in lines if symbol not in wanted]
    run = [cell.source for cell in source.cells if cell.notebook_only]
    for task, exercise in zip(source.tasks, tested, strict=True):
        if task.symbol not in lines:
            yield task.line, f"{task.symbol} has no solution region, {_what_to_do(strangers)}"
        if not calls("\n".join(run), exercise.test, task.symbol):
            call = f"{exercise.test}({task.symbol})"
            what = f"no cell tagged {NOTEBOOK_ONLY} calls {call}"
            yield task.line, f"{what}; it comes after the hints."
    hunted = {region.symbol for region in regions if region.instead is not None}
    for symbol in strangers:
        if symbol not in hunted:
            what = f"{symbol} has a solution region"
            yield lines[symbol], f"{what}, but no function of {test_file} tests it."


def _what_to_do(strangers: list[str]) -> str:
    """Where nothing is left to write; the region may stand in what has a mistyped name."""
    if strangers:
        names = ", ".join(sorted(strangers))
        return f"but {names} has one: is that a typing mistake?"
    markers = f"`{BEGIN}` and `{END}`"
    return f"so nothing is left to write. Put {markers} around what learners write."
