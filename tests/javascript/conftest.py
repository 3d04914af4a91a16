"""A page that has the modules of utils/javascript and some models beside them."""

import pytest

from tests.serving import browser, serving
from utils.course import ROOT
from utils.reference import BUNDLED


@pytest.fixture(scope="package")
def served(tmp_path_factory):
    """The folder that the page sees: in it are javascript/ and reference_model/, and models that tests put there."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "javascript").symlink_to(ROOT / "utils" / "javascript")
    (folder / "reference_model").symlink_to(BUNDLED)
    (folder / "index.html").write_text("<!doctype html><title>A page</title>", encoding="utf-8")
    return folder


@pytest.fixture(scope="package")
def open_page(served):
    """Opens a page in Chromium, in which a script runs first. Without a browser: skipped, or failed if one is named."""
    with serving(served) as address, browser() as opened:

        def open_page(name="index.html", first=""):
            page = opened.new_page()
            page.add_init_script(first)
            page.goto(f"{address}/{name}")
            return page

        yield open_page


@pytest.fixture(scope="package")
def page(open_page):
    return open_page()
