"""Edits of operators, of the order of operands, arguments and targets, and of brackets: what each is applied to."""

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
    with_arguments,
    with_keywords,
)
from judge.edits.sites import Site, is_of_library, is_of_self, is_super, method_of
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


@proposes("brackets", ast.BinOp)
def brackets_on_the_left(node: ast.BinOp, site: Site) -> Texts:
    """x - y / z → (x - y) / z, and the other way round"""
    if not isinstance(node.left, ast.BinOp):
        return
    _, sign, right = parts(node)
    first, inner, second = parts(node.left)
    yield f"({first}) {inner} (({second}) {sign} ({right}))"
    if inner != sign:
        yield f"(({first}) {sign} ({right})) {inner} ({second})"


@proposes("brackets", ast.BinOp)
def brackets_in_a_chain(node: ast.BinOp, site: Site) -> Texts:
    """w * x * y - z → w * (x * y - z)"""
    match node.left:
        case ast.BinOp(left=ast.BinOp() as inmost) as inside:
            zero, outer, first = parts(inmost)
            _, inner, second = parts(inside)
            _, sign, right = parts(node)
            yield f"({zero}) {outer} ((({first}) {inner} ({second})) {sign} ({right}))"


@proposes("brackets", ast.BinOp)
def brackets_on_the_right(node: ast.BinOp, site: Site) -> Texts:
    """x - y / z * w → (x - y) / z * w"""
    if not isinstance(node.right, ast.BinOp):
        return
    left, sign, _ = parts(node)
    first, steps = _chain(node.right)
    text = f"(({left}) {sign} ({first}))"
    for other, operand in steps:
        text = f"({text} {other} ({operand}))"
    yield text


def _chain(node: ast.expr) -> tuple[str, list[tuple[str, str]]]:
    """y / z * w as its first operand and what is done to it."""
    steps = []
    while isinstance(node, ast.BinOp):
        _, sign, right = parts(node)
        steps.append((sign, right))
        node = node.left
    return ast.unparse(node), steps[::-1]


@proposes("brackets", ast.BinOp)
def into_the_left_call(node: ast.BinOp, site: Site) -> Texts:
    """x.sqrt() + y → (x + y).sqrt()"""
    inner = _argument(node.left)
    if inner is not None:
        _, sign, right = parts(node)
        yield _recalled(node.left, f"({inner}) {sign} ({right})")


@proposes("brackets", ast.BinOp)
def into_the_call_of_a_number(node: ast.BinOp, site: Site) -> Texts:
    """math.tanh(y) * x → torch.tanh(y * x): what takes one number can't take the product with a tensor"""
    match node.left:
        case ast.Call(ast.Attribute(ast.Name("math"), name), [inner], []):
            _, sign, right = parts(node)
            yield f"torch.{name}(({ast.unparse(inner)}) {sign} ({right}))"


@proposes("brackets", ast.BinOp)
def into_the_right_call(node: ast.BinOp, site: Site) -> Texts:
    """x + torch.sqrt(y) → torch.sqrt(x + y)"""
    inner = _argument(node.right)
    if inner is not None:
        left, sign, _ = parts(node)
        yield _recalled(node.right, f"({left}) {sign} ({inner})")


@proposes("brackets", ast.Call)
def out_of_a_call(node: ast.Call, site: Site) -> Texts:
    """(x + y).sqrt() → x.sqrt() + y or x + y.sqrt()"""
    inner = _operand(node)
    if not isinstance(inner, ast.BinOp):
        return
    left, sign, right = parts(inner)
    yield f"{_recalled(node, left)} {sign} ({right})"
    yield f"({left}) {sign} {_recalled(node, right)}"


@proposes("brackets", ast.Call, where=[with_arguments])
def call_of_a_part(node: ast.Call, site: Site) -> Texts:
    """self.attn(self.ln1)(x) → self.attn(self.ln1(x))"""
    match node.func:
        case ast.Call(outer, [ast.Attribute() | ast.Name() as inner], []):
            yield f"{ast.unparse(outer)}({ast.unparse(inner)}({_arguments(node)}))"


@proposes("swap operands", ast.Call, unless=[calls_self])
def through_a_call(node: ast.Call, site: Site) -> Texts:
    """x.mean(dim=-1).pow(2) → x.pow(2).mean(dim=-1)"""
    outer = method_of(node)
    if outer is None or not isinstance(outer.value, ast.Call):
        return
    inner = method_of(outer.value)
    if inner is None or is_of_self(inner):
        return
    first = f"{inner.attr}({_arguments(outer.value)})"
    second = f"{outer.attr}({_arguments(node)})"
    yield f"({ast.unparse(inner.value)}).{second}.{first}"


@proposes("brackets", ast.BinOp)
def two_calls_into_one(node: ast.BinOp, site: Site) -> Texts:
    """torch.sqrt(x) + torch.sqrt(y) → torch.sqrt(x + y)"""
    first, second = _argument(node.left), _argument(node.right)
    if first is None or second is None:
        return
    sign = sign_of(node.op)
    yield _recalled(node.left, f"({first}) {sign} ({second})")


def _operand(node: ast.expr) -> ast.expr | None:
    """x in x.sqrt() and torch.sqrt(x): what a call with one operand is applied to."""
    if not isinstance(node, ast.Call) or node.keywords or is_of_self(node.func):
        return None
    method = method_of(node)
    if method is not None:
        return None if node.args else method.value
    is_one = len(node.args) == 1 and is_of_library(node.func)
    return node.args[0] if is_one else None


def _argument(node: ast.expr) -> str | None:
    operand = _operand(node)
    return None if operand is None else ast.unparse(operand)


def _recalled(call: ast.expr, argument: str) -> str:
    """The same function or method, called on another argument."""
    assert isinstance(call, ast.Call)
    method = method_of(call)
    if method is not None:
        return f"({argument}).{method.attr}()"
    return f"{ast.unparse(call.func)}({argument})"


def _arguments(call: ast.Call) -> str:
    return ", ".join(map(ast.unparse, [*call.args, *call.keywords]))
