"""Edits of operators, brackets, and the order of operands, arguments and targets."""

import ast
from collections.abc import Iterator

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site, is_method_call, is_of_library, is_of_self, is_super

SIGNS = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@"},
    **{ast.Pow: "**", ast.BitXor: "^", ast.Mod: "%", ast.FloorDiv: "//", ast.BitAnd: "&", ast.BitOr: "|"},
}
INSTEAD = {"+": "-*", "-": "+", "*": "/@+", "/": "*-", "@": "*", "^": ["**"], "**": "*", "//": "/", "%": "/"}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
OPPOSITES = {ast.In: ("not in",), ast.NotIn: ("in",), ast.Is: ("is not",), ast.IsNot: ("is",)}


@operator(ast.BinOp)
def sign(site: Site) -> Iterator[Proposal]:
    """x + y → x - y"""
    left, sign, right = _parts(site.node)
    assert isinstance(site.node, ast.BinOp)
    kind = "number" if isinstance(site.node.right, ast.Constant) and sign in "+-" else "operator"  # n - 1 → n + 1
    yield from (Proposal(kind, f"({left}) {other} ({right})") for other in INSTEAD.get(sign, ()))


@operator(ast.AugAssign)
def sign_of_an_assignment(site: Site) -> Iterator[Proposal]:
    """x += y → x -= y"""
    assert isinstance(site.node, ast.AugAssign)
    target, value = ast.unparse(site.node.target), ast.unparse(site.node.value)
    for other in INSTEAD.get(SIGNS.get(type(site.node.op), ""), ()):
        yield Proposal("operator", f"{target} {other}= {value}")


@operator(ast.Compare)
def comparison(site: Site) -> Iterator[Proposal]:
    """x < y → x <= y; x in y → x not in y"""
    assert isinstance(site.node, ast.Compare)
    if len(site.node.ops) == 1:
        left, right = ast.unparse(site.node.left), ast.unparse(site.node.comparators[0])
        others = OPPOSITES.get(type(site.node.ops[0]), COMPARISONS)
        yield from (Proposal("comparison", f"({left}) {one} ({right})") for one in others)


@operator(ast.BinOp)
def operands(site: Site) -> Iterator[Proposal]:
    """x - y → y - x"""
    left, sign, right = _parts(site.node)
    if sign in ("-", "/", "@", "**", "//", "%"):
        yield Proposal("swap operands", f"({right}) {sign} ({left})")


@operator(ast.BinOp)
def brackets(site: Site) -> Iterator[Proposal]:
    """x - y / z → (x - y) / z, and the other way round, within a chain too"""
    node = site.node
    left, sign, right = _parts(node)
    assert isinstance(node, ast.BinOp)
    if isinstance(node.left, ast.BinOp):
        first, inner, second = _parts(node.left)
        yield Proposal("brackets", f"({first}) {inner} (({second}) {sign} ({right}))")
        if inner != sign:
            yield Proposal("brackets", f"(({first}) {sign} ({right})) {inner} ({second})")
        if isinstance(node.left.left, ast.BinOp):
            zero, outer, first = _parts(node.left.left)
            yield Proposal("brackets", f"({zero}) {outer} ((({first}) {inner} ({second})) {sign} ({right}))")
    if isinstance(node.right, ast.BinOp):
        chain, innermost = _chain(node.right)
        text = f"(({left}) {sign} ({innermost}))"
        for other, operand in reversed(chain):
            text = f"({text} {other} ({operand}))"
        yield Proposal("brackets", text)


def _chain(node: ast.AST) -> tuple[list[tuple[str, str]], str]:
    """y / z * w as its first operand and what is done to it, the last first."""
    chain = []
    while isinstance(node, ast.BinOp):
        _, sign, right = _parts(node)
        chain.append((sign, right))
        node = node.left
    return chain, ast.unparse(node)


@operator(ast.BinOp)
def into_a_call(site: Site) -> Iterator[Proposal]:
    """x.sqrt() + y → (x + y).sqrt(), torch.sqrt(x) + y → torch.sqrt(x + y)"""
    left, sign, right = _parts(site.node)
    assert isinstance(site.node, ast.BinOp)
    for side in (site.node.left, site.node.right):
        inner = _argument(side)
        if inner is not None:
            text = ast.unparse(inner)
            moved = f"({text}) {sign} ({right})" if side is site.node.left else f"({left}) {sign} ({text})"
            yield Proposal("brackets", _recalled(side, moved))


@operator(ast.BinOp)
def two_calls_into_one(site: Site) -> Iterator[Proposal]:
    """torch.sqrt(x) + torch.sqrt(y) → torch.sqrt(x + y)"""
    assert isinstance(site.node, ast.BinOp)
    _, sign, _ = _parts(site.node)
    first, second = _argument(site.node.left), _argument(site.node.right)
    if first is not None and second is not None:
        yield Proposal("brackets", _recalled(site.node.left, f"({ast.unparse(first)}) {sign} ({ast.unparse(second)})"))


@operator(ast.Subscript)
def index(site: Site) -> Iterator[Proposal]:
    """tokens[self.W_E] → self.W_E[tokens]"""
    assert isinstance(site.node, ast.Subscript)
    if isinstance(site.node.slice, (ast.Name, ast.Attribute, ast.Call)):
        yield Proposal("swap operands", f"({ast.unparse(site.node.slice)})[{ast.unparse(site.node.value)}]")


@operator(ast.Call)
def out_of_a_call(site: Site) -> Iterator[Proposal]:
    """(x + y).sqrt() → x.sqrt() + y or x + y.sqrt()"""
    inner = _argument(site.node)
    if isinstance(inner, ast.BinOp):
        left, sign, right = _parts(inner)
        yield Proposal("brackets", f"{_recalled(site.node, left)} {sign} ({right})")
        yield Proposal("brackets", f"({left}) {sign} {_recalled(site.node, right)}")


@operator(ast.Call)
def through_a_call(site: Site) -> Iterator[Proposal]:
    """x.mean(dim=-1).pow(2) → x.pow(2).mean(dim=-1)"""
    node = site.node
    assert isinstance(node, ast.Call)
    if is_method_call(node) and is_method_call(node.func.value):  # type: ignore[attr-defined]
        inner = node.func.value  # type: ignore[attr-defined]
        if not is_of_self(inner.func) and not is_of_self(node.func):
            first, second = ast.unparse(inner.func.value), _arguments(inner)
            outer = f"{node.func.attr}({_arguments(node)})"  # type: ignore[attr-defined]
            yield Proposal("swap operands", f"({first}).{outer}.{inner.func.attr}({second})")


@operator(ast.Call)
def arguments(site: Site) -> Iterator[Proposal]:
    """f(x, y) → f(y, x)"""
    node = site.node
    assert isinstance(node, ast.Call)
    for i in range(len(node.args)):
        for j in range(i + 1, len(node.args)):
            order = list(node.args)
            order[i], order[j] = order[j], order[i]
            yield Proposal("swap arguments", ast.unparse(ast.Call(node.func, order, node.keywords)))
    func = node.func
    if isinstance(func, ast.Attribute) and is_method_call(node) and len(node.args) == 1 and not node.keywords:
        if not is_of_self(func) and not is_super(func.value):  # cfg.__init__(super()) would change the course's Config
            yield Proposal("swap arguments", f"({ast.unparse(node.args[0])}).{func.attr}({ast.unparse(func.value)})")


@operator(ast.Tuple)
def elements(site: Site) -> Iterator[Proposal]:
    """(x, y) → (y, x)"""
    assert isinstance(site.node, ast.Tuple)
    if len(site.node.elts) == 2 and not isinstance(site.parent, ast.Subscript):
        yield Proposal("swap arguments", ast.unparse(ast.Tuple(site.node.elts[::-1], ast.Load())))


@operator(ast.Assign)
def targets(site: Site) -> Iterator[Proposal]:
    """variance, mean = ... → mean, variance = ..."""
    assert isinstance(site.node, ast.Assign)
    target, value = site.node.targets[0], ast.unparse(site.node.value)
    if isinstance(target, ast.Tuple) and len(target.elts) > 1:
        names = [ast.unparse(one) for one in target.elts]
        yield Proposal("swap targets", f"{', '.join([names[1], names[0], *names[2:]])} = {value}")
        yield Proposal("leave out a part", f"{', '.join(names[:-1])} = {value}")


def _parts(node: ast.AST) -> tuple[str, str, str]:
    assert isinstance(node, ast.BinOp)
    return ast.unparse(node.left), SIGNS.get(type(node.op), "+"), ast.unparse(node.right)


def _argument(node: ast.AST) -> ast.expr | None:
    """x in x.sqrt() and torch.sqrt(x): what a call with one operand is applied to."""
    if not isinstance(node, ast.Call) or node.keywords or is_of_self(node.func):
        return None
    if is_method_call(node):
        return node.func.value if not node.args else None  # type: ignore[attr-defined]
    return node.args[0] if len(node.args) == 1 and is_of_library(node.func) else None


def _recalled(call: ast.AST, argument: str) -> str:
    assert isinstance(call, ast.Call)
    if is_method_call(call):
        return f"({argument}).{call.func.attr}()"  # type: ignore[attr-defined]
    return f"{ast.unparse(call.func)}({argument})"


def _arguments(call: ast.Call) -> str:
    return ", ".join([*map(ast.unparse, call.args), *map(ast.unparse, call.keywords)])


OPERATORS = [sign, sign_of_an_assignment, comparison, operands, brackets, into_a_call, out_of_a_call, through_a_call]
OPERATORS += [two_calls_into_one, index, arguments, elements, targets]
