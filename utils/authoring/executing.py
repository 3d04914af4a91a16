"""Runs a notebook from a fresh kernel and keeps its outputs, such as they would be on any machine."""

import os
import re
from pathlib import Path

from nbclient.exceptions import CellControlSignal, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from utils.authoring.kernels import client_for
from utils.course import ROOT, CourseError, throwaway_state

SECONDS_PER_CELL = 600
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
UNCHECKED = "nbval-ignore-output"  # nbval's tag for a cell whose output may differ from run to run


def execute(notebook: NotebookNode, path: Path, root: Path = ROOT) -> None:
    """Run every cell and store what it shows; `path` is where the notebook will lie, and it runs there, as in nbval.

    Raises CourseError with the cell and its error if a cell fails, or shows what could not be the same elsewhere.
    """
    metadata = dict(notebook.metadata)
    with throwaway_state() as state:
        client = client_for(
            notebook, path.parent, timeout=SECONDS_PER_CELL, record_timing=False, store_widget_state=False
        )
        try:
            client.execute(env=_environment(root))
        except (CellControlSignal, CellTimeoutError, DeadKernelError) as error:
            raise _stopped(notebook, path.relative_to(root), error) from None
    notebook.metadata.clear()
    notebook.metadata.update(metadata)
    for cell in notebook.cells:
        check_portable(cell, path.relative_to(root), (str(root), str(Path.home()) + os.sep, str(state)))


def _environment(root: Path) -> dict[str, str]:
    """The kernel's: ours, with this course before an installed one, and the bundled model."""
    search = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": search, "COURSE_REFERENCE": "bundled"}


def _stopped(notebook: NotebookNode, path: Path, error: Exception) -> CourseError:
    kept = f"{path} is left as it was."
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                trace = COLOURS.sub("", "\n".join(output.traceback))
                stopped = f"{path}: cell {cell.id} stopped with {output.ename}: {output.evalue}\n{kept} The cell:"
                way = "" if output.ename == CourseError.__name__ else f"\nWhat Python says:\n{_indent(trace)}"
                return CourseError(f"{stopped}\n{_indent(cell.source)}{way}")
    return CourseError(f"{path}: {type(error).__name__}: {COLOURS.sub('', str(error))}\n{kept}")


def check_portable(cell: NotebookNode, path: Path, private: tuple[str, ...]) -> None:
    """Stored outputs must be the same on another machine, so warnings and names of folders must not be among them."""
    for output in cell.get("outputs", ()):
        if output.get("name") == "stderr" and UNCHECKED not in cell.metadata.get("tags", ()):
            what = f"writes to stderr; fix that, or tag the cell {UNCHECKED}:\n{_indent(output.text)}"
        elif found := [name for name in private if name in str(output)]:
            what = f"shows {found[0]}, which is another folder on another machine; print no paths."
        else:
            continue
        raise CourseError(f"{path}: cell {cell.id} {what}\n{path} is left as it was. The cell:\n{_indent(cell.source)}")


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
