"""Which answers may be run again and again with small changes: those that read nothing but what is harmless.

They run on copies of the notebook's values, which stand in their place while a candidate is tried.
"""

import ast
import builtins
import contextlib
import copy
import dis
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from judge.edits.trees import LIBRARIES
from judge.repairing.harmless import (
    ACTS,
    Part,
    Refused,
    elements_in,
    is_atom,
    is_known_module,
    is_of_a_library,
    is_of_the_notebook,
    led_to,
    may_be_read,
    parts_of,
)

Namespace = dict[str, Any]
FLAT = (list, dict, set)


@dataclass(frozen=True)
class Reached:
    """What an answer reaches of the notebook: names with values that may change, and its functions and classes."""

    names: dict[int, tuple[Namespace, set[str]]] = field(default_factory=dict[int, tuple[Namespace, set[str]]])
    owners: list[Any] = field(default_factory=list[Any])

    def note(self, namespace: Namespace, name: str) -> None:
        """Its value gets a copy in its place."""
        _, names = self.names.setdefault(id(namespace), (namespace, set()))
        names.add(name)

    @contextlib.contextmanager
    def lent(self) -> Generator[None]:
        """Within the block these names stand for copies; afterwards all is as it was, whatever was set in it."""
        namespaces = [(namespace, dict(namespace)) for namespace, _ in self.names.values()]
        owners = [(owner, dict(vars(owner))) for owner in self.owners]
        try:
            memo: dict[int, Any] = {}
            for namespace, names in self.names.values():
                namespace.update({name: _copied(namespace[name], memo) for name in names})
            yield
        finally:
            for namespace, before in namespaces:
                _put_back(namespace, before)
            for owner, before in owners:
                _put_attributes_back(owner, before)


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """A copy; quickly where all that it holds never changes."""
    is_flat = type(value) in FLAT and all(map(is_atom, value.values() if isinstance(value, dict) else value))
    if is_flat and id(value) not in memo:
        memo[id(value)] = value.copy()
    return copy.deepcopy(value, memo)


def _put_back(namespace: Namespace, before: Namespace) -> None:
    for name in namespace.keys() - before.keys():
        del namespace[name]
    namespace.update(before)


def _put_attributes_back(owner: Any, before: dict[str, Any]) -> None:
    now = dict(vars(owner))
    for name in now.keys() - before.keys():
        delattr(owner, name)
    for name, value in before.items():
        if now.get(name) is not value:
            setattr(owner, name, value)


GLOBAL = frozenset(["LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_CLASSDEREF"])
ATTRIBUTE = frozenset(["LOAD_ATTR", "LOAD_METHOD"])
SETS = frozenset(["STORE_ATTR", "DELETE_ATTR"])
SETS_OUTSIDE = frozenset(["STORE_DEREF", "DELETE_DEREF"])
NOTHING = frozenset(["EXTENDED_ARG", "CACHE", "NOP", "PUSH_NULL", "PRECALL"])


class Reading(NamedTuple):
    """A name that is read, the attributes that are read of it at once, and whether one of these is set."""

    name: str
    attributes: tuple[str, ...] = ()
    is_set: bool = False


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of all that is defined in it."""
    waiting = [code]
    while waiting:
        inner = waiting.pop()
        yield inner
        waiting += [constant for constant in inner.co_consts if isinstance(constant, CodeType)]


def readings(code: CodeType) -> Iterator[Reading]:
    """Every name that this code reads from outside of its function."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in NOTHING]
    for place, step in enumerate(steps):
        if step.opname in GLOBAL:
            yield _reading(str(step.argval), steps, place + 1)


def _reading(name: str, steps: list[dis.Instruction], place: int) -> Reading:
    attributes: list[str] = []
    while place < len(steps) and steps[place].opname in ATTRIBUTE:
        attributes.append(str(steps[place].argval))
        place += 1
    after = [step.opname for step in steps[place : place + 2]]
    is_changed = after[:1] == ["COPY"] and after[1:] and after[1] in ATTRIBUTE  # `Counter.calls += 1`
    is_set = bool(is_changed) or bool(SETS & {*after[:1]})
    return Reading(name, tuple(attributes), is_set)


def imports_of(code: CodeType) -> Iterator[str]:
    """The modules that this code imports."""
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            yield str(step.argval)


def sets_what_encloses_it(code: CodeType) -> bool:
    """Whether a function counts in a variable of the function round it, which is there from call to call."""
    return any(_sets_one_of(inner, frozenset(code.co_freevars)) for inner in codes_in(code))


def _sets_one_of(code: CodeType, names: frozenset[str]) -> bool:
    steps = dis.get_instructions(code) if names else iter(())
    return any(step.opname in SETS_OUTSIDE and step.argval in names for step in steps)


MOST_TEXT = 40_000  # characters of a cell
MOST_NODES = 4_000  # of the syntax tree of an answer
MOST_CODE = 300  # functions and classes that it reaches
MOST_ELEMENTS = 2_000_000  # of tensors and arrays
MOST_VALUES = 20_000  # other values, those inside of lists and objects too


def is_short(cell: str) -> bool:
    """Whether a cell can be read in no time."""
    return len(cell) <= MOST_TEXT


def reached_by(definitions: ast.Module, namespace: Namespace, helpers: Iterable[str] = ()) -> Reached | None:
    """All that the code reads of the notebook, and what that reads in turn; `helpers` too, which an edit may call.

    None where any of it is not of a type that is known to do no harm, and where it is too much to look at.
    """
    nodes = sum(1 for _ in ast.walk(definitions))
    if nodes > MOST_NODES:
        return None
    code = compile(definitions, "<answer>", "exec", dont_inherit=True)
    walk = _Walk()
    try:
        walk.read(code, namespace, own=_defined(definitions))
        for name in {*LIBRARIES, *helpers} & namespace.keys():  # an edit may call them
            walk.meet_the_name(Reading(name, ("",)), namespace)
        walk.go_on()
        with walk.reached.lent():
            return walk.reached
    except Exception:  # Refused, or what can't be copied
        return None


def _defined(definitions: ast.Module) -> frozenset[str]:
    return frozenset(getattr(node, "name", "") for node in definitions.body)


class _Walk:
    """The values that have been met, and those that are still to be looked at."""

    def __init__(self) -> None:
        self.reached = Reached()
        self.seen: dict[int, Any] = {}  # held, so that no other value gets the same id
        self.waiting: list[Part] = []
        self.codes = 0
        self.values = 0
        self.elements = 0

    def go_on(self) -> None:
        """Look at all that waits. Raises Refused."""
        while self.waiting:
            part = self.waiting.pop()
            if not is_atom(part.value):
                self.look_at(part)

    def look_at(self, part: Part) -> None:
        """What is met a second time is looked at again only if nothing can be put in its place now."""
        value, is_held = part
        known = id(value) * 2 + is_held
        if known in self.seen:
            return
        self.seen[known] = value
        parts = parts_of(value, is_held)
        self.values += len(parts)
        self.elements += elements_in(value)
        if self.values > MOST_VALUES or self.elements > MOST_ELEMENTS:
            raise Refused
        self.waiting += parts
        if is_of_the_notebook(value):
            self.reached.owners.append(value)
            self.read_function(value)

    def read_function(self, value: Any) -> None:
        """A class has no code of its own: its functions are parts of it."""
        if isinstance(value, FunctionType):
            if sets_what_encloses_it(value.__code__):
                raise Refused
            self.read(value.__code__, value.__globals__)

    def read(self, code: CodeType, names: Namespace, own: frozenset[str] = frozenset()) -> None:
        """Meet whatever the code, and what is defined in it, reads by name, but for what it makes anew."""
        for inner in codes_in(code):
            self.codes += 1
            if self.codes > MOST_CODE:
                raise Refused
            if not may_be_read(inner.co_names) or not all(map(is_known_module, imports_of(inner))):
                raise Refused
            for reading in readings(inner):
                if reading.name not in own:
                    self.meet_the_name(reading, names)

    def meet_the_name(self, reading: Reading, names: Namespace) -> None:
        """What the name stands for: of a library, what the attributes behind it lead to."""
        if reading.is_set:
            raise Refused
        value = names.get(reading.name, getattr(builtins, reading.name, None))
        if isinstance(value, ModuleType):
            _prove_what_a_library_has(led_to(value, reading.attributes))
        elif reading.name in names:
            self.reached.note(names, reading.name)
            self.waiting.append(Part(value, False))
        elif reading.name in ACTS:
            raise Refused


def _prove_what_a_library_has(value: Any) -> None:
    """Its functions and classes may be another library's, or act; whatever else it has is its own."""
    if callable(value) and not is_of_a_library(value):
        raise Refused
