"""How an edit is put to a reader: as much of the line as makes it clear, and no more."""

import ast
import textwrap

from utils.edits.edit import Edit
from utils.edits.together import difference
from utils.edits.trees import Path, node_at
from utils.edits.vocabulary import Vocabulary

CLEAR, LONG = 12, 60  # characters: a shorter text is shown with what is round it, unless that is longer
MOST, NEW = 0.6, 0.3  # of the characters of a solution: what is longer, with so much that is new, gives it away
WRITTEN = {"leave out an argument", "leave out a part", "leave out a line", "one of a tuple", "return it"}


def shown(edit: Edit, tree: ast.Module, cell: str) -> tuple[str, str]:
    """The text before and after the edit, widened until a reader can find it in the line."""
    path, new = edit.places[0]
    if isinstance(new, list | ast.FunctionDef) or edit.in_words:
        return _only_what_differs(edit.before, edit.after)
    changed, length = edit.applied(tree), len(path)
    while length > 1 and _is_short(tree, path[:length]) and _may_widen(tree, path[: length - 1]):
        length -= 1
    return _as_written(node_at(tree, path[:length]), cell), ast.unparse(node_at(changed, path[:length]))


def _as_written(node: ast.AST, cell: str) -> str:
    """The learner's own text, with their brackets and blanks, where it is in one line."""
    text = ast.get_source_segment(cell, node)
    return text if text and "\n" not in text else ast.unparse(node)


def whole(edit: Edit, before: str, after: str, vocabulary: Vocabulary) -> bool:
    """Whether what is shown is most of the reference solution, and not nearly what the learner has already."""
    length = len(vocabulary.solution.removeprefix("return "))
    new = difference(before, after)[1]
    is_most = after in vocabulary.solution and len(after) >= MOST * length
    return edit.kind not in WRITTEN and is_most and len(new) >= NEW * length


def _is_short(tree: ast.Module, path: Path) -> bool:
    return len(ast.unparse(node_at(tree, path))) < CLEAR


def _may_widen(tree: ast.Module, path: Path) -> bool:
    node = node_at(tree, path)
    return isinstance(node, (ast.expr, ast.keyword, ast.Slice)) and len(ast.unparse(node)) <= LONG


def _only_what_differs(before: str, after: str) -> tuple[str, str]:
    """Of statements those that are not the same before and after."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return tuple(textwrap.dedent("\n".join(lines)) for lines in (old, new))  # type: ignore[return-value]
