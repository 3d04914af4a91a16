"""The parts of the learner's package: theirs where it passed and can be taken along, borrowed where not."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from utils.course import ROOT, ExerciseInfo, exercises, state_dir, stems
from utils.learner.collecting import gather
from utils.learner.keeping import kept_path
from utils.own_gpt.rewriting import NotSelfContained, libraries, rewritten

STORY = {  # what telling a story takes; the rest of the parts are what these use
    "bpe_encode": "ch00_tokens",
    "Transformer": "ch07_transformer",
    "sample_next_token": "ch08_sampling",
    "generate": "ch08_sampling",
    "generate_with_cache": "ch08_sampling",
}
Use = tuple[str, str, bool]  # a stem, a symbol, and whether it is the solution's whatever the learner has
CALLS_PIECES = re.compile(r"utils\.pieces|import pieces")
_MARKERS = re.compile(r"^ *# INSTEAD OF\n(?:.*\n)*?(?= *# END SOLUTION)|^ *# (?:BEGIN|END) SOLUTION\n", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A module of the package's `parts`."""

    exercise: ExerciseInfo
    module: str  # "layer_norm"
    source: str
    yours: bool
    problem: str  # why what the learner wrote is not used, "" where it is or where there is nothing
    uses: tuple[Use, ...]

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
    story = [ExerciseInfo(stem, symbol, f"test_{symbol.lower()}") for symbol, stem in STORY.items()]
    everything = chain(story, *map(exercises, stems()))
    return {one.symbol: one for one in everything}


def assemble(broken: Mapping[str, str]) -> list[Part]:
    """All modules of the package's `parts`, those first that others use.

    `broken` says of some symbols why what the learner has of them is not to be used.
    """
    assembly = _Assembly(known_exercises(), broken)
    found: dict[str, Part] = {}
    begun = set[Use]()

    def add(use: Use) -> None:
        if use in begun:
            return
        begun.add(use)
        part = assembly.part(*use)
        for one in part.uses:
            add(one)
        found.setdefault(part.module, part)  # after what it uses

    for symbol, stem in STORY.items():
        add((stem, symbol, False))
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
        own = kept_path(exercise)
        problem = self.broken.get(symbol, "")
        if own.is_file() and not problem:
            try:
                return self._made(exercise, own.stem, own.read_text(encoding="utf-8"), True, "")
            except NotSelfContained as reason:
                problem = f"it needs {reason}, which is the course's"
            except (SyntaxError, ValueError) as error:
                problem = f"it stops with {type(error).__name__}: {_said(error)}"
        return self._borrowed(exercise, own.stem, problem)

    def _borrowed(self, exercise: ExerciseInfo, module: str, problem: str) -> Part:
        """The solution's; of its chapter's other exercises, those that it uses are parts of their own."""
        beside = [one.symbol for one in self.known.values() if one.stem == exercise.stem]
        others = [symbol for symbol in beside if symbol != exercise.symbol]
        imported = others if exercise.test else []
        source = solution_source(exercise.stem, exercise.symbol, imported)
        return self._made(exercise, module, source, False, problem)

    def _made(self, exercise: ExerciseInfo, module: str, source: str, yours: bool, problem: str) -> Part:
        uses: dict[Use, None] = {}

        def module_of(stem: str, symbol: str) -> str:
            given = not self._is_a_part(stem, symbol, exercise, yours)
            uses[stem, symbol, given] = None
            return f"given_{symbol.lower()}" if given else kept_path(self.known[symbol]).stem

        text = rewritten(_without_docstring(source), module_of)
        named = self.known.keys() - {exercise.symbol}
        for symbol in _put_together(source):
            if symbol in named:
                uses[self.known[symbol].stem, symbol, False] = None
        heading = f'"""{_heading(exercise, yours)}"""'
        return Part(exercise, module, f"{heading}\n\n{text}", yours, problem, tuple(uses))

    def _is_a_part(self, stem: str, symbol: str, user: ExerciseInfo, yours: bool) -> bool:
        """Whether what a part uses is another part; if not, it is the solution's, so that nothing goes in circles."""
        other = self.known.get(symbol)
        if other is None or other.stem != stem or symbol == user.symbol:
            return False
        is_borrowed_exercise = not yours and user.test != ""
        return stem < user.stem or is_borrowed_exercise


def _said(error: SyntaxError | ValueError) -> str:
    return f"{error.msg} (line {error.lineno})" if isinstance(error, SyntaxError) else str(error)


def solution_source(stem: str, symbol: str, others: list[str]) -> str:
    """The reference solution of one symbol with its helpers; `others` of its chapter are imported, not copied."""
    path = ROOT / "solutions" / f"{stem}.py"
    return _solution_source(path, path.stat().st_mtime_ns, symbol, tuple(others))


@cache
def _solution_source(path: Path, _modified: int, symbol: str, others: tuple[str, ...]) -> str:
    text = _MARKERS.sub("", path.read_text(encoding="utf-8"))
    imports = [f"from solutions.{path.stem} import {other}" for other in others]
    return gather(symbol, [text, "\n".join(imports)])


def required(parts: list[Part]) -> list[str]:
    """The libraries that the package needs, for its requirements.txt."""
    beside = set[str]().union(*(part.libraries for part in parts))
    return ["torch", "safetensors", *sorted(beside)]


def in_order(parts: list[Part]) -> list[Part]:
    """Those that are exercises, as the chapters have them."""
    everything = chain.from_iterable(map(exercises, stems()))
    order = {one.symbol: place for place, one in enumerate(everything)}
    named = [part for part in parts if part.exercise.test]
    return sorted(named, key=lambda part: (part.exercise.stem, order.get(part.symbol, 0)))


def whose(parts: list[Part]) -> str:
    """Which parts are the learner's and which are borrowed, and why where one of the learner's is not used."""
    named = in_order(parts)
    groups = {
        "yours": [part.symbol for part in named if part.yours],
        "from the reference solutions": [_with_problem(part) for part in named if not part.yours],
    }
    return "\n".join(f"{name}: {', '.join(symbols)}" for name, symbols in groups.items() if symbols)


def _with_problem(part: Part) -> str:
    return f"{part.symbol} (yours: {part.problem})" if part.problem else part.symbol


def first_passed(exercise: ExerciseInfo) -> str:
    """The day on which an exercise passed first, "" where nobody noted it."""
    file = state_dir() / "my_gpt" / "passed" / f"{exercise.stem}.{exercise.symbol}"
    if not file.is_file():
        return ""
    return file.read_text(encoding="utf-8", errors="replace")[:10]


def _heading(exercise: ExerciseInfo, yours: bool) -> str:
    if yours:
        name = kept_path(exercise).name
        return f"{exercise.symbol}, written by you: my_gpt/{name}, but for its imports. To change it, change that file."
    return f"{exercise.symbol}, borrowed: the reference solution of {exercise.stem}."


def _without_docstring(source: str) -> str:
    module = ast.parse(source)
    if ast.get_docstring(module) is None:
        return source
    lines = source.splitlines(keepends=True)
    rest = lines[module.body[0].end_lineno :]
    return "".join(rest).lstrip("\n")


def _put_together(source: str) -> Iterator[str]:
    """The texts that stand in a source which calls `pieces`: the names that it asks for are among them."""
    if not CALLS_PIECES.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text)):
                yield text
