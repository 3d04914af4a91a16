"""JupyterLab in the browser: opens notebooks, follows links, changes the theme and the size of the window."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from utils.authoring.browsing.chrome import chromium
from utils.authoring.browsing.notebook import Notebook
from utils.authoring.browsing.server import Server, server

IN_THE_PAGE = Path(__file__).with_name("in_the_page.js").read_text(encoding="utf-8")
START = "chapters/START.ipynb"
SIZE = (1280, 900)
PATIENCE = 60_000  # ms, for a machine that has much else to do
READY = "() => window.jupyterapp?.restored.then(() => true)"


@contextmanager
def lab(size: tuple[int, int] = SIZE, scale: float = 1) -> Iterator["Lab"]:
    """A course of its own, its JupyterLab and a browser that shows the start page."""
    with server() as running, chromium() as browser:
        yield Lab(browser, running, size, scale)


class Lab:
    """One page of the browser, in which JupyterLab is open."""

    def __init__(self, browser: Browser, running: Server, size: tuple[int, int] = SIZE, scale: float = 1):
        self.server, self.course, self.browser, self.size = running, running.course, browser, size
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale)
        self.page.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(f"{error.name}: {error.message}\n{error.stack}"))
        self.page.on("dialog", lambda dialog: dialog.accept())  # "leave this page?"
        self.page.add_init_script(IN_THE_PAGE)
        self.page.goto(f"{running.address}/lab/tree/{START}?token={running.token}")
        self.start = self.shown(START)

    def open(self, path: str) -> Notebook:
        """A notebook of the course, opened by its path; the one that is open already if it is."""
        self._order("docmanager:open", path=path)
        return self.shown(path)

    def shown(self, path: str) -> Notebook:
        """The notebook that should be open by now, say after a click on a link; waits for its kernel."""
        self.page.wait_for_function(READY)
        notebook = Notebook(self.page, path)
        notebook.wait_idle()
        return notebook

    @contextmanager
    def anew(self) -> Iterator["Lab"]:
        """The same JupyterLab in another browser, as after this one was closed: what was not saved is not there."""
        other = Lab(self.browser, self.server, self.size)
        try:
            yield other
        finally:
            other.page.context.close()

    @contextmanager
    def elsewhere(self, address: str) -> Iterator[Page]:
        """An address in another browser, which knows nothing of this one."""
        page = self.browser.new_page()
        page.goto(address)
        yield page
        page.context.close()

    def theme(self, name: str) -> None:
        """JupyterLab's "Light" or "Dark"."""
        theme = f"JupyterLab {name}"
        self._order("apputils:change-theme", theme=theme)
        self.page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")

    def width(self, pixels: int) -> None:
        """Make the window wider or narrower, and wait until all has found its place."""
        now = self.page.viewport_size
        if now and now["width"] != pixels:
            self.page.set_viewport_size({"width": pixels, "height": now["height"]})
            self.page.evaluate("() => course.settled()")

    def without_side_bars(self) -> None:
        """More room for the notebook, as after Ctrl+B."""
        self._order("application:toggle-left-area")

    def as_at_first(self) -> None:
        """The light theme, in a window of the usual size."""
        self.width(self.size[0])
        self.theme("Light")

    def keep(self, folder: Path) -> Path:
        """Leave a picture of the page, its text and what its scripts complained of in a folder, which is returned."""
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / "page.png")
        texts = {"page": self.page.inner_text("body"), "complaints": "\n".join(self.complaints)}
        for name, text in {**texts, "server": self.server.printed}.items():
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        return folder

    def _order(self, command: str, **given: str) -> None:
        """A command of JupyterLab's; what it answers, a whole tree of widgets, stays in the page."""
        told = "async ([command, given]) => { await jupyterapp.commands.execute(command, given); }"
        self.page.evaluate(told, [command, given])
