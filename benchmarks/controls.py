"""How long a figure takes to follow a control: from the move to the finished frame, in a real browser.

    python benchmarks/controls.py [--busy] [--rounds 7] [ch04 ...]

Opens a notebook in JupyterLab with what a chapter's controls need, moves each control, and prints the median and the
longest of the rounds in milliseconds. The finished frame is the first one after the last change below the controls.
`--busy` runs two endless loops beside it, as on a laptop that has other things to do.
"""

import argparse
import ast
import contextlib
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator

from playwright.sync_api import FloatRect, Locator, Page

from author.browsing import Lab, lab
from utils.course import ROOT
from utils.course.cells import as_python

# Of each chapter: its first controls with these names, and how each of them is moved.
CONTROLS = {
    "ch00_tokens": ("merges_known", {"merges known": "slide", "text": "type"}),
    "ch04_attention": ("draw_patterns", {"layer": "slide", "text": "type"}),
    "ch08_sampling": ("draw_lab", {"temperature": "slide", "p": "slide", "text": "type"}),
}
QUIET = 700  # milliseconds without a change, after which a figure is finished
# Notes when a key or the mouse goes down, and when the frame after each change below the controls begins.
WATCH = """slider => {
  const box = slider.closest('.jp-OutputArea-output');
  const own = '.widget-slider, .widget-text, .widget-dropdown, .cf-tip';
  window.moved = window.finished = 0; window.frames = 0;
  for (const kind of ['keydown', 'pointerdown'])
    addEventListener(kind, () => { window.moved = performance.now() }, true);
  new MutationObserver(changes => {
    const seen = changes.filter(one => !(one.target.closest || (() => 0)).call(one.target, own));
    if (seen.length) requestAnimationFrame(() => setTimeout(() => {
      window.finished = performance.now(); window.frames += 1 }));
  }).observe(box, {childList: true, subtree: true, characterData: true});
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description="How long figures take to follow their controls, in a browser.")
    parser.add_argument("chapters", nargs="*", default=[], help="such as ch04; all that are measured, if none is named")
    parser.add_argument("--busy", action="store_true", help="with two endless loops beside it")
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    chosen = [stem for stem in CONTROLS if not asked.chapters or stem.startswith(tuple(asked.chapters))]
    with lab() as shown, busy(2 if asked.busy else 0):
        shown.page.set_default_timeout(300_000)
        for stem in chosen:
            measure(stem, shown, asked.rounds)


def measure(stem: str, shown: Lab, rounds: int) -> None:
    """Print how long each control of a chapter takes."""
    name, moves = CONTROLS[stem]
    path = f"controls_{stem}.ipynb"
    (shown.course / path).write_text(json.dumps(notebook(stem, name)))
    cells = shown.open(path)
    if (text := cells.run(0)) and cells.output(0).locator("[data-mime-type='application/vnd.jupyter.error']").count():
        raise SystemExit(f"{stem}: the cell with its controls failed:\n{text}")
    part = Watched(shown.page, cells.output(0))
    for label, how in moves.items():
        first, *times = [part.moved(label, how, turn) for turn in range(1 + rounds)]
        told = f"median {statistics.median(times):5.0f} ms, most {max(times):5.0f}, the very first {first:.0f}"
        print(f"{stem}  {label:14} {told}", flush=True)
        if how == "slide":
            print(f"{stem}  {label:14} {part.dragged(label)}", flush=True)


class Watched:
    """Controls and the figures below them, in the page."""

    def __init__(self, page: Page, output: Locator):
        self.page, self.output = page, output
        self.settle()
        output.locator(".widget-slider").first.evaluate(WATCH)

    def moved(self, label: str, how: str, turn: int) -> float:
        """The milliseconds from a click on a slider, or Enter in a box, to the finished frame."""
        self.settle()
        if how == "type":
            box = self.row_of(label).locator("input")
            box.fill(box.input_value() + " then")
            self.page.wait_for_timeout(100)
            box.press("Enter")
        else:
            track = self.row_of(label).locator(".noUi-base")
            size = _box(track)
            share = 0.3 + 0.4 * (turn % 2) + 0.01 * turn  # here and there, as a step of one may change nothing
            track.click(position={"x": share * size["width"], "y": size["height"] / 2}, force=True)
        self.page.wait_for_function("window.finished > window.moved")
        self.finish()
        return self.page.evaluate("window.finished - window.moved")

    def dragged(self, label: str) -> str:
        """What is seen while a slider is dragged from one end to the other within a second."""
        track, handle = _box(self.row_of(label).locator(".noUi-base")), _box(self.row_of(label).get_by_role("slider"))
        level = handle["y"] + handle["height"] / 2
        self.page.mouse.move(handle["x"] + handle["width"] / 2, level)
        self.page.mouse.down()
        self.page.mouse.move(track["x"] + 1, level)
        self.page.wait_for_timeout(2000)
        self.page.evaluate("window.frames = 0")
        for step in range(1, 41):
            self.page.mouse.move(track["x"] + track["width"] * step / 40, level)
            self.page.wait_for_timeout(25)
        during, ended = self.page.evaluate("[window.frames, performance.now()]")
        self.page.mouse.up()
        self.page.wait_for_timeout(QUIET)
        self.finish()
        after = max(0, self.page.evaluate("window.finished") - ended)
        return f"dragged: {during} figures within a second, the last one {after:.0f} ms after the end"

    def settle(self) -> None:
        """Wait until the kernel has nothing left to do."""
        self.page.wait_for_function("jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'")
        self.page.wait_for_timeout(QUIET)

    def finish(self) -> None:
        """Wait until nothing has been drawn for a while."""
        self.page.wait_for_function(f"performance.now() - window.finished > {QUIET}")

    def row_of(self, label: str) -> Locator:
        """The first control of that name."""
        named = self.page.get_by_text(label, exact=True)
        return self.output.locator(".widget-inline-hbox", has=named).first


def _box(node: Locator) -> FloatRect:
    """Where it is in the window, in pixels."""
    found = node.bounding_box()
    assert found, "nothing is seen of it"
    return found


def notebook(stem: str, name: str) -> dict:
    """The chapter's notebook with those cells only that the controls which draw with `name` need."""
    whole = json.loads((ROOT / "solutions" / f"{stem}.ipynb").read_text())
    cells = [cell for cell in whole["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    last = next(index for index, source in enumerate(sources) if "explore(" in source and name in source)
    kept, wanted = [sources[last]], _names(sources[last], ast.Load)
    for source in reversed(sources[1:last]):
        if _names(source, ast.Store) & wanted:
            kept.append(source)
            wanted |= _names(source, ast.Load)
    # One cell, its code hidden: JupyterLab makes no widgets of what is out of sight.
    cell = {"cell_type": "code", "id": "controls", "metadata": {"jupyter": {"source_hidden": True}}, "outputs": []}
    cell |= {"execution_count": None, "source": "\n\n".join([sources[0], *reversed(kept)])}
    return {**whole, "cells": [cell]}


def _names(source: str, use: type) -> set[str]:
    """The names that a cell reads, or those that it gives to something."""
    tree = ast.parse(as_python(source))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, use)}
    if use is ast.Store:
        names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        names |= {
            (one.asname or one.name) for node in tree.body if isinstance(node, ast.ImportFrom) for one in node.names
        }
        names |= {(one.asname or one.name) for node in tree.body if isinstance(node, ast.Import) for one in node.names}
    return names


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many endless loops beside what is measured."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.kill()


if __name__ == "__main__":
    main()
