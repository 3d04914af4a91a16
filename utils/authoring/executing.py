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
            notebook,
            path.parent,
            timeout=SECONDS_PER_CELL,
            record_timing=False,
            store_widget_state=False,
        )
        try:
            client.execute(env=_environment(root))
        except (CellControlSignal, CellTimeoutError, DeadKernelError) as error:
            raise _stopped(notebook, path.relative_to(root), error) from None
    notebook.metadata.clear()
    notebook.metadata.update(metadata)
    home = str(Path.home()) + os.sep
    for cell in notebook.cells:
        check_portable(cell, path.relative_to(root), (str(root), home, str(state)))


def _environment(root: Path) -> dict[str, str]:
    """The kernel's: ours, with this course before an installed one, and the bundled model."""
    search = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": search, "COURSE_REFERENCE": "bundled"}


def _stopped(notebook: NotebookNode, path: Path, error: Exception) -> CourseError:
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                return CourseError(_told(cell, output, path))
    said = COLOURS.sub("", str(error))
    return CourseError(f"{path}: {type(error).__name__}: {said}\n{path} is left as it was.")


def _told(cell: NotebookNode, output: NotebookNode, path: Path) -> str:
    """The error of a cell, the cell, and what Python says, unless the error says all."""
    lines = [
        f"{path}: cell {cell.id} stopped with {output.ename}: {output.evalue}",
        f"{path} is left as it was. The cell:",
        _indent(cell.source),
    ]
    if output.ename != CourseError.__name__:
        trace = COLOURS.sub("", "\n".join(output.traceback))
        lines += ["What Python says:", _indent(trace)]
    return "\n".join(lines)


def check_portable(cell: NotebookNode, path: Path, private: tuple[str, ...]) -> None:
    """Stored outputs must be the same on another machine, so warnings and names of folders must not be among them."""
    is_checked = UNCHECKED not in cell.metadata.get("tags", ())
    for output in cell.get("outputs", ()):
        shown = [name for name in private if name in str(output)]
        if is_checked and output.get("name") == "stderr":
            what = f"writes to stderr; fix that, or tag the cell {UNCHECKED}:\n{_indent(output.text)}"
        elif shown:
            what = f"shows {shown[0]}, which is another folder on another machine; print no paths."
        else:
            continue
        lines = [
            f"{path}: cell {cell.id} {what}",
            f"{path} is left as it was. The cell:",
            _indent(cell.source),
        ]
        raise CourseError("\n".join(lines))


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
