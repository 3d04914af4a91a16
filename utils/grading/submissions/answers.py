"""Finds an answer among a notebook's cells: by the symbol that it defines, with everything that it uses."""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
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

    def defining(self, symbol: str) -> list[Statement]:
        """The statements that write it here, and take it neither from a library nor from the course."""
        return [one for one in self.statements if _defines(one, symbol)]

    def seems_to_define(self, symbol: str) -> bool:
        """Whether it is no Python, and would otherwise define it."""
        return self.mistake is not None and symbol in names_defined(self.source)


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
    defining: dict[int, list[Statement]] = {}
    everything: list[Statement] = []
    for number, cell in read.items():
        everything += cell.statements
        if found := cell.defining(symbol):
            defining[number] = found
    if not defining:
        return _without(symbol, read)
    kept, theirs = left_out(everything, symbol, others)
    source = gathered(symbol, kept)
    used = names_read(source) & theirs
    return Answer(
        symbol,
        tuple(defining),
        source,
        tuple(sorted(used)),
        problem=_why_it_can_not_run(symbol, source),
        notes=tuple(_notes(symbol, defining, read, source)),
        shape=shape_of(source, symbol),
    )


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
    if one.is_import or symbol not in one.binds:
        return False
    return not course_module(one)


def _without(symbol: str, read: dict[int, _Read]) -> Answer:
    """No cell defines it: the nearest thing to a reason."""
    for number, cell in reversed(read.items()):
        if cell.mistake and cell.seems_to_define(symbol):
            return Answer(symbol, (number,), problem=_of_a_mistake(number, cell.mistake))
        if symbol in cell.source and (said := _almost(symbol, number, cell)):
            return Answer(symbol, problem=said, missing=True)
    return Answer(symbol, problem=f"No cell defines `{symbol}`.", missing=True)


def _almost(symbol: str, number: int, cell: _Read) -> str:
    """What a cell does with it that is no definition."""
    if cell.too_long:
        said = f"cell {number} has more than {MOST_STATEMENTS:,} statements and is not read"
        return f"No cell defines `{symbol}`, but {said}."
    if any(symbol in one.binds for one in cell.statements):
        return f"`{symbol}` is only imported, in cell {number}; write it in a cell."
    if _is_further_in(symbol, cell.source):
        return f"Cell {number} defines `{symbol}` within another block; define it at the top level of a cell."
    return ""


def _of_a_mistake(number: int, mistake: SyntaxError) -> str:
    where = f"Cell {number}"
    if mistake.lineno:
        where += f", line {mistake.lineno}"
    said = f"{where} is no Python ({mistake.msg})"
    text = (mistake.text or "").strip()
    return f"{said}: `{text[:100]}`." if text else f"{said}."


def _is_further_in(symbol: str, source: str) -> bool:
    tree = parsed(source) or ast.Module([], [])
    names = {getattr(node, "name", "") for node in ast.walk(tree)}
    return symbol in names


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


def _notes(
    symbol: str,
    defining: dict[int, list[Statement]],
    read: dict[int, _Read],
    source: str,
) -> Iterator[str]:
    """What is to be said of an answer that is judged."""
    anew: list[int] = []
    for number, found in defining.items():
        anew += [number for one in found if symbol not in one.reads_now]
    if len(anew) > 1:
        yield _more_than_once(anew)
    last = max(defining)
    for number, cell in read.items():
        if number > last and cell.mistake and cell.seems_to_define(symbol):
            said = _of_a_mistake(number, cell.mistake)
            yield f"{said} It seems to define `{symbol}` too; cell {last} counts."
    for module in sorted(own_imports(source) - TAKEN_ALONG):
        yield f"It imports `{module}`, which is not there where answers are judged."


def _more_than_once(numbers: list[int]) -> str:
    """Defined twice, in cells 4 and 9: the last counts."""
    times = "twice" if len(numbers) == 2 else f"{len(numbers)} times"
    *before, last = map(str, dict.fromkeys(numbers))
    where = f", in cells {', '.join(before)} and {last}" if before else f" in cell {last}"
    return f"defined {times}{where}: the last counts"
