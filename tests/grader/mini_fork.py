"""A whole small course whose exercises the judge can judge, and what learners hand back of its chapter."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from author.building import build, chapter_path, solution, solution_path
from author.building import chapter as published
from author.notebooks import text_of
from author.source import read_source
from tests.author.mini_course import SOURCE, STEM, copy_utils, write_course

TESTS = '''\
"""What the small chapter asks."""

from judge.checking import Exercise, check_agrees, line

doubling = Exercise(inputs={"number": ""})
counting = Exercise(inputs={"step": ""}, drive="methods")


@doubling.test
def test_double(double):
    """Twice the number."""
    with line("agrees with the reference solution"):
        for number in (3, 0, -7, 21):
            check_agrees(double, number)


@counting.test
def test_counter(Counter):
    """Counts in steps."""
    with line("agrees with the reference solution"):
        check_agrees(Counter, [2], ("next",), ("next",))
        check_agrees(Counter, [5], ("next",))
'''

BUG = '''
# %% [markdown]
# ## A bug in the wild


# %%
def area(width, height):
    """Of a rectangle."""
    # BEGIN SOLUTION
    return width * height
    # INSTEAD OF
    # return width + height
    # END SOLUTION


# %% tags=["active-ipynb"]
# assert area(3, 4) == 12, "not mended"

'''
STUBS = {
    "double: write this part": "return 2 * number",
    "Counter.__init__: write this part": "self.count = 0",
    "Counter.next: write this part": "self.count += self.step; return self.count",
}
WRONG = STUBS | {"double: write this part": "return 3 * number"}
MENDED = ("return width + height", "return width * height")


IMPORTS = f"from tests.{STEM} import test_double, test_counter"


def write_small_course(root: Path, *others: str) -> Path:
    """The course with its tools, built, in a folder that a program started there takes for the whole.

    With the stems of other chapters it has those too, each the same under its own name, but for a set-up whose kernel
    imports no torch; the solutions then have no outputs.
    """
    before, heading, after = SOURCE.partition("# %% [markdown]\n# ## See it work")
    write_course(root, before + BUG.lstrip("\n") + heading + after, TESTS)
    copy_utils(root)
    if not others:
        list(build(STEM, root))
        return root
    source = read_source(STEM, root)
    chapter_path(STEM, root).write_text(text_of(published(source)), encoding="utf-8")
    solution_path(STEM, root).write_text(text_of(solution(source)), encoding="utf-8")
    files = [path for folder in ("solutions", "tests", "chapters") for path in (root / folder).glob(f"{STEM}.*")]
    for stem in others:
        for path in files:
            text = path.read_text(encoding="utf-8").replace(IMPORTS, "pass").replace(STEM, stem)
            path.with_stem(stem).write_text(text, encoding="utf-8")
    return root


def chapter(root: Path, answers: dict[str, str], *changes: tuple[str, str], stem: str = STEM) -> dict:
    """The published chapter with its stubs replaced and with other changes of its cells' text."""
    notebook = json.loads((root / "chapters" / f"{stem}.ipynb").read_text(encoding="utf-8"))
    stubs = [(f'raise NotImplementedError("{stub}")', answer) for stub, answer in answers.items()]
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        for before, after in (*stubs, *changes):
            text = text.replace(before, after)
        cell["source"] = text
    return notebook


def without(notebook: dict, start: str) -> dict:
    """The same without the cells that begin so."""
    kept = [cell for cell in notebook["cells"] if not cell["source"].startswith(start)]
    return {**notebook, "cells": kept}


def hand_in(folder: Path, notebook: dict | str, name: str = STEM) -> Path:
    """Write a notebook into a fork's chapters/."""
    folder.mkdir(parents=True, exist_ok=True)
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    path = folder / f"{name}.ipynb"
    path.write_text(text, encoding="utf-8")
    return path


def run(command: list[str], root: Path, cwd: Path, **told: str) -> tuple[dict[str, str], str]:
    """Outcome of each item by "file::name", and all that was printed, of a command in that course."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    surroundings = {**kept, "PYTHONPATH": str(root), **told}
    done = subprocess.run(
        [sys.executable, "-P", "-m", *command],
        cwd=cwd,
        env=surroundings,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    found = re.findall(r"^(PASSED|FAILED|XFAIL|ERROR) \S*?([^/\s]+\.ipynb::.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    output = f"{done.stdout}{done.stderr}\nexit code {done.returncode}"
    return {name: outcome for outcome, name in found}, output


def run_pytest(root: Path, *arguments: str, cwd: Path | None = None, **told: str) -> tuple[dict[str, str], str]:
    """The same of pytest with the course's plugin."""
    plugins = ["-p", "nbval.plugin", "-p", "grader.nbval_plugin", "-p", "no:cacheprovider"]
    command = ["pytest", "-W", "error", "-rA", "--color=no", *plugins, *arguments]
    return run(command, root, cwd or root, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **told)
