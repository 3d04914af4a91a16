"""The far side of a wall: a process that holds a component, knows the kinds of exercise, and nothing of the judge.

It is run as a script. Modules that declare exercises import utils.checking; here a stand-in takes its place, which
keeps what is declared and judges nothing. Questions and records cross as bytes, each with its length before it.
"""

import importlib
import sys
import types
from pathlib import Path
from typing import ClassVar

from utils.running.local import LocalRunner
from utils.running.parameters import given_class
from utils.running.settings import allow_those_of
from utils.running.wire import from_bytes, to_bytes

TESTS = Path(__file__).parent.parent
FORBIDDEN = ("utils.checking", "utils.learner", "utils.reference", "utils.reference.byte_pairs")


class Nothing:
    """Stands for whatever a module takes from the judge."""

    def __call__(self, *given, **named):
        return self

    def __getattr__(self, name):
        return self


class Shelf:
    """Stands for Exercise: keeps what is registered, whole."""

    def __init__(self, inputs, parameters=None, initial=None, drive="", given=None, **declared):
        self.misconceptions, self.variants = [], []
        if given is None and not drive and isinstance(parameters, dict):
            given = given_class(parameters, initial or {})
        self.given = given

    def misconception(self, name, advice=""):
        return lambda wrong: self.keep(self.misconceptions, name, wrong, advice)

    also = misconception

    def correct(self, right):
        return self.keep(self.variants, right.__name__, right)

    def equivalent(self, change, why):
        """Of the solution, which is on the other side."""

    def test(self, function):
        return function

    def keep(self, kept, name, implementation, advice=""):
        whole = implementation
        if self.given and not isinstance(implementation, type):
            whole = type(implementation.__name__, (self.given,), {"forward": implementation})
        kept.append(types.SimpleNamespace(name=name, advice=advice, component=whole))
        return implementation


class StandIn(types.ModuleType):
    """A module that has every name, and nothing behind it but `Exercise`."""

    __path__: ClassVar[list[str]] = []
    Exercise = Shelf

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


def component(module, exercise, name):
    """An attribute of the module; or what one of its exercises has registered, first of all, under this name."""
    loaded = importlib.import_module(module)
    allow_those_of(loaded)
    if not exercise:
        return getattr(loaded, name)
    shelf = getattr(loaded, exercise)
    return next(one.component for one in (*shelf.misconceptions, *shelf.variants) if one.name == name)


def answers(where, questions):
    found = component(*where)
    return [LocalRunner().ask(found, question) for question in questions]


def serve(reading, writing):
    """Answer until the other side closes; an empty message asks which modules this process has loaded."""
    while header := reading.read(8):
        request = from_bytes(reading.read(int.from_bytes(header, "little")))
        loaded = [name for name, module in sys.modules.items() if not isinstance(module, StandIn)]
        blob = to_bytes(answers(*request) if request else sorted(loaded))
        writing.write(len(blob).to_bytes(8, "little") + blob)
        writing.flush()


if __name__ == "__main__":
    for name in sys.argv[1:]:  # what the course tells the engine, on this side too
        importlib.import_module(name)
    for name in FORBIDDEN:
        sys.modules[name] = StandIn(name)
    package = types.ModuleType("tests")  # without running tests/__init__.py, which puts the notebook's cards in place
    package.__path__ = [str(TESTS)]
    sys.modules["tests"] = package
    answering, sys.stdout = sys.stdout.buffer, sys.stderr
    serve(sys.stdin.buffer, answering)
