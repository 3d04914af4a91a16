"""Which cell of a learner's notebook is which of a release: by its id, else by its text, else by what it defines."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from utils.course.cells import defines
from utils.releasing.manifest import Given, NotebookCell, given, source_of


@dataclass(frozen=True)
class Matched:
    """`keys[i]` is the id of the release's cell that the learner's cell i is; None where it is the learner's own."""

    keys: list[str | None]

    def place(self, key: str) -> int | None:
        """Where the learner has this cell of the release."""
        return self.keys.index(key) if key in self.keys else None

    @property
    def known(self) -> list[str]:
        """The release's cells that the learner has, in the learner's order."""
        return [key for key in self.keys if key is not None]


@dataclass
class Matching:
    """`before` are the cells as they were handed out, `now` as they are to be; `symbols` what learners write."""

    theirs: Sequence[NotebookCell]
    before: Sequence[Given]
    now: Sequence[NotebookCell]
    symbols: Iterable[str]
    keys: dict[int, str] = field(default_factory=dict[int, str])

    def matched(self) -> Matched:
        """All that can be told apart."""
        self._by_id()
        self._by_text()
        self._by_symbol()
        return Matched([self.keys.get(place) for place in range(len(self.theirs))])

    def _by_id(self) -> None:
        known = {one.id for one in [*self.before, *map(given, self.now)]}
        for place, cell in enumerate(self.theirs):
            if cell.get("id") in known:
                self._take(place, cell["id"])

    def _by_text(self) -> None:
        """A cell that was cut and pasted has a new id."""
        for one in [*map(given, self.now), *self.before]:
            alike = (place for place in self._left() if given(self.theirs[place]).digest == one.digest)
            place = next(alike, None)
            if place is not None:
                self._take(place, one.id)

    def _by_symbol(self) -> None:
        """The last cell that defines an exercise takes the place of its stub, where no other has it."""
        for symbol in self.symbols:
            stubs = [cell["id"] for cell in self.now if is_code(cell) and defines(source_of(cell), symbol)]
            answers = [place for place in self._left() if defines(source_of(self.theirs[place]), symbol)]
            written = [place for place in answers if is_code(self.theirs[place])]
            if stubs and written:
                self._take(written[-1], stubs[-1])

    def _left(self) -> Iterator[int]:
        """The cells that are not matched yet."""
        return (place for place in range(len(self.theirs)) if place not in self.keys)

    def _take(self, place: int, key: str) -> None:
        if key not in self.keys.values():
            self.keys[place] = key


def is_code(cell: NotebookCell) -> bool:
    """Whether it can define something."""
    return cell["cell_type"] == "code"


def symbol_of(cell: NotebookCell, symbols: Iterable[str]) -> str:
    """The exercise that this cell of the release leaves to the learner; "" where it is wholly given."""
    source = source_of(cell)
    if not is_code(cell) or "NotImplementedError" not in source:
        return ""
    return next((symbol for symbol in symbols if defines(source, symbol)), "")


def arranged(before: Sequence[str], now: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """All of `now`, in its own order, or in the learner's where that is another than what was handed out.

    What the learner does not have stands behind the cell that it follows in the release. `before` is empty where nobody
    knows what was handed out.
    """
    handed_out = before or now
    if not _are_moved(handed_out, theirs):
        return list(now)
    order = [key for key in theirs if key in now]
    for place, key in enumerate(now):
        if key not in order:
            order.insert(_behind(now[:place], order), key)
    return order


def _are_moved(handed_out: Sequence[str], theirs: Sequence[str]) -> bool:
    places = {key: place for place, key in enumerate(handed_out)}
    found = [places[key] for key in theirs if key in places]
    return found != sorted(found)


def _behind(earlier: Sequence[str], order: Sequence[str]) -> int:
    """The place behind the nearest earlier cell, which is in the order already."""
    return order.index(earlier[-1]) + 1 if earlier else 0


def has_signatures_of(stub: str, answer: str) -> bool:
    """Whether the answer defines all that the stub defines, with the same parameters."""
    due, there = (set(_signatures(text)) for text in (stub, answer))
    return bool(due) and due <= there


def _signatures(text: str) -> Iterator[tuple[str, ...]]:
    """The names of each class, function and method, and of its parameters."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield (node.name,)
            yield from ((node.name, *_signature(one)) for one in node.body if isinstance(one, ast.FunctionDef))
        elif isinstance(node, ast.FunctionDef):
            yield _signature(node)


def _signature(function: ast.FunctionDef) -> tuple[str, ...]:
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return (function.name, *(one.arg for one in parameters))
