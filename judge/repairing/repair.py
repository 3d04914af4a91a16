"""A `Repair`: what a learner is told of a change with which every check passes."""

import ast
import textwrap
from dataclasses import dataclass

from judge.edits.candidates import KINDS, Edit, difference
from judge.edits.trees import Path, node_at
from judge.edits.vocabulary import Vocabulary
from judge.repairing.trying import Answer

CLEAR, LONG = 12, 60  # characters: a shorter text is shown with what is round it, unless that is longer
MOST, NEW = 0.6, 0.3  # of the characters of a solution: what is longer, with so much that is new, gives it away
WRITTEN = {"leave out an argument", "leave out a part", "leave out a line", "one of a tuple", "return it"}


def shown(edit: Edit, tree: ast.Module, cell: str) -> tuple[str, str]:
    """The text before and after the edit, widened until a reader can find it in the line."""
    path, new = edit.places[0]
    if isinstance(new, list | ast.FunctionDef) or edit.in_words:
        return _only_what_differs(edit.before, edit.after)
    widened = _widened(tree, path)
    before = _as_written(node_at(tree, widened), cell)
    after = ast.unparse(node_at(edit.applied(tree), widened))
    return before, after


def _widened(tree: ast.Module, path: Path) -> Path:
    """The path of what is shown: of something short, as much of what is round it as is not long.

    Of an f-string all: before Python 3.12 nobody knows where its parts stand.
    """
    for length in range(1, len(path)):
        if isinstance(node_at(tree, path[:length]), ast.JoinedStr):
            path = path[:length]
            break
    while len(path) > 1:
        outer = path[:-1]
        is_clear = len(ast.unparse(node_at(tree, path))) >= CLEAR
        if is_clear or not _may_be_shown(node_at(tree, outer)):
            break
        path = outer
    return path


def _may_be_shown(node: ast.AST) -> bool:
    is_part = isinstance(node, (ast.expr, ast.keyword, ast.Slice))
    return is_part and len(ast.unparse(node)) <= LONG


def _as_written(node: ast.AST, cell: str) -> str:
    """The learner's own text, with their brackets and blanks, where it is in one line."""
    text = ast.get_source_segment(cell, node)
    return text if text and "\n" not in text else ast.unparse(node)


def whole(edit: Edit, before: str, after: str, vocabulary: Vocabulary) -> bool:
    """Whether what is shown is most of the reference solution, and not nearly what the learner has already."""
    if edit.kind in WRITTEN or after not in vocabulary.solution:
        return False
    _, new = difference(before, after)
    length = len(vocabulary.solution.removeprefix("return "))
    return len(after) >= MOST * length and len(new) >= NEW * length


def _only_what_differs(before: str, after: str) -> tuple[str, str]:
    """Of statements those that are not the same before and after."""
    old, new = difference(before.splitlines(), after.splitlines())
    return _dedented(old), _dedented(new)


def _dedented(lines: list[str]) -> str:
    return textwrap.dedent("\n".join(lines))


@dataclass(frozen=True)
class Repair:
    """One change with which every check passes."""

    line: int  # of the learner's cell, from 1
    source: str  # that line
    words: str  # of what kind the change is
    before: str
    after: str  # "" where it is left out
    places: int  # where it is made
    whole: bool  # whether it is most of the reference solution, and so gives the exercise away


def repair_of(answer: Answer, edit: Edit, vocabulary: Vocabulary) -> Repair:
    """The repair that this edit of the answer is."""
    before, after = shown(edit, answer.definitions, answer.cell)
    return Repair(
        line=edit.line,
        source=answer.cell.splitlines()[edit.line - 1].strip(),
        words=KINDS[edit.kind].words,
        before=before,
        after=after,
        places=len(edit.places),
        whole=whole(edit, before, after, vocabulary),
    )
