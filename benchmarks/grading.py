"""Submissions a minute, ours beside nbgrader, otter-grader and plain nbval, all on one chapter in one run.

    python benchmarks/grading.py [--stem ch04_attention] [--submissions 200] [--of-peers 10] [--peers FOLDER]

A class of submissions (right, wrong, unfinished, broken, hostile: tests/grader/classes.py) is graded by the command
`python -m utils grade`, with one worker and with two; then the same class with each answer signed, since code that is
another learner's too is not run again, and a class may have less of that. What is timed is the command, from its start
to its end. The peers grade copies of the right submission alone, fewer of them, since each takes seconds; they are
installed, once, into environments of their own in --peers (5 GB). Whoever is timed has graded one submission before,
so that all modules are compiled: a kernel that compiles torch anew takes 2 s longer. --whole grades a few solutions of
the whole course too, and says where the seconds go.
"""

import argparse
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil
from grading_peers import PEERS, environment

from grader.gradebook import open_gradebook
from grader.grades import SubmissionGrades
from tests.grader.classes import signed, write_class
from utils.course import ROOT, exercises, stems


def own_memory(command: int) -> float:
    """MB that the processes of a command hold beside what the command itself holds: workers, their box, its answers.

    What several of them share counts once. Files that are only read do not count: the system lets go of them at will.
    """
    grading = psutil.Process(command)
    total = -_kilobytes(command)["Anonymous"]
    for process in (grading, *grading.children(recursive=True)):
        with contextlib.suppress(OSError):  # it has ended
            held_by = _kilobytes(process.pid)
            total += held_by["Pss_Anon"] + held_by["Pss_Shmem"]
    return total * 1024 / 1e6


def _kilobytes(process: int) -> dict[str, int]:
    """What a process holds, by Linux's own names. Raises OSError where it has ended."""
    _, *lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return {line.partition(":")[0]: int(line.split()[1]) for line in lines}


SECONDS_BETWEEN_LOOKS = 2.0  # each takes 4 ms of every process
held: list[float] = []  # MB of a worker with its box, now and then


def ours(submissions: Path, chapters: list[str], workers: int, folder: Path) -> tuple[float, list[SubmissionGrades]]:
    """Seconds of the command, and the grades."""
    folder.mkdir(exist_ok=True)
    book = folder / f"grades-{workers}.sqlite"
    command = [sys.executable, "-m", "utils", "grade", submissions, "--chapters", *chapters, "--require-sandbox"]
    surroundings = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    settings = ["--workers", workers, "--gradebook", book, "--seed", 7]
    began = time.perf_counter()
    grading = subprocess.Popen(list(map(str, [*command, *settings])), env=surroundings, stdout=sys.stderr)
    while not _has_ended(grading):
        with contextlib.suppress(psutil.Error, OSError):  # it has just ended
            held.append(own_memory(grading.pid) / workers)
    assert grading.returncode == 0
    seconds = time.perf_counter() - began
    with open_gradebook(book) as opened:
        return seconds, opened.submissions()


def _has_ended(grading: subprocess.Popen[bytes]) -> bool:
    try:
        grading.wait(SECONDS_BETWEEN_LOOKS)
    except subprocess.TimeoutExpired:
        return False
    return True


def whole_course(folder: Path) -> None:
    """All solved chapters, signed, with one worker: seconds a submission, and the exercises that take most."""
    copies = 6
    held.clear()
    for number in range(copies):
        place = folder / "whole" / f"learner{number}"
        place.mkdir(parents=True)
        for stem in stems():
            notebook = json.loads((ROOT / "solutions" / f"{stem}.ipynb").read_text(encoding="utf-8"))
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    cell["source"] = signed("".join(cell["source"]), place.name)
            (place / f"{stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    first, _ = ours(folder / "whole" / "learner0", stems(), 1, folder / "first")
    seconds, graded = ours(folder / "whole", stems(), 1, folder)
    each = (seconds - first) / (copies - 1)
    print(f"the whole course, one worker: {first:.1f} s for the first submission, {each:.2f} s for each further one")
    print(f"    the worker held up to {max(held):.0f} MB beside what is shared")
    took: dict[str, float] = {}
    for submission in graded:
        for grade in submission.grades:
            took[grade.symbol] = took.get(grade.symbol, 0.0) + grade.seconds / copies
    total = sum(took.values())
    for symbol, taken in sorted(took.items(), key=lambda one: -one[1])[:8]:
        print(f"    {symbol:24} {taken:5.2f} s  {taken / total:4.0%}")


def load() -> str:
    """How busy the machine is."""
    return ", ".join(f"{one:.1f}" for one in os.getloadavg())


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--stem", default="ch04_attention")
    asked.add_argument("--submissions", type=int, default=200)
    asked.add_argument("--of-peers", type=int, default=10)
    asked.add_argument("--peers", type=Path, default=Path(tempfile.gettempdir()) / "peers-of-the-grader")
    asked.add_argument("--whole", action="store_true")
    options = asked.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(f"{options.stem}: {len(exercises(options.stem))} exercises; load {load()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ratios: list[float] = []
        write_class(folder / "warming up", options.stem, 1)
        ours(folder / "warming up", [options.stem], 1, folder / "graded before")
        held.clear()
        for kind, workers in itertools.product(("as it is", "signed"), (1, 2)):
            place = folder / kind
            if not place.exists():
                write_class(place, options.stem, options.submissions, seed=0, by_name=kind == "signed")
            took, graded = ours(place, [options.stem], workers, folder / f"graded {kind}")
            ratios.append(took / options.submissions)
            statuses = Counter(grade.status for one in graded for grade in one.grades)
            print(f"ours, {kind}, {workers} worker(s): {took:.1f} s for {len(graded)}, {ratios[-1]:.3f} s each")
        print(f"    {dict(statuses)}; a worker held up to {max(held):.0f} MB beside what is shared")
        for number, peer in enumerate(PEERS):
            bin = environment(peer, options.peers)
            for purpose, submissions in (("warming up", 1), ("timed", options.of_peers)):
                place = folder / f"peer{number} {purpose}"
                place.mkdir()
                seconds = peer.grade(bin, place, options.stem, submissions)
            each = seconds / options.of_peers
            times = ", ".join(f"{each / one:.0f}" for one in ratios)
            print(f"{peer.name}: {each:.2f} s each; ours {times} times as many a minute; load {load()}")
        if options.whole:
            whole_course(folder)


if __name__ == "__main__":
    main()
