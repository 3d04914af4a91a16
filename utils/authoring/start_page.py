"""The start page, chapters/START.ipynb: what the course is, and a cell that shows how far the learner has come."""

import copy
from pathlib import Path

import nbformat
from nbformat import v4

from utils.authoring.colab import add_colab
from utils.authoring.opened import executed, same_sources, stored
from utils.authoring.rendering import METADATA, text_of
from utils.course import ROOT, stems
from utils.files import write_text
from utils.learner.standing import estimate, minutes_of
from utils.learner.welcome import Welcome

BEGINNING = """# GPT from scratch: start here

You are going to write GPT-2, piece by piece, until a folder of your own code tells stories. This one was told by the
small model that comes with the course: 3.5 million parameters, trained on 73 children's books.

{story}

That was this command, in a terminal in the course's folder. It borrows what you have not written yet:

```sh
{command}
```

{count} chapters, about {hours} in all, and you can begin with any of them. Run the next cell (Shift+Enter) to see where
you are, and again whenever you come back."""
CELL = """from utils.learner.welcome import welcome

welcome()"""
RULES = """## How it goes

1. **Run every cell of a chapter from the top, one by one** (Shift+Enter). *Run All* stops at the first part that you
   have not written, and leaves you at the end of the page; where it stopped, a card says what to do.
2. **Write** the part that says `NotImplementedError`, run it, then run the test cell below it. The card says that all
   checks hold, or which one does not and why.
3. **Stuck?** Three hints are folded under each exercise: the idea, pseudocode, the solution.
4. **What passes is yours**: it is kept in `my_gpt/`, and the chapter goes on with *your* code in a real model. It
   reads, predicts and tells stories.

## Good to know

- **What you need**: Python, a little PyTorch (tensors, shapes, broadcasting), and the idea of a neural network that is
  trained by gradients.
- **Begin anywhere**: a part that you have not written is borrowed from the reference solutions, and the chapter says
  so. The first chapter is [chapter 0](ch00_tokens.ipynb).
- **Not included: training.** The model comes trained. Training it, what it costs, and how others write the same model
  are later chapters, which are on their way."""
COMMAND = 'python -m utils generate "Once upon a time" --seed 4'
STORY = """Once upon a time a King was asleep, and the King ordered his daughter to be very sad. He agreed with her that he should not be so sad at all.

At last the King was taken from him, and ordered him to be changed into a jewel, and everyone could look at him, for he was too much pleased to have such a long beard that the King himself should be so pleased."""  # noqa: E501 (as it was told)


def start_page(root: Path = ROOT) -> nbformat.NotebookNode:
    """The notebook. What its cell shows before it is run stands there as an output."""
    code = v4.new_code_cell(CELL, id="start-2", outputs=[_before_it_is_run(root)])
    cells = [v4.new_markdown_cell(_beginning(root), id="start-1"), code, v4.new_markdown_cell(RULES, id="start-3")]
    add_colab(cells, "start", "chapters/START.ipynb", root)
    return v4.new_notebook(cells=cells, metadata=copy.deepcopy(METADATA))


def _beginning(root: Path) -> str:
    hours = estimate(sum(minutes_of(stem, root) for stem in stems(root)))
    story = "\n".join(f"> {line}".rstrip() for line in f"{STORY} …".splitlines())
    return BEGINNING.format(story=story, command=COMMAND, count=_number(len(stems(root))), hours=hours)


def _number(count: int) -> str:
    """A number that begins a sentence."""
    words = "No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve".split()
    return words[count] if count < len(words) else str(count)


def _before_it_is_run(root: Path) -> nbformat.NotebookNode:
    shown = Welcome(root, begun=False)
    return v4.new_output("display_data", data={"text/html": shown._repr_html_(), "text/plain": repr(shown)})


def path_of(root: Path = ROOT) -> Path:
    return root / "chapters" / "START.ipynb"


def build_start_page(root: Path = ROOT) -> list[str]:
    """Write it where it is out of date; says what was done."""
    if check_start_page(root):
        write_text(path_of(root), text_of(start_page(root)))
        return [f"{path_of(root).relative_to(root)}: written"]
    return []


def check_start_page(root: Path = ROOT) -> list[str]:
    """What is wrong with the stored page, in a sentence; nothing is written."""
    path, built = path_of(root), start_page(root)
    if same_sources(path, built) and (executed(path) or _shows(path) == _shows(built)):
        return []
    return [f"{path.relative_to(root)} is out of date. Make it again: python -m utils build"]


def _shows(page: nbformat.NotebookNode | Path) -> list[list[nbformat.NotebookNode]]:
    notebook = stored(page) if isinstance(page, Path) else page
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"] if notebook else []
