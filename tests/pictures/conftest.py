"""A page that shows pictures, and may import their modules."""

import pytest

from tests.serving import browser, serving
from utils.course import ROOT

# No icon, so that none is looked for.
PAGE = '<!doctype html><title>A page</title><link rel="icon" href="data:,">'


@pytest.fixture(scope="package")
def _shows(tmp_path_factory):
    """The page; at its address are pictures/ and javascript/, as on the site."""
    from tests.pictures.showing import Shows

    folder = tmp_path_factory.mktemp("served")
    for name in ("pictures", "javascript"):
        (folder / name).symlink_to(ROOT / "utils" / name)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    with serving(folder) as address, browser() as opened:
        yield Shows(opened.new_page(), address)


@pytest.fixture
def show(_shows):
    """`show(picture, width=1000, theme="light")` is the picture's place in a page; no script may have complained.

    `show.page` is the page, `show.complaints` what it said (clear it where an error is meant).
    """
    _shows.complaints.clear()
    yield _shows
    assert _shows.complaints == []
