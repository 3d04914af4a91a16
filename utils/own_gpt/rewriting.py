"""Turns the imports of a component into imports within its package; every other line stays as it was written."""

import ast
import sys
from collections.abc import Callable

COURSE = {"utils", "tests", "solutions", "training", "benchmarks"}
PROVIDED = {"torch", "safetensors", *sys.stdlib_module_names}
OURS = {"utils.config": "..course", "utils.pieces": ""}  # modules that the package has too, and where
ModuleOf = Callable[[str, str], str]


class NotSelfContained(Exception):
    """The component needs something of the course that can't be taken along: what."""


def rewritten(source: str, module_of: ModuleOf) -> str:
    """The source with its imports pointed into the package.

    `module_of(stem, symbol)` names the package's module for a symbol of solutions/<stem>.py. Raises NotSelfContained.
    """
    lines = [line.encode() for line in source.splitlines(keepends=True)]  # columns count bytes
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    from_the_end = sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True)
    for node in from_the_end:
        new = [_import(node, alias, module_of) for alias in node.names]
        if new != [_as_it_was(node, alias) for alias in node.names]:
            _replace(lines, node, _joined(new))
    return b"".join(lines).decode()


def _replace(lines: list[bytes], node: ast.Import | ast.ImportFrom, new: list[str]) -> None:
    """Put these imports in the place of one; a line each, where it stands alone."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first][: node.col_offset]
    after = lines[last][node.end_col_offset :]
    stands_alone = not (before + after).strip()
    between = b"\n" + before if stands_alone else b"; "
    imports = between.join(map(str.encode, new))
    lines[first : last + 1] = [before + imports + after]


def libraries(source: str) -> set[str]:
    """What the source imports beyond Python itself, torch, safetensors and the package."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                names += [alias.name for alias in aliases]
            case ast.ImportFrom(module=str(module), level=0):
                names.append(module)
    return {name.partition(".")[0] for name in names} - PROVIDED


def _import(node: ast.Import | ast.ImportFrom, alias: ast.alias, module_of: ModuleOf) -> str:
    """The line that imports one name."""
    if isinstance(node, ast.ImportFrom) and not node.level:
        return _from(node.module or "", alias, module_of)
    if isinstance(node, ast.Import) and _is_the_courses(alias.name):
        raise NotSelfContained(f"`import {alias.name}`")
    return _as_it_was(node, alias)


def _from(module: str, alias: ast.alias, module_of: ModuleOf) -> str:
    """The line that imports one name of a module, or one module of a package."""
    if module in OURS:
        return f"from {OURS[module]}.{module.removeprefix('utils.')} import {_named(alias)}"
    where = OURS.get(f"{module}.{alias.name}")
    if where is not None and not alias.asname:
        return f"from {where or '.'} import {alias.name}"
    if module.startswith("solutions.") and alias.name != "*":
        stem = module.removeprefix("solutions.")
        return f"from .{module_of(stem, alias.name)} import {_named(alias)}"
    if _is_the_courses(module):
        raise NotSelfContained(f"`from {module} import {alias.name}`")
    return f"from {module} import {_named(alias)}"


def _is_the_courses(module: str) -> bool:
    return module.partition(".")[0] in COURSE


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
        from_one = together.setdefault(head + imports or line, [])
        from_one.append(name)
    return [head + ", ".join(filter(None, names)) for head, names in together.items()]
