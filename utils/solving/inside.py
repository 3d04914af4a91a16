"""Judges answers inside Pyodide, as a notebook would, and gives their cards as HTML."""

import ast
import contextlib
import json
import linecache
import os
import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import utils.gpt  # noqa: F401 - tells the judge which frames are the course's
from judge.checking import CheckFailed, Exercise
from judge.checking.reporting import use_reporter
from judge.checking.verdict import Verdict, place
from judge.running.frames import Looks, own_frames
from judge.running.hearing import Heard
from judge.running.limited import TooSlow, for_a_question, limited
from judge.running.sources import run_cell
from utils.config import Config
from utils.course import ROOT, exercises
from utils.course.cells import defines
from utils.course.lending import solutions_of
from utils.learner.cards import as_folds, as_html, as_note
from utils.solving.syntax import unreadable

MOST_PRINTED = 20_000  # characters, the last
OF_IPYTHON = re.compile(r"%%?[a-z]|!\w|\?\?? ?[\w.]+$|[\w.]+\?\??$")
NAMES_OF_IPYTHON = {"display", "get_ipython"}
A_PLACE = re.compile(r'(?:File ")?<[0-9a-f]{16}>(?::|", line )(\d+)')  # as warnings and tracebacks write it
ELSEWHERE = "This line is not Python: only a notebook runs it. Leave it out here."
os.environ.setdefault("COURSE_SECONDS", "5")  # for one question; the page ends an answer that takes longer in all


@dataclass
class Judged:
    """An answer that was judged; without a verdict where its cell does not even run."""

    status: str  # of the verdict: "passed", "failed", "not yet"; "error" without one
    html: str
    printed: str
    exercise: Exercise | None = None
    verdict: Verdict | None = None
    names: dict[str, Any] = field(default_factory=dict)

    @property
    def may_be_mended(self) -> bool:
        """Whether to look for one change with which it passes: most failures whose cause is named need none."""
        failure = self.verdict and self.verdict.failure
        return bool(failure and failure.question and not failure.not_yet and not failure.misconception)


class _Kept:
    """Keeps the verdict, which is shown later."""

    verdict: Verdict

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        self.verdict = verdict
        return True


def judged(stem: str, name: str, source: str, answers: Mapping[str, str]) -> Judged:
    """Run the answer below what its chapter gives, and what was answered before; and judge what it defines.

    `answers` has sources that passed, by the names of their exercises.
    """
    names = names_before(stem, name, answers)
    printed = Heard(MOST_PRINTED)
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        problem = _run(source, names)
    if not problem and name not in names:
        problem = as_note("failed", f"Your code does not define `{name}`.", _defined(source))
    if problem:
        return Judged("error", problem, _printed(printed))
    test = _test(stem, name)
    kept = _Kept()
    try:
        with use_reporter(kept), contextlib.suppress(CheckFailed):
            test(names[name])
    except Exception:  # the judge's own: what an answer raises is judged
        raise
    except BaseException as error:  # but for a KeyboardInterrupt, and what is no Exception either
        return Judged("error", _stopped_by(error), _printed(printed))
    verdict = kept.verdict
    return Judged(verdict.status, as_html(verdict), _printed(printed), test.exercise, verdict, names)


def _printed(heard: Heard) -> str:
    """What was printed, warnings included; of very much the last whole lines, and that this is not all."""
    text = heard.text()
    if heard.heard > MOST_PRINTED:
        text = f"… (earlier output is left out)\n{text.partition(chr(10))[2] or text}"
    return A_PLACE.sub(r"your cell, line \1", text)


def mended(stem: str, name: str, source: str, answers: Mapping[str, str]) -> str | None:
    """The card with the folds of a repair, where one change makes the answer pass."""
    from judge.repairing import find_repair  # takes a while to import, and no first card needs it

    answer = judged(stem, name, source, answers)
    if answer.exercise is None or answer.verdict is None:
        return None
    repair = find_repair(answer.exercise, answer.verdict, source, answer.names)
    return as_html(answer.verdict, (), as_folds(repair)) if repair else None


def as_json(stem: str, name: str, source: str, answers: str) -> str:
    """What the page is told of an answer; both are handed over as JSON."""
    answer = judged(stem, name, source, json.loads(answers))
    told = ("status", "html", "printed", "may_be_mended")
    return json.dumps({key: getattr(answer, key) for key in told})


def mended_html(stem: str, name: str, source: str, answers: str) -> str:
    """The card of `mended`, "" where there is none."""
    return mended(stem, name, source, json.loads(answers)) or ""


def asked(what: str, given: str, answers: str) -> str:
    """What answers that passed give, in JSON as the arguments are: {"given": …}, or {"wrong": …} where they break off.

    `what` names a question of ASKED, and `given` is what it takes besides the answers.
    """
    looks = Looks()
    try:
        result = limited(for_a_question(looks.look), lambda: ASKED[what](json.loads(answers), *json.loads(given)))
    except (Exception, TooSlow) as error:
        return json.dumps({"wrong": f"{type(error).__name__}: {error}"})
    finally:
        looks.forget()
    return json.dumps({"given": result})


def tokens_of(answers: Mapping[str, str], text: str) -> list[str]:
    """The tokens of a text by `bpe_encode` and the model's merges, written as in the model's vocabulary."""
    from utils.reference.byte_pairs import merges, printable

    bpe_encode = names_before("ch00_tokens", "", answers)["bpe_encode"]
    return [printable(token) for token in bpe_encode(text, merges())]


def counts_of(answers: Mapping[str, str], sizes: Mapping[str, int], n_tokens: int) -> dict[str, int]:
    """What chapter 10's counts say of a model of these sizes in float32: for n_tokens, and of the cache for n_ctx."""
    names, cfg = names_before("ch10_cost", "", answers), Config(**sizes)
    counts = {
        "count_parameters": lambda: names["count_parameters"](cfg),
        "kv_cache_bytes": lambda: names["kv_cache_bytes"](cfg, cfg.n_ctx, bytes_per_value=4),
        "forward_flops": lambda: names["forward_flops"](cfg, n_tokens),
    }
    return {name: count() for name, count in counts.items() if name in answers}


ASKED = {"tokens": tokens_of, "counts": counts_of}


def names_before(stem: str, name: str, answers: Mapping[str, str]) -> dict[str, Any]:
    """A notebook's names above an exercise; with `name` "" those at its end.

    They are what is given, and of other exercises the answers that passed, or the reference's.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    symbols = [exercise.symbol for exercise in exercises(stem)]
    for cell in given()[stem]:
        symbol = next((one for one in symbols if defines(cell, one)), None)
        if symbol == name:
            break
        if symbol is None:
            _run_given(cell, names)
        elif symbol not in answers or _run(answers[symbol], names):
            names[symbol] = getattr(solutions_of(stem), symbol)
    return names


@cache
def given() -> dict[str, list[str]]:
    """The cells that each chapter gives, stubs among them."""
    return json.loads((ROOT / "given.json").read_text(encoding="utf-8"))


def _test(stem: str, name: str) -> Any:
    (test,) = [exercise.test for exercise in exercises(stem) if exercise.symbol == name]
    return getattr(import_module(f"tests.{stem}"), test)


def _run_given(cell: str, names: dict[str, Any]) -> None:
    """Run a cell that the chapter gives, of which an error's frames say so."""
    file = f"/{len(names)}/the chapter's own code"  # a name for each cell, of which frames show the last part
    linecache.cache[file] = (len(cell), None, cell.splitlines(keepends=True), file)
    exec(compile(cell, file, "exec", dont_inherit=True), names)


def _defined(source: str) -> list[str]:
    """What a cell defines, in a sentence; nothing where it defines nothing."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [f"`{node.name}`" for node in ast.parse(source).body if isinstance(node, kinds)]
    return [f"It defines {' and '.join(found)}."] if found else []


def _run(source: str, names: dict[str, Any]) -> str:
    """Run a cell; what stopped it, as a card, "" where nothing did."""
    looks = Looks()
    limit = for_a_question(looks.look)
    try:
        with use_reporter(_Kept()), contextlib.suppress(CheckFailed):  # a test that was pasted along with an answer
            limited(limit, lambda: run_cell(source, names))
    except TooSlow:
        where = [place(frame) for frame in looks.frames if frame.where == "your cell"]
        return as_note("failed", f"{limit.reason}, so it was stopped", [looks.sentence(), *where])
    except BaseException as error:
        if isinstance(error, SyntaxError) and not own_frames(error):  # the cell's own, not that of what it evaluates
            return _unreadable(error, source)
        return _stopped_by(error)
    finally:
        looks.forget()
    return ""


def _stopped_by(error: BaseException) -> str:
    """The card of an error that nothing else tells of."""
    *_, said = traceback.TracebackException.from_exception(error).format_exception_only()
    frames = [frame for frame in own_frames(error) if not frame.where.endswith(".py")]  # those of tests/
    lines = [f"{place(frame)}:  `{frame.source}`" for frame in frames]
    if isinstance(error, NameError) and error.name in NAMES_OF_IPYTHON:
        lines.append(f"`{error.name}` is IPython's: a notebook has it, and this page does not. Leave it out here.")
    return as_note("failed", said.strip(), lines)


def _unreadable(error: SyntaxError, source: str) -> str:
    """The card of a cell that Python can't read."""
    said, place, advice = unreadable(error, source)
    if OF_IPYTHON.match((error.text or "").strip()):
        advice = ELSEWHERE
    lines = [advice] if advice else []
    where = [f"your cell, line {error.lineno}:"] if error.lineno else []
    return as_note("failed", said, lines + where, place)


def warm(stem: str) -> None:
    """Import what judging needs, so that the first card comes sooner."""
    import_module(f"tests.{stem}")
    solutions_of(stem)
