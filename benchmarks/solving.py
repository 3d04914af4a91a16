"""How soon an exercise that is solved on the site gets its card, and what that takes over the line.

    python benchmarks/solving.py [--rounds 3]
    python benchmarks/solving.py --pictures docs

Builds the site and serves it as `python -m http.server` does, but for all connections together at 10 Mbit/s after
40 ms; and without such a limit. A wrong `SpaceTokenizer` is run in the page with an empty cache: the time is from the
key to the card. Then each of the eight exercises is judged several times by the page's judge, its solution and wrong
answers from benchmarks/wrong_answers: the time is from the question to the card. `--pictures` takes the README's.
"""

import argparse
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from answers import solution_cell, wrong_answers
from playwright.sync_api import Browser, Page

from author.browsing import chromium
from tests.serving import Files, serving
from utils.course import ROOT, exercises
from utils.site.building import build
from utils.solving import CHAPTERS

RATE = 10e6 / 8  # bytes a second, of all connections together
LATENCY = 0.04  # seconds
WRONG = "text.split()", 'text.split(" ")'  # of the solution's SpaceTokenizer
SOME = 12  # wrong answers of an exercise
ENDLESS_ONES = "while True"  # which take their five seconds
# From the key to the card; the panel of the exercise is open.
TIMED = """(name) => new Promise((resolve) => {
  const card = document.querySelector(`[data-solves=${name}] .solve-card`);
  let start = 0;
  addEventListener("keydown", ({ key }) => { if (key === "Enter") start = performance.now(); }, true);
  new MutationObserver(() => card.innerHTML && resolve(performance.now() - start)).observe(card, { childList: true });
})"""
JUDGED = """async ([stem, name, sources]) => {
  const { openJudge } = await import("./_static/judging.mjs");
  window.judge ??= openJudge();
  const judged = [];
  for (const source of sources) {
    const start = performance.now();
    const { status } = await judge.run({ stem, name, source });
    judged.push([status, performance.now() - start]);
  }
  return judged;
}"""


class _Counting(Files):
    """Counts the bytes that are sent; they are sent as over a line, where one is given."""

    line: Any = None  # a lock that each connection holds while it sends
    sent = 0

    def copyfile(self, source: Any, outputfile: Any) -> None:
        if self.line:
            time.sleep(LATENCY)
        while part := source.read(16_384):
            type(self).sent += len(part)
            if self.line:
                with self.line:
                    time.sleep(len(part) / RATE)
            outputfile.write(part)


@contextmanager
def served(folder: str, is_slow: bool) -> Iterator[tuple[str, type[_Counting]]]:
    """The address of the site in this folder, and what counts the bytes that are sent."""
    counting = type("Counting", (_Counting,), {"line": threading.Lock() if is_slow else None})
    with serving(folder, counting) as address:
        yield address, counting


def opened(browser: Browser, address: str, **look: Any) -> Page:
    """Chapter 0's page with an empty cache, the editor of its first exercise open, and a wrong answer in it."""
    page = browser.new_context(**look).new_page()
    page.goto(f"{address}/ch00_tokens.html", wait_until="networkidle")
    panel = page.locator("[data-solves=SpaceTokenizer]")
    panel.get_by_role("button", name="Solve it here").click()
    page.locator(".cm-content").wait_for()
    return page


def written(page: Page, source: str) -> None:
    """This stands in the editor now."""
    page.locator(".cm-content").first.focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(source)


def tell_start(browser: Browser, folder: str, rounds: int) -> None:
    solution = solution_cell("ch00_tokens", "SpaceTokenizer")
    assert solution
    for is_slow in (False, True):
        times, sizes = [], []
        for _ in range(rounds):
            with served(folder, is_slow) as (address, counted):
                page = opened(browser, address)
                before = counted.sent
                shown = page.evaluate_handle(f"() => ({{ card: ({TIMED})('SpaceTokenizer') }})")
                written(page, solution.replace(*WRONG))
                page.keyboard.press("Shift+Enter")
                times.append(shown.evaluate("({ card }) => card") / 1e3)
                sizes.append((counted.sent - before) / 1e6)
                page.context.close()
        line = "over 10 Mbit/s" if is_slow else "from this machine"
        told = ", ".join(f"{took:.2f}" for took in times)
        print(f"Run to the first card, {line}: {told} s; {statistics.median(sizes):.2f} MB are fetched")


def tell_judge(browser: Browser, folder: str) -> None:
    with served(folder, is_slow=False) as (address, _):
        page = browser.new_page()
        page.goto(f"{address}/ch00_tokens.html")
        for stem in CHAPTERS:
            for one in exercises(stem):
                file = ROOT / "benchmarks" / "wrong_answers" / stem / f"{one.test.removeprefix('test_')}.py"
                wrong = [answer.cell for answer in wrong_answers(file) if ENDLESS_ONES not in answer.cell]
                solution = solution_cell(stem, one.symbol)
                found = page.evaluate(JUDGED, [stem, one.symbol, [solution] * 4 + wrong[:: len(wrong) // SOME + 1]])
                passed = [took for status, took in found if status == "passed"]
                failed = [took for status, took in found if status == "failed"]
                print(
                    f"{one.symbol:18} passes in {passed[0]:.0f} ms at first, then {statistics.median(passed[1:]):.0f};"
                    f" {len(failed)} failing cards in {statistics.median(failed):.0f}, at most {max(failed):.0f}"
                )


def photograph(browser: Browser, folder: str, into: Path) -> None:
    """The stub with its button, a wrong answer's card, and a right one's."""
    solution = solution_cell("ch00_tokens", "SpaceTokenizer")
    assert solution
    with served(folder, is_slow=False) as (address, _):
        page = browser.new_context(viewport={"width": 1180, "height": 760}).new_page()
        page.goto(f"{address}/ch00_tokens.html", wait_until="networkidle")
        panel = page.locator("[data-solves=SpaceTokenizer]")
        opener = panel.get_by_role("button", name="Solve it here")
        opener.evaluate("(button) => scrollBy(0, button.getBoundingClientRect().bottom - innerHeight + 60)")
        (into / "solve-stub.png").write_bytes(page.screenshot())
        opener.click()
        page.locator(".cm-content").wait_for()
        page.add_style_tag(content=".back-to-top { display: none !important }")  # it comes over the editor
        for name, source, says in (
            ("solve-failed.png", solution.replace(*WRONG), "It does not pass yet"),
            ("solve-passed.png", solution, "It passes"),
        ):
            written(page, source)
            page.keyboard.press("Shift+Enter")
            panel.get_by_text(says).wait_for(timeout=60_000)
            editor = page.locator(".cm-editor").first
            editor.evaluate("(editor) => scrollBy(0, editor.getBoundingClientRect().top - 20)")
            (into / name).write_bytes(page.screenshot())


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--pictures", type=Path, metavar="FOLDER")
    options = asked.parse_args()
    with TemporaryDirectory() as folder, chromium() as browser:
        build(folder)
        if options.pictures:
            photograph(browser, folder, options.pictures)
            return
        tell_start(browser, folder, options.rounds)
        tell_judge(browser, folder)


if __name__ == "__main__":
    main()
