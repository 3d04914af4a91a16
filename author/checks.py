"""The list of the judge's checks, where authors and editors look for it: made from the checks themselves.

A check is a function `check_...` of a module in judge/checking/checks/, and the first paragraph of its docstring says
what it asks. `judge.checking` imports each by name, and CONTRIBUTING has a table of them.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

from utils.course import ROOT, CourseError
from utils.course.files import write_text

CHECKS = "judge/checking/checks"
IMPORTS = "judge/checking/__init__.py"
TABLE = "CONTRIBUTING.md"
LONGEST_LINE = 120  # ruff's, which breaks an import beyond it

# All imports of checks, one below the other; their names in `__all__`; and the rows below the table's head.
IMPORTED = re.compile(r"(?:^from judge\.checking\.checks\.\w+ import (?:\([^)]*\)|.*)\n)+", re.MULTILINE)
NAMED = re.compile(r'(?:^    "check_\w+",\n)+', re.MULTILINE)
ROWS = re.compile(r"(?<=^   \| the check \| what it asks \|\n   \|---\|---\|\n)(?: *\|.*\n)+", re.MULTILINE)


class Check(NamedTuple):
    module: str
    name: str
    asks: str


def build_checks(root: Path = ROOT) -> list[str]:
    """Write the imports and the table where they are out of date; says what was done."""
    stale = _stale(root)
    for name, text in stale.items():
        write_text(root / name, text)
    return [f"{name}: written" for name in stale]


def check_checks(root: Path = ROOT) -> list[str]:
    """The files that are out of date, one sentence each; nothing is written."""
    return [f"{name} is out of date. Make it again: python -m utils build" for name in _stale(root)]


def _stale(root: Path) -> dict[str, str]:
    """The text of each file in which the checks are not listed as they are."""
    checks = _checks(root)
    rows = "".join(f"   | `{check.name}` | {check.asks} |\n" for check in checks)
    names = "".join(f'    "{check.name}",\n' for check in checks)
    stale: dict[str, str] = {}
    for name, lists in ((IMPORTS, {IMPORTED: _imports(checks), NAMED: names}), (TABLE, {ROWS: rows})):
        if not (root / name).exists():  # such as a course of somebody's own, without our guides
            continue
        before = text = (root / name).read_text(encoding="utf-8")
        for pattern, listed in lists.items():
            text, found = pattern.subn(lambda _, listed=listed: listed, text)
            if found != 1:
                raise CourseError(f"{name} has {found} places for the list of checks, and needs one: {pattern.pattern}")
        if text != before:
            stale[name] = text
    return stale


def _checks(root: Path) -> list[Check]:
    """In the order of their names. They are read and not imported, so that a broken one does not stop the build."""
    found: list[Check] = []
    for path in (root / CHECKS).glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("check_"):
                asks, _, _ = (ast.get_docstring(node) or "").partition("\n\n")
                found.append(Check(path.stem, node.name, " ".join(asks.split()).replace("|", r"\|")))
    return sorted(found, key=lambda check: check.name)


def _imports(checks: list[Check]) -> str:
    """The imports as ruff formats them."""
    lines: list[str] = []
    for module in sorted({check.module for check in checks}):
        names = [check.name for check in checks if check.module == module]
        line = f"from judge.checking.checks.{module} import {', '.join(names)}"
        if len(line) > LONGEST_LINE:
            line = "\n".join([f"{line.partition(' import ')[0]} import (", *(f"    {name}," for name in names), ")"])
        lines.append(f"{line}\n")
    return "".join(lines)
