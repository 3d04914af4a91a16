"""Turns the imports of a component into imports within its package; every other line stays as it was written."""

import ast
import re
import sys
from collections.abc import Callable
from functools import cache

COURSE = {"judge", "grader", "author", "utils", "tests", "solutions", "training", "benchmarks"}
PROVIDED = {"torch", "safetensors", *sys.stdlib_module_names}
TAKEN_ALONG = {  # modules that the package has too, seen from its parts
    "utils.config": "..course.config",
    "utils.pieces": ".pieces",
}
OF_THE_COURSE = re.compile(r"^from (?:utils|utils\.model_folder|judge\.running)\.(\w+) import ", re.MULTILINE)
Import = ast.Import | ast.ImportFrom
ModuleOf = Callable[[str, str], str]


class NotSelfContained(Exception):
    """The component needs something of the course that can't be taken along: what."""


def rewritten(source: str, module_of: ModuleOf) -> str:
    """The source with its imports pointed into the package.

    `module_of(stem, symbol)` names the package's module for a symbol of solutions/<stem>.py. Raises NotSelfContained.
    """
    lines = source.encode().splitlines(keepends=True)  # columns count bytes
    nodes = ast.walk(ast.parse(source))
    imports = [node for node in nodes if isinstance(node, Import)]
    imports.sort(key=lambda node: (node.lineno, node.col_offset))
    for node in reversed(imports):  # what stands before one stays where it is
        if new := _moved(node, module_of):
            _replace(lines, node, new)
    return b"".join(lines).decode()


def side_by_side(source: str) -> str:
    """The source of a module that the course uses too, whose like stand in one folder of the package."""
    return OF_THE_COURSE.sub(r"from .\1 import ", source)


@cache
def libraries(source: str) -> frozenset[str]:
    """What the source imports beyond Python itself, torch, safetensors and the package."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                names += [alias.name for alias in aliases]
            case ast.ImportFrom(module=str(module), level=0):
                names.append(module)
    return frozenset(map(_package, names)) - PROVIDED


def _moved(node: Import, module_of: ModuleOf) -> list[str]:
    """The imports that take the place of one, a line for each module; none where it stays."""
    match node:
        case ast.ImportFrom(module=str(module), level=0):
            together: dict[str, list[str]] = {}
            for alias in node.names:
                where = _where(module, alias, module_of)
                together.setdefault(where, []).append(ast.unparse(alias))
            if together.keys() == {module}:
                return []
            pairs = together.items()
            return [f"from {where} import {', '.join(names)}" for where, names in pairs]
        case ast.Import(names=aliases):
            for alias in aliases:
                if _package(alias.name) in COURSE:
                    raise NotSelfContained(f"`import {alias.name}`")
    return []


def _where(module: str, alias: ast.alias, module_of: ModuleOf) -> str:
    """Where the package has what one name of a module is, or one module of a package."""
    if module in TAKEN_ALONG:
        return TAKEN_ALONG[module]
    submodule = TAKEN_ALONG.get(f"{module}.{alias.name}")
    if submodule and not alias.asname:
        return submodule.removesuffix(alias.name).removesuffix(".") or "."
    if module.startswith("solutions.") and alias.name != "*":
        stem = module.removeprefix("solutions.")
        return f".{module_of(stem, alias.name)}"
    if _package(module) in COURSE:
        raise NotSelfContained(f"`from {module} import {alias.name}`")
    return module


def _package(module: str) -> str:
    return module.partition(".")[0]


def _replace(lines: list[bytes], node: Import, new: list[str]) -> None:
    """Put these imports in the place of one; a line each, where it stands alone."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first][: node.col_offset]
    after = lines[last][node.end_col_offset :]
    stands_alone = not (before + after).strip()
    between = b"\n" + before if stands_alone else b"; "
    imports = between.join(map(str.encode, new))
    lines[first : last + 1] = [before + imports + after]
