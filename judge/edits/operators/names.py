"""Edits that put another name in the place of one: a variable, an attribute of self, a field of cfg, a library."""

import ast
import builtins

from judge.edits.operators.proposals import Proposal, Texts, called, each, of_cfg, of_library, of_self, others, proposes
from judge.edits.sites import Site, is_of_library
from judge.edits.trees import LIBRARIES, keyword_names


@proposes("library", ast.Name)
def library(node: ast.Name, site: Site) -> Texts:
    """np → torch, or torch → np: what the exercise is written with, so that anything else is seldom meant"""
    return site.scope.vocabulary.library.instead.get(node.id, [])


def variable_(site: Site) -> bool:
    """A name that is no library, no builtin function and not `self`"""
    if site.text in LIBRARIES or site.text == "self":
        return False
    return site.text in site.scope.names or not hasattr(builtins, site.text)


def known(site: Site) -> bool:
    """An argument or a local"""
    return site.text in site.scope.names


@proposes("name", ast.Name, where=[variable_])
def variable(node: ast.Name, site: Site) -> Texts:
    """centred → variance; w → self.w"""
    if _is_asked_for(node, site):
        return []
    attributes = each("self.{}", site.scope.attributes)
    texts = [*others(site.scope.names, node.id), *attributes]
    texts = [text for text in texts if not _goes_along_already(text, site)]
    if node not in site.scope.only_reads:
        return texts
    # What was computed for this place would be computed for nothing: to leave that out says the same more clearly.
    return [Proposal("name instead", text) for text in texts]


@proposes("name", ast.Name, where=[variable_], unless=[known])
def unknown(node: ast.Name, site: Site) -> Texts:
    """d_model → self.cfg.d_model"""
    scope = site.scope
    if scope.has_self:
        yield from ("self", "self.cfg")
    if scope.has_self or "cfg" in scope.arguments:
        yield from each("{}.{}", [scope.cfg], scope.vocabulary.settings)


@proposes("name", ast.Call, ast.Subscript)
def unused(node: ast.Call | ast.Subscript, site: Site) -> Texts:
    """values, places = x.topk(k), and later range(k) → places: what was computed for something, and is never read"""
    return site.scope.unused


@proposes("name", ast.Attribute, where=[of_self])
def attribute(node: ast.Attribute, site: Site) -> Texts:
    """self.w → self.b; self.eps → self.cfg.layer_norm_eps"""
    if node.attr == "cfg":
        return
    known = site.scope.attributes
    texts = each("self.{}", others(known, node.attr))
    yield from (text for text in texts if not _goes_along_already(text, site))
    if node.attr not in known:
        yield from each("{}.{}", [site.scope.cfg], site.scope.vocabulary.settings)


@proposes("name", ast.Attribute, unless=[of_self, of_cfg, of_library, called])
def part(node: ast.Attribute, site: Site) -> Texts:
    """attn.b_K → attn.b_V: of another object, what the solution reads too that begins alike"""
    parts = site.scope.vocabulary.parts
    if node.attr not in parts:
        return []
    kind, _, _ = node.attr.partition("_")
    alike = [other for other in others(parts, node.attr) if other.startswith(f"{kind}_")]
    return each("{}.{}", [ast.unparse(node.value)], alike)


def _is_asked_for(node: ast.Name, site: Site) -> bool:
    """`piece in cache`, where cache[piece] is what stands there: another name only keeps it from holding"""
    match site.parent:
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[asked]):
            return key is node and f"{ast.unparse(asked)}[{node.id}]" in site.scope.kept
    return False


def _goes_along_already(text: str, site: Site) -> bool:
    """self.v in zip(self.m, self.v): nobody goes along the same twice at once"""
    match site.parent:
        case ast.Call(func=ast.Name("zip"), args=given):
            return text in map(ast.unparse, given)
    return False


@proposes("name", ast.Attribute, where=[of_cfg])
def field(node: ast.Attribute, site: Site) -> Texts:
    """cfg.d_vocab → cfg.d_model or pos; where a tensor is made of it, only to sizes that the solution uses"""
    words = site.scope.vocabulary
    fields = words.fields if _makes_a_tensor(site) else words.settings
    yield from each("{}.{}", [ast.unparse(node.value)], others(fields, node.attr))
    yield from site.scope.locals


def _makes_a_tensor(site: Site) -> bool:
    if not isinstance(site.parent, ast.Call) or site.role not in ("args", "value"):
        return False
    return is_of_library(site.parent.func)


@proposes("add self", ast.Name, where=[called])
def method(node: ast.Name, site: Site) -> Texts:
    """normalise(x) → self.normalise(x)"""
    if node.id in site.scope.methods:
        yield f"self.{node.id}"


@proposes("name", ast.Call)
def keyword(node: ast.Call, site: Site) -> Texts:
    """x.var(ddof=0) → x.var(correction=0): NumPy's word for torch's"""
    given, words = keyword_names(node), site.scope.vocabulary.library.keywords
    for index, word in enumerate(node.keywords):
        name = words.get(word.arg or "", word.arg)
        if name not in given:
            renamed = list(node.keywords)
            renamed[index] = ast.keyword(name, word.value)
            yield ast.unparse(ast.Call(node.func, node.args, renamed))
