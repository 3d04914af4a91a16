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
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from utils.course import ROOT

# Of each chapter: its first controls with these names, and how each of them is moved.
CONTROLS = {
    "ch00_tokens": ("merges_known", {"merges known": "slide", "text": "type"}),
    "ch04_attention": ("draw_patterns", {"layer": "slide", "text": "type"}),
    "ch08_sampling": ("draw_lab", {"temperature": "slide", "p": "slide", "text": "type"}),
}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET = 700  # milliseconds without a change, after which a figure is finished
# Notes when a key or the mouse goes down, and when the frame after each change below the controls begins.
WATCH = """() => {
  const box = document.querySelector('.widget-slider').closest('.jp-OutputArea-output');
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
    with browser() as page_of, busy(2 if asked.busy else 0):
        for stem in chosen:
            measure(stem, page_of, asked.rounds)


def measure(stem: str, page_of: Any, rounds: int) -> None:
    """Print how long each control of a chapter takes."""
    name, moves = CONTROLS[stem]
    with lab(notebook(stem, name)) as address, page_of(address) as page:
        page.wait_for_function("window.jupyterapp && jupyterapp.shell.currentWidget?.context?.isReady")
        page.wait_for_timeout(3000)
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")  # which waits for the end
        if page.locator("[data-mime-type='application/vnd.jupyter.error']").count():
            sys.exit(f"{stem}: the cell with its controls failed")
        page.locator(".widget-slider").first.wait_for(timeout=600_000)
        page.wait_for_timeout(4000)
        page.evaluate(WATCH)
        settle(page)
        for label, how in moves.items():
            first, *times = [moved(page, label, how, turn) for turn in range(1 + rounds)]
            told = f"median {statistics.median(times):5.0f} ms, most {max(times):5.0f}, the very first {first:.0f}"
            print(f"{stem}  {label:14} {told}", flush=True)
            if how == "slide":
                print(f"{stem}  {label:14} {dragged(page, label)}", flush=True)


def moved(page: Any, label: str, how: str, turn: int) -> float:
    """The milliseconds from a click on a slider, or Enter in a box, to the finished frame."""
    settle(page)
    row = row_of(page, label)
    if how == "type":
        box = row.locator("input")
        box.fill(box.input_value() + " then")
        page.wait_for_timeout(100)
        box.press("Enter")
    else:
        track = row.locator(".noUi-base")  # here and there on it, as a step of one may change nothing to be seen
        size = track.bounding_box()
        share = 0.3 + 0.4 * (turn % 2) + 0.01 * turn
        track.click(position={"x": share * size["width"], "y": size["height"] / 2}, force=True)
    while not _is_drawn(page):  # a busy kernel may leave a message unread until another one comes
        page.evaluate("void jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestKernelInfo()")
    page.wait_for_function(f"performance.now() - window.finished > {QUIET}")
    return page.evaluate("window.finished - window.moved")


def dragged(page: Any, label: str) -> str:
    """What is seen while a slider is dragged from one end to the other within a second."""
    track = row_of(page, label).locator(".noUi-base").bounding_box()
    handle = row_of(page, label).locator("[role=slider]").bounding_box()
    level = handle["y"] + handle["height"] / 2
    page.mouse.move(handle["x"] + handle["width"] / 2, level)
    page.mouse.down()
    page.mouse.move(track["x"] + 1, level)
    page.wait_for_timeout(2000)
    page.evaluate("window.frames = 0")
    for step in range(1, 41):
        page.mouse.move(track["x"] + track["width"] * step / 40, level)
        page.wait_for_timeout(25)
    during, ended = page.evaluate("[window.frames, performance.now()]")
    page.mouse.up()
    page.wait_for_timeout(QUIET)
    page.wait_for_function(f"performance.now() - window.finished > {QUIET}", timeout=120_000)
    after = max(0, page.evaluate("window.finished") - ended)
    return f"dragged: {during} figures within a second, the last one {after:.0f} ms after the end"


def _is_drawn(page: Any) -> bool:
    from playwright.sync_api import TimeoutError as TooLate

    try:
        page.wait_for_function("window.finished > window.moved", timeout=10_000)
    except TooLate:
        print("nothing drawn within 10 s: waking the kernel up", flush=True)
        return False
    return True


def settle(page: Any) -> None:
    """Wait until the kernel has nothing left to do."""
    page.wait_for_function("jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'")
    page.wait_for_timeout(QUIET)


def row_of(page: Any, label: str) -> Any:
    """The first control of that name."""
    return page.locator(".widget-inline-hbox", has=page.get_by_text(label, exact=True)).first


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
    tree = ast.parse("\n".join(line for line in source.splitlines() if not line.startswith(("%", "!"))))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, use)}
    if use is ast.Store:
        names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        names |= {
            (one.asname or one.name) for node in tree.body if isinstance(node, ast.ImportFrom) for one in node.names
        }
        names |= {(one.asname or one.name) for node in tree.body if isinstance(node, ast.Import) for one in node.names}
    return names


@contextlib.contextmanager
def lab(shown: dict) -> Iterator[str]:
    """A JupyterLab of its own with that notebook, and the notebook's address."""
    folder = Path(tempfile.mkdtemp())
    (folder / "controls.ipynb").write_text(json.dumps(shown))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = {"COURSE_STATE": folder, "JUPYTERLAB_SETTINGS_DIR": folder, "JUPYTERLAB_WORKSPACES_DIR": folder}
    environment = os.environ | {name: str(path) for name, path in told.items()} | {"PYTHONPATH": str(ROOT)}
    environment.pop("COURSE_PROGRESS", None)
    settings = [f"--port={port}", "--no-browser", "--ServerApp.token=", "--LabApp.expose_app_in_browser=True"]
    settings += ["--allow-root", f"--ServerApp.root_dir={folder}"]
    run = [sys.executable, "-m", "jupyter", "lab", *settings]
    server = subprocess.Popen(run, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(240):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/lab/tree/controls.ipynb"
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Opens pages in Chromium: Playwright's, or the one that the system has."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        sys.exit("This needs Playwright and a browser: pip install playwright, then playwright install chromium.")
    with sync_playwright() as driver:
        own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        try:
            opened = driver.chromium.launch(executable_path=own, args=FLAGS)
        except Error as error:
            sys.exit(
                f"No browser can be started: {error.message.splitlines()[0]}\nInstall one: playwright install chromium."
            )

        @contextlib.contextmanager
        def page_of(address: str) -> Iterator[Any]:
            page = opened.new_page(viewport={"width": 1280, "height": 1000})
            page.set_default_timeout(300_000)
            page.goto(address)
            yield page
            page.close()

        yield page_of
        opened.close()


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
