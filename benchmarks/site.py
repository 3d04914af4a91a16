"""What the site weighs and how soon it is there: sizes, first paint, the model's speed, and the pictures' redraws.

    python benchmarks/site.py [--rounds 5] [PAGE ...]
    python benchmarks/site.py --picture docs/site.png

Builds the site, serves it compressed, and opens each page in Chromium, with an empty cache. The model writes with SIMD
and, as where the browser has no WebAssembly, by the plain loop, in turns. First contentful paint is the median of the
rounds, from this machine and as over a line of 10 Mbit/s with 40 ms. A redraw is a key pressed, or a slider moved, in a
picture until the page is laid out again. `--picture` photographs the front page once its story is told, for the README.
"""

import argparse
import gzip
import io
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, CDPSession, Page

from author.browsing import chromium
from tests.serving import Files, serving
from utils.course import stems
from utils.site.building import build

# So that the picture's story is told again: D. H. Lehmer's generator, with the multiplier of Park and Miller 1993.
SEEDED = "let seed = 4; Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;"
SLOW = {"offline": False, "latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
COMPRESSED = ("text/", "application/json", "application/javascript", "image/svg")
WAYS = {"with SIMD": "", "by the plain loop": "delete globalThis.WebAssembly"}
WRITES = 6  # stories
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
LOAD = """async () => {
  const start = performance.now();
  const { load } = await import("./_static/loading.mjs");
  window.course = await load();
  return performance.now() - start;
}"""
WRITE = """() => {
  const { model, tokenizer } = course;
  const start = performance.now();
  let logits = model.after([0, ...tokenizer.encode("Once upon a time")]);
  for (let i = 0; i < 200; i++) logits = model.step(logits.indexOf(Math.max(...logits)));
  return (performance.now() - start) / 1e3;
}"""
# What tells each picture from the others, and is moved: a slider, or keys on it, back and forth.
MOVES = {
    "arcs": [".cp-words", "ArrowLeft", "ArrowRight"],
    "merges": [".cp-pairs-do button", "ArrowRight", "ArrowLeft"],
    "stream": [".cp-stream-text [tabindex='0']", "ArrowLeft", "ArrowRight"],
    "story": [".cp-story-dial input"],
    "map": [".cp-map [data-label=Attention]", "ArrowDown", "ArrowUp"],
}
# Each move is timed until the page is laid out anew. The map's box is opened first.
REDRAW = """(moves) => [...document.querySelectorAll('.cp')].flatMap((picture) => {
  const found = Object.entries(moves).find(([, [where]]) => picture.querySelector(where));
  if (!found) return [];
  const [name, [where, ...keys]] = found;
  if (name === 'map') picture.querySelector(where).click();
  const times = Array.from({ length: 40 }, (_, i) => {
    const moved = picture.querySelector(where);
    const start = performance.now();
    if (keys.length) moved.dispatchEvent(new KeyboardEvent('keydown', { key: keys[i % 2], bubbles: true }));
    else {
      moved.value = 0.5 + i / 40;
      moved.dispatchEvent(new Event('input', { bubbles: true }));
    }
    document.body.getBoundingClientRect();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  return [{ name, median: times[20], longest: times.at(-1) }];
})"""


class _Compressing(Files):
    """As servers of sites do, texts go over the line with gzip."""

    def send_head(self) -> io.BytesIO | None:  # type: ignore[override]
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return None
        kind = self.guess_type(str(path))
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if kind.startswith(COMPRESSED):
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)


def opened(browser: Browser, address: str, slow: bool = False, first: str = "") -> tuple[Page, list[int]]:
    """The page in a context of its own, loaded, and what each of its requests took over the line, in bytes.

    The script `first` runs before those of the page.
    """
    page = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce").new_page()
    page.add_init_script(first)
    if slow:
        page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW)
    sizes: list[int] = []
    page.on("requestfinished", lambda asked: sizes.append(asked.sizes()["responseBodySize"]))
    page.goto(address, wait_until="networkidle")
    return page, sizes


def first_paint(browser: Browser, address: str, rounds: int, slow: bool) -> float:
    """In milliseconds, the median of the rounds."""
    paints = []
    for _ in range(rounds):
        page, _ = opened(browser, address, slow)
        paints.append(page.evaluate(PAINT))
        page.context.close()
    return statistics.median(paints)


def tell_model(browser: Browser, address: str) -> None:
    """How soon it is there, and how fast it writes: by the clock, and without what other programs take."""
    writers = {}
    for way, first in WAYS.items():
        page, _ = opened(browser, f"{address}/START.html", first=first)
        print(f"the model {way}: there after {page.evaluate(LOAD):.0f} ms")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        writers[way] = (page, session, [], [])
    for _ in range(WRITES):
        for page, session, clock, processor in writers.values():
            before = _processor_time(session)
            clock.append(200 / page.evaluate(WRITE))
            processor.append(200 / (_processor_time(session) - before))
    for way, (page, _, clock, processor) in writers.items():
        page.context.close()
        print(f"greedy tokens per second {way}: {_told(clock)} by the clock, {_told(processor)} of processor time")


def _told(speeds: list[float]) -> str:
    return f"{speeds[0]:.0f} at first and {statistics.median(speeds[1:]):.0f} then"


def _processor_time(session: CDPSession) -> float:
    """Of the page's thread, in seconds."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


def photograph(browser: Browser, address: str, file: Path) -> None:
    """The front page, its story told to the end."""
    page = browser.new_context(viewport={"width": 1180, "height": 900}).new_page()
    page.add_init_script(SEEDED)
    page.goto(f"{address}/index.html")
    page.get_by_role("button", name="Stop").wait_for()
    page.get_by_role("button", name="Write a story").wait_for(timeout=60_000)
    file.write_bytes(page.screenshot())
    page.context.close()


def tell_page(browser: Browser, site: Path, address: str, name: str, rounds: int) -> None:
    page, sizes = opened(browser, f"{address}/{name}.html")
    redraws = page.evaluate(REDRAW, MOVES)
    page.context.close()
    html = len(gzip.compress((site / f"{name}.html").read_bytes(), 6))
    here, far = (first_paint(browser, f"{address}/{name}.html", rounds, slow) for slow in (False, True))
    print(
        f"{name:22}{html / 1e3:8.0f} kB{sum(sizes) / 1e3:8.0f} kB{len(sizes):5}{here:9.0f} ms{far:7.0f} ms", flush=True
    )
    for one in redraws:
        print(f"    {one['name']}: redrawn in {one['median']:.1f} ms, at most {one['longest']:.1f}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("pages", nargs="*", default=["index", "START", "meet", *stems()])
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--picture", type=Path, metavar="FILE")
    options = asked.parse_args()
    with TemporaryDirectory() as folder:
        started = time.perf_counter()
        build(folder)
        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        total = sum(file.stat().st_size for file in files)
        print(f"built in {time.perf_counter() - started:.1f} s: {len(files)} files, {total / 1e6:.1f} MB")
        with chromium() as browser, serving(folder, _Compressing) as address:
            if options.picture:
                photograph(browser, address, options.picture)
                return
            tell_model(browser, address)
            print(f"{'page':22}{'itself':>11}{'with all':>11}{'':5}{'paint':>12}{'10 Mbit/s':>10}")
            for name in options.pages:
                tell_page(browser, Path(folder), address, name, options.rounds)


if __name__ == "__main__":
    main()
