"""Turns the imports of a component into imports within its package; every other line stays as it was written."""

import ast
import sys
from collections.abc import Callable

STAND_INS = {"jaxtyping", "regex", "einops"}  # modules of the package's `course`, for want of the libraries
COURSE = {"utils", "tests", "solutions", "training", "benchmarks"}
PROVIDED = {"torch", "safetensors", *sys.stdlib_module_names}


class NotSelfContained(Exception):
    """The component needs something of the course that can't be taken along: what."""


def rewritten(source: str, module_of: Callable[[str, str], str]) -> str:
    """The source with its imports pointed into the package.

    `module_of(stem, symbol)` names the package's module for a symbol of solutions/<stem>.py. Raises NotSelfContained.
    """
    lines = [line.encode() for line in source.splitlines(keepends=True)]  # columns count bytes
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        new = [text for alias in node.names for text in _import(node, alias, module_of)]
        if new != [_as_it_was(node, alias) for alias in node.names]:
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
            between = b"; " if before.strip() or after.strip(b"\r\n") else b"\n" + before
            lines[first : last + 1] = [before + between.join(text.encode() for text in _joined(new)) + after]
    return b"".join(lines).decode()


def libraries(source: str) -> set[str]:
    """What the source imports beyond Python itself, torch, safetensors and the package."""
    tops = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            tops |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            tops.add((node.module or "").partition(".")[0])
    return tops - PROVIDED


def _import(node: ast.Import | ast.ImportFrom, alias: ast.alias, module_of: Callable[[str, str], str]) -> list[str]:
    """The lines that import one name."""
    if isinstance(node, ast.ImportFrom):
        return [_from(node.module or "", alias, module_of)] if not node.level else [_as_it_was(node, alias)]
    if alias.name in STAND_INS:
        return [f"from ..course import {_named(alias)}"]
    if alias.name.partition(".")[0] in COURSE:
        raise NotSelfContained(f"`import {alias.name}`")
    return [_as_it_was(node, alias)]


def _from(module: str, alias: ast.alias, module_of: Callable[[str, str], str]) -> str:
    if module in STAND_INS:
        return f"from ..course.{module} import {_named(alias)}"
    if (module, alias.name) in {("utils", "config"), ("utils", "pieces")} and not alias.asname:
        return f"from {'..course' if alias.name == 'config' else '.'} import {alias.name}"
    if module in ("utils.config", "utils.pieces"):
        return f"from {'..course.config' if module == 'utils.config' else '.pieces'} import {_named(alias)}"
    if module.startswith("solutions.") and alias.name != "*":
        return f"from .{module_of(module.removeprefix('solutions.'), alias.name)} import {_named(alias)}"
    if module.partition(".")[0] in COURSE:
        raise NotSelfContained(f"`from {module} import {alias.name}`")
    return f"from {module} import {_named(alias)}"


def _as_it_was(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return f"import {_named(alias)}"
    return f"from {'.' * node.level}{node.module or ''} import {_named(alias)}"


def _named(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _joined(lines: list[str]) -> list[str]:
    """With the names that come from one module on one line."""
    together: dict[str, list[str]] = {}
    for line in lines:
        head, imports, name = line.partition(" import ")
        together.setdefault(head + imports if imports else line, []).append(name)
    return [head + ", ".join(names) if names[0] else head for head, names in together.items()]
