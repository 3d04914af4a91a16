"""What operators ask of a site before they propose anything: `where=[of_self], unless=[called]`."""

import ast
from collections.abc import Callable

from judge.edits.sites import Site, is_of_cfg, is_of_library, is_of_self, is_stored, method_of
from judge.edits.trees import called_name

Condition = Callable[[Site], bool]


def of_self(site: Site) -> bool:
    """self.w"""
    return is_of_self(site.node)


def of_cfg(site: Site) -> bool:
    """cfg.d_model"""
    return is_of_cfg(site.node)


def of_library(site: Site) -> bool:
    """torch.sqrt"""
    return is_of_library(site.node)


def called(site: Site) -> bool:
    """f in f(x)"""
    return isinstance(site.parent, ast.Call) and site.role == "func"


def argument(site: Site) -> bool:
    """x in f(x)"""
    return isinstance(site.parent, ast.Call) and site.role == "args"


def form_of_a_like(site: Site) -> bool:
    """x in torch.ones_like(x): its numbers are never read, so that what is done to them can say nothing"""
    return site.gives_its_form


def stored(site: Site) -> bool:
    """x[0] in x[0] = y"""
    return is_stored(site.node)


def subscripted(site: Site) -> bool:
    """x in x[0], and the index of that"""
    return isinstance(site.parent, ast.Subscript)


def statement(site: Site) -> bool:
    """A call whose result nothing reads"""
    return isinstance(site.parent, ast.Expr)


def part_of_an_attribute(site: Site) -> bool:
    """x in x.shape"""
    return isinstance(site.parent, ast.Attribute)


def in_init(site: Site) -> bool:
    """Whatever stands in __init__"""
    return site.scope.function == "__init__"


def in_a_class(site: Site) -> bool:
    """A method"""
    return isinstance(site.parent, ast.ClassDef)


def in_a_function(site: Site) -> bool:
    """A statement of a function's own body, in no loop and no condition"""
    return isinstance(site.parent, ast.FunctionDef)


def method_call(site: Site) -> bool:
    """x.mean(...), self.attn(...), but not torch.mean(...)"""
    return method_of(site.node) is not None


def calls_self(site: Site) -> bool:
    """self.attn(...)"""
    return isinstance(site.node, ast.Call) and is_of_self(site.node.func)


def with_arguments(site: Site) -> bool:
    """f(x), f(x, y=z), but not f() and not f(y=z)"""
    return isinstance(site.node, ast.Call) and bool(site.node.args)


def with_keywords(site: Site) -> bool:
    """f(y=z)"""
    return isinstance(site.node, ast.Call) and bool(site.node.keywords)


def calling(*names: str) -> Condition:
    """x.mean(...) and torch.mean(...), if `mean` is among the names"""
    wanted = frozenset(names)
    return lambda site: isinstance(site.node, ast.Call) and called_name(site.node) in wanted
