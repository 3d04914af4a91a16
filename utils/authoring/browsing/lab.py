"""JupyterLab in the browser: opens notebooks, follows links, changes the theme and the size of the window."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from utils.authoring.browsing.chromium import chromium
from utils.authoring.browsing.notebook import Notebook
from utils.authoring.browsing.server import Server, server

IN_THE_PAGE = Path(__file__).with_name("in_the_page.js").read_text(encoding="utf-8")
START = "chapters/START.ipynb"
SIZE = (1280, 900)


@contextmanager
def lab(size: tuple[int, int] = SIZE, scale: float = 1) -> Iterator["Lab"]:
    """A course of its own, its JupyterLab and a browser that shows the start page."""
    with server() as running, chromium() as browser:
        yield Lab(browser, running, size, scale)


class Lab:
    """One page of the browser, in which JupyterLab is open."""

    def __init__(self, browser: Browser, running: Server, size: tuple[int, int] = SIZE, scale: float = 1):
        self.server, self.course = running, running.course
        width, height = size
        self.page: Page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=scale)
        self.page.add_init_script(IN_THE_PAGE)
        self.page.goto(f"{running.address}/lab/tree/{START}?token={running.token}")
        self.start = self.shown(START)

    def open(self, path: str) -> Notebook:
        """A notebook of the course, opened by its path; the one that is open already if it is."""
        self.page.evaluate("path => jupyterapp.commands.execute('docmanager:open', {path})", path)
        return self.shown(path)

    def shown(self, path: str) -> Notebook:
        """The notebook that should be open by now, say after a click on a link; waits for its kernel."""
        self.page.wait_for_function("() => window.jupyterapp?.shell")
        notebook = Notebook(self.page, path)
        notebook.wait_idle()
        return notebook

    def theme(self, name: str) -> None:
        """JupyterLab's "Light" or "Dark"."""
        theme = f"JupyterLab {name}"
        self.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        self.page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")

    def width(self, pixels: int) -> None:
        """Make the window wider or narrower."""
        size = self.page.viewport_size
        assert size
        self.page.set_viewport_size({"width": pixels, "height": size["height"]})
