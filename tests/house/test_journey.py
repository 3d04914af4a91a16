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

from author.dependencies import digest, mistakes_of
from author.proved import record, to_leave_out
from author.unproved import modules_of
from tests.house.chapter import EVERYTHING, Chapter
from tests.house.journey import SECONDS_PER_CELL, code_cells, error_of, kinds, opened, wrong_answer
from utils.course import ROOT, doable, exercises, stems
from utils.course.cells import defines
from utils.learner.collecting import gather, save
from utils.learner.keeping import kept_path
from utils.learner.progress import record_pass
from utils.own_gpt.writing import write_package


@pytest.mark.parametrize("one", EVERYTHING, ids=[one.symbol for one in EVERYTHING])
def test_there_is_a_mistake_to_make_in_every_exercise(one):
    assert defines(wrong_answer(one).source, one.symbol)


@pytest.mark.journey
def test_a_learner_goes_the_whole_way(tmp_path, monkeypatch, request):
    shutil.copytree(ROOT / "chapters", tmp_path / "chapters")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    digests = {way_through(stem): digest_of(stem) for stem in stems()}
    passed_by = to_leave_out(digests) if request.config.getoption("unproved", False) else set()
    all_of_them = f"of {len(EVERYTHING)} exercises"
    problems = start_page(tmp_path, f"0 {all_of_them}", f'Next: <a href="{stems()[0]}.ipynb">')
    for stem in stems():
        began, name = time.monotonic(), way_through(stem)
        if name in passed_by:
            solve_unseen(stem)
        elif met := Chapter(stem, tmp_path).solved():
            problems += met
            record({}, failed=[name])
        else:
            record({name: digests[name]}, seconds={name: time.monotonic() - began})
    problems += start_page(tmp_path, f"{len(EVERYTHING)} {all_of_them}", "Every exercise has passed.")
    if "ch08_sampling" in stems():
        problems += finale(tmp_path)
    assert not problems, "\n".join(problems)


def way_through(stem: str) -> str:
    return f"a learner's way through {stem}"


def digest_of(stem: str) -> str:
    """Of a chapter's cells, what its solution shows, the mistakes, the modules of all, and of what goes through."""
    given = [cell.source for cell in code_cells(ROOT / "chapters" / f"{stem}.ipynb")]
    solved = [f"{cell.source}\n{sorted(kinds(cell))}" for cell in code_cells(ROOT / "solutions" / f"{stem}.ipynb")]
    mistakes = [name for one in exercises(stem) for name in mistakes_of(one)]
    wrong = [wrong_answer(one).source for one in doable(exercises(stem))]
    return digest([*modules_of(stem), *mistakes, Chapter.__module__], texts=[*given, *solved, *wrong])


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
