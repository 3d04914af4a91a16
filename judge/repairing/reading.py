"""What code reads by name, as its instructions say: names of the notebook, and the attributes behind them."""

import dis
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

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
        one = waiting.pop()
        yield one
        waiting += [constant for constant in one.co_consts if isinstance(constant, CodeType)]


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
    return any(_sets_one_of(one, frozenset(code.co_freevars)) for one in codes_in(code))


def _sets_one_of(code: CodeType, names: frozenset[str]) -> bool:
    steps = dis.get_instructions(code) if names else iter(())
    return any(step.opname in SETS_OUTSIDE and step.argval in names for step in steps)
