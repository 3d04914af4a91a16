"""A fork's chapter with everything that was given as it was released: only what the learner wrote is the fork's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from grader.given import Place
from grader.submissions.answers import SECONDS, find_answer
from grader.submissions.chapters import STUB
from grader.submissions.commands import parsed, runnable
from grader.submissions.parsing import parsed_cell
from grader.submitted import CodeCell
from judge.running.limited import Limit, TooSlow, limited


@dataclass(frozen=True)
class Restored:
    """A released chapter and the learner's own cells of it."""

    places: Sequence[Place]
    cells: Sequence[CodeCell]

    @cached_property
    def own(self) -> list[str]:
        """What is the learner's in each of the fork's code cells: nothing in a given one.

        In a given cell that was edited that is what it defines beside the names that it is there to define; nothing,
        where so many were edited that to read them takes too long.
        """
        try:
            return limited(Limit(SECONDS), lambda: list(map(partial(self._own, added=_added), self.cells)))
        except TooSlow:
            return list(map(partial(self._own, added=_nothing), self.cells))

    @cached_property
    def judged(self) -> list[str]:
        """The cells by which a judge goes, under their numbers in the fork: above the first is all that is given.

        So nothing of it is missing, wherever it was, and what the learner defines anew counts as theirs.
        """
        given = "\n".join(self._given_definitions)
        own = self.own
        try:
            return limited(Limit(SECONDS), lambda: _below(given, own))
        except TooSlow:  # there are thousands of cells that nobody can read
            return [given, *own]

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
            for one in parsed_cell(place.source).statements
            if one.binds or one.changes
        ]

    def _own(self, cell: CodeCell, added: Callable[[str, Place], str]) -> str:
        if _text(cell.source) in self._given_texts:
            return ""
        given = self._given_by_id.get(cell.id)
        if cell.id and given:
            return added(cell.source, given)
        return cell.source

    def _gathered(self, name: str) -> str:
        return find_answer(self.own, name).source


def _below(given: str, cells: list[str]) -> list[str]:
    """The cells with what is given above the first that can be read: what can't be defines nothing."""
    for index, cell in enumerate(cells):
        source = runnable(cell)
        if parsed(source) is None:  # to see that together with all that is given takes long
            continue
        together = f"{given}\n{source}"
        if parsed_cell(together).is_read:
            return [*cells[:index], together, *cells[index + 1 :]]
    return [given, *cells]


def _added(source: str, given: Place) -> str:
    """What a cell defines that a given one, whose id it has, does not; all of one that only a newer Python can read."""
    if parsed_cell(source).newer:
        return source
    theirs = set().union(*(one.binds for one in parsed_cell(given.source).statements))
    return "\n".join(one.source for one in parsed_cell(source).statements if not one.binds | one.changes <= theirs)


def _nothing(source: str, given: Place) -> str:
    return ""


def _text(source: str) -> str:
    """A cell's text without what an editor changes by the way."""
    lines = source.strip().splitlines()
    return "\n".join(map(str.rstrip, lines))
