"""Calls that fill what an answer reads: `register("gelu", gelu_new)`, `ACTS.put(f)`, `setup()` that sets a global.

What a call does can only be guessed from what the notebook defines, so each is guarded: that it fails costs nothing,
and an answer that does not pass with them is judged without them too.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from grader.submissions.commands import parsed
from grader.submissions.parsing import changed_by, own_imports
from utils.learner.collecting import Statement

ANY = "globals"  # of globals()[name] = f and exec(text): a name that is only known when it runs
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_OF_ITS_FIRST = {"vars", "getattr", "iter"}  # what is done to their result is done to what they are given
_NAMESPACES = {"globals", "locals", "exec"}
_OF_A_CLASS = {"cls", "mcs", "klass", "metacls"}  # parameters that stand for the class itself


@dataclass(frozen=True)
class _Effects:
    """What a statement may change by calls, as its text alone tells; of a definition, what calling that may change."""

    is_definition: bool
    changes: frozenset[str]  # names of the notebook's
    calls: frozenset[str]  # `R` of `R.put("a", f)`
    given: frozenset[str]  # `f` of it
    changes_what_it_is_given: bool  # `def put(table, f): table["a"] = f`
    keeps: bool  # whether what it makes may keep something: it is a class, or has a function in it
    strings: frozenset[str]  # texts that might be names, for `globals()["gelu"] = f`


def with_calls(
    everything: list[Statement], symbol: str, others: frozenset[str], taken_along: set[str]
) -> list[Statement] | None:
    """The statements, each with what its calls may change, and guarded where it is no definition.

    None where no call changes anything. `others` are exercises too: what calls one shows or trains it, and fills
    nothing. Of the course's modules none is imported but those `taken_along`.
    """
    effects = [_effects_of(statement.source) for statement in everything]
    definitions = _Definitions(everything, effects, others | {symbol})
    found: list[Statement] = []
    for statement, what in zip(everything, effects, strict=True):
        more = (
            frozenset[str]()
            if statement.is_import
            else definitions.changed_by(statement, what) - statement.changes - statement.binds
        )
        if not more:
            found.append(statement)
        elif what.is_definition:
            found.append(replace(statement, changes=statement.changes | more))
        else:
            found.append(
                replace(
                    statement,
                    source=_guarded(statement.source),
                    changes=statement.changes | more,
                    certain=frozenset(),  # where the call fails, nothing is bound
                    replaces=None,  # each call may fill something else
                )
            )
        definitions.remember(statement, what)
    if all(new is old for new, old in zip(found, everything, strict=True)):
        return None
    return [statement for statement in found if not statement.is_import or own_imports(statement.source) <= taken_along]


class _Definitions:
    """What is changed by calling what a notebook defines, and what such calls have made."""

    def __init__(self, everything: list[Statement], effects: list[_Effects], exercises: frozenset[str]):
        self.exercises = exercises
        self.defined: dict[str, list[_Effects]] = {}  # a name may be defined more than once
        self.made: dict[str, frozenset[str]] = {}  # by the name of what a call has made: what calling that may change
        self._known: dict[str, frozenset[str]] = {}
        self._reaches: dict[str, set[str]] = {}
        bound, read, imported = set[str](), set[str](), set[str]()
        for statement, what in zip(everything, effects, strict=True):
            bound |= statement.binds
            imported |= statement.binds if statement.is_import else frozenset()
            read |= statement.reads_now | statement.reads_later
            if what.is_definition:
                for name in statement.binds:
                    self.defined.setdefault(name, []).append(what)
        self.imported = frozenset(imported)
        # read, and bound nowhere: what a call may set by its text
        self.unbound = frozenset(name for name in read - bound - exercises if not hasattr(builtins, name))

    def changed_by(self, statement: Statement, what: _Effects) -> frozenset[str]:
        """What a statement changes by its calls; a definition calls its decorators and its bases."""
        if what.is_definition:
            changed = self._by_calling(statement.reads_now)
        else:
            changed = what.changes | self._by_calling(what.calls | what.given)
            for name in what.calls:
                changed |= self.made.get(name, frozenset())
                directly = any(other.changes_what_it_is_given for other in self.defined.get(name, ()))
                if directly and self._calls_no_exercise(name):
                    changed |= what.given - self.exercises
        if ANY in changed:
            changed |= self.unbound | what.strings
        return changed - {ANY} - self.imported  # a library's changes are no definition

    def remember(self, statement: Statement, what: _Effects) -> None:
        """`R` of `R = Registry()` is changed by what is called for it; so are all of `put, get = make()`."""
        for name in statement.binds:
            self.made.pop(name, None)
        if what.is_definition or statement.is_import:
            return
        makers = (other for name in what.calls - self.exercises for other in self.defined.get(name, ()))
        if any(maker.keeps for maker in makers):
            self.made.update(dict.fromkeys(statement.binds, statement.binds | self._by_calling(what.calls)))

    def _by_calling(self, names: Iterable[str]) -> frozenset[str]:
        """What is changed by calling what has these names, and by what that calls."""
        return frozenset[str]().union(*map(self._by_calling_one, names))

    def _by_calling_one(self, name: str) -> frozenset[str]:
        if name not in self.defined:
            return frozenset()
        if name not in self._known:
            every = [what for reached in self._reached(name) for what in self.defined.get(reached, ())]
            changed = frozenset[str]().union(*(what.changes for what in every))
            self._known[name] = changed if self._calls_no_exercise(name) else frozenset()
        return self._known[name]

    def _calls_no_exercise(self, name: str) -> bool:
        """Itself or through others: what calls one shows or trains it."""
        return self._reached(name).isdisjoint(self.exercises)

    def _reached(self, name: str) -> set[str]:
        """The name, what is called by what it stands for, and so on."""
        if name not in self._reaches:
            reached, wanted = set[str](), [name]
            while wanted:
                if (called := wanted.pop()) not in reached:
                    reached.add(called)
                    wanted.extend(further for what in self.defined.get(called, ()) for further in what.calls)
            self._reaches[name] = reached
        return self._reaches[name]


@lru_cache(maxsize=4096)  # most statements are the same in all submissions of a chapter
def _effects_of(source: str) -> _Effects:
    tree = parsed(source)
    body = tree.body if tree else []
    is_definition = any(isinstance(statement, _DEFINITIONS) for statement in body)
    nodes = [inner for line in body for inner in (ast.walk(line) if is_definition else _at_once(line))]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    given = [part for call in calls for part in (*call.args, *(word.value for word in call.keywords))]
    # Of a tuple or a list its parts: `put((a, b))` is given both
    given = [inner for part in given for inner in (part.elts if isinstance(part, (ast.Tuple, ast.List)) else [part])]
    changed = {_root(part) for node in nodes for part in _changed_parts(node)} - {""}
    changes_what_it_is_given = False
    if is_definition:
        parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        declared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        changes_what_it_is_given = bool(changed & (parameters - {"self"} - _OF_A_CLASS))
        # `cls.rows["a"] = f` changes the class itself
        itself = (
            {statement.name for statement in body if isinstance(statement, ast.ClassDef)}
            if changed & _OF_A_CLASS
            else set[str]()
        )
        changed = (changed - parameters - (stored - declared)) | declared | itself
    return _Effects(
        is_definition,
        frozenset(changed),
        calls=frozenset({_root(call.func) for call in calls} - {""}),
        given=frozenset(set(map(_root, given)) - {""}),
        changes_what_it_is_given=changes_what_it_is_given,
        keeps=sum(isinstance(node, _FUNCTIONS) for node in nodes) > 1
        or any(isinstance(statement, ast.ClassDef) for statement in body),
        strings=frozenset(_texts(nodes)) if not is_definition else frozenset(),
    )


def _changed_parts(node: ast.AST) -> Iterator[ast.expr]:
    """What a single node changes: in place, or by assigning to a part of it."""
    yield from changed_by(node)
    match node:
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            yield node
        case ast.AugAssign(target=target):
            yield target
        case ast.Call(func=ast.Name(id="exec")):
            yield node


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that run with it: not the bodies of functions."""
    yield node
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, (*_FUNCTIONS, ast.Lambda)):
            yield from _at_once(part)


def _root(part: ast.expr) -> str:
    """`R` of `R.rows["a"].put`, of `vars(R)["a"]` and of `R("a")`; "" of what is no part of a name."""
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


def _texts(nodes: list[ast.AST]) -> Iterator[str]:
    """What may name a variable: `"gelu"` of `globals()["gelu"] = f`, `gelu` of `globals().update(gelu=f)`."""
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if text.isidentifier():
                yield text
            case ast.keyword(arg=str(text)):
                yield text


def _guarded(source: str) -> str:
    """The statement, which may fail."""
    tree = parsed(source)
    assert tree is not None
    guard = ast.parse("try: ...\nexcept (Exception, SystemExit): pass").body[0]
    assert isinstance(guard, ast.Try)
    guard.body = tree.body
    return ast.unparse(guard)
