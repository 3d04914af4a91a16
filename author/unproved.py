"""A plugin of pytest for solutions' stored outputs: `-p author.unproved --unproved --nbval solutions`.

With `--unproved` those notebooks are left out whose outputs came out as stored before, of the same cells, modules and
versions; see proved.py. With and without it, what comes out as stored is written down.
"""

from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from author.dependencies import digest, imported_by
from author.notebooks import code_cells, executed
from author.proved import record, to_leave_out
from utils.course import ROOT, stems

FOLDER = ROOT / "solutions"
CHOSEN = "proved_before"  # what a worker is told under this name


def pytest_addoption(parser: pytest.Parser) -> None:
    how = "leave out what was proved of the same files before, but for a sample"
    parser.addoption("--unproved", action="store_true", help=how)


def pytest_configure(config: pytest.Config) -> None:
    if config.option.nbval:
        config.pluginmanager.register(StoredOutputs(config))


class StoredOutputs:
    """Chooses the notebooks, counts their cells as they pass, and writes down whose outputs are proved."""

    def __init__(self, config: pytest.Config):
        chosen = getattr(config, "workerinput", {}).get(CHOSEN)
        self.is_worker = chosen is not None
        self.digests = {} if self.is_worker else {name_of(stem): digest_of(stem) for stem in stems()}
        leaves_out = config.option.unproved and not self.is_worker
        self.left_out = to_leave_out(self.digests) if leaves_out else set[str](chosen or ())
        self.held, self.failed, self.seconds = Counter[str](), set[str](), defaultdict[str, float](float)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker of xdist's is told what is left out."""
        node.workerinput[CHOSEN] = sorted(self.left_out)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        is_solution = collection_path.parent == FOLDER and collection_path.suffix == ".ipynb"
        return True if is_solution and name_of(collection_path.stem) in self.left_out else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write down at once which notebook holds, of those that are run whole, and which does not."""
        path = ROOT / report.nodeid.partition("::")[0]
        if self.is_worker or path.parent != FOLDER or path.suffix != ".ipynb":
            return
        stem, name = path.stem, name_of(path.stem)
        self.seconds[name] += report.duration
        if report.failed:
            self.failed.add(stem)
            record({}, failed=[name])
        elif report.when == "call" or report.skipped:
            self.held[stem] += 1
            if self.held[stem] == len(cells_of(stem)) and stem not in self.failed:
                record({name: self.digests[name]}, seconds=self.seconds)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left_out:
            names = ", ".join(sorted(self.left_out))
            terminalreporter.write_line(f"Proved of the same files before, and not again: {names}.")


def name_of(stem: str) -> str:
    return f"outputs of {stem}"


def digest_of(stem: str) -> str:
    """Of a solution's cells and outputs, of the modules that they import, and of the parts that may be lent to it."""
    cells = [f"{cell.source}\n{cell.outputs}" for cell in cells_of(stem)]
    return digest(modules_of(stem), texts=cells)


def modules_of(stem: str) -> list[str]:
    """The modules that a solution's cells import, and the solutions of which parts may be lent to it."""
    notebook = executed(FOLDER / f"{stem}.ipynb")
    lent = [f"solutions.{earlier}" for earlier in stems() if earlier <= stem]
    return [*(imported_by(notebook) if notebook else ()), *lent]


@cache
def cells_of(stem: str) -> list[NotebookNode]:
    notebook = executed(FOLDER / f"{stem}.ipynb")
    return code_cells(notebook) if notebook else []
