"""The parts of the learner's package: theirs where it passed and can be taken along, borrowed where not.

The imports of each become imports within the package; every other line stays as it was written.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from utils.course import ROOT, ExerciseInfo, all_exercises
from utils.course.lending import NothingToLend
from utils.learner.collecting import gather
from utils.learner.keeping import kept_path

STORY = {  # what telling a story takes; the rest of the parts are what these use
    "bpe_encode": "ch00_tokens",
    "Transformer": "ch07_transformer",
    "sample_next_token": "ch08_sampling",
    "generate": "ch08_sampling",
    "generate_with_cache": "ch08_sampling",
}
SINCE_GPT2 = ExerciseInfo("ch12_since_gpt2", "ModernTransformer", "test_modern_transformer")
# What a story takes that a model of Llama's shape tells; where chapter 12 is not to be had, the package goes without.
MODERN_STORY = ("bpe_encode", SINCE_GPT2.symbol, "sample_next_token", "generate")
CALLS_PIECES = re.compile(r"utils\.pieces|import pieces")
_MARKERS = re.compile(r"^ *# INSTEAD OF\n(?:.*\n)*?(?= *# END SOLUTION)|^ *# (?:BEGIN|END) SOLUTION\n", re.MULTILINE)
COURSE = {"judge", "grader", "author", "utils", "tests", "solutions", "training", "benchmarks"}
PROVIDED = {"torch", "safetensors", *sys.stdlib_module_names}
TAKEN_ALONG = {  # modules that the package has too, seen from its parts
    "utils.config": "..course.config",
    "utils.pieces": ".pieces",
}
OF_THE_COURSE = re.compile(r"^from (?:utils|utils\.model_folder|judge\.running)\.(\w+) import ", re.MULTILINE)
Import = ast.Import | ast.ImportFrom
ModuleOf = Callable[[str, str], str]


class Use(NamedTuple):
    """A need of one part for another."""

    stem: str
    symbol: str
    given: bool = False  # whether it is the solution's, whatever the learner has


@dataclass(frozen=True)
class Part:
    """A module of the package's `parts`."""

    exercise: ExerciseInfo
    module: str  # "layer_norm"
    source: str
    uses: tuple[Use, ...]
    yours: bool
    # Why what the learner wrote is not used, "" where it is or where there is nothing.
    problem: str

    @property
    def symbol(self) -> str:
        """The names that the module defines."""
        return self.exercise.symbol


def known_exercises() -> dict[str, ExerciseInfo]:
    """Every exercise of the course by its symbol, and what a story takes in any case."""
    story = [ExerciseInfo(stem, symbol, f"test_{symbol.lower()}") for symbol, stem in STORY.items()]
    return {exercise.symbol: exercise for exercise in [*story, SINCE_GPT2, *all_exercises()]}


def assemble(broken: Mapping[str, str]) -> list[Part]:
    """All modules of the package's `parts`, those first that others use.

    `broken` says of some symbols why what the learner has of them is not to be used. Raises NothingToLend where a part
    is missing, and there are no solutions to borrow it from.
    """
    assembly = _Assembly(known_exercises(), broken)
    for symbol, stem in STORY.items():
        assembly.add(Use(stem, symbol))
    if assembly.missing:
        raise NothingToLend(assembly.missing)
    of_gpt2 = dict(assembly.parts)
    assembly.add(Use(SINCE_GPT2.stem, SINCE_GPT2.symbol))
    return list((of_gpt2 if assembly.missing else assembly.parts).values())


def taken_by(symbols: Iterable[str], parts: list[Part]) -> list[Part]:
    """Those of the package's parts that these use, and these themselves."""
    known = {Use(part.exercise.stem, part.symbol, given=not part.exercise.test): part for part in parts}
    found = set[Use]()

    def add(use: Use) -> None:
        if use in known and use not in found:
            found.add(use)
            for used in known[use].uses:
                add(used)

    for use in known:
        if use.symbol in symbols and not use.given:
            add(use)
    return [part for use, part in known.items() if use in found]


@dataclass
class _Assembly:
    known: dict[str, ExerciseInfo]
    broken: Mapping[str, str]
    parts: dict[str, Part] = field(default_factory=dict)  # by their modules
    begun: set[Use] = field(default_factory=set)
    missing: list[ExerciseInfo] = field(default_factory=list)  # neither written nor to be borrowed

    def add(self, use: Use) -> None:
        """Add a part, after all that it uses."""
        if use in self.begun:
            return
        self.begun.add(use)
        part = self._part(use)
        for used in part.uses:
            self.add(used)
        self.parts.setdefault(part.module, part)

    def _part(self, use: Use) -> Part:
        """The learner's, or the solution's."""
        if use.given:
            return self._borrowed(ExerciseInfo(use.stem, use.symbol, ""))
        exercise = self.known[use.symbol]
        own = kept_path(exercise)
        problem = self.broken.get(use.symbol, "")
        if problem or not own.is_file():
            return self._borrowed(exercise, problem)
        try:
            return self._made(exercise, own.read_text(encoding="utf-8"), yours=True)
        except NotSelfContained as reason:
            problem = f"it needs {reason}, which is the course's"
        except SyntaxError as error:
            where = f"{error.msg} (line {error.lineno})"
            problem = f"it stops with {type(error).__name__}: {where}"
        except ValueError as error:
            problem = f"it stops with {type(error).__name__}: {error}"
        return self._borrowed(exercise, problem)

    def _borrowed(self, exercise: ExerciseInfo, problem: str = "") -> Part:
        """The solution's; of its chapter's other exercises, those that it uses are parts of their own."""
        imported: list[str] = []
        if exercise.test:
            beside = [other for other in self.known.values() if other.stem == exercise.stem]
            imported = [other.symbol for other in beside if other != exercise]
        path = ROOT / "solutions" / f"{exercise.stem}.py"
        if not path.is_file():
            self.missing.append(exercise)
            return Part(exercise, kept_path(exercise).stem, "", (), False, problem)
        modified = path.stat().st_mtime_ns
        source = _solution(path, modified, exercise.symbol, tuple(imported))
        return self._made(exercise, source, yours=False, problem=problem)

    def _made(self, exercise: ExerciseInfo, source: str, yours: bool, problem: str = "") -> Part:
        return _made(exercise, source, yours, problem, tuple(self.known.values()))


@cache
def _made(exercise: ExerciseInfo, source: str, yours: bool, problem: str, everything: tuple[ExerciseInfo, ...]) -> Part:
    """The part of this source; made once, for a package is put together several times while it is written."""
    known = {part.symbol: part for part in everything}
    uses: dict[Use, None] = {}  # each once, in order

    def module_of(stem: str, symbol: str) -> str:
        is_a_part = _is_a_part(known.get(symbol), stem, exercise, yours)
        use = Use(stem, symbol, given=not is_a_part)
        uses[use] = None
        return _module(known, use)

    text = rewritten(_without_docstring(source), module_of)
    others = known.keys() - {exercise.symbol}
    for symbol in filter(others.__contains__, _put_together(source)):
        uses[Use(known[symbol].stem, symbol)] = None
    module = _module(known, Use(exercise.stem, exercise.symbol, given=not exercise.test))
    whole = f'"""{_heading(exercise, yours)}"""\n\n{text}'
    return Part(exercise, module, whole, tuple(uses), yours, problem)


def _is_a_part(other: ExerciseInfo | None, stem: str, user: ExerciseInfo, yours: bool) -> bool:
    """Whether what a part uses is another part; if not, it is the solution's, so that nothing goes in circles."""
    is_exercise = other is not None and other.stem == stem
    is_borrowed_exercise = not yours and user.test != ""
    return is_exercise and (stem < user.stem or is_borrowed_exercise)


def _module(known: Mapping[str, ExerciseInfo], use: Use) -> str:
    if use.given:
        return f"given_{use.symbol.lower()}"
    return kept_path(known[use.symbol]).stem


@cache
def _solution(path: Path, _modified: int, symbol: str, others: tuple[str, ...]) -> str:
    """The reference solution of one symbol with its helpers; `others` of its chapter are imported, not copied."""
    text = _MARKERS.sub("", path.read_text(encoding="utf-8"))
    imports = [f"from solutions.{path.stem} import {other}" for other in others]
    return gather(symbol, [text, "\n".join(imports)])


def required(parts: list[Part]) -> list[str]:
    """The libraries that the package needs, for its requirements.txt."""
    beside = set[str]().union(*(libraries(part.source) for part in parts))
    return ["torch", "safetensors", *sorted(beside)]


def in_order(parts: list[Part]) -> list[Part]:
    """The parts that are exercises, as the chapters have them."""
    order = {exercise.symbol: place for place, exercise in enumerate(all_exercises())}
    named = [part for part in parts if part.exercise.test]
    return sorted(named, key=lambda part: (part.exercise.stem, order.get(part.symbol, 0)))


def whose(parts: list[Part]) -> str:
    """Which parts are the learner's and which are borrowed, and why where one of the learner's is not used."""
    named = in_order(parts)
    own = [part.symbol for part in named if part.yours]
    others = [
        f"{part.symbol} (yours: {part.problem})" if part.problem else part.symbol for part in named if not part.yours
    ]
    lines = []
    if own:
        lines.append(f"yours: {', '.join(own)}")
    if others:
        lines.append(f"from the reference solutions: {', '.join(others)}")
    return "\n".join(lines)


def _heading(exercise: ExerciseInfo, yours: bool) -> str:
    if yours:
        place = f"my_gpt/{kept_path(exercise).name}"
        whose = f"written by you: {place}, but for its imports"
        return f"{exercise.symbol}, {whose}. To change it, change that file."
    return f"{exercise.symbol}, borrowed: the reference solution of {exercise.stem}."


def _without_docstring(source: str) -> str:
    module = ast.parse(source)
    if ast.get_docstring(module) is None:
        return source
    lines = source.splitlines(keepends=True)
    rest = lines[module.body[0].end_lineno :]
    return "".join(rest).lstrip("\n")


def _put_together(source: str) -> list[Any]:
    """The constants in a source that calls `pieces`: the names that it asks for are among them."""
    if not CALLS_PIECES.search(source):
        return []
    nodes = ast.walk(ast.parse(source))
    return [node.value for node in nodes if isinstance(node, ast.Constant)]


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
