"""One JupyterLab and one browser for all tests here, the chapters that they share, and what a failure leaves behind."""

import os
import re
import shutil
from pathlib import Path

import pytest

from utils.course import CourseError

STOOD_STILL = pytest.StashKey[list[str]]()
HERE = Path(__file__).parent
USUAL = 1280  # px, the width of the window
ENOUGH = 3  # tests in which the page stood still for minutes: the others would take hours to say the same
CHAPTER_3, CHAPTER_4 = "chapters/ch03_layernorm.ipynb", "chapters/ch04_attention.ipynb"


@pytest.fixture(scope="package")
def shown():
    """JupyterLab in the browser, with a course of its own. Without a browser: skipped, or failed if one is named."""
    from playwright.sync_api import expect

    from author.browsing import PATIENCE, NoBrowser, find_chromium, lab

    if shutil.which("make") is None or os.name == "nt":
        pytest.skip("there is no make here, and `make lab` is what is tried")
    try:
        find_chromium()
    except NoBrowser as error:
        (pytest.fail if os.environ.get("COURSE_BROWSER") else pytest.skip)(str(error))
    expect.set_options(timeout=PATIENCE)
    with lab() as opened:
        yield opened


@pytest.fixture(scope="package")
def start(shown):
    """The start page, its cells run."""
    notebook = shown.open(shown.start.path)
    notebook.run(*notebook.code)
    return notebook


@pytest.fixture(scope="package")
def layer_norm(shown):
    """Chapter 3, begun, and what a learner may answer there."""
    from tests.browser.answers import Answered

    chapter = Answered(shown.open(CHAPTER_3), "LayerNorm")
    chapter.begin()
    return chapter


@pytest.fixture(scope="package")
def attention(shown):
    """Chapter 4, solved up to its first control, which is shown."""
    from author.screenshots import fill_in

    chapter = shown.open(CHAPTER_4)
    fill_in(chapter)
    last = chapter.saying("explore(")
    sources = chapter.sources
    chapter.run_together(*(index for index in chapter.code if index <= last and not sources[index].startswith("test_")))
    return chapter


@pytest.fixture
def lines(layer_norm):
    """The first figure of chapter 3, a plain one, in view."""
    chapter = layer_norm.notebook
    drawing = chapter.saying("lines(")
    if not chapter.ask("outputs", drawing):
        chapter.run_to(drawing)
    chapter.choose(drawing)
    return chapter.output(drawing)


@pytest.fixture
def patterns(attention):
    """Chapter 4's patterns of attention with their controls, in view."""
    attention.choose(attention.saying("explore("))
    return attention.output(attention.saying("explore("))


@pytest.fixture
def map_of_start(start):
    """The map on the start page, in view."""
    start.choose(start.code[-1])
    return start.output(start.code[-1])


@pytest.fixture
def map_of_layer_norm(layer_norm):
    """The map of a chapter, in view."""
    chapter = layer_norm.notebook
    chapter.choose(chapter.saying("model_map("))
    return chapter.output(chapter.saying("model_map("))


@pytest.fixture(autouse=True, scope="package")
def _stood_still(pytestconfig):
    """The tests in which the page stood still."""
    return pytestconfig.stash.setdefault(STOOD_STILL, [])


@pytest.fixture(autouse=True)
def _as_at_first(_stood_still, shown, request):
    """Each test begins with the light theme in a window of the usual size, but for one that has its own."""
    if len(_stood_still) >= ENOUGH:
        pytest.fail(f"not tried, as the page stood still in {', '.join(_stood_still)}")
    from tests.browser.looking import put_on

    theme, width = _own(request.node)
    if width is None:
        shown.width(USUAL)
    if theme is None:
        put_on(shown, "Light")


def pytest_collection_modifyitems(items):
    """Tests with the same theme and width follow each other: each change takes JupyterLab a second or two."""
    ours = iter(sorted((item for item in items if item.path.parent == HERE), key=_in_turn))
    items[:] = [next(ours) if item.path.parent == HERE else item for item in items]


def _in_turn(item):
    """First the pictures, whose notebook is closed again: with each that is open, JupyterLab does everything slower.

    Then the light theme, then the dark one; in each the widest window first.
    """
    theme, width = _own(item)
    return item.path.stem != "test_pictures", theme == "Dark", -(width or USUAL)


def _own(item):
    """The theme and the width that a test puts on itself, or None."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return given.get("theme"), given.get("width")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure says where a picture of the page lies, and its text."""
    report = yield
    if report.failed and _waited_in_vain(call.excinfo.value):
        item.config.stash.setdefault(STOOD_STILL, []).append(item.name)
    lab = getattr(item, "funcargs", {}).get("shown")
    if report.failed and lab is not None and not isinstance(call.excinfo.value, CourseError):
        name = re.sub(r"\W+", "-", item.nodeid.rpartition("/")[2])
        folder = Path(item.config.cache.mkdir("browser"), name)
        _keep(lab, folder)
        report.sections.append(("the page", f"Its picture, its text and what went wrong in it: {folder}"))
    return report


def _waited_in_vain(error):
    from playwright.sync_api import Error, TimeoutError

    return isinstance(error, TimeoutError) or (isinstance(error, Error) and "no answer in" in error.message)


def _keep(lab, folder):
    """Leave a picture of the page, its text and what its scripts complained of in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lab.page.screenshot(path=folder / "page.png")
    texts = {"page": lab.page.inner_text("body"), "complaints": "\n".join(lab.complaints), "server": lab.server.printed}
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
