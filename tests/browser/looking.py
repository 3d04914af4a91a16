"""What eyes would see of the page: how bright it is, how large and how clear its letters are, what changes in it."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator

from author.browsing import Lab

FIGURES = "[role=img], .js-plotly-plot, svg, canvas, img"
SECONDS = 15
SCRIPT = Path(__file__).with_name("looking.js").read_text(encoding="utf-8")


def look(seen: Locator, question: str, *arguments: Any) -> Any:
    """What a function of looking.js answers of a node."""
    return seen.evaluate(f"(node, given) => {{ {SCRIPT}; return {question}(node, ...given); }}", arguments)


def link(within: Locator, stem: str) -> Locator:
    """The first link to a chapter in a part of the page."""
    return within.locator(f'a[*|href*="{stem}.ipynb"]').first


def put_on(lab: Lab, name: str) -> None:
    """JupyterLab's theme, "Light" or "Dark"."""
    theme = f"JupyterLab {name}"
    lab.order("apputils:change-theme", theme=theme)
    lab.page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")


def figure(output: Locator) -> Locator:
    """The largest picture below a cell."""
    output.locator(FIGURES).first.wait_for()
    everything = output.locator(FIGURES).filter(visible=True)
    sizes = everything.evaluate_all("all => all.map(one => one.clientWidth * one.clientHeight)")
    return everything.nth(sizes.index(max(sizes)))


def told_under_the_mouse(output: Locator) -> str:
    """What text there is once it changes, while the mouse goes along a figure's diagonals; "" if it never does."""
    found = figure(output)
    found.scroll_into_view_if_needed()
    before, place = output.text_content(), found.bounding_box()
    assert place
    for share in (step / 40 for step in range(1, 40)):
        for height in (share, 1 - share):
            output.page.mouse.move(place["x"] + place["width"] * share, place["y"] + place["height"] * height)
            after = look(output, "nextFrame")
            if after != before:
                return after
    return ""


def until_it_moves(output: Locator, key: str) -> float:
    """Milliseconds from a key on the control that has the focus to the first frame with another figure in it."""
    look(output, "timeToMove", SECONDS)
    output.page.keyboard.press(key)
    return output.page.evaluate("() => window.moved")


def brightest_share(seen: Locator) -> float:
    """The share of nearly white pixels, 0 to 1, in a picture of what is seen."""
    seen.scroll_into_view_if_needed()
    return look(seen, "brightShare", seen.screenshot().hex())


def in_view(seen: Locator) -> bool:
    """Whether some of it can be seen without scrolling."""
    return look(seen, "inView")


def faint_letters(output: Locator, least: float = 4) -> list[str]:
    """The letters in the figures below a cell whose contrast with the page is less, each with contrast and colour."""
    figure(output)
    return look(output, "faintLetters", least)


def too_wide(notebook: Locator) -> list[str]:
    """What reaches beyond the right edge of its output or text, less what scrolls by itself."""
    return look(notebook, "tooWide")


def smallest_letter(output: Locator) -> float:
    """The height in px of the smallest letters below a cell, those of pictures as they are scaled on this page."""
    figure(output)
    return look(output, "smallestLetter")


def cut_code(notebook: Locator) -> list[str]:
    """Where each code cell that is wider than its place begins, and by how much it is."""
    return look(notebook, "cutCode")
