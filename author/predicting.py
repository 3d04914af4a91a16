"""Proves a chapter's predictions as far as no numbers are needed: each is asked once, seen once, and well made.

What needs the numbers is proved where they are: `see` raises in the build and under nbval (utils.learner.predictions).
"""

import ast
import difflib
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
            elif not call[1]:
                yield call[0], 'see needs the question\'s name, written out: `see("name", number=...)`.'
            elif call[1] not in asked:
                yield call[0], f"no predict({call[1]!r}) stands above see({call[1]!r}): {_meant(call[1], asked)}."
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
    given = {"a name": name, "a question": call.question, "an answer=": call.answer}
    if missing := [what for what, text in given.items() if not text]:
        yield line, f"predict lacks {' and '.join(missing)}, each a text that is written out: {FORM}."
    elif not name or table is None or name not in table.questions:
        yield line, f"{where} has no {name!r}: write there what its answers mean, as CONTRIBUTING.md tells."
    elif name in asked:
        yield line, f"a second predict({name!r}); the first is in line {asked[name].line}. Give one another name."
    elif [one.answer for one in _calls(unanswered(source), line) if isinstance(one, Call)] != [""]:
        yield line, f"a learner would get the answer of {name!r}: {FORM}, its answer= last, alone in its cell."
    else:
        kind = table.questions[name]
        question, answer = Asked(call.question or ""), call.answer or ""
        try:
            kind.read(answer, question)
        except NotUnderstood as reason:
            yield line, f"the answer= of {name!r}: {reason}"
        for fault in kind.faults(question, answer):
            yield line, f"{name!r} in {where}: {fault}."


def _meant(name: str, asked: Iterable[str]) -> str:
    """What the author may have wanted."""
    near = difflib.get_close_matches(name, asked, 1)
    return f"did you mean {near[0]!r}?" if near else "ask first, in a cell that only the notebook runs"


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
