"""One notebook open in JupyterLab: its cells found by what they say, run with the keyboard, read as a learner reads."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from utils.course import exercises
from utils.course.cells import calls, defines

# ms for a cell, on a machine that has much else to do
PATIENCE = 200_000


class Notebook:
    """A notebook in the page; a cell is named by its index."""

    def __init__(self, page: Page, path: str):
        self.page, self.path = page, path
        self.stem = path.rpartition("/")[2].removesuffix(".ipynb")

    @property
    def sources(self) -> list[str]:
        return self.ask("sources")

    @property
    def code(self) -> list[int]:
        """The code cells."""
        return self.ask("code")

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

    def cell(self, index: int) -> Locator:
        return self.node.locator(f'.jp-Cell[data-windowed-list-index="{index}"]')

    def output(self, index: int) -> Locator:
        """What stands below a code cell."""
        return self.cell(index).locator(".jp-Cell-outputWrapper")

    def choose(self, index: int) -> Locator:
        """Bring a cell into view, as the active one."""
        self.ask("choose", index)
        self.cell(index).wait_for()
        return self.cell(index)

    def run(self, *cells: int) -> str:
        """Run cells, one after another; what the last one shows, as text."""
        for index in cells:
            self.choose(index)
            self.ask("watch", index)
            runs = self.ask("runs", index)
            self.page.keyboard.press("Control+Enter")
            self._wait(f"([path, index]) => course.runs(path, index) > {runs}", [self.path, index])
        self.ask("drawn", cells[-1])
        return self.output(cells[-1]).inner_text()

    def run_together(self, *cells: int) -> None:
        """Run cells at one stroke, which is quick where there are many."""
        self.ask("together", cells)
        self.choose(cells[-1])
        self.ask("drawn", cells[-1])

    def run_to(self, last: int) -> str:
        """Run the code cells from the top down to this one; what the last one shows."""
        return self.run(*(index for index in self.code if index <= last))

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
        typed = self.sources[index]
        assert typed == source, f"typed into {self.path}:\n{typed}"

    def wait_idle(self) -> None:
        """Wait until the notebook is there, and its kernel has nothing to do."""
        self._wait("path => course.ready(path)", self.path)

    def ask(self, question: str, *arguments: Any) -> Any:
        """What a function of in_the_page.js answers, or does, for this notebook."""
        asked = f"course.within({PATIENCE}, '{question}', () => course.{question}(...given))"
        return self.page.evaluate(f"given => {asked}", [self.path, *arguments])

    def _wait(self, holds: str, given: Any) -> None:
        self.page.wait_for_function(holds, arg=given, timeout=PATIENCE, polling=50)
