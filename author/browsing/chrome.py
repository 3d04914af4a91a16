"""Finds a Chromium or Chrome on this machine, and starts it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from utils.course import CourseError

NAMES = (*("chromium", "chromium-browser", "google-chrome"), *("google-chrome-stable", "chrome", "msedge"))
# where macOS and Windows keep what is on nobody's PATH
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
HOW_TO_GET_ONE = "apt-get install chromium, or name one: COURSE_BROWSER=/path/to/chrome"


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
