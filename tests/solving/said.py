"""What is said of every known answer to the exercises of plain Python: the same file runs in any Python, as Pyodide's.

    python tests/solving/said.py SAID.json [MORE.json]

SAID.json gets a card's words and HTML for each answer, by its name. MORE.json has further answers, from `more` in
tests/solving/answers.py: by the name of a test, the cells of the notebook before its exercise, and by a title that of
the learner.
"""

import contextlib
import importlib
import io
import json
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge import CheckFailed, Exercise, Verdict
from judge.repairing import find_repair
from utils.learner.cards import as_folds, as_html

STEMS = ("ch00_tokens", "ch10_cost")
NEEDING_A_LIBRARY = ("by_the_library", "pieces_in_an_array_of_objects", "TensorOfIds", "PlainTensor")


def tests_of(stem: str) -> dict[str, Any]:
    """The test functions of a chapter by their names."""
    module = importlib.import_module(f"tests.{stem}")
    return {name: test for name, test in vars(module).items() if hasattr(test, "exercise")}


def said(more: dict[str, Any]) -> dict[str, str]:
    """The card of each answer."""
    return {
        f"{name}: {answer}": card
        for stem in STEMS
        for name, test in tests_of(stem).items()
        for answer, card in _cards(stem, test, more.get(name))
    }


def _cards(stem: str, test: Any, more: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    exercise: Exercise = test.exercise
    yield "the solution", _printed(test, getattr(importlib.import_module(f"solutions.{stem}"), exercise.symbol))
    named = [(f"variant {one.name}", one.component) for one in exercise.variants]
    of_a_name: dict[str, int] = {}
    for mistake in exercise.misconceptions:
        number = of_a_name[mistake.name] = of_a_name.get(mistake.name, 0) + 1
        named.append((f"{mistake.name}, form {number}", mistake.component))
    for name, component in named:
        if getattr(component, "__name__", "") not in NEEDING_A_LIBRARY:
            yield name, shown(exercise.judge(component))
    if more:
        before: dict[str, Any] = {"__name__": "__main__"}
        for number, cell in enumerate(more["before"]):
            run_as_a_cell(cell, f"before {number}", before)
        for number, (title, cell) in enumerate(more["answers"].items()):
            yield title, _card_of_a_cell(exercise, dict(before), cell, number)


def _printed(test: Any, component: Any) -> str:
    """The card of the test function itself, as a terminal shows it."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            test(component)
        except CheckFailed as failed:
            return str(failed)
    return printed.getvalue()


def _card_of_a_cell(exercise: Exercise, namespace: dict[str, Any], cell: str, number: int) -> str:
    run_as_a_cell(cell, number, namespace)
    verdict = exercise.judge(namespace[exercise.symbol])
    repair = find_repair(exercise, verdict, cell, namespace)
    return shown(verdict) + (as_folds(repair) if repair else "")


def run_as_a_cell(source: str, number: int | str, namespace: dict[str, Any]) -> None:
    """Run it as a kernel does: under a file name in nobody's folder, with lines that tracebacks can show."""
    filename = f"/tmp/ipykernel_0/{number}.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, filename, "exec"), namespace)


def shown(verdict: Verdict) -> str:
    """A verdict as text and as HTML, one tag a line."""
    return f"{verdict}\n{as_html(verdict)}".replace("><", ">\n<")


if __name__ == "__main__":
    into, *files = map(Path, sys.argv[1:])
    more = {name: answers for file in files for name, answers in json.loads(file.read_text()).items()}
    into.write_text(json.dumps(said(more), indent=1))
