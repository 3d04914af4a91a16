"""How long a learner waits: from a fresh kernel to the first verdict, and for a check once everything is imported.

Run `python benchmarks/verdict.py [--checks] [STEM ...]`; `--checks` leaves the kernels out. Beside a chapter's seconds,
from its kernel's start to its first exercise's verdict, stands the ratio to a kernel that only imports torch, measured
in turn with it; 1.15 is what a chapter may take, but for chapter 11, which imports JAX. Last comes a kernel that
imports TransformerLens and boots the reference model, which is what a check would cost if it asked the model itself.
COURSE_REFERENCE chooses the model that the checks read.
"""

import argparse
import contextlib
import importlib
import io
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
import torch

from author.executing import client_for
from author.notebooks import TAG as COLAB
from author.source import NOTEBOOK_ONLY
from utils.course import ROOT, ExerciseInfo, exercises, stems, throwaway_state
from utils.course.cells import cells_of

KERNEL_RUNS, CHECK_RUNS = 5, 20
BARE = "import torch"
PEER = "from utils.reference import boot\nboot()"


def seconds_in_fresh_kernel(sources: list[str]) -> float:
    """Start a kernel, run the cells, and return the seconds from the kernel's start to the last answer."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    client = client_for(notebook, Path.cwd(), allow_errors=True)
    started = time.perf_counter()
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
        return time.perf_counter() - started


def cells_to_the_verdict(exercise: ExerciseInfo) -> list[str]:
    """The solved chapter's cells that a verdict needs: set-up, imports, definitions, and the first test call.

    Solved, because a stub's verdict comes before most of the checks; without the chapter's demonstrations.
    """
    needed = []
    for cell in cells_of(ROOT / "solutions" / f"{exercise.stem}.ipynb"):
        tags, source = set(cell["metadata"].get("tags", ())), cell["source"]
        if cell["cell_type"] != "code" or COLAB in tags:
            continue
        if source.startswith(f"{exercise.test}("):
            return [*needed, source]
        if NOTEBOOK_ONLY not in tags or "setup" in tags or "from tests." in source:
            needed.append(source)
    raise SystemExit(f"solutions/{exercise.stem}.ipynb never calls {exercise.test}.")


def check_times(exercise: ExerciseInfo) -> tuple[float, float]:
    """Milliseconds of a test function on the solution, its card included: the first call, and the median of the rest.

    The first also computes what is right, and reads the reference model where no exercise before it has.
    """
    test = getattr(importlib.import_module(f"tests.{exercise.stem}"), exercise.test)
    component = getattr(importlib.import_module(f"solutions.{exercise.stem}"), exercise.symbol)
    first, *others = (milliseconds_of(test, component) for _ in range(1 + CHECK_RUNS))
    return first, statistics.median(others)


def milliseconds_of(test: Any, component: Any) -> float:
    """The time of one call of a test function on a component that passes."""
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        test(component)
    return 1000 * (time.perf_counter() - started)


def print_kernels(wanted: list[str]) -> None:
    """The seconds from a fresh kernel to each chapter's first verdict, and how often that is a bare kernel's."""
    print(f"{'fresh kernel to first verdict':32}{'seconds':>9}{'ratio':>8}   medians of {KERNEL_RUNS} runs")
    for stem in wanted:
        cells = cells_to_the_verdict(exercises(stem)[0])
        pairs = [(seconds_in_fresh_kernel(cells), seconds_in_fresh_kernel([BARE])) for _ in range(KERNEL_RUNS)]
        seconds = statistics.median(ours for ours, _ in pairs)
        ratio = statistics.median(ours / bare for ours, bare in pairs)
        print(f"{stem:32}{seconds:9.2f}{ratio:8.2f}")
    peer = statistics.median(seconds_in_fresh_kernel([PEER]) for _ in range(KERNEL_RUNS))
    print(f"{'booting TransformerLens':32}{peer:9.2f}")


def print_checks(wanted: list[str]) -> None:
    """A line for each exercise of these chapters, and the median of all."""
    medians = []
    print(f"{'check':28}{'first':>9}{'median':>9}   ms, of {CHECK_RUNS} runs")
    for exercise in (one for stem in wanted for one in exercises(stem)):
        first, median = check_times(exercise)
        medians.append(median)
        print(f"{exercise.test:28}{first:9.0f}{median:9.0f}")
    print(f"{'the median exercise':28}{statistics.median(medians):18.0f}")


def main() -> None:
    """Print what is wanted."""
    parser = argparse.ArgumentParser(description="How long a learner waits for a verdict.")
    parser.add_argument("--checks", action="store_true", help="the checks alone, without the kernels")
    parser.add_argument("stems", nargs="*", default=stems(), metavar="STEM", help="these chapters alone")
    torch.set_num_threads(1)
    given = parser.parse_args()
    with throwaway_state(), tempfile.TemporaryDirectory() as compiled:  # a learner's my_gpt/ stays as it is
        # As on a learner's machine after the first time: else each kernel may compile all modules anew, torch's too
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        if not given.checks:
            print_kernels(given.stems)
        print_checks(given.stems)


if __name__ == "__main__":
    main()
