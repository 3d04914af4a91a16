"""An `Edit`: one change of a piece of code, in one place or alike in several."""

import ast
from dataclasses import dataclass

from judge.edits.trees import Path, replaced


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
