"""One form of a program for all that surely compute the same, so that no author has to declare that they do.

Brackets in a sum or in a product change at most the last digit of a float, and nothing of an int; nor does the order in
which `max` and `min` are given what they choose from. A sum with a minus in it is one of numbers, in any order.
"""

import ast

CHOOSING = {"max", "min"}


def canonical(tree: ast.AST) -> str:
    """The program as text: the same for programs that differ in these alone."""
    return ast.unparse(_Canonical().visit(_copied(tree)))


def _copied(tree: ast.AST) -> ast.AST:
    return ast.parse(ast.unparse(tree))


class _Canonical(ast.NodeTransformer):
    """Writes each sum, product and choice in one way, from the inside out."""

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
        return node


def _terms(node: ast.BinOp) -> list[ast.expr]:
    """Those of a sum, whose left part may be a sum already; what is taken off has a minus before it."""
    right = _parts(node.right, "sum")
    if isinstance(node.op, ast.Sub):
        right = [_negative(term) for term in right]
    return [*_parts(node.left, "sum"), *right]


def _factors(node: ast.BinOp) -> list[ast.expr]:
    return [*_parts(node.left, "product"), *_parts(node.right, "product")]


def _parts(node: ast.expr, what: str) -> list[ast.expr]:
    """Those of a sum or a product that has been written as one; else the node alone."""
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
    """As they are, which counts for lists and texts; sorted where a minus says that they are numbers."""
    are_numbers = any(map(_is_negative, terms))
    return sorted(terms, key=ast.unparse) if are_numbers else terms


def _is_negative(term: ast.expr) -> bool:
    return isinstance(term, ast.UnaryOp) and isinstance(term.op, ast.USub)


def _call(what: str, parts: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(_name(what), ast.Load()), parts, [])


def _name(what: str) -> str:
    """A name that no program has."""
    return f"<{what}>"
