"""The course in a real browser: `lab()` starts JupyterLab as `make lab` does, and shows it in Chromium.

    with lab() as shown:
        chapter = shown.open("chapters/ch03_layernorm.ipynb")
        chapter.run(0)
        chapter.type_into(chapter.defining("LayerNorm"), "class LayerNorm: ...")

The server works in a copy of the course, where it can do no harm. The browser tests, the pictures of the README and the
measurements of controls look at the course through this.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Locator, Page, ViewportSize, sync_playwright

from author.executing import python_path
from utils.course import ROOT, CourseError, exercises, git
from utils.course.cells import calls, defines

WHILE_WANTED = Path(__file__).with_name("while_wanted.py")
SECONDS_TO_START = 120
# seconds; then a server ends that nobody looks at
FORGOTTEN = 900
# what the author's environment would change of the course
NOT_A_LEARNERS = ("COURSE_", "JUPYTER", "MAKE", "MFLAGS")
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


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: its address, its token, the course's folder that it serves, and what it has printed."""

    address: str
    token: str
    course: Path
    log: Path

    @property
    def printed(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def server() -> Iterator[Server]:
    """JupyterLab in a new copy of the course, with settings, history and progress of its own; all gone at the end."""
    with tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as folder:
        course, log = Path(folder, "course"), Path(folder, "printed.txt")
        copy_course(course)
        settings = _settings(Path(folder, "jupyter"))
        with log.open("wb") as printed:
            process = subprocess.Popen(
                [sys.executable, WHILE_WANTED, lab_command(course)],
                cwd=course,
                env=_environment(course, settings),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            told = _told(Path(settings["JUPYTER_RUNTIME_DIR"]), process, log)
            yield Server(f"http://127.0.0.1:{told['port']}", told["token"], course, log)
        finally:
            _stop(process)


def copy_course(folder: Path) -> None:
    """The files that belong to the course, as they are now; .venv leads to the Python that runs this."""
    listed = git.run(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    if listed.returncode:
        what = f"{ROOT} is no git checkout, so what belongs to the course is unknown"
        raise CourseError(f"{what}: {listed.stderr}")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(sys.prefix)


def lab_command(course: Path) -> str:
    """The last command of the Makefile's target `lab`, after all that installs: the one that starts JupyterLab."""
    make = shutil.which("make")
    if make is None:
        raise CourseError("make is not here, and its Makefile says how JupyterLab is started.")
    told = subprocess.run(
        [make, "--dry-run", "--no-print-directory", "lab"],
        cwd=course,
        env=_environment(course, {}),
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.replace("\\\n", " ").strip().splitlines()[-1]


def _environment(course: Path, settings: dict[str, str]) -> dict[str, str]:
    names = [name for name in os.environ if not name.startswith(NOT_A_LEARNERS)]
    ours = {name: os.environ[name] for name in names}
    return ours | settings | {"PYTHONPATH": python_path(course)}


def _settings(folder: Path) -> dict[str, str]:
    """What differs from a learner's JupyterLab: no browser of its own, any free port, its app open to scripts."""
    folder.mkdir()
    config = {
        "ServerApp": {"open_browser": False, "port": 0, "allow_root": True, "shutdown_no_activity_timeout": FORGOTTEN},
        "MappingKernelManager": {"cull_idle_timeout": FORGOTTEN},
        "LabApp": {"expose_app_in_browser": True, "open_browser": False},
    }
    for name in ("jupyter_server_config.json", "jupyter_lab_config.json"):
        (folder / name).write_text(json.dumps(config), encoding="utf-8")
    return {
        "JUPYTER_CONFIG_DIR": str(folder),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }


def _told(runtime: Path, process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    """What the server has written down about itself, once it answers."""
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        for written in runtime.glob("jpserver-*.json"):
            try:
                told = json.loads(written.read_text(encoding="utf-8"))
                urllib.request.urlopen(f"http://127.0.0.1:{told['port']}/api", timeout=5).close()
                return told
            except (OSError, ValueError):  # not there yet, or half written
                pass
        time.sleep(0.2)
    printed = log.read_text(encoding="utf-8")
    raise CourseError(f"JupyterLab did not start. It printed:\n{printed}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM makes the server end its kernels too."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


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
        test = next(exercise.test for exercise in exercises(self.stem) if exercise.symbol == symbol)
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
