"""JupyterLab in the browser: opens notebooks, follows links, changes the size of the window."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, ViewportSize

from author.browsing.chrome import chromium
from author.browsing.notebook import Notebook
from author.browsing.server import Server, server

IN_THE_PAGE = Path(__file__).with_name("in_the_page.js")
START = "chapters/START.ipynb"
SIZE = (1280, 900)
# ms, for a machine that has much else to do
PATIENCE = 60_000
ORDER = f"""async ([name, given]) => {{
  await course.within({PATIENCE}, name, () => jupyterapp.commands.execute(name, given));
}}"""
READY = "() => window.jupyterapp?.restored.then(() => true)"


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

    def open(self, path: str) -> Notebook:
        """A notebook of the course, opened by its path; the one that is open already if it is."""
        self.order("docmanager:open", path=path)
        return self.shown(path)

    def shown(self, path: str) -> Notebook:
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
