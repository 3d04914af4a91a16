"""One notebook open in JupyterLab: its cells found by what they say, run with the keyboard, read as a learner reads."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from utils.cells import calls, defines
from utils.course import exercises

SECONDS_PER_CELL = 300  # on a machine that has much else to do


class Notebook:
    """A notebook in the page; a cell is named by its index."""

    def __init__(self, page: Page, path: str):
        self.page, self.path = page, path
        self.stem = path.rpartition("/")[2].removesuffix(".ipynb")

    @property
    def sources(self) -> list[str]:
        return self._ask("sources")

    @property
    def ids(self) -> list[str]:
        return self._ask("ids")

    @property
    def code(self) -> list[int]:
        """The code cells."""
        return self._ask("code")

    @property
    def changed(self) -> bool:
        """Whether JupyterLab would ask to save it."""
        return self._ask("changed")

    def where(self, holds: Callable[[str], bool]) -> int:
        """The first code cell of whose source this holds."""
        sources = self.sources
        for index in self.code:
            if holds(sources[index]):
                return index
        raise LookupError(f"{self.path} has no such cell")

    def defining(self, symbol: str) -> int:
        """The cell of an exercise."""
        return self.where(lambda source: defines(source, symbol))

    def testing(self, symbol: str) -> int:
        """The test cell of an exercise."""
        test = next(one.test for one in exercises(self.stem) if one.symbol == symbol)
        return self.where(lambda source: calls(source, test, symbol))

    def saying(self, words: str) -> int:
        """The first code cell in which these words stand."""
        return self.where(lambda source: words in source)

    @property
    def node(self) -> Locator:
        """The notebook in the page, without JupyterLab's menus and side bars; others may lie before it."""
        return self.page.locator(f'.jp-NotebookPanel[data-path="{self.path}"] .jp-Notebook')

    def show(self) -> "Notebook":
        """Bring it to the front."""
        self._ask("show")
        return self

    def cell(self, index: int) -> Locator:
        return self.node.locator(f'.jp-Cell[data-windowed-list-index="{index}"]')

    def output(self, index: int) -> Locator:
        """What stands below a code cell."""
        return self.cell(index).locator(".jp-Cell-outputWrapper")

    def link(self, stem: str, within: Locator | None = None) -> Locator:
        """The first link to a chapter, in the whole notebook or in a part of it."""
        return (within or self.node).locator(f'a[*|href*="{stem}.ipynb"]').first

    def choose(self, index: int) -> Locator:
        """Bring a cell into view, as the active one."""
        self._ask("choose", index)
        self.cell(index).wait_for()
        return self.cell(index)

    def run(self, *cells: int, seconds: float = SECONDS_PER_CELL) -> str:
        """Run cells, one after another; what the last one shows, as text."""
        for index in cells:
            self.choose(index)
            self._ask("watch", index)
            before = self._ask("runs", index)
            self.page.keyboard.press("Control+Enter")
            self._until("runs", index, f"> {before}", seconds)
        self._ask("drawn", cells[-1])
        return self.output(cells[-1]).inner_text()

    def run_to(self, last: int) -> str:
        """Run the code cells from the top down to this one; what the last one shows."""
        return self.run(*(index for index in self.code if index <= last))

    def run_all(self) -> None:
        """Run All Cells of the menu, to its end."""
        self._ask("command", "notebook:run-all-cells")
        self.wait_idle()

    def answer(self, symbol: str, source: str) -> str:
        """Write an exercise's cell anew, run it, run its test cell; what the card says."""
        self.type_into(self.defining(symbol), source)
        return self.run(self.defining(symbol), self.testing(symbol))

    def type_into(self, index: int, source: str) -> None:
        """Replace what stands in a cell, with mouse and keyboard."""
        editor = self.choose(index).locator(".cm-content")
        editor.click()
        editor.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)
        self.page.keyboard.press("Escape")
        assert self.sources[index] == source, f"typed into {self.path}:\n{self.sources[index]}"

    def put(self, index: int, source: str) -> None:
        """Replace what stands in a cell, at once."""
        self._ask("put", index, source)

    def restart(self) -> None:
        """Another kernel."""
        self._ask("restart")
        self.wait_idle()

    def save(self) -> None:
        self._ask("command", "docmanager:save")

    def wait_idle(self, seconds: float = SECONDS_PER_CELL) -> None:
        """Wait until the notebook is there, and its kernel has nothing to do."""
        self.page.wait_for_function("path => course.ready(path)", arg=self.path, timeout=1000 * seconds)

    def _ask(self, question: str, *arguments: Any) -> Any:
        return self.page.evaluate(f"given => course.{question}(...given)", [self.path, *arguments])

    def _until(self, question: str, index: int, holds: str, seconds: float) -> None:
        self.page.wait_for_function(
            f"given => course.{question}(...given) {holds}", arg=[self.path, index], timeout=1000 * seconds
        )
