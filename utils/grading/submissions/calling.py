"""Calls that fill what an answer reads: `register("gelu", gelu_new)`, `ACTS.put(f)`, `setup()` that sets a global.

What a call does can only be guessed from what the notebook defines, so each is guarded: that it fails costs nothing,
and an answer that does not pass with them is judged without them too.
"""

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from utils.grading.submissions.commands import parsed
from utils.grading.submissions.filling import changed_by
from utils.grading.submissions.others import own_imports
from utils.learner.statements import Statement

ANY = "globals"  # of globals()[name] = f and exec(text): a name that is only known when it runs
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_OF_ITS_FIRST = {"vars", "getattr", "iter"}
_NAMESPACES = {"globals", "locals", "exec"}
_OF_A_CLASS = {"cls", "mcs", "klass", "metacls"}


@dataclass(frozen=True)
class _Told:
    """What a statement says of calls: names, all of them."""

    is_definition: bool
    changes: frozenset[str]  # of the notebook's, when it runs or, for a definition, when that is called
    calls: frozenset[str]  # what it calls then, by the names with which these calls begin
    given: frozenset[str]  # what the calls are given
    changes_what_it_is_given: bool
    keeps: bool  # whether what it makes may keep something: it is a class, or has a function in it
    strings: frozenset[str]  # texts in it that might be names


def with_calls(everything: list[Statement], symbol: str, others: frozenset[str], taken_along: set[str]):
    """The statements, those guarded that may change something by a call; None where no call does."""
    told = [_told(one.source) for one in everything]
    does = _Does(everything, told, others | {symbol})
    found: list[Statement] = []
    for one, what in zip(everything, told, strict=True):
        changes = frozenset[str]() if one.is_import else does.by(one, what) - one.changes - one.binds
        if not changes:
            found.append(one)
        elif what.is_definition:
            found.append(replace(one, changes=one.changes | changes))
        else:
            guarded = _guarded(one.source)
            found.append(
                replace(one, source=guarded, changes=one.changes | changes, certain=frozenset(), replaces=None)
            )
        does.remember(one, what)
    if not any(new is not old for new, old in zip(found, everything, strict=True)):
        return None
    return [one for one in found if not one.is_import or own_imports(one.source) <= taken_along]


class _Does:
    """What is changed by calling what a notebook defines."""

    def __init__(self, everything: list[Statement], told: list[_Told], exercises: frozenset[str]):
        self.exercises = exercises
        self.defined: dict[str, list[_Told]] = {}
        self.made: dict[str, frozenset[str]] = {}  # what a call has made: by a name what calling that may change
        bound, read, imported = set[str](), set[str](), set[str]()
        for one, what in zip(everything, told, strict=True):
            bound |= one.binds
            imported |= one.binds if one.is_import else frozenset()
            read |= one.reads_now | one.reads_later
            if what.is_definition:
                for name in one.binds:
                    self.defined.setdefault(name, []).append(what)
        self.imported = frozenset(imported)
        self.nobodys = frozenset(name for name in read - bound - exercises if not hasattr(builtins, name))

    def by(self, one: Statement, what: _Told) -> frozenset[str]:
        """What a statement changes by its calls."""
        changed = frozenset[str]()
        if not what.is_definition:
            changed |= what.changes
        for name in (what.calls | what.given) if not what.is_definition else one.reads_now:
            changed |= self._of(name)
        for name in what.calls if not what.is_definition else ():
            changed |= self.made.get(name, frozenset())
            if any(other.changes_what_it_is_given for other in self.defined.get(name, ())):
                changed |= what.given - self.exercises if self._is_no_demonstration(name) else frozenset()
        if ANY in changed:
            changed |= self.nobodys | what.strings
        return changed - {ANY} - self.imported  # a library's changes are no definition

    def remember(self, one: Statement, what: _Told) -> None:
        """`R` of `R = Registry()` is changed by what is called for it; so are all of `put, get = make()`."""
        for name in one.binds:
            self.made.pop(name, None)
        if what.is_definition or one.is_import:
            return
        makers = (other for name in what.calls - self.exercises for other in self.defined.get(name, ()))
        if any(maker.keeps for maker in makers):
            filled = frozenset[str]().union(one.binds, *map(self._of, what.calls))
            self.made.update(dict.fromkeys(one.binds, filled))

    def _of(self, name: str) -> frozenset[str]:
        """What is changed by calling a definition of this name, and by what that calls."""
        if not self._is_no_demonstration(name):
            return frozenset()
        every = [what for reached in self._reached(name) for what in self.defined.get(reached, ())]
        return frozenset[str]().union(*(what.changes for what in every))

    def _is_no_demonstration(self, name: str) -> bool:
        """Whether it calls no exercise: what does so shows or trains one."""
        return self._reached(name).isdisjoint(self.exercises)

    def _reached(self, name: str) -> set[str]:
        reached, wanted = set[str](), [name]
        while wanted:
            if (one := wanted.pop()) not in reached:
                reached.add(one)
                wanted.extend(called for what in self.defined.get(one, ()) for called in what.calls)
        return reached


@lru_cache(maxsize=4096)  # most statements are the same in all submissions of a chapter
def _told(source: str) -> _Told:
    tree = parsed(source)
    body = tree.body if tree else []
    is_definition = any(isinstance(one, _DEFINITIONS) for one in body)
    nodes = [inner for one in body for inner in (ast.walk(one) if is_definition else _at_once(one))]
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    changed = {_root(part) for one in nodes for part in _changed_parts(one)} - {""}
    if is_definition:
        parameters, local = _inner_names(nodes)
        to_what_it_is_given = bool(changed & (parameters - {"self"} - _OF_A_CLASS))
        itself = {one.name for one in body if isinstance(one, ast.ClassDef)} if changed & _OF_A_CLASS else set[str]()
        declared = {name for one in nodes if isinstance(one, ast.Global) for name in one.names}
        changed = (changed - parameters - local) | declared | itself
    else:
        to_what_it_is_given = False
    given = [part for one in calls for part in (*one.args, *(word.value for word in one.keywords))]
    return _Told(
        is_definition,
        frozenset(changed),
        frozenset({_root(one.func) for one in calls} - {""}),
        frozenset({name for part in given for name in map(_root, _elements(part))} - {""}),
        to_what_it_is_given,
        sum(isinstance(one, _FUNCTIONS) for one in nodes) > 1 or any(isinstance(one, ast.ClassDef) for one in body),
        frozenset(_texts(nodes)) if not is_definition else frozenset(),
    )


def _changed_parts(node: ast.AST) -> Iterator[ast.expr]:
    yield from changed_by(node)
    match node:
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            yield node
        case ast.AugAssign(target=target):
            yield target
        case ast.Call(func=ast.Name(id="exec")):
            yield node


def _inner_names(nodes: list[ast.AST]) -> tuple[set[str], set[str]]:
    """The parameters of a definition's functions, and their other variables."""
    parameters = {one.arg for one in nodes if isinstance(one, ast.arg)}
    stored = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    declared = {name for one in nodes if isinstance(one, ast.Global) for name in one.names}
    return parameters, stored - declared


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that run with it: not the bodies of functions."""
    yield node
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, (*_FUNCTIONS, ast.Lambda)):
            yield from _at_once(part)


def _root(part: ast.expr) -> str:
    """`R` of `R.rows["a"].put`, of `vars(R)["a"]` and of `R("a")`."""
    while True:
        match part:
            case ast.Attribute(value=part) | ast.Subscript(value=part) | ast.Starred(value=part):
                pass
            case ast.Call(func=ast.Name(id=name)) if name in _NAMESPACES:
                return ANY
            case ast.Call(func=ast.Name(id="vars"), args=[]):
                return ANY
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _OF_ITS_FIRST:
                part = first
            case ast.Call(func=part):
                pass
            case ast.Name(id=name):
                return name
            case _:
                return ""


def _elements(part: ast.expr) -> list[ast.expr]:
    """Of a tuple or a list its own."""
    return part.elts if isinstance(part, (ast.Tuple, ast.List)) else [part]


def _texts(nodes: list[ast.AST]) -> Iterator[str]:
    for one in nodes:
        match one:
            case ast.Constant(value=str(text)) if text.isidentifier():
                yield text
            case ast.keyword(arg=str(text)):
                yield text


def _guarded(source: str) -> str:
    tree = parsed(source)
    assert tree is not None
    guard = ast.parse("try: ...\nexcept (Exception, SystemExit): pass").body[0]
    assert isinstance(guard, ast.Try)
    guard.body = tree.body
    return ast.unparse(guard)
