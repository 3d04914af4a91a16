"""Edits that add what was forgotten in an expression: brackets, an argument, nn.Parameter."""

import ast
from collections.abc import Iterator

import torch

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site, is_method_call, is_of_library, is_of_self
from utils.edits.trees import called_name

REDUCTIONS = {"mean", "sum", "var", "std", "norm", "amax", "amin", "max", "min", "median", "prod", "var_mean"}
REDUCTIONS |= {"std_mean", "logsumexp", "argmax", "argmin", "softmax", "log_softmax", "cumsum"}
UNBIASED = {"var", "std", "var_mean", "std_mean"}
SHAPING = {"expand", "repeat", "view", "reshape", "tile", "unsqueeze", "zeros", "ones", "empty"}
DIM, KEPT = {"dim", "axis"}, {"keepdim", "keepdims"}


@operator(ast.Attribute)
def call(site: Site) -> Iterator[Proposal]:
    """variance.sqrt → variance.sqrt(), tokens.size → tokens.size(1)"""
    assert isinstance(site.node, ast.Attribute)
    if not (site.is_called or is_of_library(site.node) or is_of_self(site.node)):
        if callable(getattr(torch.Tensor, site.node.attr, None)):
            yield Proposal("call it", f"{site.text}()")
            if site.node.attr == "size":
                yield from (Proposal("call it", f"{site.text}({axis})") for axis in (1, 0, -1))
        if site.node.attr == "shape" and not isinstance(site.parent, (ast.Subscript, ast.Starred)):
            yield from (Proposal("index", f"{site.text}[{axis}]") for axis in (1, 0, -1))


@operator(ast.Call)
def index(site: Site) -> Iterator[Proposal]:
    """self.W_E(tokens) → self.W_E[tokens], self.wte(tokens) → self.W_E[tokens]"""
    node = site.node
    assert isinstance(node, ast.Call)
    if node.args and not node.keywords and (is_of_self(node.func) or isinstance(node.func, ast.Name)):
        inside = ", ".join(map(ast.unparse, node.args))
        yield Proposal("index it", f"{ast.unparse(node.func)}[{inside}]")
        if is_of_self(node.func) and node.func.attr not in site.scope.attributes:  # type: ignore[attr-defined]
            yield from (Proposal("index it", f"self.{name}[{inside}]") for name in site.scope.vocabulary.attributes)


@operator(ast.Call)
def index_instead(site: Site) -> Iterator[Proposal]:
    """torch.matmul(tokens, self.W_E) → self.W_E[tokens]"""
    node = site.node
    assert isinstance(node, ast.Call)
    pool = [*node.args, *(one.value for one in node.keywords)]
    pool += [node.func.value] if isinstance(node.func, ast.Attribute) else []
    tables = [one for one in pool if is_of_self(one) and one.attr in site.scope.attributes]  # type: ignore[attr-defined]
    for table in tables:
        for other in pool:
            if other is not table and not isinstance(other, (ast.Constant, ast.Starred)) and not is_of_library(other):
                yield Proposal("index instead", f"{ast.unparse(table)}[{ast.unparse(other)}]")


@operator(ast.BinOp)
def index_by_matmul(site: Site) -> Iterator[Proposal]:
    """tokens @ self.W_E → self.W_E[tokens]"""
    assert isinstance(site.node, ast.BinOp)
    for table, other in ((site.node.left, site.node.right), (site.node.right, site.node.left)):
        if is_of_self(table) and isinstance(site.node.op, (ast.MatMult, ast.Mult)):
            yield Proposal("index instead", f"{ast.unparse(table)}[{ast.unparse(other)}]")


@operator(ast.Call)
def keyword(site: Site) -> Iterator[Proposal]:
    """x.mean(dim=-1) → x.mean(dim=-1, keepdim=True)"""
    node = site.node
    assert isinstance(node, ast.Call)
    name, given = called_name(node), {one.arg for one in node.keywords}
    additions = [one for one in site.scope.vocabulary.keywords.get(name, ()) if one.partition("=")[0] not in given]
    if name in REDUCTIONS:
        has_dim = bool(given & DIM) or len(node.args) > (0 if is_method_call(node) else 1)
        additions += ["keepdim=True"] if has_dim and not given & KEPT else []
        additions += [] if has_dim else ["dim=-1", "dim=-1, keepdim=True"]
        additions += ["unbiased=False"] if name in UNBIASED and not given & {"unbiased", "correction"} else []
    if name in ("stack", "cat", "concat", "softmax", "log_softmax") and not given & DIM:
        additions += ["dim=1", "dim=-1", "dim=0"]
    if name == "layer_norm":
        has = {"weight": "w", "bias": "b", "eps": "cfg.layer_norm_eps"}
        additions += [f"{key}=self.{value}" for key, value in has.items() if key not in given]
    for addition in dict.fromkeys(additions):
        yield Proposal("add keyword", _with_argument(node, addition))
        if node.args and addition.endswith(f"={ast.unparse(node.args[-1])}"):  # normal_(w, s) → normal_(w, std=s)
            yield Proposal("add keyword", _with_argument(ast.Call(node.func, node.args[:-1], node.keywords), addition))


@operator(ast.Call)
def argument(site: Site) -> Iterator[Proposal]:
    """x.expand(-1, -1) → x.expand(batch, -1, -1), F.one_hot(tokens) → F.one_hot(tokens, self.cfg.d_vocab)"""
    node, scope = site.node, site.scope
    assert isinstance(node, ast.Call)
    name = called_name(node)
    if is_method_call(node) and name in ("expand", "repeat", "view", "reshape", "transpose", "permute", "sum", "tile"):
        for value in ("1", "-1", *scope.locals, *(f"{one}.shape[0]" for one in scope.arguments)):
            yield Proposal("parameter", _with_argument(node, value, first=True))
            yield Proposal("parameter", _with_argument(node, value))
    if name == "one_hot" and len(node.args) == 1:
        yield from (
            Proposal("parameter", _with_argument(node, f"{scope.cfg}.{one}")) for one in scope.vocabulary.fields
        )
    if name == "repeat" and ast.unparse(node.func).startswith("einops"):
        sizes = [] if any(one.arg == "batch" for one in node.keywords) else scope.arguments
        yield from (Proposal("add keyword", _with_argument(node, f"batch={one}.shape[0]")) for one in sizes)


@operator(ast.Call, ast.BinOp)
def parameter(site: Site) -> Iterator[Proposal]:
    """self.w = torch.ones(cfg.d_model) → self.w = nn.Parameter(torch.ones(cfg.d_model))"""
    node = site.node
    if isinstance(site.parent, ast.Assign) and is_of_self(site.parent.targets[0]) and site.scope.function == "__init__":
        if not (isinstance(node, ast.Call) and called_name(node) == "Parameter"):
            yield Proposal("make it a parameter", f"nn.Parameter({site.text})")
    if not isinstance(node, ast.Call):
        return
    if called_name(node) == "randn" and site.scope.function == "__init__":
        yield Proposal("frame", f"{site.text} * cfg.init_range")
    if called_name(node) == "Parameter" and {one.arg for one in node.keywords} & {"requires_grad"}:
        yield Proposal("leave out an argument", f"nn.Parameter({ast.unparse(node.args[0])})")
    if called_name(node) in ("Embedding", "Linear") and len(node.args) > 1:
        first, second = ast.unparse(node.args[0]), ast.unparse(node.args[1])
        yield Proposal("make it a parameter", f"nn.Parameter(torch.randn({first}, {second}) * cfg.init_range)")
        yield Proposal("make it a parameter", f"nn.Parameter(torch.randn({second}, {first}) * cfg.init_range)")


@operator(ast.Subscript)
def last(site: Site) -> Iterator[Proposal]:
    """logits[0] → logits[0, -1]"""
    node = site.node
    assert isinstance(node, ast.Subscript)
    is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    if not is_key and not isinstance(node.value, (ast.List, ast.ListComp, ast.Dict, ast.Tuple)):  # which have one axis
        given = ast.unparse(node.slice).removeprefix("(").removesuffix(")")
        yield Proposal("index", f"({ast.unparse(node.value)})[{given}, -1]")


@operator(ast.Name)
def comparison(site: Site) -> Iterator[Proposal]:
    """if eos → if token == eos"""
    if site.role == "test":
        yield from (Proposal("frame", f"{name} == {site.text}") for name in site.scope.names if name != site.text)


@operator(ast.Call)
def stars(site: Site) -> Iterator[Proposal]:
    """f(x, options) → f(x, **options), where `options` is no ordinary parameter: `def g(x, **options)`"""
    node = site.node
    assert isinstance(node, ast.Call)
    if node.args and isinstance(node.args[-1], ast.Name) and node.args[-1].id not in site.scope.names:
        settings = ast.keyword(None, node.args[-1])
        yield Proposal("stars", ast.unparse(ast.Call(node.func, node.args[:-1], [*node.keywords, settings])))


@operator(ast.List, ast.ListComp)
def stack(site: Site) -> Iterator[Proposal]:
    """[f(x) for x in batch] → torch.stack([f(x) for x in batch])"""
    yield Proposal("frame", f"torch.stack({site.text})")


def _with_argument(node: ast.Call, text: str, first: bool = False) -> str:
    given = [*map(ast.unparse, node.args)], [*map(ast.unparse, node.keywords)]
    if "=" in text:
        parts = [*given[0], *given[1], text]
    else:
        parts = [text, *given[0], *given[1]] if first else [*given[0], text, *given[1]]
    return f"{ast.unparse(node.func)}({', '.join(parts)})"


@operator(ast.Name, ast.Attribute)
def tuple_(site: Site) -> Iterator[Proposal]:
    """F.layer_norm(x, d_model) → F.layer_norm(x, (d_model,))"""
    if isinstance(site.parent, ast.Call) and site.role == "args" and is_of_library(site.parent.func):
        yield Proposal("make it a tuple", f"({site.text},)")


@operator(ast.Name)
def size_of_an_axis(site: Site) -> Iterator[Proposal]:
    """x[:tokens] → x[:tokens.shape[1]], range(tokens) → range(tokens.shape[1])"""
    in_a_call = isinstance(site.parent, ast.Call) and site.role == "args"
    if site.text in site.scope.arguments and (in_a_call or isinstance(site.parent, (ast.Slice, ast.BinOp))):
        yield from (Proposal("size of an axis", f"{site.text}.shape[{axis}]") for axis in (1, 0, -1))


@operator(ast.Name, ast.Constant)
def any_size(site: Site) -> Iterator[Proposal]:
    """x.repeat(batch, pos, 1) → x.repeat(batch, 1, 1)"""
    if isinstance(site.parent, ast.Call) and site.role == "args" and called_name(site.parent) in SHAPING:
        yield from (Proposal("number", size) for size in ("1", "-1"))
        yield from (Proposal("name", name) for name in site.scope.locals)


OPERATORS = [
    tuple_,
    size_of_an_axis,
    any_size,
    call,
    index,
    index_instead,
    index_by_matmul,
    last,
    comparison,
    keyword,
    argument,
    parameter,
    stars,
    stack,
]
