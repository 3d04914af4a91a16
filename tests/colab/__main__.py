"""Proves that the chapters run in Colab: `python -m tests.colab [STEM ...]`, all of them without a STEM.

It makes Colab's Python in a folder of its own (uv keeps what it downloads), and runs each notebook as a learner would,
all in one runtime: the first cell, then every other one, each exercise open and solved, each control moved.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.colab.chapters import Walk, walk_chapter, walk_start_page
from tests.colab.environment import NotPossible, freeze, make_environment, named
from tests.colab.published import publish
from tests.colab.runtime import opened
from utils.course import stems

QUICK = 10  # seconds for the first cell of a runtime's second notebook, on a busy machine


def main(arguments: list[str] | None = None) -> int:
    """0 where all is well, or nothing can be proved here; 1 where a learner would meet a problem."""
    options = _options(arguments)
    try:
        problems = prove(options.stems or stems(), options.pages)
    except NotPossible as reason:
        print(f"Not proved: {reason}")
        return 1 if os.environ.get("CI") else 0
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} problems." if problems else "Everything runs in Colab.")
    return 1 if problems else 0


def prove(chosen: list[str], pages: Path | None = None) -> list[str]:
    """What goes wrong in these chapters and on the start page; `pages` is a folder for what is shown.

    Raises NotPossible where Colab's Python can't be made.
    """
    if sys.platform != "linux":
        raise NotPossible("Colab is Linux; its packages can't be had here.")
    with tempfile.TemporaryDirectory(prefix="colab-") as folder:
        home = Path(folder)
        began = time.monotonic()
        python = make_environment(home)
        print(f"Colab's packages on {named(python)}: {time.monotonic() - began:.0f} s", flush=True)
        return _in_runtime(home, python, chosen, pages)


def _in_runtime(home: Path, python: Path, chosen: list[str], pages: Path | None) -> list[str]:
    root, git_config = publish(home)
    content = home / "content"
    content.mkdir()
    before, problems = freeze(python), []
    for stem in [*chosen, None]:
        with opened(python, content, git_config) as notebook:
            walk = walk_chapter(stem, notebook, root) if stem else walk_start_page(notebook, root)
        print(_line(walk), *walk.slow, sep="\n", flush=True)
        problems += walk.problems
        if stem != chosen[0] and walk.first_cell > QUICK:
            problems.append(f"{walk.name}: its first cell took {walk.first_cell:.0f} s in a runtime that was ready")
        if pages:
            _keep(walk, pages)
    after = freeze(python)
    print(f"pip added {', '.join(sorted(after - before))}")
    if changed := before - after:
        problems.append(f"pip changed or removed {', '.join(sorted(changed))}, which Colab had")
    return problems


def _line(walk: Walk) -> str:
    cells = f"first cell {walk.first_cell:5.1f} s, in all {walk.seconds:5.1f} s, {walk.moved} controls moved"
    return f"{walk.name:20} {cells}, {len(walk.problems) or 'no'} problems"


def _keep(walk: Walk, pages: Path) -> None:
    pages.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(walk.pages):
        (pages / f"{walk.name}-{number:03}.html").write_text(page, encoding="utf-8")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.colab", description="Proves that chapters run in Colab.")
    parser.add_argument("stems", nargs="*", metavar="STEM", help="chapters, such as ch03_layernorm; all if left out")
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help="keep the HTML that was shown, to look at it")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
