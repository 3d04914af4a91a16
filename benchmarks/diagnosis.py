"""What a card says of wrong answers as learners write them: `python benchmarks/diagnosis.py [--cards] [--symbol NAME]`.

Each cell of benchmarks/wrong_answers/<stem>.py is one wrong answer: `# %% Symbol: what the learner did`, then a line
`# right: name` for each misconception that is a true cause of it, then the learner's cell. It is run in the namespace
of the chapter's stub notebook in which all that stands before the exercise has been written, judged, and searched for a
repair. Every answer is in one of these columns:

named     the card names a misconception that stands under `# right:`
misled    the card names another one
repaired  none is named, and one change is found with which every check passes
neither   the rest

`told` is named or repaired; `advised` counts the cards that give an advice without naming a misconception, repaired or
not. The seconds are those of the search, where there was one. `--cards` prints each card with its title and its repair.
"""

import argparse
import contextlib
import functools
import importlib
import io
import linecache
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import torch

from utils.authoring.colab import TAG as COLAB
from utils.authoring.source import NOTEBOOK_ONLY
from utils.checking import Exercise, Verdict
from utils.course import ROOT, exercises, throwaway_state
from utils.repairing import Repair, find_repair

ANSWERS = ROOT / "benchmarks" / "wrong_answers"
RIGHT = "# right: "
COLUMNS = ("named", "repaired", "told", "neither", "misled", "advised")


@dataclass(frozen=True)
class WrongAnswer:
    """One cell of a file of wrong answers."""

    symbol: str
    title: str  # what the learner did
    causes: tuple[str, ...]  # the misconceptions that are it
    cell: str


@dataclass(frozen=True)
class Diagnosis:
    """What was said of one answer."""

    answer: WrongAnswer
    verdict: Verdict
    repair: Repair | None
    seconds: float | None  # of the search; None where there was none

    @property
    def columns(self) -> list[str]:
        """Where it is counted."""
        failure = self.verdict.failure
        assert failure
        if failure.misconception:
            return ["named", "told"] if failure.misconception in self.answer.causes else ["misled"]
        advised = ["advised"] if failure.advice else []
        return [*(["repaired", "told"] if self.repair else ["neither"]), *advised]


def wrong_answers(path: Path) -> Iterator[WrongAnswer]:
    """The cells of a file, in order."""
    for text in re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = text.splitlines()
        symbol, _, title = head.partition(": ")
        causes = []
        while lines and lines[0].startswith(RIGHT):
            causes.append(lines.pop(0).removeprefix(RIGHT))
        yield WrongAnswer(symbol, title, tuple(causes), "\n".join(lines).strip() + "\n")


def namespace_at(stem: str, symbol: str) -> dict[str, Any]:
    """What the chapter's notebook defines when a learner comes to this exercise: stubs, but for what stands before."""
    namespace: dict[str, Any] = {"__name__": "__main__", "torch": torch}  # which all notebooks import
    for folder in ("chapters", "solutions"):
        for number, source in enumerate(_cells(folder, stem)):
            if folder == "solutions" and re.search(rf"^(?:def|class) {symbol}\b", source, re.MULTILINE):
                break
            run_as_a_cell(source, f"{folder}{number}", namespace)
    return namespace


def _cells(folder: str, stem: str) -> Iterator[str]:
    for cell in nbformat.read(ROOT / folder / f"{stem}.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and not {NOTEBOOK_ONLY, COLAB} & set(cell.metadata.get("tags", ())):
            yield cell.source


def run_as_a_cell(source: str, number: int | str, namespace: dict[str, Any]) -> None:
    """Run it as a kernel does: under a file name that is in nobody's folder, with lines that tracebacks can show."""
    filename = f"/tmp/ipykernel_0/{number}.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, filename, "exec"), namespace)


def diagnose(exercise: Exercise, answer: WrongAnswer, number: int, before: dict[str, Any]) -> Diagnosis:
    """Judge an answer and look for its repair, as a notebook does."""
    namespace = dict(before)
    run_as_a_cell(answer.cell, number, namespace)
    verdict = exercise.judge(namespace[answer.symbol])
    if verdict.status != "failed":
        raise SystemExit(f"{answer.symbol}, {answer.title!r}, is judged {verdict.status!r}: it is no wrong answer.")
    assert verdict.failure
    if verdict.failure.misconception:
        return Diagnosis(answer, verdict, None, None)
    started = time.perf_counter()
    repair = find_repair(exercise, verdict, answer.cell, namespace)
    return Diagnosis(answer, verdict, repair, time.perf_counter() - started)


def diagnoses(stem: str, symbol: str | None) -> Iterator[Diagnosis]:
    """Every answer of a chapter, judged; or those to one exercise."""
    tests = importlib.import_module(f"tests.{stem}")
    before = functools.cache(functools.partial(namespace_at, stem))
    known = {one.symbol: getattr(tests, one.test).exercise for one in exercises(stem)}
    for number, answer in enumerate(wrong_answers(ANSWERS / f"{stem}.py")):
        if symbol in (None, answer.symbol):
            names = {misconception.name for misconception in known[answer.symbol].misconceptions}
            for cause in answer.causes:
                if cause not in names:
                    print(f"{stem}, {answer.symbol}, {answer.title!r}: no misconception is called {cause!r} any more")
            yield diagnose(known[answer.symbol], answer, number, before(answer.symbol))


def card(one: Diagnosis) -> str:
    """The title, what the card says, and all that the folds of a repair hold."""
    lines = [f"--- {one.answer.symbol}: {one.answer.title}", f"[{', '.join(one.columns)}]"]
    lines += [f"right: {cause}" for cause in one.answer.causes]
    lines.append(str(one.verdict))
    if repair := one.repair:
        where = f"{repair.places} places, from line" if repair.places > 1 else "line"
        lines.append(f"  repair, {where} {repair.line}: {repair.source}\n    {repair.words}")
        hidden = "   (not shown: most of the solution)" * repair.whole
        lines.append(f"    {repair.before!r} → {repair.after!r}{hidden}")
    return "\n".join(lines)


def row(name: str, some: list[Diagnosis]) -> str:
    """One line of the table."""
    counts = Counter(column for one in some for column in one.columns)
    shares = (f"{counts[column]:4} {100 * counts[column] / len(some):3.0f} %" for column in COLUMNS)
    return f"{name:12}{len(some):7}  " + "".join(f"{share:>12}" for share in shares) + "   " + _seconds(some)


def _seconds(some: list[Diagnosis]) -> str:
    times = [one.seconds for one in some if one.seconds is not None]
    if len(times) < 2:
        return ""
    most = statistics.quantiles(times, n=20, method="inclusive")[-1]
    return f"{statistics.median(times):7.2f}{most:7.2f}{max(times):7.2f}"


def main() -> None:
    """Print the cards if they are wanted, and the table."""
    parser = argparse.ArgumentParser(description="What the cards say of wrong answers.")
    parser.add_argument("--cards", action="store_true", help="print every card with its title and its repair")
    parser.add_argument("--symbol", help="one exercise alone, such as LayerNorm")
    wanted = parser.parse_args()
    found: list[Diagnosis] = []
    with throwaway_state():
        for stem in sorted(path.stem for path in ANSWERS.glob("ch*.py")):
            for one in diagnoses(stem, wanted.symbol):
                found.append(one)
                if wanted.cards:
                    print(card(one), end="\n\n")
    if not found:
        raise SystemExit(f"There is no wrong answer to {wanted.symbol!r} in {ANSWERS}.")
    columns = "".join(f"{column:>12}" for column in COLUMNS)
    print(f"{'':12}{'answers':>7}  {columns}   search s: median, 95 %, largest")
    for symbol in dict.fromkeys(one.answer.symbol for one in found):
        print(row(symbol, [one for one in found if one.answer.symbol == symbol]))
    if not wanted.symbol:
        print(row("all", found))


if __name__ == "__main__":
    main()
