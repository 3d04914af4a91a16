"""A folder at an address of its own, and a browser that looks at it: what tests of pages need."""

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = """async (context) =>
  (await axe.run(context ?? document, { resultTypes: ["violations"] })).violations
"""
# Half of axe's time goes into the contrast of each coloured word of code: one of each look remains, the others are text
ONE_WORD_OF_EACH_LOOK = """() => {
  const backgrounds = (element) =>
    element ? getComputedStyle(element).backgroundColor + backgrounds(element.parentElement) : "";
  const looks = new Set();
  for (const word of document.querySelectorAll(".highlight span:not(:has(*))")) {
    const { color, fontSize, fontWeight } = getComputedStyle(word);
    const look = [color, fontSize, fontWeight, backgrounds(word)].join();
    if (looks.has(look)) word.replaceWith(word.textContent);
    looks.add(look);
  }
}"""


class Files(http.server.SimpleHTTPRequestHandler):
    """Sends files as they lie there, and tells the terminal nothing of it."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(folder: str | Path, handler: type[Files] = Files) -> Iterator[str]:
    """The address, without a slash at its end, at which a browser sees the folder."""
    within = functools.partial(handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), within) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def browser() -> Iterator["Browser"]:
    """Chromium. Where there is none the test is skipped, or failed if one is named."""
    from author.browsing import NoBrowser, chromium, find_chromium

    try:
        find_chromium()
    except NoBrowser as error:
        (pytest.fail if os.environ.get("COURSE_BROWSER") else pytest.skip)(str(error))
    with chromium() as opened:
        yield opened


def serious(page: "Page", context: dict[str, Any] | None = None) -> list[str]:
    """What axe-core finds serious or critical in a page or in these parts of it, a line for each place.

    A page is not whole afterwards: most coloured words of its code are plain text.
    """
    from axe_playwright_python.base import AXE_SCRIPT

    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    if context is None:
        page.evaluate(ONE_WORD_OF_EACH_LOOK)
    return [
        f"{one['impact']}, {one['help']}: {node['html'][:300]}"
        for one in page.evaluate(AXE, context)
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
