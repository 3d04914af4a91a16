"""The start page, chapters/START.ipynb: what the course is, and a cell that shows how far the learner has come."""

from pathlib import Path

from nbformat import NotebookNode, v4

from author.filling import filled, template
from author.notebooks import add_colab, code_cells, executed, notebook_of, same_sources, stored, text_of
from utils.course import ROOT, stems
from utils.course.files import write_text
from utils.learner.welcome import Welcome, hours_in_all

START = "chapters/START.ipynb"
CELL = """from utils.learner.welcome import welcome

welcome()"""
COMMAND = 'python -m utils generate "Once upon a time" --seed 39'
# as it was told
STORY = template("start_page/story.txt")
NUMBERS = "No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen".split()


def start_page(root: Path = ROOT) -> NotebookNode:
    """The notebook. What its cell shows before it is run stands there as an output."""
    shown = Welcome(root, begun=False)
    data = {"text/html": shown._repr_html_(), "text/plain": repr(shown)}
    output = v4.new_output("display_data", data=data)
    cells = [
        v4.new_markdown_cell(_beginning(root), id="start-1"),
        v4.new_code_cell(CELL, id="start-2", outputs=[output]),
        v4.new_markdown_cell(template("start_page/rules.md"), id="start-3"),
    ]
    add_colab(cells, "start", START, root)
    return notebook_of(cells)


def _beginning(root: Path) -> str:
    chapters = stems(root)
    count = dict(enumerate(NUMBERS)).get(len(chapters), str(len(chapters)))
    story = f"> {STORY} …".replace("\n", "\n> ").replace("> \n", ">\n")
    names = {"STORY": story, "COMMAND": COMMAND, "COUNT": count, "HOURS": hours_in_all(root)}
    return filled(template("start_page/beginning.md"), names)


def build_start_page(root: Path = ROOT) -> list[str]:
    """Write it where it is out of date; says what was done."""
    if not check_start_page(root):
        return []
    write_text(root / START, text_of(start_page(root)))
    return [f"{START}: written"]


def check_start_page(root: Path = ROOT) -> list[str]:
    """The fault of the stored page, in a sentence; nothing is written. Its cell may have been run."""
    found, built = stored(root / START), start_page(root)
    if same_sources(found, built):
        if executed(root / START) or _shows(found) == _shows(built):
            return []
    return [f"{START} is out of date. Make it again: python -m utils build"]


def _shows(page: NotebookNode) -> list[list[NotebookNode]]:
    return [cell.outputs for cell in code_cells(page)]
