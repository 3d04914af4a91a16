"""The parts of the learner's package: theirs where it passed and can be taken along, borrowed where not."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from utils.course import ROOT, ExerciseInfo, exercises, state_dir, stems
from utils.learner.collecting import gather
from utils.learner.keeping import kept_path
from utils.learner.own_gpt.rewriting import NotSelfContained, libraries, rewritten

STORY = {  # what telling a story takes; the rest of the parts are what these use
    "bpe_encode": "ch00_tokens",
    "Transformer": "ch07_transformer",
    "sample_next_token": "ch08_sampling",
    "generate": "ch08_sampling",
    "generate_with_cache": "ch08_sampling",
}
_MARKERS = re.compile(r"^ *# INSTEAD OF\n(?:.*\n)*?(?= *# END SOLUTION)|^ *# (?:BEGIN|END) SOLUTION\n", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A module of the package's `parts`."""

    exercise: ExerciseInfo
    module: str  # "layer_norm"
    source: str
    yours: bool
    problem: str  # why what the learner wrote is not used, "" where it is or where there is nothing
    uses: tuple[tuple[str, str, bool], ...]  # stem, symbol, and whether it is the solution's whatever the learner has

    @property
    def symbol(self) -> str:
        """What the module defines."""
        return self.exercise.symbol

    @property
    def libraries(self) -> set[str]:
        """What it needs beside torch and safetensors."""
        return libraries(self.source)


def known_exercises() -> dict[str, ExerciseInfo]:
    """Every exercise of the course by its symbol, and what a story takes in any case."""
    story = {symbol: ExerciseInfo(stem, symbol, f"test_{symbol.lower()}") for symbol, stem in STORY.items()}
    return story | {one.symbol: one for stem in stems() for one in exercises(stem)}


def assemble(broken: Mapping[str, str]) -> list[Part]:
    """All modules of the package's `parts`, those first that others use.

    `broken` says of some symbols why what the learner has of them is not to be used.
    """
    assembly = _Assembly(known_exercises(), broken)
    found: dict[str, Part] = {}
    begun = set[tuple[str, str, bool]]()

    def add(stem: str, symbol: str, given: bool) -> None:
        if (stem, symbol, given) in begun:
            return
        begun.add((stem, symbol, given))
        part = assembly.part(stem, symbol, given)
        for one in part.uses:
            add(*one)
        found.setdefault(part.module, part)  # after what it uses

    for symbol, stem in STORY.items():
        add(stem, symbol, False)
    return list(found.values())


@dataclass
class _Assembly:
    known: dict[str, ExerciseInfo]
    broken: Mapping[str, str]

    def part(self, stem: str, symbol: str, given: bool) -> Part:
        """A part by name: the learner's, or the solution's."""
        exercise = self.known.get(symbol)
        if given or exercise is None or exercise.stem != stem:
            return self._borrowed(ExerciseInfo(stem, symbol, ""), f"given_{symbol.lower()}", "")
        own, module = kept_path(exercise), kept_path(exercise).stem
        problem = self.broken.get(symbol, "")
        if own.is_file() and not problem:
            try:
                return self._made(exercise, module, own.read_text(encoding="utf-8"), True, "")
            except NotSelfContained as reason:
                problem = f"it needs {reason}, which is the course's"
            except SyntaxError as error:
                problem = f"it stops with {type(error).__name__}: {error.msg} (line {error.lineno})"
            except ValueError as error:
                problem = f"it stops with {type(error).__name__}: {error}"
        return self._borrowed(exercise, module, problem)

    def _borrowed(self, exercise: ExerciseInfo, module: str, problem: str) -> Part:
        others = [one.symbol for one in self.known.values() if one.stem == exercise.stem] if exercise.test else []
        source = solution_source(exercise.stem, exercise.symbol, [one for one in others if one != exercise.symbol])
        return self._made(exercise, module, source, False, problem)

    def _made(self, exercise: ExerciseInfo, module: str, source: str, yours: bool, problem: str) -> Part:
        uses: dict[tuple[str, str, bool], None] = {}

        def module_of(stem: str, symbol: str) -> str:
            other = self.known.get(symbol)
            earlier = stem < exercise.stem or (not yours and exercise.test != "")  # so that nothing goes in circles
            given = not (other and other.stem == stem and symbol != exercise.symbol and earlier)
            uses[stem, symbol, given] = None
            return f"given_{symbol.lower()}" if given else kept_path(self.known[symbol]).stem

        text = rewritten(_without_docstring(source), module_of)
        for symbol in _put_together(source):
            if symbol in self.known and symbol != exercise.symbol:
                uses[self.known[symbol].stem, symbol, False] = None
        return Part(exercise, module, f'"""{_heading(exercise, yours)}"""\n\n{text}', yours, problem, tuple(uses))


def solution_source(stem: str, symbol: str, others: list[str]) -> str:
    """The reference solution of one symbol with its helpers; `others` of its chapter are imported, not copied."""
    path = ROOT / "solutions" / f"{stem}.py"
    return _solution_source(path, path.stat().st_mtime_ns, symbol, tuple(others))


@cache
def _solution_source(path: Path, _modified: int, symbol: str, others: tuple[str, ...]) -> str:
    text = _MARKERS.sub("", path.read_text(encoding="utf-8"))
    return gather(symbol, [text, "\n".join(f"from solutions.{path.stem} import {other}" for other in others)])


def required(parts: list[Part]) -> list[str]:
    """The libraries that the package needs, for its requirements.txt."""
    beside = set[str]().union(*(part.libraries for part in parts))
    return ["torch", "safetensors", *sorted(beside)]


def in_order(parts: list[Part]) -> list[Part]:
    """Those that are exercises, as the chapters have them."""
    order = [one.symbol for stem in stems() for one in exercises(stem)]
    named = [part for part in parts if part.exercise.test]
    return sorted(named, key=lambda part: (part.exercise.stem, order.index(part.symbol) if part.symbol in order else 0))


def whose(parts: list[Part]) -> str:
    """Which parts are the learner's and which are borrowed, and why where one of the learner's is not used."""
    groups = {"yours": list[str](), "from the reference solutions": list[str]()}
    for part in in_order(parts):
        problem = f" (yours: {part.problem})" if part.problem else ""
        groups["yours" if part.yours else "from the reference solutions"].append(part.symbol + problem)
    return "\n".join(f"{name}: {', '.join(symbols)}" for name, symbols in groups.items() if symbols)


def first_passed(exercise: ExerciseInfo) -> str:
    """The day on which an exercise passed first, "" where nobody noted it."""
    file = state_dir() / "my_gpt" / "passed" / f"{exercise.stem}.{exercise.symbol}"
    return file.read_text(encoding="utf-8", errors="replace")[:10] if file.is_file() else ""


def _heading(exercise: ExerciseInfo, yours: bool) -> str:
    if yours:
        name = kept_path(exercise).name
        return f"{exercise.symbol}, written by you: my_gpt/{name}, but for its imports. To change it, change that file."
    return f"{exercise.symbol}, borrowed: the reference solution of {exercise.stem}."


def _without_docstring(source: str) -> str:
    body = ast.parse(source).body
    if not body or ast.get_docstring(ast.Module(body[:1], [])) is None:
        return source
    return "".join(source.splitlines(keepends=True)[body[0].end_lineno :]).lstrip("\n")


def _put_together(source: str) -> Iterator[str]:
    """The texts that stand in a source which calls `pieces`: the names that it asks for are among them."""
    if "utils.pieces" in source or "import pieces" in source:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
