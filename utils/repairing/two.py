"""Whether two edits are two slips, each in a line of its own, and not a statement written anew in two steps."""

import ast
import io
import tokenize

from utils.edits.edit import Edit
from utils.edits.together import difference
from utils.edits.trees import Path, node_at

LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def are_two_slips(before: ast.Module, first: Edit, between: ast.Module, second: Edit) -> bool:
    """Whether they stand in different lines, and both together are less of the code than one statement.

    `between` is the code `before` with the first edit; the second is one of that.
    """
    if first.line == second.line:
        return False
    changed, sizes = 0, list[int]()
    for edit, tree in ((first, before), (second, between)):
        for path, new in edit.places:
            statement = _statement_at(tree, path)
            old = _tokens(node_at(tree, statement))
            after = new if statement == path else node_at(edit.applied(tree), statement)
            gone, come = difference(old, _tokens(after))
            changed += max(len(gone), len(come))
            sizes.append(len(old))
    return changed < max(sizes)


def alone_in(before: ast.Module, between: ast.Module, edit: Edit) -> ast.Module | None:
    """The code `before` with an edit of what it has become; None where that does not stand there yet."""
    for path, _ in edit.places:
        try:
            known = node_at(before, path)
        except (AttributeError, IndexError, TypeError):
            return None
        if ast.unparse(known) != ast.unparse(node_at(between, path)):
            return None
    return edit.applied(before)


def _statement_at(tree: ast.Module, path: Path) -> Path:
    """Where the innermost statement stands that holds this place."""
    while not isinstance(node_at(tree, path), ast.stmt):
        path = path[:-1]
    return path


def _tokens(code: ast.AST | list[ast.stmt]) -> list[str]:
    """What a statement is made of, without the statements that stand in it; of several, all of them."""
    if isinstance(code, list):
        text = "\n".join(map(ast.unparse, code))
    else:
        text, _, _ = ast.unparse(code).partition(":\n")
    try:
        found = tokenize.generate_tokens(io.StringIO(text).readline)
        return [one.string for one in found if one.type not in LAYOUT]
    except tokenize.TokenError:  # the first line of a statement with brackets that go on
        return text.split()
