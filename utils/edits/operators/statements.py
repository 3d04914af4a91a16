"""Edits that add a statement or a form: a forgotten return, a value that is changed in place, a line of __init__."""

import ast
from collections.abc import Iterator

from utils.edits.operators.arithmetic import SIGNS
from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site, is_method_call, is_of_library


@operator(ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With, ast.If, ast.Assert)
def return_(site: Site) -> Iterator[Proposal]:
    """x * self.w → return x * self.w; out = x as the last line → return out after it; print(x) → return x"""
    node = site.node
    if isinstance(node, ast.Expr):
        yield Proposal("return it", f"return {site.text}")
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "print" and node.value.args:
            yield Proposal("return it", f"return {ast.unparse(node.value.args[0])}")
    elif site.is_last and isinstance(site.parent, ast.FunctionDef) and site.scope.function != "__init__":
        names = site.scope.locals[::-1][:4] + site.scope.arguments[:1]
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            names = [ast.unparse(target), *names]
        yield from (Proposal("return it", f"{site.text}\nreturn {name}") for name in dict.fromkeys(names))


@operator(ast.Expr)
def parameter(site: Site) -> Iterator[Proposal]:
    """self.register_buffer("w", x) → self.w = nn.Parameter(x)"""
    assert isinstance(site.node, ast.Expr)
    match site.node.value:
        case ast.Call(ast.Attribute(ast.Name("self"), "register_buffer"), [ast.Constant(str(name)), value], _):
            yield Proposal("make it a parameter", f"self.{name} = nn.Parameter({ast.unparse(value)})")


@operator(ast.Assign, ast.AugAssign)
def size_of_an_axis(site: Site) -> Iterator[Proposal]:
    """n = int(tokens.max()) + 1 → n = tokens.shape[1]; n += 1 → n = tokens.shape[1]"""
    assert isinstance(site.node, (ast.Assign, ast.AugAssign))
    target = site.node.targets[0] if isinstance(site.node, ast.Assign) else site.node.target
    if isinstance(target, ast.Name) and site.scope.function != "__init__":
        for name in site.scope.arguments:
            for axis in (1, -1, 0):
                yield Proposal("size of an axis", f"{target.id} = {name}.shape[{axis}]")


@operator(ast.AugAssign)
def out_of_place(site: Site) -> Iterator[Proposal]:
    """x -= y → x = x - y"""
    assert isinstance(site.node, ast.AugAssign)
    target, sign = ast.unparse(site.node.target), SIGNS.get(type(site.node.op), "+")
    yield Proposal("out of place", f"{target} = {target} {sign} ({ast.unparse(site.node.value)})")


@operator(ast.Assign, ast.AugAssign)
def set_or_changed(site: Site) -> Iterator[Proposal]:
    """x[i] = y → x[i] -= y, for names too in a loop; x += y → x = y"""
    node = site.node
    if isinstance(node, ast.AugAssign):
        yield Proposal("operator", f"{ast.unparse(node.target)} = {ast.unparse(node.value)}")
        return
    assert isinstance(node, ast.Assign)
    changes = isinstance(node.targets[0], ast.Subscript) or isinstance(site.parent, ast.For)
    if changes and len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
        for sign in "+-":
            yield Proposal("operator", f"{ast.unparse(node.targets[0])} {sign}= {ast.unparse(node.value)}")


@operator(ast.Expr)
def result(site: Site) -> Iterator[Proposal]:
    """x.sub_(y) → x = x.sub(y); x.sqrt() → x = x.sqrt(); torch.cat([x, y]) → x = torch.cat([x, y])"""
    assert isinstance(site.node, ast.Expr)
    call = site.node.value
    if not isinstance(call, ast.Call):
        return
    if is_method_call(call) and isinstance(call.func, ast.Attribute):
        owner, method = call.func.value, call.func.attr
        if isinstance(owner, ast.Name):
            kind = "out of place" if method.endswith("_") else "keep a result"
            function = ast.Attribute(owner, method.removesuffix("_"), ast.Load())
            yield Proposal(kind, f"{owner.id} = {ast.unparse(ast.Call(function, call.args, call.keywords))}")
        return
    given = [node.id for one in call.args for node in ast.walk(one) if isinstance(node, ast.Name)]
    for name in dict.fromkeys(given):
        if name in site.scope.names:
            yield Proposal("keep a result", f"{name} = {site.text}")


@operator(ast.Call)
def method_out_of_place(site: Site) -> Iterator[Proposal]:
    """x.sub_(y) → x.sub(y) in a larger expression"""
    node = site.node
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_") and not is_of_library(node.func):
        method = ast.Attribute(node.func.value, node.func.attr.rstrip("_"), ast.Load())
        yield Proposal("out of place", ast.unparse(ast.Call(method, node.args, node.keywords)))


@operator(ast.stmt)
def copy_first(site: Site) -> Iterator[Proposal]:
    """Where a function begins: residual = residual.clone()"""
    first = isinstance(site.parent, ast.FunctionDef) and site.path[-1] == ("body", 0)
    if first and site.scope.function != "__init__":
        yield from (Proposal("copy", f"{name} = {name}.clone()\n{site.text}") for name in site.scope.arguments)


@operator(ast.Return)
def shape_of_the_result(site: Site) -> Iterator[Proposal]:
    """return x → return x.expand(tokens.shape[0], -1, -1)"""
    assert isinstance(site.node, ast.Return)
    if site.node.value is None or site.scope.function == "__init__":
        return
    result = ast.unparse(site.node.value)
    yield Proposal("shape", f"return ({result}).float()")
    for name in site.scope.arguments:
        yield Proposal("shape", f"return ({result}).expand({name}.shape[0], -1, -1)")
        yield Proposal("shape", f"return ({result}).view(*{name}.shape, -1)")
        yield Proposal("shape", f"return ({result}).reshape({name}.shape)")


OPERATORS = [
    return_,
    parameter,
    size_of_an_axis,
    out_of_place,
    set_or_changed,
    result,
    method_out_of_place,
    copy_first,
    shape_of_the_result,
]
