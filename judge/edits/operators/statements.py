"""Edits of statements and of a class's form: a forgotten return, a change in place, a method's name, __init__."""

import ast
from itertools import dropwhile

from judge.edits.operators.numbers import number_in
from judge.edits.operators.proposals import (
    Proposal,
    Texts,
    each,
    in_a_class,
    in_a_function,
    in_init,
    of_self,
    others,
    proposes,
    rewrites,
    stored,
)
from judge.edits.sites import Site, is_of_library, is_stored, method_of
from judge.edits.trees import statements

SUPER, KEEPING_CFG = "super().__init__()", "self.cfg = cfg"


@proposes("name a method", ast.FunctionDef, where=[in_a_class])
def method_name(node: ast.FunctionDef, site: Site) -> Texts:
    """def foward → def forward"""
    wanted = site.scope.vocabulary.methods
    if node.name in wanted:
        return
    there = {line.name for line in site.block if isinstance(line, ast.FunctionDef)}
    for name in wanted:
        if name not in there:
            yield _with_head("name a method", node, name, node.args)


@proposes("add self", ast.FunctionDef, where=[in_a_class])
def self_(node: ast.FunctionDef, site: Site) -> Texts:
    """def forward(residual) → def forward(self, residual)"""
    names = [arg.arg for arg in node.args.args]
    if node.decorator_list or names[:1] == ["self"]:
        return
    arguments = ast.arguments(**dict(ast.iter_fields(node.args)))
    arguments.args = [ast.arg("self"), *node.args.args]
    yield _with_head("add self", node, node.name, arguments)


def in_init_of_a_cfg(site: Site) -> bool:
    """def __init__(self, cfg)"""
    is_init = isinstance(site.node, ast.FunctionDef) and site.node.name == "__init__"
    return is_init and "cfg" in site.scope.arguments


@proposes("add a line to __init__", ast.FunctionDef, where=[in_init_of_a_cfg])
def super_init(node: ast.FunctionDef, site: Site) -> Texts:
    """__init__ without super().__init__() → with it, as the first line"""
    if "super().__init__" not in site.text:
        yield _function(node, node.name, node.args, [*statements(SUPER), *node.body])


@proposes("add a line to __init__", ast.FunctionDef, where=[in_init_of_a_cfg])
def keeping_cfg(node: ast.FunctionDef, site: Site) -> Texts:
    """__init__ without self.cfg = cfg → with it, as the last line"""
    if "self.cfg =" not in site.text:
        yield _function(node, node.name, node.args, [*node.body, *statements(KEEPING_CFG)])


def is_set(site: Site) -> bool:
    """x in x = y"""
    return is_stored(site.node)


@proposes("name", ast.Attribute, where=[of_self, is_set])
def target(node: ast.Attribute, site: Site) -> Texts:
    """self.weight = ... → self.w = ..."""
    return each("self.{}", others(site.scope.vocabulary.attributes, node.attr))


def _with_head(kind: str, node: ast.FunctionDef, name: str, arguments: ast.arguments) -> Proposal:
    """The function with another first line, of which alone a reader is told."""
    text = _function(node, name, arguments, node.body)
    return Proposal(kind, text, _head(node.name, node.args), _head(name, arguments))


def _function(node: ast.FunctionDef, name: str, arguments: ast.arguments, body: list[ast.stmt]) -> str:
    new = ast.FunctionDef(name, arguments, body, node.decorator_list, node.returns)
    return ast.unparse(ast.fix_missing_locations(ast.copy_location(new, node)))


def _head(name: str, arguments: ast.arguments) -> str:
    return f"def {name}({ast.unparse(arguments)})"


Set = ast.Assign | ast.AugAssign
AXES = (1, -1, 0)
CHANGING_A_LIST = {"reverse", "sort", "pop", "remove", "insert", "append", "extend", "clear"}


def target_of(node: Set) -> ast.expr:
    """x in x = y and x += y"""
    return node.targets[0] if isinstance(node, ast.Assign) else node.target


return_ = rewrites(
    "return it",
    ast.Expr,
    "return {it}",  # x * self.w → return x * self.w
)


@proposes("return it", ast.Expr)
def return_of_print(node: ast.Expr, site: Site) -> Texts:
    """print(x) → return x"""
    match node.value:
        case ast.Call(func=ast.Name(id="print"), args=[printed, *_]):
            yield f"return {ast.unparse(printed)}"


def last_line(site: Site) -> bool:
    """The statement with which its block ends"""
    return site.is_last


@proposes(
    "return it",
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With, ast.If, ast.Assert),
    where=[in_a_function, last_line],
    unless=[in_init],
)
def return_after(node: ast.stmt, site: Site) -> Texts:
    """out = x as the last line → return out after it"""
    names = site.scope.locals[::-1][:4] + site.scope.arguments[:1]
    if isinstance(node, Set):
        names = [ast.unparse(target_of(node)), *names]
    return each("{}\nreturn {}", [site.text], dict.fromkeys(names))


@proposes("make it a parameter", ast.Expr)
def parameter(node: ast.Expr, site: Site) -> Texts:
    """self.register_buffer("w", x) → self.w = nn.Parameter(x)"""
    match node.value:
        case ast.Call(ast.Attribute(ast.Name("self"), "register_buffer"), [ast.Constant(str(name)), value], _):
            yield f"self.{name} = nn.Parameter({ast.unparse(value)})"


@proposes("size of an axis", ast.Assign, ast.AugAssign, unless=[in_init])
def size_of_an_axis(node: Set, site: Site) -> Texts:
    """n = int(tokens.max()) + 1 → n = tokens.shape[1]; n += 1 → n = tokens.shape[1]"""
    target = target_of(node)
    if not isinstance(target, ast.Name):
        return []
    return each("{} = {}.shape[{}]", [target.id], site.scope.arguments, AXES)


out_of_place = rewrites(
    "out of place",
    ast.AugAssign,
    "{target} = {target} {op} ({value})",  # x -= y → x = x - y
)
set_ = rewrites(
    "operator",
    ast.AugAssign,
    "{target} = {value}",  # x += y → x = y
)


@proposes("operator", ast.Assign)
def changed(node: ast.Assign, site: Site) -> Texts:
    """x[i] = y → x[i] -= y; for names too in a loop; but not x[i] = 0, which would be left out"""
    target, *more = node.targets
    if more or isinstance(target, ast.Tuple) or number_in(node.value) == 0:
        return []
    changes = isinstance(target, ast.Subscript) or isinstance(site.parent, ast.For)
    parts = [ast.unparse(target)], "+-", [ast.unparse(node.value)]
    return each("{} {}= {}", *parts) if changes else []


@proposes("slice", ast.Subscript, where=[stored])
def along_all_in_front(node: ast.Subscript, site: Site) -> Texts:
    """x[i, j] = y → x[..., i, j] = y; x[0, 0, i, j] = y → x[..., i, j] = y"""
    match node.slice:
        case ast.Tuple([first, *_] as indices) if not isinstance(first, ast.Slice):
            varying = list(dropwhile(_is_a_number, indices))
            kept = varying if len(varying) > 1 else indices
            yield f"{ast.unparse(node.value)}[..., {', '.join(map(ast.unparse, kept))}]"


def _is_a_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


@proposes("keep a result", ast.Expr)
def result_of_a_method(node: ast.Expr, site: Site) -> Texts:
    """x.sub_(y) → x = x.sub(y); x.sqrt() → x = x.sqrt()"""
    match node.value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as owner, attr=method)) as call:
            if is_of_library(owner):
                return
            function = ast.Attribute(owner, method.removesuffix("_"), ast.Load())
            text = f"{name} = {ast.unparse(ast.Call(function, call.args, call.keywords))}"
            kind = "out of place" if method.endswith("_") else "keep a result"
            yield Proposal(kind, text)


@proposes("keep a result", ast.Expr)
def result_of_a_function(node: ast.Expr, site: Site) -> Texts:
    """torch.cat([x, y]) → x = torch.cat([x, y])"""
    if not isinstance(node.value, ast.Call) or method_of(node.value):
        return []
    inside = [inner for arg in node.value.args for inner in ast.walk(arg)]
    given = dict.fromkeys(inner.id for inner in inside if isinstance(inner, ast.Name))
    return [f"{name} = {site.text}" for name in given if name in site.scope.names]


@proposes("out of place", ast.Call)
def method_out_of_place(node: ast.Call, site: Site) -> Texts:
    """x.sub_(y) → x.sub(y) in a larger expression"""
    method = method_of(node)
    if method and method.attr.endswith("_"):
        function = ast.Attribute(method.value, method.attr.rstrip("_"), ast.Load())
        yield ast.unparse(ast.Call(function, node.args, node.keywords))


def first_line(site: Site) -> bool:
    """The statement with which a function begins"""
    return site.path[-1] == ("body", 0)


@proposes("copy", ast.stmt, where=[in_a_function, first_line], unless=[in_init])
def copy_first(node: ast.stmt, site: Site) -> Texts:
    """Where a function begins: residual = residual.clone(); of a list that is changed, merges = list(merges)"""
    copies = ["{0} = {0}.clone()"]
    if site.scope.words & CHANGING_A_LIST:
        copies.append("{0} = list({0})")
    return [f"{copy.format(name)}\n{site.text}" for copy in copies for name in site.scope.arguments]


@proposes("shape", ast.Return, unless=[in_init])
def shape_of_the_result(node: ast.Return, site: Site) -> Texts:
    """return x → return x.expand(tokens.shape[0], -1, -1), by the axes that the exercise names"""
    if node.value is None:
        return
    result = f"({ast.unparse(node.value)})"
    yield f"return {result}.float()"
    words = site.scope.vocabulary
    # what a learner calls the inputs is the learner's choice: their order is the exercise's
    for name, axes in zip(site.scope.arguments, words.inputs.values(), strict=False):
        for change in _reshaped(name, axes, words.output):
            yield f"return {result}.{change}"


def _reshaped(name: str, axes: list[str], due: list[str]) -> Texts:
    """How a result gets the axes that are due from an input that has some of them."""
    if not axes or not due:
        return
    others = due[1:]
    if axes[0] == due[0] and others:
        sizes = [f"{name}.shape[0]", *("-1" for _ in others)]
        yield f"expand({', '.join(sizes)})"
    if due[:-1] == axes:
        yield f"view(*{name}.shape, -1)"
    if due == axes:
        yield f"reshape({name}.shape)"


@proposes("keep nothing", ast.If, unless=[in_init])
def first_call(node: ast.If, site: Site) -> Texts:
    """if not hasattr(self, 'n'): self.n = x → self.n = x; if hasattr(self, 'n'): x = self.n → nothing"""
    match node.test:
        case ast.UnaryOp(ast.Not(), asked) if _asks_for_kept(asked):
            yield "\n".join(map(ast.unparse, node.body))
        case asked if _asks_for_kept(asked):
            yield "\n".join(map(ast.unparse, node.orelse))


@proposes("keep nothing", ast.Call, unless=[in_init])
def default(node: ast.Call, site: Site) -> Texts:
    """getattr(self, 'n', 0) → 0"""
    match node:
        case ast.Call(ast.Name("getattr"), [ast.Name("self"), _, default]):
            yield ast.unparse(default)


def _asks_for_kept(node: ast.expr) -> bool:
    """hasattr(self, "n")"""
    match node:
        case ast.Call(ast.Name("hasattr"), [ast.Name("self"), _]):
            return True
    return False
