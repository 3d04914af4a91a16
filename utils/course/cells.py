"""Finds answers in notebook cells: by the symbol that a cell defines, never by metadata, which copying destroys.

Lines are searched, not parsed, so that a cell with a mistake in its syntax or with a magic is still found. Where a cell
has to be parsed, `as_python` says what IPython makes of it.
"""

import json
import re
from pathlib import Path
from typing import Any

from judge.errors import CourseError

PREDICTS = re.compile(r"^predict\(", re.MULTILINE)
ANSWER = re.compile(r"""\banswer=(["']).*\1(?=,?\s*\)?$)""", re.MULTILINE)


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    """The cells of a notebook of the course, the source of each as one text. Raises CourseError where it can't be read.

    What somebody hands in is read by `grader.submissions`, which expects anything.
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        return [{**cell, "source": "".join(cell.get("source", ""))} for cell in cells]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise CourseError(f"{notebook.parent.name}/{notebook.name} can't be read: {reason}") from None


def code_of(notebook: Path) -> list[str]:
    """The sources of its code cells."""
    return [cell["source"] for cell in cells_of(notebook) if cell.get("cell_type") == "code"]


def defines(source: str, symbol: str) -> bool:
    """Whether a line of this cell defines `symbol` at top level: a class, a function or an assignment."""
    name = re.escape(symbol)
    definition = rf"^(?:(?:async\s+)?def|class)\s+{name}\b"
    assignment = rf"^{name}\s*(?::[^=]*)?=(?!=)"
    return bool(re.search(f"{definition}|{assignment}", source, re.MULTILINE))


def calls(source: str, test: str, symbol: str) -> bool:
    """Whether a line of this cell calls test(symbol), and is not a comment."""
    name, argument = re.escape(test), re.escape(symbol)
    call = rf"^[^#\n]*\b{name}\s*\(\s*{argument}\s*[,)]"
    return bool(re.search(call, source, re.MULTILINE))


def unanswered(source: str) -> str:
    """The cell as a learner gets it: a prediction without its author's answer, any other as it is."""
    return ANSWER.sub('answer=""', source) if PREDICTS.search(source) else source


def as_python(source: str) -> str:
    """The cell as Python: IPython's own commands, such as `%time` or `!ls`, as the calls that they stand for."""
    from IPython.core.inputtransformer2 import TransformerManager  # takes its time, and few need it

    return TransformerManager().transform_cell(source)
