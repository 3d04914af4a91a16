"""Writes down what the course says and makes: `golden.py INTO [PART ...] [--sample K]`, all parts if none is named.

    python benchmarks/golden.py /tmp/before            # on the commit before
    python benchmarks/golden.py /tmp/after             # with the change
    git diff --no-index /tmp/before /tmp/after

For a change that should change nothing, such as a move: there must be no difference, or one that is meant. All parts
take about an hour on two cores. With `--sample K` each exercise has at most K wrong answers and K misconceptions.

cards      of each wrong answer in benchmarks/wrong_answers the card, as text and as HTML, with the folds of its repair
mistakes   of each misconception, in each of its forms, the card
questions  what each test asks with two seeds: digests, in order
mutants    what is made of each solution to prove its test by
class      two made-up classes, graded: the table
made       each notebook, page of the site and file of a release: its digest
"""

import argparse
import concurrent.futures
import csv
import hashlib
import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from diagnosis import asked_of, judged

from author.mutants import mutants_of
from judge.checking.verdict import Verdict
from judge.running.children import processors
from judge.running.wire import digest
from tests.grader.classes import write_class
from utils.course import ROOT, ExerciseInfo, all_exercises, throwaway_state
from utils.learner.cards import as_folds, as_html, as_line

SEEDS = (0, 1)
CLASSES = {"ch03_layernorm": 40, "ch08_sampling": 30}
Texts = Iterator[tuple[str, str]]  # the names of files below the part's folder, each with its content


def cards(info: ExerciseInfo, sample: int | None) -> Texts:
    for number in some(range(len(asked_of(info)[2])), sample):
        answer, verdict, repair, _ = judged(info, number)
        found = [as_line(repair), as_folds(repair)] if repair else []
        yield f"{number:03}", "\n".join([answer.title, *shown(verdict), *map(one_tag_a_line, found)])


def mistakes(info: ExerciseInfo, sample: int | None) -> Texts:
    exercise = exercise_of(info)
    for number, mistake in some(list(enumerate(exercise.misconceptions)), sample):
        yield f"{number:03}", "\n".join([mistake.name, mistake.advice, *shown(exercise.judge(mistake.component))])


def shown(verdict: Verdict) -> Iterator[str]:
    yield str(verdict)
    yield one_tag_a_line(as_html(verdict))


def one_tag_a_line(html: str) -> str:
    """So that a difference is a line."""
    return html.replace("><", ">\n<")


def questions(info: ExerciseInfo, sample: int | None) -> Texts:
    for seed in SEEDS:
        asked = exercise_of(info).questions(seed=seed)
        yield f"seed {seed}", "\n".join(digest(question) for question in asked)


def mutants(info: ExerciseInfo, sample: int | None) -> Texts:
    found = mutants_of(exercise_of(info))
    yield "all", "\n".join(f"{one.line}: {one.change}   {digest(one.text)}" for one in found)


def exercise_of(info: ExerciseInfo) -> Any:
    return getattr(importlib.import_module(f"tests.{info.stem}"), info.test).exercise


def some(everything: Any, sample: int | None) -> Any:
    """So many, taken from all over."""
    return everything if sample is None else everything[:: max(1, len(everything) // sample)][:sample]


def a_class(folder: Path) -> Texts:
    """Graded as an instructor does."""
    for stem, n in CLASSES.items():
        write_class(folder / stem, stem, n, at_least=1)
        table = folder / f"{stem}.csv"
        run("grade", folder / stem, "--csv", table, "--gradebook", folder / f"{stem}.sqlite", "--seed", 0)
        with table.open(encoding="utf-8", newline="") as rows:
            yield stem, "\n".join(", ".join(row.values()) for row in map(without_time, csv.DictReader(rows)))


def without_time(row: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if name != "seconds"}


def made(folder: Path) -> Texts:
    run("site", folder / "site")
    run("release", folder / "release")
    roots = {"site": folder / "site", "release": folder / "release"}
    roots |= {name: ROOT / name for name in ("chapters", "solutions")}
    for name, root in roots.items():
        yield name, "\n".join(digests_below(root))


def run(*command: Any) -> None:
    done = subprocess.run([sys.executable, "-m", "utils", *map(str, command)], cwd=ROOT, capture_output=True, text=True)
    if not done.stdout and done.returncode:
        raise SystemExit(f"`python -m utils {command[0]}` failed:\n{done.stderr}")


def digests_below(folder: Path) -> Iterable[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.rstrip("_").endswith("cache") for part in path.parts):
            yield f"{path.relative_to(folder).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


BY_EXERCISE = {function.__name__: function for function in (cards, mistakes, questions, mutants)}
WHOLE: dict[str, Callable[[Path], Texts]] = {"class": a_class, "made": made}


def of_exercise(part: str, info: ExerciseInfo, into: Path, sample: int | None) -> str:
    torch.set_num_threads(1)
    write(into / part / info.stem / info.symbol, BY_EXERCISE[part](info, sample))
    return f"{part} of {info.symbol}"


def write(folder: Path, texts: Texts) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts:
        (folder / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    parts = [*BY_EXERCISE, *WHOLE]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("into", type=Path, metavar="INTO", help="a folder that is not there yet")
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *parts], help=f"of {', '.join(parts)}")
    parser.add_argument("--sample", type=int, metavar="K")
    given = parser.parse_args()
    if given.into.exists():
        raise SystemExit(f"{given.into} is there already: what was said before would stay in it.")
    wanted = given.parts or parts
    context = multiprocessing.get_context("fork")
    with throwaway_state(), concurrent.futures.ProcessPoolExecutor(processors(), mp_context=context) as pool:
        working = [
            pool.submit(of_exercise, part, info, given.into.resolve(), given.sample)
            for part in wanted
            if part in BY_EXERCISE
            for info in all_exercises()
        ]
        for number, one in enumerate(concurrent.futures.as_completed(working), start=1):
            print(f"{number} of {len(working)}: {one.result()}", flush=True)
    for part in wanted:
        if part in WHOLE:
            with tempfile.TemporaryDirectory() as folder:
                write(given.into / part, WHOLE[part](Path(folder)))
            print(part, flush=True)


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    main()
