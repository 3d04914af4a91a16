"""Finds an answer among a notebook's cells: by the symbol that it defines, with everything that it uses."""

import ast
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from utils.grading.submissions.chapters import names_defined
from utils.grading.submissions.commands import parsed, runnable, tree_or_mistake
from utils.grading.submissions.filling import statements_in
from utils.grading.submissions.others import course_module, left_out, names_read, own_imports
from utils.grading.submissions.shapes import shape_of
from utils.learner.collecting import gathered
from utils.learner.statements import Statement
from utils.running.limited import Limit, TooSlow, limited

MOST_STATEMENTS = 2_000  # of a cell
REMEMBERED = 20_000  # characters of a cell
SECONDS = 5.0  # of work
TAKEN_ALONG = {"utils.config", "utils.dialects"}  # what of ours the process that runs answers has


@dataclass(frozen=True)
class Answer:
    """What a notebook has for one exercise."""

    symbol: str
    cells: tuple[int, ...] = ()  # those that define it: code cells, counted from 1
    source: str = ""  # it and all it uses, but for other exercises
    uses: tuple[str, ...] = ()  # other exercises, in the order of their names
    problem: str = ""  # why there is nothing to judge, as a sentence
    missing: bool = False  # whether that is because no cell defines it
    notes: tuple[str, ...] = ()
    shape: str = ""  # of its syntax tree; see shapes.py


@dataclass(frozen=True)
class _Read:
    """What a code cell says."""

    source: str
    statements: tuple[Statement, ...] = ()
    mistake: SyntaxError | None = None
    too_long: bool = False


def find_answer(cells: Sequence[str], symbol: str, others: Collection[str] = ()) -> Answer:
    """Raises nothing. `others` are the symbols of the course's other exercises: what is theirs is left out."""
    try:
        return limited(Limit(SECONDS), lambda: _find(cells, symbol, frozenset(others) - {symbol}))
    except TooSlow:
        said = f"the notebook takes longer than {SECONDS:g} seconds to be searched for it"
    except (RecursionError, MemoryError):
        said = "its code is nested too deeply to be read"
    return Answer(symbol, problem=f"`{symbol}` can't be read: {said}.")


def _find(cells: Sequence[str], symbol: str, others: frozenset[str]) -> Answer:
    read = dict(enumerate(map(_read, cells), start=1))
    everything = [one for cell in read.values() for one in cell.statements]
    defining = [(number, one) for number, cell in read.items() for one in cell.statements if _defines(one, symbol)]
    if not defining:
        return _without(symbol, read)
    kept, theirs = left_out(everything, symbol, others)
    source = gathered(symbol, kept)
    answer = Answer(
        symbol,
        tuple(dict.fromkeys(number for number, _ in defining)),
        source,
        tuple(sorted(names_read(source) & theirs)),
        problem=_why_it_can_not_run(symbol, source),
        notes=tuple(_notes(symbol, defining, read, source)),
    )
    return replace(answer, shape=shape_of(source, symbol))


def _read(cell: str) -> _Read:
    return _read_once(cell) if len(cell) <= REMEMBERED else _read_anew(cell)


def _read_anew(cell: str) -> _Read:
    source = runnable(cell)
    tree = tree_or_mistake(source)
    if isinstance(tree, SyntaxError):
        return _Read(source, mistake=tree)
    if len(tree.body) > MOST_STATEMENTS:
        return _Read(source, too_long=True)
    try:
        return _Read(source, tuple(statements_in(source, tree)))
    except (SyntaxError, ValueError) as error:  # what symtable alone minds
        return _Read(source, mistake=error if isinstance(error, SyntaxError) else SyntaxError(str(error)))


# Most cells are the same in all submissions of a chapter
_read_once = lru_cache(maxsize=4096)(_read_anew)


def _defines(one: Statement, symbol: str) -> bool:
    """Whether it is written here, not taken from a library or from the course."""
    return symbol in one.binds and not one.is_import and not course_module(one)


def _without(symbol: str, read: dict[int, _Read]) -> Answer:
    """No cell defines it: the nearest thing to a reason."""
    missing = Answer(symbol, problem=f"No cell defines `{symbol}`.", missing=True)
    for number, cell in reversed(read.items()):
        if symbol not in cell.source:
            continue
        if cell.mistake and symbol in names_defined(cell.source):
            return Answer(symbol, (number,), problem=_of_a_mistake(number, cell.mistake))
        if cell.too_long:
            said = f"Cell {number} has more than {MOST_STATEMENTS:,} statements and is not read."
            return replace(missing, problem=f"{missing.problem} {said}")
        if any(symbol in one.binds for one in cell.statements):
            return replace(missing, problem=f"`{symbol}` is only imported, in cell {number}; write it in a cell.")
        if _is_further_in(symbol, cell.source):
            said = f"Cell {number} defines `{symbol}` within another block; define it at the top level of a cell."
            return replace(missing, problem=said)
    return missing


def _of_a_mistake(number: int, mistake: SyntaxError) -> str:
    line = f", line {mistake.lineno}" if mistake.lineno else ""
    text = f": `{mistake.text.strip()[:100]}`" if mistake.text and mistake.text.strip() else ""
    return f"Cell {number}{line} is no Python ({mistake.msg}){text}."


def _is_further_in(symbol: str, source: str) -> bool:
    tree = parsed(source)
    if tree is None or symbol not in source:
        return False
    inner = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    return any(node.name == symbol for node in inner)


def _why_it_can_not_run(symbol: str, source: str) -> str:
    """What Python says before it runs anything, such as of a `return` outside a function."""
    try:
        compile(source, symbol, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = source.splitlines()[(error.lineno or 1) - 1].strip()
        return f"`{symbol}` can't be run ({error.msg}): `{line[:100]}`."
    except ValueError as error:
        return f"`{symbol}` can't be run ({error})."
    return ""


def _notes(symbol: str, defining: list[tuple[int, Statement]], read: dict[int, _Read], source: str) -> list[str]:
    anew = [number for number, one in defining if symbol not in one.reads_now]
    notes = [_more_than_once(anew)] if len(anew) > 1 else []
    last = defining[-1][0]
    notes += [
        f"{_of_a_mistake(number, cell.mistake)} It seems to define `{symbol}` too; cell {last} counts."
        for number, cell in read.items()
        if number > last and cell.mistake and symbol in names_defined(cell.source)
    ]
    foreign = own_imports(source) - TAKEN_ALONG
    notes += [f"It imports `{module}`, which is not there where answers are judged." for module in sorted(foreign)]
    return notes


def _more_than_once(numbers: list[int]) -> str:
    """Defined twice, in cells 4 and 9: the last counts."""
    times = "twice" if len(numbers) == 2 else f"{len(numbers)} times"
    if len(Counter(numbers)) == 1:
        return f"defined {times} in cell {numbers[0]}: the last counts"
    cells = [str(number) for number in dict.fromkeys(numbers)]
    return f"defined {times}, in cells {', '.join(cells[:-1])} and {cells[-1]}: the last counts"
