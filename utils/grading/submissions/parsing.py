"""A code cell as the statements that an answer may need, whatever else stands in it; most are read once for a class."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from utils.grading.submissions.chapters import names_defined
from utils.grading.submissions.commands import below_unknown_magic, runnable, tree_or_mistake
from utils.grading.submissions.filling import statements_in
from utils.grading.submissions.newer import Newer, of_a_newer_python
from utils.grading.submissions.others import course_module
from utils.learner.statements import Statement

MOST_STATEMENTS = 2_000  # of a cell
# What a line at the top level binds or changes in another way than `def`, `class` and `=` do
GIVEN = re.compile(
    r"^(?:@|type[ \t]+|(?:async[ \t]+)?for[ \t]+)(\w+)"  # @register, type Name = ..., for name in ...
    r"|^(?:from[ \t]+\S+[ \t]+)?import[ \t]+(\([^()]*\)|.+)"
    r"|^((?:\w+[ \t]*,[ \t]*)+\w*)[ \t]*="  # one, two = ...
    r"|^(\w+)(?:\.\w+|\[[^\]\n]*\])+[ \t]*(?:[-+*/|&@]?=(?!=)|\()",  # table["a"] = ..., table.update(...)
    re.MULTILINE,
)
CALLED = re.compile(r"\b(\w+)[ \t]*\(")
FILLED_WITHIN = re.compile(r"^[ \t]+(\w+)\[[^\]\n]*\][ \t]*[-+*/|&@]?=(?!=)", re.MULTILINE)  # in a function, say
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

    def seems_to_give(self, names: Collection[str]) -> bool:
        """Whether it can't be read, and would otherwise bind one of these names, or change what it stands for."""
        if not self.mistake:
            return False
        bound = (re.findall(r"\w+", " ".join(found)) for found in GIVEN.findall(self.source))
        return not names_defined(self.source).union(*bound).isdisjoint(names)

    def seems_to_fill(self, tables: Collection[str], fillers: Collection[str]) -> bool:
        """Whether it can't be read, and calls a filler, or has a block that would change one of the tables."""
        if not self.mistake:
            return False
        called, filled = CALLED.findall(self.source), FILLED_WITHIN.findall(self.source)
        return not (set(fillers).isdisjoint(called) and set(tables).isdisjoint(filled))

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
