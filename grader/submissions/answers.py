"""Finds an answer among a notebook's cells: by the symbol that it defines, with everything that it uses."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

from grader.submissions.calling import with_calls
from grader.submissions.chapters import beside
from grader.submissions.commands import HERE, TOO_LONG, Newer, parsed
from grader.submissions.entries import shown
from grader.submissions.parsing import ParsedCell, course_module, own_imports, parsed_cell, with_what_definitions_fill
from grader.submissions.shapes import shape_of
from judge.running.limited import Limit, TooSlow, limited
from judge.running.sources import lines_of
from utils.learner.collecting import Statement, gathered, needed

SECONDS = 5.0  # of work
MOST_ASKED = 20  # cells of which ruff is asked whether they are of a newer Python
TAKEN_ALONG = {"utils.config", "utils.dialects"}  # what of ours the process that runs answers has
# IPython has it without an import
DISPLAY = Statement(
    source="try:\n    display\nexcept NameError:\n    display = print",
    binds=frozenset({"display"}),
    certain=frozenset({"display"}),
    changes=frozenset(),
    reads_now=frozenset(),
    reads_later=frozenset(),
    replaces=None,
    is_import=False,
)


@dataclass(frozen=True)
class Answer:
    """An answer: what a notebook has for one exercise."""

    symbol: str
    cells: tuple[int, ...] = ()  # those that define it: code cells, counted from 1
    source: str = ""  # it and all it uses, but for other exercises
    fuller: str = ""  # the same with the calls that may fill what it uses; "" where there are none
    uses: tuple[str, ...] = ()  # other exercises, in the order of their names
    problem: str = ""  # why there is nothing to judge, as a sentence
    missing: bool = False  # whether that is because no cell defines it
    newer: bool = False  # whether that is because this Python is too old for it: no fault of the answer
    unread: bool = False  # likewise, because a cell that may have it is too long, or all of them take too long to read
    unfilled: str = ""  # likewise, why a call that may fill what it uses can't be made here: it may do without
    notes: tuple[str, ...] = ()
    shape: str = ""  # of its syntax tree; see shapes.py


def find_answer(
    cells: Sequence[str], symbol: str, others: Collection[str] = (), not_lent: Collection[str] = ()
) -> Answer:
    """Raises nothing. `others` are the symbols of the course's other exercises: what is theirs is left out.

    `not_lent` are those of exercises that nobody lends to this one: what the notebook borrows of them from the course
    is left out too, and what it defines under such a name is its own.
    """
    slow = False
    try:
        return limited(Limit(SECONDS), lambda: _find(cells, symbol, frozenset(others) - {symbol}, frozenset(not_lent)))
    except TooSlow:
        said, slow = f"the notebook takes longer than {SECONDS:g} seconds to be searched for it", True
    except (RecursionError, MemoryError):
        said = "its code is nested too deeply to be read"
    except LookupError as error:
        said = str(error)
    return Answer(symbol, problem=f"`{symbol}` can't be read: {said}.", unread=slow)


@dataclass(frozen=True)
class _Unread(Statement):
    """What a cell that only a newer Python can read would bind or change: it is asked for, and never run."""

    number: int  # of the cell


def _find(cells: Sequence[str], symbol: str, others: frozenset[str], not_lent: frozenset[str]) -> Answer:
    read = dict(enumerate(map(parsed_cell, cells), start=1))
    defining = {number: found for number, cell in read.items() if (found := cell.defining(symbol))}
    if not defining:
        return _undefined(symbol, read)
    everything = _everything(read, not_lent)
    kept, theirs = _kept(everything, symbol, others)
    source = gathered(symbol, kept)
    fuller = _fuller(symbol, everything, others)
    newer, unfilled = _needs_a_newer_python(symbol, read, others, not_lent)
    if newer:
        return Answer(symbol, tuple(defining), problem=newer, newer=True)
    return Answer(
        symbol,
        tuple(defining),
        source,
        fuller if fuller != source else "",
        tuple(sorted(names_read(source) & theirs)),
        unfilled=unfilled,
        problem=_why_it_can_not_run(symbol, source),
        notes=(*_notes(symbol, defining, read, source), *_of_what_is_not_lent(source, not_lent)),
        shape=shape_of(source, symbol),
    )


def _everything(
    read: Mapping[int, ParsedCell],
    not_lent: frozenset[str],
    unread: Mapping[int, Sequence[_Unread]] = MappingProxyType({}),
) -> list[Statement]:
    """The statements of all cells, in their order."""
    found = [DISPLAY]
    for number, cell in read.items():
        found += unread.get(number, cell.statements)
    return with_what_definitions_fill(without_borrowed(found, not_lent))


def _kept(everything: list[Statement], symbol: str, others: frozenset[str]) -> tuple[list[Statement], set[str]]:
    return left_out(without_later_imports(everything, symbol), symbol, others)


def _fuller(symbol: str, everything: list[Statement], others: frozenset[str]) -> str:
    """The source with the calls that fill something; "" where none does."""
    calling = with_calls(everything, symbol, others, TAKEN_ALONG)
    if calling is None:
        return ""
    try:
        return gathered(symbol, _kept(calling, symbol, others)[0])
    except LookupError:
        return ""


def _undefined(symbol: str, read: dict[int, ParsedCell]) -> Answer:
    """No cell defines it: the nearest thing to a reason."""
    for number, cell in reversed(read.items()):
        if cell.mistake and cell.seems_to_define(symbol):
            said = _of_a_mistake(number, cell, cell.mistake)
            return Answer(symbol, (number,), problem=said, newer=cell.newer is not None)
        if cell.too_long and (cell.source == TOO_LONG or symbol in cell.source):
            said = (
                f"No cell defines `{symbol}`, but cell {number} is too long to be read: split it, and hand it in again."
            )
            return Answer(symbol, problem=said, unread=True)
        if symbol in cell.source and (said := _almost(symbol, number, cell)):
            return Answer(symbol, problem=said, missing=True)
    return Answer(symbol, problem=f"No cell defines `{symbol}`.", missing=True)


def _needs_a_newer_python(
    symbol: str, read: dict[int, ParsedCell], others: frozenset[str], not_lent: frozenset[str]
) -> tuple[str, str]:
    """Why an answer can't be judged all the same: what this Python can't read would be part of it. And why it may be
    filled with less than its author put in, if only a call would make that so. "" where neither is so."""
    known = {
        what
        for cell in read.values()
        for statement in cell.statements
        if statement.is_import
        for what in imported_as(statement)
    }
    asked = [(number, cell) for number, cell in reversed(read.items()) if cell.mistake][:MOST_ASKED]
    unread = {number: list(_unread(number, cell, known)) for number, cell in asked}
    if not any(unread.values()):
        return "", ""
    everything = _everything(read, not_lent, unread)
    calling = with_calls(everything, symbol, others, TAKEN_ALONG) or everything

    def said(of: list[Statement]) -> str:
        parts = needed(symbol, _kept(of, symbol, others)[0])
        number = max((part.number for part in parts if isinstance(part, _Unread)), default=0)
        newer = read[number].newer if number else None
        return _of_a_newer(number, read[number], newer) if newer else ""

    return said(everything), said(calling)


def _unread(number: int, cell: ParsedCell, known: set[tuple[str, ...]]) -> Iterator[_Unread]:
    """Its statements; what it imports counts where no other cell imports the same, what a function does if called."""
    for statement in cell.unread:
        left = (
            without_those({name for name, *_ in imported_as(statement) & known}, statement)
            if statement.is_import
            else statement
        )
        if left:
            if left.source.startswith(("def ", "async def ", "class ")):
                left = replace(left, changes=frozenset())
            yield _Unread(**vars(left), number=number)


def _almost(symbol: str, number: int, cell: ParsedCell) -> str:
    """What a cell does with it that is no definition."""
    if any(symbol in statement.binds for statement in cell.statements):
        return f"`{symbol}` is only imported, in cell {number}; write it in a cell."
    if any(getattr(node, "name", "") == symbol for node in ast.walk(parsed(cell.source) or ast.Pass())):
        return f"Cell {number} defines `{symbol}` within another block; define it at the top level of a cell."
    return ""


def _of_a_mistake(number: int, cell: ParsedCell, mistake: SyntaxError) -> str:
    if newer := cell.newer:
        return _of_a_newer(number, cell, newer)
    where = f"Cell {number}"
    if mistake.lineno:
        where += f", line {mistake.lineno}"
    text = (mistake.text or "").strip()
    quoted = f": `{shown(text)}`." if text else "."
    return f"{where} is no Python ({mistake.msg}){quoted}"


def _of_a_newer(number: int, cell: ParsedCell, newer: Newer) -> str:
    text = cell.source.split("\n")[newer.line - 1].strip()
    return (
        f"Cell {number}, line {newer.line} is Python from {newer.version} on: `{shown(text)}`. "
        f"Python {HERE}, which grades here, {newer.what}, so nobody can say what the answer is worth: "
        f"grade it with Python {newer.version} or newer."
    )


def _why_it_can_not_run(symbol: str, source: str) -> str:
    """What Python says before it runs anything, such as of a `return` outside a function."""
    try:
        compile(source, symbol, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = lines_of(source)[(error.lineno or 1) - 1].strip()
        return f"`{symbol}` can't be run ({error.msg}): `{shown(line)}`."
    except ValueError as error:
        return f"`{symbol}` can't be run ({error})."
    return ""


def _notes(
    symbol: str, defining: dict[int, list[Statement]], read: dict[int, ParsedCell], source: str
) -> Iterator[str]:
    """The remarks on an answer that is judged."""
    anew: list[int] = []
    for number, found in defining.items():
        anew += [number for statement in found if symbol not in statement.reads_now]
    if len(anew) > 1:  # "defined twice, in cells 4 and 9: the last counts"
        times = "twice" if len(anew) == 2 else f"{len(anew)} times"
        *before, final = map(str, dict.fromkeys(anew))
        where = f", in cells {', '.join(before)} and {final}" if before else f" in cell {final}"
        yield f"defined {times}{where}: the last counts"
    last = max(defining)
    later = [(number, statement) for number, cell in read.items() if number > last for statement in cell.statements]
    for number in sorted({number for number, statement in later if statement.is_import and symbol in statement.binds}):
        yield f"`{symbol}` is imported in cell {number}; what is written in cell {last} counts."
    for number, cell in read.items():
        if number > last and cell.mistake and cell.seems_to_define(symbol):
            said = _of_a_mistake(number, cell, cell.mistake)
            yield f"{said} It seems to define `{symbol}` too; cell {last} counts."
    for module in sorted(own_imports(source) - TAKEN_ALONG):
        yield f"It imports `{module}`, which is not there where answers are judged."


def _of_what_is_not_lent(source: str, not_lent: frozenset[str]) -> Iterator[str]:
    if not not_lent:
        return
    statements = parsed_cell(source).statements
    read = {name for statement in statements for name in statement.reads_now | statement.reads_later}
    bound = {name for statement in statements for name in statement.binds}
    for name in sorted((read - bound) & not_lent):
        yield f"It uses `{name}`, which is written with another library than this exercise asks for, and is not lent."


# What of a notebook belongs to other exercises is left out of an answer, which is judged with other parts
def left_out(everything: list[Statement], symbol: str, others: frozenset[str]) -> tuple[list[Statement], set[str]]:
    """The statements without those that make other exercises; and the names that, read, are those exercises.

    A name that was last taken from a library, as in `from torch import softmax`, is none; nor is a helper of its own
    that has the name of another chapter's exercise, such as a softmax in NumPy.
    """
    theirs = set(others)
    for statement in everything:
        names = statement.binds & others
        if statement.is_import and not course_module(statement):
            theirs -= names
        else:
            theirs |= names
    theirs -= _own_helpers(everything, others - beside(symbol))
    kept = (_without(theirs, symbol, statement) for statement in everything)
    return list(filter(None, kept)), theirs


def without_later_imports(everything: list[Statement], symbol: str) -> list[Statement]:
    """Without what is imported under its name after it was written: no import is an answer."""
    written = [
        index for index, statement in enumerate(everything) if symbol in statement.binds and not statement.is_import
    ]
    last = max(written, default=0)
    later = (
        _fewer(statement, {symbol}) if statement.is_import and symbol in statement.binds else statement
        for statement in everything[last:]
    )
    return everything[:last] + [statement for statement in later if statement.source]


def without_borrowed(everything: list[Statement], names: frozenset[str]) -> list[Statement]:
    """Without what takes these names, and no others, from the course."""
    left = (
        without_those(names, statement) if statement.binds & names and course_module(statement) else statement
        for statement in everything
    )
    return list(filter(None, left))


def _own_helpers(everything: list[Statement], names: frozenset[str]) -> set[str]:
    """The names among these that the notebook defines, and nowhere borrows from the course."""
    defined, borrowed = set[str](), set[str]()
    for statement in everything:
        if found := statement.binds & names:
            is_the_courses = course_module(statement) or bool(own_imports(statement.source))
            (borrowed if is_the_courses else defined).update(found)
    return defined - borrowed


def _without(theirs: set[str], symbol: str, statement: Statement) -> Statement | None:
    """A statement, None where it is left out; of an import what is not theirs."""
    is_the_answer = symbol in statement.binds and not course_module(statement)
    not_wanted = theirs if is_the_answer else theirs | {symbol}
    left = statement.binds - not_wanted
    if not (statement.binds | statement.changes) & theirs and left == statement.binds:
        return statement
    return without_those(not_wanted, statement)


def without_those(names: Set[str], statement: Statement) -> Statement | None:
    """A statement where it binds something else too, an import without these names; else None."""
    left = statement.binds - names
    if statement.is_import and left:
        return _fewer(statement, names)
    return statement if left else None


def _fewer(statement: Statement, names: Set[str]) -> Statement:
    """An import without these names; its source is empty where none is left."""
    (node,) = ast.parse(statement.source).body
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    node.names = [alias for alias in node.names if _bound(alias) not in names]
    return replace(
        statement,
        source=ast.unparse(node) if node.names else "",
        binds=statement.binds - names,
        certain=statement.certain - names,
    )


def imported_as(statement: Statement) -> frozenset[tuple[str, ...]]:
    """Of an import each name that it binds, and what that stands for."""
    (node,) = ast.parse(statement.source).body
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    module = getattr(node, "module", None) or ""
    return frozenset((_bound(alias), module, alias.name) for alias in node.names)


def _bound(alias: ast.alias) -> str:
    name = alias.asname or alias.name
    return name.partition(".")[0]


def names_read(source: str) -> set[str]:
    """The names that it reads, wherever."""
    nodes = ast.walk(parsed(source) or ast.Pass())
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
