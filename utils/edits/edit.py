"""An `Edit`: one change of a piece of code, in one place or alike in several."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from utils.edits.trees import Path, node_at, replaced


@dataclass(frozen=True)
class Edit:
    """One change of the code: what stands in these places, all of them written alike, becomes something else."""

    kind: str
    places: tuple[tuple[Path, ast.AST | list[ast.stmt]], ...]
    before: str
    after: str
    line: int
    cost: float
    in_words: bool = False  # `before` and `after` are no piece of the code, but name what changes
    context: str = ""  # of two edits that are made together this must be the same

    def applied(self, tree: ast.Module) -> ast.Module:
        """The tree with this edit, ready to be compiled; the old one stays as it is."""
        from_the_end = sorted(self.places, key=lambda place: place[0], reverse=True)
        for path, new in from_the_end:
            tree = replaced(tree, path, new)
        return tree

    def located(self, tree: ast.Module) -> ast.Module:
        """The edited tree, in which what is new is said to stand where the old was: in lines of the text as it is."""
        for path, new in self.places:
            _locate(new, node_at(tree, path), self.line)
        return self.applied(tree)


def _locate(new: ast.AST | list[ast.stmt], old: ast.AST, line: int) -> None:
    """Statements that were there before keep their lines, by their text; whatever else is new is in this one."""
    lines = {ast.unparse(node): node.lineno for node in ast.walk(old) if isinstance(node, ast.stmt)}
    for node in new if isinstance(new, list) else [new]:
        _stand_in(node, lines, line)


def _stand_in(node: ast.AST, lines: Mapping[str, int], line: int) -> None:
    if isinstance(node, ast.stmt):
        line = lines.get(ast.unparse(node), line)
    if isinstance(node, (ast.stmt, ast.expr, ast.keyword)):
        # without an end, nobody takes it for a piece of the text
        node.lineno, node.end_lineno, node.col_offset, node.end_col_offset = line, None, 0, None
    for child in ast.iter_child_nodes(node):
        _stand_in(child, lines, line)
