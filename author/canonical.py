"""One form of a program for all that surely compute the same, so that no author has to declare that they do.

Brackets in a sum or in a product change at most the last digit of a float, and nothing of an int; nor does the order in
which `max` and `min` are given what they choose from. A sum with a minus in it is one of numbers, in any order. Two
axes change places in either order; of a tensor's last axes all is meant where an index says nothing; and what an
annotation calls `Int` or `Bool` has no gradient that `detach` could cut.
"""

import ast
from collections.abc import Collection

CHOOSING = {"max", "min"}
SWAPPING = {"transpose", "swapaxes", "swapdims"}
WITHOUT_GRADIENT = {"Bool", "Int", "UInt", "Integer"}


def canonical(tree: ast.AST, whole_numbers: Collection[str] = ()) -> str:
    """The program as text: the same for programs that differ in these alone, `whole_numbers` having no gradients."""
    return ast.unparse(_Canonical(whole_numbers).visit(_copied(tree)))


def of_whole_numbers(tree: ast.AST) -> set[str]:
    """The arguments that annotations call `Int` or `Bool`, wherever there is one of that name."""
    arguments = [node for node in ast.walk(tree) if isinstance(node, ast.arg)]
    others = {argument.arg for argument in arguments if not _has_no_gradient(argument.annotation)}
    return {argument.arg for argument in arguments} - others


def _copied(tree: ast.AST) -> ast.AST:
    return ast.parse(ast.unparse(tree))


class _Canonical(ast.NodeTransformer):
    """Writes each sum, product, choice and index in one way, from the inside out."""

    def __init__(self, without_gradient: Collection[str]):
        self.without_gradient = without_gradient

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Sub):
            return _call("sum", _in_order(_terms(node)))
        if isinstance(node.op, ast.Mult):
            return _call("product", _factors(node))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        chooses = isinstance(node.func, ast.Name) and node.func.id in CHOOSING
        if chooses and len(node.args) > 1 and not node.keywords:
            node.args.sort(key=ast.unparse)
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[_, _], keywords=[]) if name in SWAPPING:
                node.args.sort(key=ast.unparse)
            case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[], keywords=[]):
                return value if self._is_whole_numbers(value) else node
            case _:
                pass
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        match node.slice:
            case ast.Tuple(elts=[first, *others]) if _adds_an_axis([first, *others]):
                node.slice = _without_the_rest([first, *others])
            case _:
                pass
        return node

    def _is_whole_numbers(self, value: ast.expr) -> bool:
        """Whether it is an argument that has no gradient, or a part of one."""
        while isinstance(value, ast.Subscript):
            value = value.value
        return isinstance(value, ast.Name) and value.id in self.without_gradient


def _has_no_gradient(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Subscript(value=ast.Name(id=name)):
            return name in WITHOUT_GRADIENT
        case _:
            return False


def _adds_an_axis(index: list[ast.expr]) -> bool:
    """Only a tensor's index has a None; an ellipsis says where the last axes begin."""
    values = [part.value for part in index if isinstance(part, ast.Constant)]
    return None in values and ... not in values


def _without_the_rest(index: list[ast.expr]) -> ast.expr:
    """Without each `:` at the end."""
    while len(index) > 1 and _is_everything(index[-1]):
        index = index[:-1]
    return ast.Tuple(index, ast.Load()) if len(index) > 1 else index[0]


def _is_everything(index: ast.expr) -> bool:
    if not isinstance(index, ast.Slice):
        return False
    given = index.lower, index.upper, index.step
    return not any(given)


def _terms(node: ast.BinOp) -> list[ast.expr]:
    """The terms of a sum, whose left part may be a sum already; what is taken off has a minus before it."""
    right = _parts(node.right, "sum")
    if isinstance(node.op, ast.Sub):
        right = [_negative(term) for term in right]
    return [*_parts(node.left, "sum"), *right]


def _factors(node: ast.BinOp) -> list[ast.expr]:
    return [*_parts(node.left, "product"), *_parts(node.right, "product")]


def _parts(node: ast.expr, what: str) -> list[ast.expr]:
    """The terms of a sum or a product that has been written as one; else the node alone."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=parts) if name == _name(what):
            return list(parts)
        case _:
            return [node]


def _negative(term: ast.expr) -> ast.expr:
    if isinstance(term, ast.UnaryOp) and isinstance(term.op, ast.USub):
        return term.operand
    return ast.UnaryOp(ast.USub(), term)


def _in_order(terms: list[ast.expr]) -> list[ast.expr]:
    """The terms as they are, which counts for lists and texts; sorted where a minus says that they are numbers."""
    are_numbers = any(map(_is_negative, terms))
    return sorted(terms, key=ast.unparse) if are_numbers else terms


def _is_negative(term: ast.expr) -> bool:
    return isinstance(term, ast.UnaryOp) and isinstance(term.op, ast.USub)


def _call(what: str, parts: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(_name(what), ast.Load()), parts, [])


def _name(what: str) -> str:
    """A name that no program has."""
    return f"<{what}>"
