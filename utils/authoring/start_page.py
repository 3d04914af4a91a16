"""The start page, chapters/START.ipynb: what the course is, and a cell that shows how far the learner has come."""

from pathlib import Path

from nbformat import v4

from utils.authoring.colab import add_colab
from utils.authoring.rendering import METADATA, text_of
from utils.course import ROOT
from utils.files import write_text

WORDS = """# GPT from scratch: start here

You are going to write GPT-2, piece by piece: the tokenizer, the embeddings, LayerNorm, attention, the MLP, the
unembedding, the whole Transformer, and at last what chooses its words, so that it tells stories. Each chapter is a
notebook with a few short exercises. Most take about an hour, chapters 4, on attention, and 8, on sampling, two or more.

**How it goes.** Read, fill in the part that says `NotImplementedError`, run the test cell below it (Shift+Enter). A
card says that all checks hold, or which one does not and why. What passes is kept in `my_gpt/`, and the chapter goes on
with *your* code: it reads, predicts and tells stories in a real model, a small GPT-2 trained for this course.

**What you need.** Python, a little PyTorch (tensors, shapes, broadcasting), and the idea of a neural network that is
trained by gradients. You can begin at any chapter; a part that you have not written is borrowed from the reference
solutions, and the chapter says so.

Run the next cell to see where you are, and again whenever you come back. (The first chapter is
[ch00_tokens](ch00_tokens.ipynb).)"""
CELL = """from utils.learner.welcome import welcome

welcome()"""


def start_page(root: Path = ROOT) -> str:
    """The notebook as text."""
    cells = [v4.new_markdown_cell(WORDS, id="start-1"), v4.new_code_cell(CELL, id="start-2")]
    add_colab(cells, "start", "chapters/START.ipynb", root)
    return text_of(v4.new_notebook(cells=cells, metadata=dict(METADATA)))


def path_of(root: Path = ROOT) -> Path:
    return root / "chapters" / "START.ipynb"


def build_start_page(root: Path = ROOT) -> list[str]:
    """Write it where it is out of date; says what was done."""
    if check_start_page(root):
        write_text(path_of(root), start_page(root))
        return [f"{path_of(root).relative_to(root)}: written"]
    return []


def check_start_page(root: Path = ROOT) -> list[str]:
    """What is wrong with the stored page, in a sentence; nothing is written."""
    path = path_of(root)
    if path.exists() and path.read_text(encoding="utf-8") == start_page(root):
        return []
    return [f"{path.relative_to(root)} is out of date. Make it again: python -m utils build"]
