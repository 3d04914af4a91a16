"""What a card says of wrong answers as learners write them: `python benchmarks/diagnosis.py [SYMBOL ...]`.

Each answer of benchmarks/wrong_answers/<stem>/<exercise>.py, which benchmarks/answers.py reads, is run in the namespace
of the chapter's stub notebook in which all that stands before the exercise has been written, judged, and searched for a
repair. Every answer is in one of these columns:

named     the card names a misconception that stands under `# right:`
misled    the card names another one
repaired  none is named, and one change is found with which every check passes
neither   the rest

Of those that are repaired, `refuted` are those whose change, put into the cell, leaves it wrong: fifty questions that
neither the test nor the search has asked are answered otherwise than by the reference. A change that is told in words
is not put in. `told` is named or repaired; `advised` counts the cards that give an advice
without naming a misconception, repaired or not. The seconds are those of a card as a whole, the verdict, its cause and
the search for a repair: of work, that of children too, however busy the machine is. A process that has judged an
exercise before knows the answers of its misconceptions, as a notebook does from its second failure on. `--cards` prints
each card with its title and its repair. The answers are dealt out over the processors. With `--into` what was
said of each is kept as a file, and what is there already is not asked again: delete the folder after a change of the
course.

With `--load 2 --sample 40` that many answers, taken from all over, are diagnosed one after another, and then again with
two busy loops beside it: no card may differ.
"""

import argparse
import ast
import concurrent.futures
import contextlib
import functools
import importlib
import io
import json
import linecache
import multiprocessing
import os
import re
import statistics
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from answers import WrongAnswer, wrong_answers
from under_load import busy, told

from author.notebooks import TAG as COLAB
from author.source import NOTEBOOK_ONLY
from judge.checking import Exercise, Verdict
from judge.checking.verdict import Failure
from judge.repairing import Repair, find_repair
from judge.repairing.fresh import stands
from judge.running.children import processors
from judge.running.wire import digest
from utils.course import ROOT, ExerciseInfo, exercises, stems, throwaway_state
from utils.course.cells import cells_of

ANSWERS = ROOT / "benchmarks" / "wrong_answers"
COLUMNS = ("named", "repaired", "refuted", "told", "neither", "misled", "advised")
UNASKED = 7_000  # added to the seed for questions that the search has not asked


@dataclass(frozen=True)
class Diagnosis:
    """What was said of one answer."""

    symbol: str
    columns: list[str]  # where it is counted
    seconds: float  # of work for the card
    card: str


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
    for cell in cells_of(ROOT / folder / f"{stem}.ipynb"):
        if cell["cell_type"] == "code" and not {NOTEBOOK_ONLY, COLAB} & set(cell["metadata"].get("tags", ())):
            yield cell["source"]


def run_as_a_cell(source: str, number: int | str, namespace: dict[str, Any]) -> None:
    """Run it as a kernel does: under a file name that is in nobody's folder, with lines that tracebacks can show."""
    filename = f"/tmp/ipykernel_0/{number}.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, filename, "exec"), namespace)


@functools.cache
def asked_of(info: ExerciseInfo) -> tuple[Exercise, dict[str, Any], list[WrongAnswer]]:
    """The exercise, the namespace in which its answers are run, and these."""
    test = getattr(importlib.import_module(f"tests.{info.stem}"), info.test)
    file = ANSWERS / info.stem / f"{info.test.removeprefix('test_')}.py"
    return test.exercise, namespace_at(info.stem, info.symbol), list(wrong_answers(file))


def judged(info: ExerciseInfo, number: int) -> tuple[WrongAnswer, Verdict, Repair | None, float]:
    """Judge an answer and look for its repair, as a notebook does; last the seconds of work that both took."""
    exercise, before, answers = asked_of(info)
    answer, namespace = answers[number], dict(before)
    run_as_a_cell(answer.cell, number, namespace)
    started = worked()
    verdict = exercise.judge(namespace[answer.symbol])
    if verdict.status != "failed" or verdict.failure is None:
        raise SystemExit(f"{answer.symbol}, {answer.title!r}, is judged {verdict.status!r}: it is no wrong answer.")
    repair = find_repair(exercise, verdict, answer.cell, namespace)
    return answer, verdict, repair, worked() - started


def diagnose(info: ExerciseInfo, number: int) -> Diagnosis:
    """What is said of an answer, and in which columns it is counted."""
    answer, verdict, repair, seconds = judged(info, number)
    exercise, before, _ = asked_of(info)
    assert verdict.failure
    columns = columns_of(answer, verdict.failure, repair)
    if repair and is_refuted(exercise, verdict, before, mended(answer.cell, repair)):
        columns.append("refuted")
    return Diagnosis(answer.symbol, columns, seconds, card(answer, columns, verdict, repair))


def worked() -> float:
    """Seconds of work of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def columns_of(answer: WrongAnswer, failure: Failure, repair: Repair | None) -> list[str]:
    """Where the answer is counted."""
    if failure.misconception:
        return ["named", "told"] if failure.misconception in answer.causes else ["misled"]
    repaired = ["repaired", "told"] if repair else ["neither"]
    return repaired + ["advised"] * bool(failure.advice)


def mended(cell: str, repair: Repair) -> str | None:
    """The cell with the change that the folds show; None where it can't be put in."""
    lines = cell.splitlines()
    line = lines[repair.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    if not repair.before:
        lines[repair.line - 1] = f"{line}\n{textwrap.indent(repair.after, indent)}"
    elif line.count(repair.before) == 1 and repair.places == 1:
        lines[repair.line - 1] = line.replace(repair.before, repair.after or "pass")
    else:
        return None
    return "\n".join(lines)


def is_refuted(exercise: Exercise, verdict: Verdict, before: dict[str, Any], cell: str | None) -> bool:
    """Whether the mended cell answers a question otherwise than the reference; False where it is no Python."""
    assert verdict.failure and verdict.failure.question
    namespace = dict(before)
    try:
        run_as_a_cell(cell or "", "mended", namespace)
    except SyntaxError:
        return False
    code = ast.parse(cell or "")
    component = namespace.get(exercise.symbol) if cell else None
    seed = verdict.seed + UNASKED
    return component is not None and not stands(exercise, component, verdict.failure.question, code, seed)


def card(answer: WrongAnswer, columns: list[str], verdict: Verdict, repair: Repair | None) -> str:
    """The title, what the card says, and all that the folds of a repair hold."""
    lines = [f"--- {answer.symbol}: {answer.title}", f"[{', '.join(columns)}]"]
    lines += [f"right: {cause}" for cause in answer.causes]
    lines.append(str(verdict))
    if repair:
        where = f"{repair.places} places, from line" if repair.places > 1 else "line"
        lines.append(f"  repair, {where} {repair.line}: {repair.source}\n    {repair.words}")
        hidden = "   (not shown: most of the solution)" * repair.whole
        lines.append(f"    {repair.before!r} → {repair.after!r}{hidden}")
    return "\n".join(lines)


def tell_of_lost_causes(info: ExerciseInfo) -> None:
    """Print which misconceptions that answers name are not there any more."""
    exercise, _, answers = asked_of(info)
    names = {misconception.name for misconception in exercise.misconceptions}
    for answer in answers:
        for cause in answer.causes:
            if cause not in names:
                print(f"{info.stem}, {info.symbol}, {answer.title!r}: no misconception is called {cause!r} any more")


def file_of(info: ExerciseInfo, number: int, into: Path) -> Path:
    """Where what is said of an answer is kept; another file once the answer is another."""
    answer = asked_of(info)[2][number]
    return into / info.stem / info.symbol / f"{number:03}-{digest(answer.cell)[:8]}.json"


def keep(info: ExerciseInfo, number: int, file: Path) -> None:
    """Diagnose an answer, and write down what was said."""
    torch.set_num_threads(1)
    said = diagnose(info, number)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(asdict(said), ensure_ascii=False, indent=1), encoding="utf-8")


def diagnoses(
    wanted: list[ExerciseInfo], into: Path, sample: int | None = None, workers: int | None = None, words: str = ""
) -> list[Diagnosis]:
    """What is said of every answer to these exercises, or of so many, in order; asked where no file says it yet.

    With `words` only of those that have these in their titles.
    """
    files: dict[Path, tuple[ExerciseInfo, int]] = {}
    for info in wanted:
        tell_of_lost_causes(info)
        files |= {
            file_of(info, number, into): (info, number)
            for number, one in enumerate(asked_of(info)[2])
            if words in one.title
        }
    if sample:
        files = dict(list(files.items())[:: max(1, len(files) // sample)][:sample])
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(workers or processors(), mp_context=context) as pool:
        working = [pool.submit(keep, *files[file], file) for file in files if not file.exists()]
        for one in concurrent.futures.as_completed(working):
            one.result()
    return [Diagnosis(**json.loads(file.read_text(encoding="utf-8"))) for file in files]


def compared(wanted: list[ExerciseInfo], into: Path, sample: int | None, loops: int) -> str:
    """Which cards are others with so many busy loops beside the diagnosis."""
    idle = diagnoses(wanted, into / "idle", sample, workers=1)
    with busy(loops):
        loaded = diagnoses(wanted, into / "busy", sample, workers=1)
    longest = f"the longest card took {max(one.seconds for one in (*idle, *loaded)):.1f} s"
    return f"{told([one.card for one in idle], [one.card for one in loaded], loops)}; {longest}"


def row(name: str, some: list[Diagnosis]) -> str:
    """One line of the table."""
    counts = Counter(column for one in some for column in one.columns)
    shares = (f"{counts[column]:4} {100 * counts[column] / len(some):3.0f} %" for column in COLUMNS)
    return f"{name:12}{len(some):7}  " + "".join(f"{share:>12}" for share in shares) + "   " + _seconds(some)


def _seconds(some: list[Diagnosis]) -> str:
    times = [one.seconds for one in some]
    if len(times) < 2:
        return ""
    most = statistics.quantiles(times, n=20, method="inclusive")[-1]
    return f"{statistics.median(times):7.2f}{most:7.2f}{max(times):7.2f}"


def main() -> None:
    """Print the cards if they are wanted, and the table."""
    parser = argparse.ArgumentParser(description="What the cards say of wrong answers.")
    parser.add_argument("--cards", action="store_true", help="print every card with its title and its repair")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="keep what is said there, and go on where it ended")
    parser.add_argument("--sample", type=int, metavar="K", help="so many answers, taken from all over")
    parser.add_argument("--titled", default="", metavar="WORDS", help="only those with these words in their titles")
    parser.add_argument("--load", type=int, metavar="N", help="tell which cards N busy loops beside it change")
    parser.add_argument("symbols", nargs="*", metavar="SYMBOL", help="these exercises alone, such as LayerNorm")
    given = parser.parse_args()
    every = [info for stem in stems() for info in exercises(stem)]
    wanted = [info for info in every if not given.symbols or info.symbol in given.symbols]
    if unknown := set(given.symbols) - {info.symbol for info in wanted}:
        raise SystemExit(f"There is no exercise {', '.join(sorted(unknown))}.")
    torch.set_num_threads(1)
    with throwaway_state(), tempfile.TemporaryDirectory() as thrown_away:
        if given.load:
            print(compared(wanted, Path(thrown_away), given.sample, given.load))
            return
        found = diagnoses(wanted, given.into or Path(thrown_away), given.sample, words=given.titled)
    if given.cards:
        print("".join(f"{one.card}\n\n" for one in found))
    columns = "".join(f"{column:>12}" for column in COLUMNS)
    print(f"{'':12}{'answers':>7}  {columns}   seconds: median, 95 %, largest")
    for symbol in dict.fromkeys(one.symbol for one in found):
        print(row(symbol, [one for one in found if one.symbol == symbol]))
    if len(wanted) > 1:
        print(row("all", found))


if __name__ == "__main__":
    main()
