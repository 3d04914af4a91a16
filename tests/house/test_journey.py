"""The whole course as one path: a learner's folder, the real notebooks in order, in real kernels, solved.

Each exercise is met as a stub, answered wrongly, then rightly. Every other cell is run once, and none is left out; one
that judges a step or a mended bug is run before and after. With `--unproved` a chapter is passed by that was gone
through with the same files before, but for a sample: its right answers alone are kept, as if somebody had solved it.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbformat import NotebookNode

from tests.house.journey import SECONDS_PER_CELL, Reader, code_cells, error_of, kinds, opened, shown, wrong_answer
from utils.authoring.dependencies import digest
from utils.authoring.executing import UNCHECKED
from utils.authoring.proved import record, to_leave_out
from utils.authoring.unproved import modules_of
from utils.course import ROOT, ExerciseInfo, doable, exercises, next_exercise, stems
from utils.course.cells import calls, defines
from utils.learner.collecting import gather, save
from utils.learner.keeping import kept_path
from utils.learner.progress import passed, record_pass
from utils.own_gpt.writing import write_package

EVERYTHING = doable(one for stem in stems() for one in exercises(stem))  # what needs no package that is missing here


@pytest.mark.parametrize("one", EVERYTHING, ids=[one.symbol for one in EVERYTHING])
def test_there_is_a_mistake_to_make_in_every_exercise(one):
    solution = code_cells(ROOT / "solutions" / f"{one.stem}.ipynb")
    assert wrong_answer(one, next(cell.source for cell in solution if defines(cell.source, one.symbol)))


@pytest.mark.journey
def test_a_learner_goes_the_whole_way(tmp_path, monkeypatch, request):
    shutil.copytree(ROOT / "chapters", tmp_path / "chapters")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    digests = {way_through(stem): digest_of(stem) for stem in stems()}
    passed_by = to_leave_out(digests) if request.config.getoption("unproved", False) else set()
    times, all_of_them = {}, f"of {len(EVERYTHING)} exercises"
    problems = start_page(tmp_path, f"0 {all_of_them}", f'Next: <a href="{stems()[0]}.ipynb">')
    for stem in stems():
        began, name = time.monotonic(), way_through(stem)
        if name in passed_by:
            solve_unseen(stem)
        elif met := Chapter(stem, tmp_path).solved():
            problems += met
            record({}, failed=[name])
        else:
            record({name: digests[name]})
        times[stem] = f"{time.monotonic() - began:.0f} s"
    problems += start_page(tmp_path, f"{len(EVERYTHING)} {all_of_them}", "Every exercise has passed.")
    if "ch08_sampling" in stems():
        problems += finale(tmp_path)
    print(times)
    assert not problems, "\n".join(problems)


def way_through(stem: str) -> str:
    return f"a learner's way through {stem}"


def digest_of(stem: str) -> str:
    """Of all cells of a chapter, of what its solution shows, of their modules and of what goes through it."""
    given = [cell.source for cell in code_cells(ROOT / "chapters" / f"{stem}.ipynb")]
    solved = [f"{cell.source}\n{sorted(kinds(cell))}" for cell in code_cells(ROOT / "solutions" / f"{stem}.ipynb")]
    mistakes = [f"tests.misconceptions.{stem}.{one.test.removeprefix('test_')}" for one in exercises(stem)]
    return digest([*modules_of(stem), *mistakes, __name__], texts=[*given, *solved])


def solve_unseen(stem: str) -> None:
    """Keep the right answers to a chapter, without opening it."""
    cells = [cell.source for cell in code_cells(ROOT / "solutions" / f"{stem}.ipynb")]
    for one in doable(exercises(stem)):
        save(gather(one.symbol, cells), kept_path(one))
        record_pass(stem, one.symbol)
    write_package()


def start_page(folder: Path, *told: str) -> list[str]:
    """What the start page fails to say, or stops with."""
    (cell,) = code_cells(folder / "chapters" / "START.ipynb")
    with opened(folder) as reader:
        ran = reader.run(cell)
    page = "".join(out.get("data", {}).get("text/html", "") for out in ran.outputs)
    missing = [f"the start page does not say {words!r}: {page[:300]}" for words in told if words not in page]
    return [f"the start page stops with {error_of(ran)}"] if error_of(ran) else missing


def finale(folder: Path) -> list[str]:
    """The learner's own package, alone in another folder: what is wrong with the story that it tells."""
    shutil.copytree(folder / "my_gpt", folder / "elsewhere" / "my_gpt")
    command = [sys.executable, "-m", "my_gpt", "Once upon a time", "--tokens", "60", "--seed", "2"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("COURSE", "PYTHON"))}
    told = subprocess.run(
        command, cwd=folder / "elsewhere", env=alone, capture_output=True, encoding="utf-8", timeout=SECONDS_PER_CELL
    )
    print(told.stdout)
    story = told.returncode == 0 and told.stdout.startswith("Once upon a time") and len(told.stdout) > 120
    problems = [] if story else [f"python -m my_gpt tells {told.stdout!r} and says {told.stderr!r}"]
    page = (folder / "my_gpt" / "README.md").read_text(encoding="utf-8")
    borrowed = [line for line in page.splitlines() if line.startswith("| [") and "**yours**" not in line]
    return problems + [f"my_gpt/README.md does not call it theirs: {line}" for line in borrowed]


class Chapter:
    """One chapter, from its first cell to its last; what is not as promised is noted, and the learner goes on."""

    def __init__(self, stem: str, folder: Path):
        self.stem, self.folder = stem, folder
        self.given = code_cells(folder / "chapters" / f"{stem}.ipynb")
        self.solutions = {cell.id: cell for cell in code_cells(ROOT / "solutions" / f"{stem}.ipynb")}
        self.open = {one.symbol: one for one in doable(exercises(stem))}
        self.problems: list[str] = []

    def solved(self) -> list[str]:
        """Run everything, answer everything; returns what went wrong, in a sentence each."""
        with opened(self.folder) as reader:
            rest = iter(self.given)
            for cell in rest:
                solution = self.solutions[cell.id]
                one = next((one for one in self.open.values() if defines(cell.source, one.symbol)), None)
                if cell.source == solution.source:
                    self._is_like(solution, reader.run(cell))
                elif one:
                    self._exercise(reader, self.open.pop(one.symbol), cell, solution, next(rest))
                else:
                    self._smaller_task(reader, cell, solution, next(rest))
        self.problems += [f"{self.stem}: {symbol} is not among the cells" for symbol in self.open]
        return self.problems

    def _exercise(
        self, reader: Reader, one: ExerciseInfo, cell: NotebookNode, solution: NotebookNode, test: NotebookNode
    ) -> None:
        """The stub, a misconception, the solution: what each card says, and what a pass leaves behind."""
        if not calls(test.source, one.test, one.symbol):
            self._note(test, f"comes after the cell of {one.symbol}, and does not test it")
        before = passed()
        self._card(reader, cell, test, cell.source, f"○ {one.symbol}: not yet")
        wrong = wrong_answer(one, solution.source)
        self._card(reader, cell, test, wrong.source, f"✘ {one.symbol}", wrong.said)
        kept = kept_path(one)
        if passed() != before or kept.exists():
            self._note(test, "counts or keeps what has not passed")
        counted = f" {len(before) + 1} of {len(EVERYTHING)} exercises"
        told = (f"✔ {one.symbol}", counted, f"Kept as `my_gpt/{kept.name}`.", _next_words(one))
        self._card(reader, cell, test, solution.source, *told)
        if passed() != before | {(one.stem, one.symbol)} or not kept.exists():
            self._note(test, "does not count or keep what has passed")
        elif not defines(kept.read_text(encoding="utf-8"), one.symbol):
            self._note(test, f"keeps what does not define it:\n{kept.read_text(encoding='utf-8')}")

    def _card(self, reader: Reader, cell: NotebookNode, test: NotebookNode, source: str, *told: str) -> None:
        if error := error_of(reader.run(cell, source)):
            self._note(cell, f"stops with {error}\n{source}")
        ran = reader.run(test)
        card = shown(ran)
        if bool(error_of(ran)) == told[0].startswith("✔") or "text/html" not in kinds(ran):
            self._note(
                test, f"should show the card {told[0]!r}; it shows {sorted(kinds(ran))}, {error_of(ran)}\n{card}"
            )
        for words in told:
            if words not in card:
                self._note(test, f"should say {words!r}; it says\n{card}\nof\n{source}")

    def _smaller_task(self, reader: Reader, cell: NotebookNode, solution: NotebookNode, check: NotebookNode) -> None:
        """A step on the way, or a bug to mend: the cell after it must tell what is given from what is right."""
        found = []
        for source in (cell.source, solution.source):
            if error := error_of(reader.run(cell, source)):
                self._note(cell, f"stops with {error}\n{source}")
            ran = reader.run(check)
            found.append((shown(ran), error_of(ran)))
        if found[0] == found[1]:
            self._note(check, f"says the same before and after {cell.id} is solved:\n{found[0][0]}")
        self._is_like(self.solutions[check.id], ran)

    def _is_like(self, solution: NotebookNode, ran: NotebookNode) -> None:
        """A given cell runs, and shows what it shows in the stored solution: text for text, a figure for a figure."""
        if error := error_of(ran):
            self._note(solution, f"stops with {error}\n{solution.source}")
        elif (missing := kinds(solution) - kinds(ran)) and UNCHECKED not in solution.metadata.get("tags", ()):
            self._note(solution, f"shows {sorted(kinds(ran))}, and not {sorted(missing)} as the solution does")

    def _note(self, cell: NotebookNode, problem: str) -> None:
        self.problems.append(f"{self.stem}, {cell.id}: {problem}")


def _next_words(one: ExerciseInfo) -> str:
    """What the card must say comes next, for one who leaves nothing out."""
    following = next_exercise(one.stem, one.symbol)
    if following is None:
        return "That was the last exercise."
    elsewhere = f" in chapters/{following.stem}.ipynb" if following.stem != one.stem else ""
    return f"`{following.symbol}`{elsewhere or ', further down'}."
