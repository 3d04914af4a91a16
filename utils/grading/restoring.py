"""A fork's chapter with everything that was given as it was released: only what the learner wrote is the fork's own."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from utils.course.cells import as_python
from utils.grading.given import Place
from utils.grading.submitted import CodeCell
from utils.learner.collecting import gather
from utils.learner.statements import Statement, statements

STUB = "raise NotImplementedError"


@dataclass(frozen=True)
class Restored:
    """A released chapter and the learner's own cells of it."""

    places: Sequence[Place]
    cells: Sequence[CodeCell]

    @cached_property
    def own(self) -> list[str]:
        """What is the learner's in each of the fork's code cells: nothing in a given one.

        In a given cell that was edited that is what it defines beside the names that it is there to define.
        """
        return list(map(self._own, self.cells))

    @cached_property
    def judged(self) -> list[str]:
        """The cells by which a judge goes, under their numbers in the fork: above the first is all that is given.

        So nothing of it is missing, wherever it was, and what the learner defines anew counts as theirs.
        """
        given = "\n".join(self._given_definitions)
        first = "".join(self.own[:1])
        if _is_python(first):
            return [f"{given}\n{first}", *self.own[1:]]
        # a magic, or a mistake: it keeps its own cell, and all move by one
        return [given, *self.own]

    def written_at(self, place: Place) -> str:
        """What the learner's cells define for this place, with all of theirs that it uses; "" if nothing."""
        found = map(self._gathered, place.writes)
        return "\n\n".join(filter(None, found))

    def is_written(self, place: Place) -> bool:
        """Whether the learner has written all of it: no stub is left."""
        found = list(map(self._gathered, place.writes))
        return all(found) and STUB not in "".join(found)

    @cached_property
    def _given(self) -> list[Place]:
        return [place for place in self.places if not place.writes]

    @cached_property
    def _given_texts(self) -> set[str]:
        return {_text(place.source) for place in self._given}

    @cached_property
    def _given_by_id(self) -> dict[str, Place]:
        return {place.id: place for place in self._given}

    @cached_property
    def _given_definitions(self) -> list[str]:
        return [
            one.source  # one by one: a cell may begin with a magic
            for place in self._given
            for one in statements(python(place.source))
        ]

    @cached_property
    def _own_python(self) -> list[str]:
        return list(map(python, self.own))

    def _own(self, cell: CodeCell) -> str:
        if _text(cell.source) in self._given_texts:
            return ""
        given = self._given_by_id.get(cell.id)
        if cell.id and given:
            return _added(cell.source, given)
        return cell.source

    def _gathered(self, name: str) -> str:
        try:
            return gather(name, self._own_python)
        except LookupError:
            return ""


def python(source: str) -> str:
    """A cell as Python; what IPython itself can't read is left as it is, and no Python."""
    try:
        return as_python(source)
    except Exception:  # whatever its transformers raise for what nobody would write
        return source


def _added(source: str, given: Place) -> str:
    """What a cell defines that a given one, whose id it has, does not."""
    theirs = _bound(statements(python(given.source)))
    return "\n".join(one.source for one in statements(python(source)) if not one.binds | one.changes <= theirs)


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _bound(found: Iterable[Statement]) -> set[str]:
    return set().union(*(one.binds for one in found))


def _text(source: str) -> str:
    """A cell's text without what an editor changes by the way."""
    lines = source.strip().splitlines()
    return "\n".join(map(str.rstrip, lines))
