"""A component as source text with all that it needs, as a grader sends what a learner wrote to a far side."""

import ast
import functools
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

from judge.checking import Exercise
from tests.house.journey import wrong_answer
from utils.course import exercises

OWN = ("torch", "functools", "staticmethod", "classmethod", "property")  # decorators that stay: what they do is asked
JUDGE = ("judge.checking", "utils.learner", "utils.reference")  # which a far side does not have


class NotSent(Exception):
    """It is not defined at the top of a module, or needs the judge."""


def where_is(exercise: Exercise, component: type | FunctionType) -> dict[str, str]:
    """Where the far side finds this answer to the exercise. Raises NotSent."""
    if not hasattr(component, "__name__"):
        raise NotSent
    name, forward = component.__name__, vars(component).get("forward")
    if component.__module__.startswith("solutions."):
        return of_the_solution(component)
    if defined_as_it_is(component):
        return {"source": text_of(component.__module__, name), "name": name}
    if not defined_as_it_is(forward):
        raise NotSent
    whole = f'{name} = type("{name}", ({exercise.given.__name__},), {{"forward": {name}}})\n'
    return {"source": text_of_given(exercise) + text_of(forward.__module__, name) + whole, "name": name}


def wrongly_answered(exercise: Exercise) -> dict[str, str]:
    """A wrong answer as a learner writes it, below what the solution needs."""
    one = next(one for one in exercises(exercise.stem) if one.symbol == exercise.symbol)
    text = text_of(exercise.solution, exercise.symbol) + wrong_answer(one).source
    return {"source": text, "name": exercise.symbol}


def of_the_solution(component: type | FunctionType) -> dict[str, str]:
    """The solution itself is there; a change of it goes as text, after all that the solution needs."""
    module, name = component.__module__, component.__name__
    if defined_as_it_is(component):
        return {"module": module, "name": name}
    functions = [component, *vars(component).values()]
    (file, *_) = [one.__code__.co_filename for one in functions if isinstance(one, FunctionType)]
    return {"source": text_of(module, name) + "".join(linecache.getlines(file)), "name": name}


def text_of_given(exercise: Exercise) -> str:
    """The class that a `forward` alone belongs to."""
    if defined_as_it_is(exercise.given):
        return text_of(exercise.given.__module__, exercise.given.__name__)
    made = f"{exercise.given.__name__} = given_class({exercise.parameters}, {exercise.starts()})\n"
    return f"from judge.running.parameters import given_class\n{made}"


def defined_as_it_is(component: type | FunctionType | None) -> bool:
    """Whether its module has it under its own name."""
    module = sys.modules.get(getattr(component, "__module__", ""))
    return component is not None and getattr(module, component.__name__, None) is component


def text_of(module: str, name: str) -> str:
    """The statements that define this name of a module, and before each of them those that it needs."""
    statements: dict[tuple[str, str], str] = {}
    for key, text in _statements(module, name, set()):
        if any(other != key and other[1] == key[1] for other in statements):
            raise NotSent(f"two modules have a {key[1]}")
        statements[key] = text
    return "\n".join(statements.values()) + "\n"


def _statements(module: str, name: str, seen: set[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], str]]:
    if (module, name) in seen or name not in _definitions(module):
        return
    seen.add((module, name))
    node = _definitions(module)[name]
    if isinstance(node, ast.ImportFrom) and node.module.startswith("tests."):
        yield from _statements(node.module, name, seen)
        return
    if isinstance(node, ast.ImportFrom) and node.module.startswith(JUDGE):
        raise NotSent(f"{name} is the judge's")
    for needed in sorted(_names(node) - {name}):
        yield from _statements(module, needed, seen)
    yield (module, name), _text(module, node)


def _names(node: ast.stmt) -> set[str]:
    """Those that occur in it, but for decorators that register it."""
    decorators = [one for one in getattr(node, "decorator_list", []) if not ast.unparse(one).startswith(OWN)]
    registering = {id(one) for decorator in decorators for one in ast.walk(decorator)}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and id(one) not in registering}


def _text(module: str, node: ast.stmt) -> str:
    """The statement as it is written, with those decorators alone that it has anywhere."""
    own = [ast.unparse(one) for one in getattr(node, "decorator_list", [])]
    kept = "".join(f"@{one}\n" for one in own if one.startswith(OWN))
    return kept + (ast.get_source_segment(_source(module), node) or ast.unparse(node))


@functools.cache
def _source(module: str) -> str:
    return Path(sys.modules[module].__file__).read_text(encoding="utf-8")


@functools.cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    """The last statement at the top of a module that defines each name, registered nowhere."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(_source(module)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {one.asname or one.name: _import_of(node, one) for one in node.names}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = (one for target in targets for one in ast.walk(target))
            found |= {one.id: node for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found


def _import_of(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    """The import of this name alone."""
    if isinstance(node, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(node.module, [alias], node.level)
