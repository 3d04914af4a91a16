"""A fork's chapter with everything that was given as it was released: only what the learner wrote is the fork's own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from utils.course.cells import as_python
from utils.grading.given import Place
from utils.grading.submitted import CodeCell
from utils.learner.collecting import gather
from utils.learner.statements import Statement, statements


@dataclass(frozen=True)
class Restored:
    """A released chapter and the learner's own cells of it."""

    places: Sequence[Place]
    cells: Sequence[CodeCell]

    @cached_property
    def own(self) -> list[str]:
        """What is the learner's in each of the fork's code cells, as Python: nothing in a given one.

        In a given cell that was edited that is what it defines beside the names that it is there to define.
        """
        given = {_text(place.source): place for place in self.places if not place.writes}
        by_id = {place.id: place for place in self.places if place.id and not place.writes}
        return [self._own(cell, given, by_id) for cell in self.cells]

    @cached_property
    def judged(self) -> list[str]:
        """The cells by which a judge goes: all that is given, then the learner's, which so may define it anew."""
        given = [python(place.source) for place in self.places if not place.writes]
        return given + self.own

    def written_at(self, place: Place) -> str:
        """What the learner's cells define for this place, with all of theirs that it uses; "" if nothing."""
        return "\n\n".join(filter(None, (self._gathered(name) for name in place.writes)))

    def is_written(self, place: Place) -> bool:
        """Whether the learner has written all of it: no stub is left."""
        found = [self._gathered(name) for name in place.writes]
        return all(found) and "raise NotImplementedError" not in "".join(found)

    def defined_in(self, symbol: str) -> list[int]:
        """The numbers, from 1, of the code cells that define the symbol."""
        return [number for number, text in enumerate(self.own, 1) if symbol in _bound(statements(text))]

    def _own(self, cell: CodeCell, given: dict[str, Place], by_id: dict[str, Place]) -> str:
        if _text(cell.source) in given:
            return ""
        text, place = python(cell.source), by_id.get(cell.id)
        if place is None:
            return text
        theirs = _bound(statements(python(place.source)))
        added = [one.source for one in statements(text) if not one.binds | one.changes <= theirs]
        return "\n".join(added)

    def _gathered(self, name: str) -> str:
        try:
            return gather(name, self.own)
        except LookupError:
            return ""


def python(source: str) -> str:
    """A cell as Python; what IPython itself can't read is left as it is, and no Python."""
    try:
        return as_python(source)
    except Exception:  # whatever its transformers raise for what nobody would write
        return source


def _bound(found: Iterable[Statement]) -> set[str]:
    return set().union(*(one.binds for one in found))


def _text(source: str) -> str:
    """A cell's text without what an editor changes by the way."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())
