"""A code cell as the statements that an answer may need, whatever else stands in it; most are read once for a class."""

from dataclasses import dataclass
from functools import lru_cache

from grader.submissions.chapters import names_defined
from grader.submissions.commands import TOO_LONG, below_unknown_magic, runnable, tree_or_mistake
from grader.submissions.filling import statements_in
from grader.submissions.newer import Newer, in_older_syntax, of_a_newer_python
from grader.submissions.others import course_module
from utils.learner.statements import Statement

MOST_STATEMENTS = 2_000  # of a cell
REMEMBERED = 60_000  # characters of a cell: all that a chapter gives is half as long


@dataclass(frozen=True)
class ParsedCell:
    """What a code cell says."""

    source: str
    statements: tuple[Statement, ...] = ()
    mistake: SyntaxError | None = None
    too_long: bool = False

    @property
    def is_read(self) -> bool:
        """Whether its statements are all there."""
        return not self.mistake and not self.too_long

    @property
    def newer(self) -> Newer | None:
        """What it has of a newer Python than this one, which alone keeps it from being read."""
        return of_a_newer_python(self.source) if self.mistake else None

    @property
    def unread(self) -> tuple[Statement, ...]:
        """What it would bind and change, where it is of a newer Python: their sources are not the cell's."""
        return parsed_cell(in_older_syntax(self.source)).statements if self.newer else ()

    def defining(self, symbol: str) -> list[Statement]:
        """The statements that write it here, and take it neither from a library nor from the course."""
        return [one for one in self.statements if _defines(one, symbol)]

    def seems_to_define(self, symbol: str) -> bool:
        """Whether it is no Python, and would otherwise define it."""
        return self.mistake is not None and symbol in names_defined(self.source)


def parsed_cell(cell: str) -> ParsedCell:
    """Raises nothing."""
    return (_parsed_once if len(cell) <= REMEMBERED else _parsed_lately)(cell)


def _parsed_anew(cell: str) -> ParsedCell:
    if cell == TOO_LONG:
        return ParsedCell(cell, too_long=True)
    source = runnable(cell)
    below = "" if source else below_unknown_magic(cell)
    if below and of_a_newer_python(below):  # dropped for what this Python can't read
        source = below
    tree = tree_or_mistake(source)
    if isinstance(tree, SyntaxError):
        return ParsedCell(source, mistake=tree)
    if len(tree.body) > MOST_STATEMENTS:
        return ParsedCell(source, too_long=True)
    try:
        return ParsedCell(source, tuple(statements_in(source, tree)))
    except SyntaxError as error:  # what symtable alone minds
        return ParsedCell(source, mistake=error)
    except ValueError as error:
        return ParsedCell(source, mistake=SyntaxError(str(error)))
    except (RecursionError, MemoryError):
        return ParsedCell(source, mistake=SyntaxError("it is nested too deeply"))


# Most cells are the same in all submissions of a chapter
_parsed_once = lru_cache(maxsize=4096)(_parsed_anew)
# and a long one is the same for each exercise that is looked for in it
_parsed_lately = lru_cache(maxsize=16)(_parsed_anew)


def _defines(one: Statement, symbol: str) -> bool:
    if one.is_import or symbol not in one.binds:
        return False
    return not course_module(one)
