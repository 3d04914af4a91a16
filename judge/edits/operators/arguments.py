"""Edits that add what was forgotten in a call: an argument, a setting by its name, nn.Parameter round it."""

import ast
from collections.abc import Iterable

from judge.edits.operators.proposals import (
    Texts,
    calling,
    each,
    in_init,
    method_call,
    proposes,
    rewrites,
    with_arguments,
)
from judge.edits.sites import Site, is_of_self, method_of
from judge.edits.trees import called_name, keyword_names

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
    """What the solution sets where it calls the same function."""
    given = keyword_names(node)
    known = site.scope.vocabulary.keywords.get(called_name(node), ())
    return [one for one in known if one.partition("=")[0] not in given]


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
def argument(node: ast.Call, site: Site) -> Texts:
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
