"""A learner's way through a chapter's notebook, for tests: what they write, what they run, what they are shown."""

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from author.executing import client_for
from benchmarks.answers import wrong_answers
from judge.checking import Misconception
from utils.course import ROOT, UNWATCHED, ExerciseInfo

SECONDS_PER_CELL = 600  # by the clock, so far off: one of half a minute takes four times as long beside other work
FIRST_SENTENCE = re.compile(r"^.+?[.?](?= |$)")
FIGURE = "application/vnd.plotly.v1+json"
DRAWN = 'class="cf" role="img"'  # what utils.drawing makes: below controls it stands for a figure
WRONG_ANSWERS = ROOT / "benchmarks" / "wrong_answers"


class Reader:
    """A kernel with one notebook open in it; `run` does what Shift+Enter does, and sees what stands below controls."""

    def __init__(self, client: NotebookClient):
        self.client = client

    def run(self, cell: NotebookNode, source: str | None = None) -> NotebookNode:
        """A copy of the cell with what it shows, errors too; with another source, after that was written into it."""
        ran = nbformat.v4.new_code_cell(cell.source if source is None else source)
        before = set(self.client.widget_state)
        self.client.nb.cells.append(ran)
        self.client.execute_cell(ran, len(self.client.nb.cells) - 1)
        controls = [made for name, made in self.client.comm_objects.items() if name not in before]
        ran.outputs += [nbformat.from_dict(out) for made in controls for out in getattr(made, "outputs", ())]
        states = [state for name, state in self.client.widget_state.items() if name not in before]
        if any(DRAWN in str(state.get("value")) for state in states):
            ran.outputs.append(nbformat.v4.new_output("display_data", {FIGURE: {}}))
        return ran


@contextmanager
def opened(folder: Path) -> Iterator[Reader]:
    """A new kernel among the chapters of a learner's folder, which also holds their my_gpt/."""
    ours = {name: value for name, value in os.environ.items() if name not in UNWATCHED}
    search = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    learners = {"COURSE_STATE": str(folder), "COURSE_REFERENCE": "bundled", "PYTHONPATH": search}
    one_thread = {"OMP_NUM_THREADS": "1"}  # several threads on busy cores get in each other's way
    client = client_for(nbformat.v4.new_notebook(), folder / "chapters", timeout=SECONDS_PER_CELL, allow_errors=True)
    with client.setup_kernel(env=ours | learners | one_thread):
        yield Reader(client)


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def error_of(cell: NotebookNode) -> str:
    """The error that a cell stopped with, "" when it did not."""
    return next((f"{out.ename}: {out.evalue}" for out in cell.outputs if out.output_type == "error"), "")


CONTROL = "application/vnd.jupyter.widget-view+json"


def shown(cell: NotebookNode) -> str:
    """What a cell shows, as plain text: what it prints, and the words of each output."""
    texts = (out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
    return "\n".join(filter(None, texts))


def kinds(cell: NotebookNode) -> set[str]:
    """In what ways a cell shows something: as text, a figure, an image, a control, which holds its text itself."""
    found = {kind for out in cell.outputs for kind in out.get("data", {out.output_type: ""})}
    return found | {"stream"} if CONTROL in found else found


@dataclass(frozen=True)
class WrongAnswer:
    """A misconception as a learner would have it in their cell."""

    source: str
    misconception: Misconception

    @property
    def said(self) -> str:
        """What the card must say of it: the advice to its first full stop, for the rest may be about other code."""
        return f"The cause: {self.misconception.name}. {FIRST_SENTENCE.findall(self.misconception.advice)[0]}"


def wrong_answer(one: ExerciseInfo) -> WrongAnswer:
    """The first wrong answer to an exercise that has one cause, of those that are kept as learners write them."""
    path = WRONG_ANSWERS / one.stem / f"{one.test.removeprefix('test_')}.py"
    answer = next((answer for answer in wrong_answers(path) if len(answer.causes) == 1), None)
    assert answer, f"{path} has no answer with one line `# right: ...`: the course is gone through with the first"
    known = getattr(importlib.import_module(f"tests.{one.stem}"), one.test).exercise.misconceptions
    named = next((misconception for misconception in known if misconception.name == answer.causes[0]), None)
    assert named, f"{path}, {answer.title!r}: {one.symbol} has no misconception {answer.causes[0]!r}"
    return WrongAnswer(answer.cell, named)
