"""How long a learner waits: from a fresh kernel to the first verdict, and for a check once everything is imported.

Run `python benchmarks/verdict.py [--checks]`; `--checks` leaves the kernels out. Beside the first figure stands a peer
measured in the same run: a kernel that imports TransformerLens and boots the reference model, which is what a check
would cost if it asked the model itself. COURSE_REFERENCE chooses the model that the checks read.
"""

import argparse
import contextlib
import importlib
import io
import statistics
import time
from pathlib import Path
from typing import Any

import nbformat
import torch

from utils.authoring.kernels import client_for
from utils.course import ROOT, ExerciseInfo, exercises, stems, throwaway_state

KERNEL_RUNS, CHECK_RUNS = 5, 20
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


def cells_to_the_verdict(stem: str, test_call: str) -> list[str]:
    """The solved chapter's code cells up to the first test call, without those that draw figures.

    Solved, because a stub's verdict comes before most of the checks.
    """
    solved = nbformat.read(ROOT / "solutions" / f"{stem}.ipynb", as_version=4)
    sources = [cell.source for cell in solved.cells if cell.cell_type == "code"]
    last = next(index for index, source in enumerate(sources) if source.startswith(test_call))
    drawn = ("lines(", "bars(", "heatmap(")
    return [source for source in sources[: last + 1] if not any(call in source for call in drawn)]


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


def print_kernels() -> None:
    """The seconds from a fresh kernel to the first verdict, and its peer's."""
    verdict = cells_to_the_verdict("ch03_layernorm", "test_layer_norm")
    pairs = [(seconds_in_fresh_kernel(verdict), seconds_in_fresh_kernel([PEER])) for _ in range(KERNEL_RUNS)]
    ours, peer = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"fresh kernel to first verdict: {ours:.2f} s   (booting TransformerLens: {peer:.2f} s, ratio {ratio:.2f})")


def print_checks() -> None:
    """A line for each exercise of the course, and the median of all."""
    medians = []
    print(f"{'check':28}{'first':>9}{'median':>9}   ms, of {CHECK_RUNS} runs")
    for exercise in (one for stem in stems() for one in exercises(stem)):
        first, median = check_times(exercise)
        medians.append(median)
        print(f"{exercise.test:28}{first:9.0f}{median:9.0f}")
    print(f"{'the median exercise':28}{statistics.median(medians):18.0f}")


def main() -> None:
    """Print what is wanted."""
    parser = argparse.ArgumentParser(description="How long a learner waits for a verdict.")
    parser.add_argument("--checks", action="store_true", help="the checks alone, without the kernels")
    torch.set_num_threads(1)
    checks_alone = parser.parse_args().checks
    with throwaway_state():  # a learner's my_gpt/ stays as it is
        if not checks_alone:
            print_kernels()
        print_checks()


if __name__ == "__main__":
    main()
