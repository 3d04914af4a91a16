"""Proves a chapter's predictions as far as no numbers are needed: each is asked once, seen once, and well made.

What needs the numbers is proved where they are: `see` raises in the build and under nbval (utils.learner.predictions).
"""

import ast
import importlib.util
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from utils.course import CourseError
from utils.course.cells import as_python, unanswered
from utils.learner.predictions import Asked, NotUnderstood, Predictions

CALLED = re.compile(r"\b(predict|see)\(")
FORM = '`predict("name", """the question""", answer="the right one")`'


@dataclass(frozen=True)
class Call:
    """A call of `predict`, with what it is given where that is written out."""

    line: int
    name: str | None
    question: str | None
    answer: str | None


def prediction_mistakes(root: Path, stem: str, cells: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The line of each mistake, and what is wrong; `cells` are those that only the notebook runs, with their lines."""
    asked: dict[str, Call] = {}
    seen: dict[str, int] = {}
    table = _table(root, stem)
    where = f"tests/predictions/{stem}.py"
    for line, source in [(line, source) for line, source in cells if CALLED.search(source)]:
        for call in _calls(source, line):
            if isinstance(call, Call):
                yield from _wrongly_asked(call, source, table, where, asked)
                asked[call.name or ""] = call
            elif call[1] not in asked:
                yield call[0], f"see({call[1]!r}) comes before predict({call[1]!r}): ask first."
            elif call[1] in seen:
                yield call[0], f"a second see({call[1]!r}); the first is in line {seen[call[1]]}. Leave one out."
            else:
                seen[call[1] or ""] = call[0]
    for name in table.questions if table else ():
        if name not in asked:
            yield 1, f"{where} has {name!r}, and no cell asks it: write {FORM}, or take it out there."
    for name in asked.keys() - seen.keys():
        yield asked[name].line, f"predict({name!r}) is never answered: behind the figure, see({name!r}, number=...)."


def _wrongly_asked(
    call: Call, source: str, table: Predictions | None, where: str, asked: dict[str, Call]
) -> Iterator[tuple[int, str]]:
    name, line = call.name, call.line
    if not name or not call.question or not call.answer:
        yield line, f"predict needs three texts, written out: {FORM}."
    elif table is None or name not in table.questions:
        yield line, f"{where} has no {name!r}: write there what its answers mean, as CONTRIBUTING.md tells."
    elif name in asked:
        yield line, f"a second predict({name!r}); the first is in line {asked[name].line}. Give one another name."
    elif [one.answer for one in _calls(unanswered(source), line) if isinstance(one, Call)] != [""]:
        yield line, f"a learner would get the answer of {name!r}: {FORM}, its answer= last, alone in its cell."
    else:
        kind = table.questions[name]
        for fault in kind.faults(Asked(call.question)):
            yield line, f"{name!r} in {where}: {fault}."
        try:
            kind.read(call.answer, Asked(call.question))
        except NotUnderstood as reason:
            yield line, f"the answer= of {name!r}: {reason}"


def _table(root: Path, stem: str) -> Predictions | None:
    """A chapter's questions; None where it has none. The file is read alone: the tests around it need torch."""
    path = root / "tests" / "predictions" / f"{stem}.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location(f"predictions_of.{stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        line = getattr(error, "lineno", None) or 1
        raise CourseError.at(path.relative_to(root), line, f"{type(error).__name__}: {error}.") from None
    found = [value for value in vars(module).values() if isinstance(value, Predictions)]
    if len(found) != 1:
        raise CourseError.at(
            path.relative_to(root), 1, "write one `chapter = Predictions(__name__, ...)`, and no other."
        )
    return found[0]


def _calls(source: str, first: int) -> Iterator[Call | tuple[int, str | None]]:
    """The calls of `predict` and `see` in a cell, in their order."""
    for node in ast.walk(ast.parse(as_python(source))):
        match node:
            case ast.Call(func=ast.Name(id="predict")):
                texts = list(map(_text, node.args))
                name, question, *_ = [*texts, None, None]
                answers = [_text(one.value) for one in node.keywords if one.arg == "answer"]
                yield Call(first + node.lineno, name, question, answers[0] if answers else None)
            case ast.Call(func=ast.Name(id="see"), args=[named, *_]):
                yield first + node.lineno, _text(named)


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
