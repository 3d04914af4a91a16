"""How dense code is: branch points and characters a line of code. `python -m tests.house.density [PATH ...]` prints it.

A line of code is one that is not blank, no comment and no docstring. A branch point is whatever a reader has to keep
two ways in mind for: `if`, a loop, `except`, `case`, `assert`, each `for` and `if` of a comprehension, and each operand
of `and` and `or` but the first. Templates, which are filled in later, are left out.
"""

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from utils.course import ROOT

BRANCHES = (
    *(ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While),
    *(ast.ExceptHandler, ast.match_case, ast.Assert),
)
LOOSE = "*.py"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Density:
    """What was counted in some code."""

    lines: int = 0
    branches: int = 0
    characters: int = 0

    def __add__(self, other: "Density") -> "Density":
        return Density(
            self.lines + other.lines,
            self.branches + other.branches,
            self.characters + other.characters,
        )

    @property
    def branches_a_line(self) -> float:
        return self.branches / max(1, self.lines)

    @property
    def characters_a_line(self) -> float:
        return self.characters / max(1, self.lines)

    def __str__(self) -> str:
        return f"{self.lines:6} lines {self.branches_a_line:6.3f} branches {self.characters_a_line:6.1f} characters"


def density(paths: Iterable[Path]) -> Density:
    """Of modules, and of all modules in folders."""
    return sum(map(_of_file, _modules(paths)), Density())


def rooms() -> dict[str, list[Path]]:
    """The folders of utils/ by name; what stands in none is one room, `LOOSE`."""
    inside = sorted((ROOT / "utils").iterdir())
    folders = {path.name: [path] for path in inside if list(path.glob("*.py"))}
    return {LOOSE: sorted((ROOT / "utils").glob("*.py")), **folders}


def _modules(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        found += [one for one in inside if "templates" not in one.parts]
    return found


def _of_file(path: Path) -> Density:
    return density_of(path.read_text(encoding="utf-8"))


def density_of(source: str) -> Density:
    """Of a piece of Python."""
    tree = ast.parse(source)
    left_out = _docstring_lines(tree)
    numbered = enumerate(map(str.strip, source.splitlines()), start=1)
    lines = [line for number, line in numbered if number not in left_out and line and line[0] != "#"]
    branches = sum(map(_branch_points, ast.walk(tree)))
    return Density(len(lines), branches, sum(map(len, lines)))


def _branch_points(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, BRANCHES))


def _docstring_lines(tree: ast.Module) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            first = node.body[0]
            found.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def main(names: list[str]) -> None:
    """Print the density of each of these, or of each room of utils/."""
    chosen = {name: [Path(name)] for name in names}
    for name, paths in (chosen or rooms()).items():
        print(f"{name:40}{density(paths)}")


if __name__ == "__main__":
    main(sys.argv[1:])
