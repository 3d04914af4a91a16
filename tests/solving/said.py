"""What is said of every known answer to the exercises of plain Python, and of Python's errors.

    python tests/solving/said.py ASKED.json SAID.json

ASKED.json has wrong answers, from `asked` in tests/solving/asked.py; SAID.json gets the card of each as text and HTML.
In Pyodide an answer goes the way that it goes in the page, by utils.solving.inside. In another Python it goes the way
that it goes in a notebook.
"""

import contextlib
import importlib
import io
import json
import linecache
import re
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge import Exercise
from judge.checking.diagnosis.translations import RULES, WITHOUT_TENSORS, translate
from judge.checking.diagnosis.translations.raised import Raised
from judge.checking.oracle import solution_of
from judge.repairing import find_repair
from judge.running.frames import own_frames
from judge.running.libraries import PYTHON
from judge.running.local import meant
from judge.running.records import LearnerError
from judge.running.sources import run_cell
from utils.learner.cards import as_folds, as_html

STEMS = ("ch00_tokens", "ch10_cost")
NEEDING_A_LIBRARY = ("pieces_in_an_array_of_objects", "TensorOfIds", "PlainTensor")  # NumPy, and torch
IN_THE_PAGE = sys.platform == "emscripten"
# How Rule.case of the translations says where code stands that is no code of NumPy's or JAX's
PLACE = re.compile(r"^(?:Plain|Python|init|Block|Block init|Embed|PosEmbed|LayerNorm): ")
FUNCTION = "def forward(residual, words, text, ids, cfg=None)"  # of the names that cases use
CALL = "forward([1.0, 2.0], ['a', 'b'], 'ab', [0, 1])"


def tests_of(stem: str) -> dict[str, Any]:
    """The test functions of a chapter by their names."""
    module = importlib.import_module(f"tests.{stem}")
    return {name: test for name, test in vars(module).items() if hasattr(test, "exercise")}


def said(asked: dict[str, Any]) -> dict[str, str]:
    """The card of each answer, and the advice on each error."""
    cards = {
        f"{name}: {answer}": card
        for stem in STEMS
        for name, test in tests_of(stem).items()
        for answer, card in _cards(stem, test.exercise, asked[name])
    }
    return cards | {f"error: {case}": str(advice_on(case)) for case in _cases()}


def _cards(stem: str, exercise: Exercise, asked: dict[str, Any]) -> Iterator[tuple[str, str]]:
    named = [("the solution", solution_of(exercise))]
    named += [(f"variant {one.name}", one.component) for one in exercise.variants]
    of_a_name: dict[str, int] = {}
    for mistake in exercise.misconceptions:
        number = of_a_name[mistake.name] = of_a_name.get(mistake.name, 0) + 1
        named.append((f"{mistake.name}, form {number}", mistake.component))
    for name, component in named:
        if getattr(component, "__name__", "") not in NEEDING_A_LIBRARY:
            verdict = exercise.judge(component)
            yield name, _shown(verdict, as_html(verdict))
    cards = _cards_in_the_page if IN_THE_PAGE else _cards_in_a_notebook
    yield from cards(stem, exercise, asked)


def _cards_in_the_page(stem: str, exercise: Exercise, asked: dict[str, Any]) -> Iterator[tuple[str, str]]:
    from utils.solving import inside

    for title, cell in (asked["answers"] | asked["mutants"]).items():
        answer = inside.judged(stem, exercise.symbol, cell, {})
        is_mended = answer.may_be_mended and title in asked["answers"]
        mended = inside.mended(stem, exercise.symbol, cell, {}) if is_mended else None
        yield title, _shown(answer.verdict, mended or answer.html, answer.printed)


def _cards_in_a_notebook(stem: str, exercise: Exercise, asked: dict[str, Any]) -> Iterator[tuple[str, str]]:
    before: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(asked["before"]):
        _run_as_a_cell(cell, f"before {number}", before)
    for number, (title, cell) in enumerate((asked["answers"] | asked["mutants"]).items()):
        names = dict(before)
        printed = _run_as_a_cell(cell, number, names)
        verdict = exercise.judge(names[exercise.symbol])
        repair = find_repair(exercise, verdict, cell, names) if title in asked["answers"] else None
        yield title, _shown(verdict, as_html(verdict, (), as_folds(repair) if repair else ""), printed)


def _run_as_a_cell(source: str, number: int | str, names: dict[str, Any]) -> str:
    """Run it as a kernel does: under a file name in nobody's folder, with lines that tracebacks can show."""
    filename = f"/tmp/ipykernel_0/{number}.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(printed):
        exec(compile(source, filename, "exec", dont_inherit=True), names)
    return printed.getvalue()


def _shown(verdict: Any, html: str, printed: str = "") -> str:
    """A verdict as text and as HTML, one tag a line, with what its cell printed."""
    return f"{verdict}\n{html}\n{printed}".replace("><", ">\n<")


def _cases() -> Iterator[str]:
    """The code of which the rules that translate errors say what it raises, where it needs nothing of the course."""
    for rule in (*WITHOUT_TENSORS, *RULES):
        for cases in (rule.case, rule.near):
            yield from (case for case in ([cases] if isinstance(cases, str) else cases) if "utils." not in case)


def advice_on(case: str) -> str | None:
    """On the error that code of plain Python raises; torch's code raises that it knows no torch."""
    code = PLACE.sub("", case, count=1)
    with contextlib.suppress(SyntaxError), warnings.catch_warnings(action="ignore"):
        compile(code, "", "eval")
        code = f"return {code}"
    if not code.startswith(("class ", "def ")):
        code = f"{FUNCTION}:\n{textwrap.indent(code, '    ')}\n{CALL}"
    try:
        with warnings.catch_warnings(action="ignore"), contextlib.redirect_stdout(io.StringIO()):
            run_cell(code, {"__name__": "__main__"})
    except Exception as error:
        frames = [frame for frame in own_frames(error) if frame.function != "<module>"]
        raised = LearnerError(type(error).__name__, str(error), frames, meant=meant(error))
        return translate(Raised(raised, library=PYTHON))
    return None


if __name__ == "__main__":
    given, into = map(Path, sys.argv[1:])
    into.write_text(json.dumps(said(json.loads(given.read_text("utf-8"))), indent=1), encoding="utf-8")
