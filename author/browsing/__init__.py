"""The course in a real browser: `lab()` starts JupyterLab as `make lab` does, and shows it in Chromium.

    with lab() as shown:
        chapter = shown.open("chapters/ch03_layernorm.ipynb")
        chapter.run(0)
        chapter.type_into(chapter.defining("LayerNorm"), "class LayerNorm: ...")

The browser tests, the pictures of the README and the measurements of controls look at the course through this.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Locator, Page, ViewportSize, sync_playwright

from author.browsing.server import Server, server
from utils.course import CourseError, exercises
from utils.course.cells import calls, defines

NAMES = (*("chromium", "chromium-browser", "google-chrome"), *("google-chrome-stable", "chrome", "msedge"))
# where macOS and Windows keep what is on nobody's PATH
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
HOW_TO_GET_ONE = "apt-get install chromium, or name one: COURSE_BROWSER=/path/to/chrome"
IN_THE_PAGE = Path(__file__).with_name("in_the_page.js")
START = "chapters/START.ipynb"
SIZE = (1280, 900)
# ms, for a machine that has much else to do; the second for a cell
PATIENCE, LONGEST_CELL = 60_000, 200_000
ORDER = f"""async ([name, given]) => {{
  await course.within({PATIENCE}, name, () => jupyterapp.commands.execute(name, given));
}}"""
READY = "() => window.jupyterapp?.restored.then(() => true)"


class NoBrowser(CourseError):
    """No Chromium is here; the text says how to get one."""


def find_chromium() -> str:
    """The path of the browser that COURSE_BROWSER names, else of the first that is found.

    Raises NoBrowser where there is none.
    """
    if named := os.environ.get("COURSE_BROWSER"):
        if found := shutil.which(named):
            return found
        what = f"COURSE_BROWSER is {named}, and there is no such program"
        raise NoBrowser(f"{what}: {HOW_TO_GET_ONE}")
    for name in (*NAMES, *ELSEWHERE):
        if found := shutil.which(name):
            return found
    raise NoBrowser(f"No Chromium or Chrome is to be found: {HOW_TO_GET_ONE}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, running without a window; it is closed at the end. COURSE_BROWSER_WINDOW=1 shows one."""
    path = Path(find_chromium())
    with sync_playwright() as playwright:
        hidden = not os.environ.get("COURSE_BROWSER_WINDOW")
        browser = playwright.chromium.launch(executable_path=path, headless=hidden, args=["--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def lab(size: tuple[int, int] = SIZE) -> Iterator["Lab"]:
    """A course of its own, its JupyterLab and a browser that shows the start page."""
    with server() as running, chromium() as browser:
        yield Lab(browser, running, size)


class Lab:
    """One page of the browser, in which JupyterLab is open."""

    def __init__(self, browser: Browser, running: Server, size: tuple[int, int] = SIZE):
        self.server, self.course = running, running.course
        self.browser, self.size = browser, size
        window: ViewportSize = {"width": size[0], "height": size[1]}
        self.page = browser.new_page(viewport=window)
        self.page.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.page.on("pageerror", self._complain)
        # "leave this page?"
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.add_init_script(path=IN_THE_PAGE)
        self.page.goto(f"{running.address}/lab/tree/{START}?token={running.token}")
        self.start = self.shown(START)

    def open(self, path: str) -> "Notebook":
        """A notebook of the course, opened by its path; the one that is open already if it is."""
        self.order("docmanager:open", path=path)
        return self.shown(path)

    def shown(self, path: str) -> "Notebook":
        """The notebook that should be open by now, say after a click on a link; waits for its kernel."""
        self.page.wait_for_function(READY)
        notebook = Notebook(self.page, path)
        notebook.wait_idle()
        return notebook

    def width(self, pixels: int) -> None:
        """Make the window wider or narrower, and wait until all has found its place."""
        now = self.page.viewport_size
        if now and now["width"] != pixels:
            self.page.set_viewport_size({"width": pixels, "height": now["height"]})
            self.page.evaluate("() => course.settled()")

    def _complain(self, error: Error) -> None:
        self.complaints.append(f"{error.name}: {error.message}\n{error.stack}")

    def order(self, command: str, **given: str) -> None:
        """A command of JupyterLab's; what it answers, a whole tree of widgets, stays in the page."""
        self.page.evaluate(ORDER, [command, given])


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
        asked = f"course.within({LONGEST_CELL}, '{question}', () => course.{question}(...given))"
        return self.page.evaluate(f"given => {asked}", [self.path, *arguments])

    def _wait(self, holds: str, given: Any) -> None:
        self.page.wait_for_function(holds, arg=given, timeout=LONGEST_CELL, polling=50)
