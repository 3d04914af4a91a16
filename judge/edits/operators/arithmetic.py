"""Edits of operators, brackets, and the order of operands, arguments and targets."""

import ast
from itertools import combinations

from judge.edits.operators.proposals import (
    Proposal,
    Texts,
    calls_self,
    each,
    method_call,
    proposes,
    rewrites,
    sign_of,
    subscripted,
    with_keywords,
)
from judge.edits.sites import Site, is_super, method_of
from judge.edits.trees import SIGNS

INSTEAD = {**{"+": "-*", "-": "+", "*": "/@+", "/": "*-", "@": "*"}, **{"^": ["**"], "**": "*", "//": "/", "%": "/"}}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
OPPOSITES = {ast.In: ["not in"], ast.NotIn: ["in"], ast.Is: ["is not"], ast.IsNot: ["is"]}
TENSORS = (ast.Name, ast.Attribute, ast.Call)


def counts(site: Site) -> bool:
    """n - 1, whose number is another, rather than its operator"""
    match site.node:
        case ast.BinOp(op=op, right=ast.Constant()):
            return sign_of(op) in "+-"
    return False


@proposes("operator", ast.BinOp, unless=[counts])
def sign(node: ast.BinOp, site: Site) -> Texts:
    """x + y → x - y"""
    left, sign, right = parts(node)
    return each("({}) {} ({})", [left], INSTEAD.get(sign, ()), [right])


@proposes("operator", ast.BinOp)
def power(node: ast.BinOp, site: Site) -> Texts:
    """x + y ^ 3 → x + y ** 3: `^` is the last that is done, `**` the first"""
    if isinstance(node.op, ast.BitXor):
        yield site.text.replace(" ^ ", " ** ")


@proposes("number", ast.BinOp, where=[counts])
def sign_of_a_number(node: ast.BinOp, site: Site) -> Texts:
    """n - 1 → n + 1"""
    return sign.propose(node, site)


@proposes("operator", ast.AugAssign)
def sign_of_an_assignment(node: ast.AugAssign, site: Site) -> Texts:
    """x += y → x -= y"""
    target, value = ast.unparse(node.target), ast.unparse(node.value)
    sign = SIGNS.get(type(node.op), "")
    return each("{} {}= {}", [target], INSTEAD.get(sign, ()), [value])


@proposes("comparison", ast.Compare)
def comparison(node: ast.Compare, site: Site) -> Texts:
    """x < y → x <= y; x in y → x not in y"""
    if len(node.ops) > 1:
        return []
    left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
    signs = OPPOSITES.get(type(node.ops[0]), COMPARISONS)
    return each("({}) {} ({})", [left], signs, [right])


@proposes("operator", ast.BoolOp)
def connective(node: ast.BoolOp, site: Site) -> Texts:
    """x and y → x or y"""
    sign = " or " if isinstance(node.op, ast.And) else " and "
    yield sign.join(f"({ast.unparse(value)})" for value in node.values)


def order_matters(site: Site) -> bool:
    """x - y, but not x + y"""
    return isinstance(site.node, ast.BinOp) and sign_of(site.node.op) in ("-", "/", "@", "**", "//", "%")


operands = rewrites(
    "swap operands",
    ast.BinOp,
    "({right}) {op} ({left})",  # x - y → y - x
    where=[order_matters],
)


def tensor_as_index(site: Site) -> bool:
    """x[tokens], but not x[0]"""
    return isinstance(site.node, ast.Subscript) and isinstance(site.node.slice, TENSORS)


index = rewrites(
    "swap operands",
    ast.Subscript,
    "({slice})[{value}]",  # tokens[self.W_E] → self.W_E[tokens]
    where=[tensor_as_index],
)


@proposes("swap arguments", ast.Call)
def arguments(node: ast.Call, site: Site) -> Texts:
    """f(x, y) → f(y, x)"""
    for first, second in combinations(range(len(node.args)), 2):
        order = list(node.args)
        order[first], order[second] = order[second], order[first]
        yield ast.unparse(ast.Call(node.func, order, node.keywords))


@proposes("swap arguments", ast.Call, where=[method_call], unless=[with_keywords, calls_self])
def owner_and_argument(node: ast.Call, site: Site) -> Texts:
    """x.matmul(y) → y.matmul(x)"""
    method = method_of(node)
    if not method or len(node.args) != 1:
        return
    if not is_super(method.value):  # cfg.__init__(super()) would change the course's Config
        yield f"({ast.unparse(node.args[0])}).{method.attr}({ast.unparse(method.value)})"


@proposes("swap arguments", ast.Tuple, unless=[subscripted])
def elements(node: ast.Tuple, site: Site) -> Texts:
    """(x, y) → (y, x)"""
    if len(node.elts) == 2:
        yield ast.unparse(ast.Tuple(node.elts[::-1], ast.Load()))


@proposes("swap targets", ast.Assign)
def targets(node: ast.Assign, site: Site) -> Texts:
    """variance, mean = ... → mean, variance = ...; or without the last"""
    value = ast.unparse(node.value)
    match node.targets[0]:
        case ast.Tuple(elts=[first, second, *more]):
            names = list(map(ast.unparse, [second, first, *more]))
            kept = list(map(ast.unparse, [first, second, *more][:-1]))
            yield f"{', '.join(names)} = {value}"
            yield Proposal("leave out a part", f"{', '.join(kept)} = {value}")


def parts(node: ast.BinOp) -> tuple[str, str, str]:
    """The operands of x + y and what stands between them."""
    return ast.unparse(node.left), sign_of(node.op), ast.unparse(node.right)
