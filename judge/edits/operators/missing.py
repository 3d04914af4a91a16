"""Edits that add what was forgotten: brackets, an index, a tuple, a step, an argument, a setting, a parameter."""

import ast
from collections.abc import Iterable

from judge.edits.operators.proposals import (
    Texts,
    argument,
    called,
    calling,
    calls_self,
    each,
    in_init,
    method_call,
    of_library,
    of_self,
    others,
    proposes,
    rewrites,
    subscripted,
    with_arguments,
    with_keywords,
)
from judge.edits.sites import Site, is_of_library, is_of_self, method_of
from judge.edits.trees import called_name, keyword_names
from judge.running.on_demand import Tensor

SHAPING = {"expand", "repeat", "view", "reshape", "tile", "unsqueeze", "zeros", "ones", "empty"}
ONE_AXIS = (ast.List, ast.ListComp, ast.Dict, ast.Tuple)
NO_INDEX = (ast.Constant, ast.Starred)


def of_a_library(site: Site) -> bool:
    """x in torch.sqrt(x)"""
    return isinstance(site.parent, ast.Call) and is_of_library(site.parent.func)


tuple_ = rewrites(
    "make it a tuple",
    (ast.Name, ast.Attribute),
    "({it},)",  # F.layer_norm(x, d_model) → F.layer_norm(x, (d_model,))
    where=[argument, of_a_library],
)


def part_of_a_sum_or_slice(site: Site) -> bool:
    """x in x + 1 and in y[:x]"""
    return isinstance(site.parent, (ast.Slice, ast.BinOp))


@proposes("size of an axis", ast.Name)
def size_of_an_axis(node: ast.Name, site: Site) -> Texts:
    """x[:tokens] → x[:tokens.shape[1]], range(tokens) → range(tokens.shape[1])"""
    if node.id not in site.scope.arguments:
        return []
    counts = argument(site) or part_of_a_sum_or_slice(site)
    return each("{}.shape[{}]", [node.id], (1, 0, -1)) if counts else []


def one_of_a_shape(site: Site) -> bool:
    """y in x.view(y, z)"""
    return isinstance(site.parent, ast.Call) and called_name(site.parent) in SHAPING


any_size = rewrites(
    "number",
    (ast.Name, ast.Constant),
    "1",  # x.repeat(batch, pos, 1) → x.repeat(batch, 1, 1)
    "-1",
    where=[argument, one_of_a_shape],
)


@proposes("name", ast.Name, ast.Constant, where=[argument, one_of_a_shape])
def any_local(node: ast.Name | ast.Constant, site: Site) -> Texts:
    """x.repeat(2, 1) → x.repeat(batch, 1)"""
    return site.scope.locals


def method_of_tensors(site: Site) -> bool:
    """x.sqrt"""
    return isinstance(site.node, ast.Attribute) and callable(getattr(Tensor, site.node.attr, None))


call = rewrites(
    "call it",
    ast.Attribute,
    "{it}()",  # variance.sqrt → variance.sqrt()
    where=[method_of_tensors],
    unless=[called, of_library, of_self],
)


@proposes("call it", ast.Attribute, unless=[called, of_library, of_self])
def size(node: ast.Attribute, site: Site) -> Texts:
    """tokens.size → tokens.size(1)"""
    if node.attr != "size":
        return []
    return each("{}({})", [site.text], (1, 0, -1))


def starred(site: Site) -> bool:
    """x in f(*x)"""
    return isinstance(site.parent, ast.Starred)


@proposes("index", ast.Attribute, unless=[called, of_library, of_self, subscripted, starred])
def shape(node: ast.Attribute, site: Site) -> Texts:
    """tokens.shape → tokens.shape[1]"""
    if node.attr != "shape":
        return []
    return each("{}[{}]", [site.text], (1, 0, -1))


@proposes("index it", ast.Call, where=[with_arguments], unless=[with_keywords])
def index(node: ast.Call, site: Site) -> Texts:
    """self.W_E(tokens) → self.W_E[tokens]"""
    if is_of_self(node.func) or isinstance(node.func, ast.Name):
        yield f"{ast.unparse(node.func)}[{_arguments(node)}]"


@proposes("index it", ast.Call, where=[with_arguments, calls_self], unless=[with_keywords])
def index_of_another(node: ast.Call, site: Site) -> Texts:
    """self.wte(tokens) → self.W_E[tokens]"""
    if not is_of_self(node.func) or node.func.attr in site.scope.attributes:
        return []
    return each("self.{}[{}]", site.scope.vocabulary.attributes, [_arguments(node)])


def _arguments(node: ast.Call) -> str:
    return ", ".join(map(ast.unparse, node.args))


@proposes("index instead", ast.Call)
def index_instead(node: ast.Call, site: Site) -> Texts:
    """torch.matmul(tokens, self.W_E) → self.W_E[tokens]"""
    pool = _operands(node)
    of_self = filter(is_of_self, pool)
    tables = [attribute for attribute in of_self if attribute.attr in site.scope.attributes]
    for table in tables:
        indices = [candidate for candidate in pool if candidate is not table and _may_index(candidate)]
        yield from each("{}[{}]", [ast.unparse(table)], map(ast.unparse, indices))


def _operands(node: ast.Call) -> list[ast.expr]:
    """The arguments of a function, and the object that a method is called of."""
    given = [*node.args, *(word.value for word in node.keywords)]
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return given + owner


def _may_index(node: ast.expr) -> bool:
    return not isinstance(node, NO_INDEX) and not is_of_library(node)


@proposes("index instead", ast.BinOp)
def index_by_matmul(node: ast.BinOp, site: Site) -> Texts:
    """tokens @ self.W_E → self.W_E[tokens]"""
    if not isinstance(node.op, (ast.MatMult, ast.Mult)):
        return
    if is_of_self(node.left):
        yield f"{ast.unparse(node.left)}[{ast.unparse(node.right)}]"
    if is_of_self(node.right):
        yield f"{ast.unparse(node.right)}[{ast.unparse(node.left)}]"


@proposes("index", ast.Subscript)
def last(node: ast.Subscript, site: Site) -> Texts:
    """logits[0] → logits[0, -1]; not of what has one axis, or keys"""
    if isinstance(node.value, ONE_AXIS):
        return
    match node.slice:
        case ast.Constant(value=str()):
            return
    given = ast.unparse(node.slice).removeprefix("(").removesuffix(")")
    yield f"({ast.unparse(node.value)})[{given}, -1]"


@proposes("frame", ast.Name)
def comparison(node: ast.Name, site: Site) -> Texts:
    """if eos → if token == eos"""
    if site.role != "test":
        return []
    return each("{} == {}", others(site.scope.names, node.id), [node.id])


def may_be_0(site: Site) -> bool:
    """rank in `if rank` and in `rank and x`, where 0 counts as nothing"""
    return isinstance(site.parent, ast.BoolOp) or site.role == "test"


@proposes("comparison", ast.Name, ast.UnaryOp, where=[may_be_0])
def none(node: ast.Name | ast.UnaryOp, site: Site) -> Texts:
    """if rank → if rank is not None, if not rank → if rank is None"""
    match node:
        case ast.Name(name):
            yield f"{name} is not None"
        case ast.UnaryOp(ast.Not(), ast.Name(name)):
            yield f"{name} is None"


@proposes("stars", ast.Call, where=[with_arguments])
def stars(node: ast.Call, site: Site) -> Texts:
    """f(x, options) → f(x, **options), where `options` is no ordinary parameter: `def g(x, **options)`"""
    *args, last = node.args
    if not isinstance(last, ast.Name) or last.id in site.scope.names:
        return
    settings = ast.keyword(None, last)
    yield ast.unparse(ast.Call(node.func, args, [*node.keywords, settings]))


stack = rewrites(
    "frame",
    (ast.List, ast.ListComp),
    "torch.stack({it})",  # [f(x) for x in batch] → torch.stack([f(x) for x in batch])
)


REDUCTIONS = {"mean", "sum", "var", "std", "norm", "amax", "amin", "max", "min", "median", "prod", "var_mean"}
REDUCTIONS |= {"std_mean", "logsumexp", "argmax", "argmin", "softmax", "log_softmax", "cumsum"}
UNBIASED = {"var", "std", "var_mean", "std_mean"}
JOINING = {"stack", "cat", "concat", "softmax", "log_softmax"}
DIM, KEPT, CORRECTED = {"dim", "axis"}, {"keepdim", "keepdims"}, {"unbiased", "correction"}
NORM = {"weight": "weight=self.w", "bias": "bias=self.b", "eps": "eps=self.cfg.layer_norm_eps"}
SIZED = calling("expand", "repeat", "view", "reshape", "transpose", "permute", "sum", "tile")


@proposes("add keyword", ast.Call)
def keyword(node: ast.Call, site: Site) -> Texts:
    """x.mean(dim=-1) → x.mean(dim=-1, keepdim=True); normal_(w, s) → normal_(w, std=s)"""
    settings = [
        *_settings_of_the_solution(node, site),
        *_axis_that_is_given(node, site),
        *_settings_of_a_reduction(node),
        *_axes_of_joining(node),
        *_settings_of_a_norm(node),
        *_dtype_of_a_like(node),
    ]
    shorter = ast.Call(node.func, node.args[:-1], node.keywords)
    given = tuple(f"={ast.unparse(last)}" for last in node.args[-1:])
    for setting in dict.fromkeys(settings):
        yield _with(node, setting)
        if setting.endswith(given):
            yield _with(shorter, setting)


def _settings_of_the_solution(node: ast.Call, site: Site) -> list[str]:
    """The settings that the solution passes where it calls the same function."""
    given = keyword_names(node)
    known = site.scope.vocabulary.keywords.get(called_name(node), ())
    return [default for default in known if default.partition("=")[0] not in given]


def _settings_of_a_reduction(node: ast.Call) -> Iterable[str]:
    name, given = called_name(node), keyword_names(node)
    if name not in REDUCTIONS:
        return
    operands = 1 if method_of(node) is None else 0
    has_dim = bool(given & DIM) or len(node.args) > operands
    if not has_dim:
        yield "dim=-1"
        yield "dim=-1, keepdim=True"
    elif not given & KEPT:
        yield "keepdim=True"
    if name in UNBIASED and not given & CORRECTED:
        yield "unbiased=False"


def _axis_that_is_given(node: ast.Call, site: Site) -> Iterable[str]:
    """The function's own argument `dim`, where it is not passed on."""
    if called_name(node) not in REDUCTIONS or keyword_names(node) & DIM:
        return
    if "dim" in site.scope.arguments:
        yield "dim=dim"
        yield "dim=dim, keepdim=True"


def _axes_of_joining(node: ast.Call) -> list[str]:
    if called_name(node) not in JOINING or keyword_names(node) & DIM:
        return []
    return ["dim=1", "dim=-1", "dim=0"]


def _settings_of_a_norm(node: ast.Call) -> list[str]:
    if called_name(node) != "layer_norm":
        return []
    given = keyword_names(node)
    return [setting for name, setting in NORM.items() if name not in given]


def _dtype_of_a_like(node: ast.Call) -> list[str]:
    """What takes its form from whole numbers may have to hold others."""
    if not called_name(node).endswith("_like") or "dtype" in keyword_names(node):
        return []
    return ["dtype=torch.float32"]


@proposes("parameter", ast.Call, where=[method_call, SIZED])
def one_more_size(node: ast.Call, site: Site) -> Texts:
    """x.expand(-1, -1) → x.expand(batch, -1, -1)"""
    sizes = each("{}.shape[0]", site.scope.arguments)
    for value in ("1", "-1", *site.scope.locals, *sizes):
        yield _with_first(node, value)
        yield _with(node, value)


@proposes("parameter", ast.Call, where=[calling("one_hot")])
def number_of_classes(node: ast.Call, site: Site) -> Texts:
    """F.one_hot(tokens) → F.one_hot(tokens, self.cfg.d_vocab)"""
    if len(node.args) != 1:
        return []
    sizes = each("{}.{}", [site.scope.cfg], site.scope.vocabulary.fields)
    return [_with(node, size) for size in sizes]


@proposes("parameter", ast.Call, where=[calling("multinomial")])
def number_of_draws(node: ast.Call, site: Site) -> Texts:
    """torch.multinomial(p) → torch.multinomial(p, 1)"""
    if len(node.args) != 1 or keyword_names(node):
        return []
    return [_with(node, "1")]


@proposes("add keyword", ast.Call, where=[calling("repeat")])
def batch(node: ast.Call, site: Site) -> Texts:
    """einops.repeat(x, "p -> batch p") → einops.repeat(x, "p -> batch p", batch=y.shape[0])"""
    if not ast.unparse(node.func).startswith("einops") or "batch" in keyword_names(node):
        return []
    sizes = each("batch={}.shape[0]", site.scope.arguments)
    return [_with(node, size) for size in sizes]


def kept_by_self(site: Site) -> bool:
    """y in self.x = y"""
    return isinstance(site.parent, ast.Assign) and is_of_self(site.parent.targets[0])


a_parameter = calling("Parameter")
parameter = rewrites(
    "make it a parameter",
    (ast.Call, ast.BinOp),
    "nn.Parameter({it})",  # self.w = torch.ones(cfg.d_model) → self.w = nn.Parameter(torch.ones(cfg.d_model))
    where=[kept_by_self, in_init],
    unless=[a_parameter],
)
spread = rewrites(
    "frame",
    ast.Call,
    "{it} * cfg.init_range",  # torch.randn(3) → torch.randn(3) * cfg.init_range
    where=[calling("randn"), in_init],
)


@proposes("leave out an argument", ast.Call, where=[a_parameter, with_arguments])
def with_gradient(node: ast.Call, site: Site) -> Texts:
    """nn.Parameter(x, requires_grad=False) → nn.Parameter(x)"""
    if "requires_grad" in keyword_names(node):
        yield f"nn.Parameter({ast.unparse(node.args[0])})"


@proposes("make it a parameter", ast.Call, where=[calling("Embedding", "Linear")])
def matrix(node: ast.Call, site: Site) -> Texts:
    """nn.Embedding(n, m) → nn.Parameter(torch.randn(n, m) * cfg.init_range)"""
    sizes = list(map(ast.unparse, node.args[:2]))
    if len(sizes) < 2:
        return
    for one, other in (sizes, sizes[::-1]):
        yield f"nn.Parameter(torch.randn({one}, {other}) * cfg.init_range)"


def _with(node: ast.Call, text: str) -> str:
    """The call with one more argument: a setting is the last of all, a value the last without a name."""
    args, settings = list(map(ast.unparse, node.args)), list(map(ast.unparse, node.keywords))
    given = [*args, *settings, text] if "=" in text else [*args, text, *settings]
    return f"{ast.unparse(node.func)}({', '.join(given)})"


def _with_first(node: ast.Call, text: str) -> str:
    given = map(ast.unparse, [*node.args, *node.keywords])
    return f"{ast.unparse(node.func)}({', '.join([text, *given])})"
