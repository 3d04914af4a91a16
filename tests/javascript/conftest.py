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
def page(served):
    """A page in Chromium. Without a browser: skipped, or failed if one is named."""
    with serving(served) as address, browser() as opened:
        page = opened.new_page()
        page.goto(f"{address}/index.html")
        yield page
