"""Pictures: drawn in Chromium, by keyboard alone, in both themes and at three widths."""

import pytest


def in_the_browser(test):
    """A class of tests, or one, that looks at a page."""
    return pytest.mark.browser(pytest.mark.slow(test))


def on_every_page(test):
    """In both themes, at three widths."""
    return pytest.mark.parametrize("theme", ["light", "dark"])(pytest.mark.parametrize("width", [390, 700, 1400])(test))
