"""One notebook brought to a new release: the learner's cells, those handed out before, and those handed out now.

A cell that one side alone has changed becomes what that side made of it. Where both have, both stay: the release's,
a note, and the learner's, which runs last and so counts. Nothing of the learner's is dropped.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
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
        for cell in [*map(given, self.now), *self.before]:
            alike = (place for place in self._left() if given(self.theirs[place]).digest == cell.digest)
            place = next(alike, None)
            if place is not None:
                self._take(place, cell.id)

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
    places = {key: place for place, key in enumerate(before or now)}
    found = [places[key] for key in theirs if key in places]
    if found == sorted(found):
        return list(now)
    order = [key for key in theirs if key in now]
    for place, key in enumerate(now):
        if key not in order:
            order.insert(order.index(now[place - 1]) + 1 if place else 0, key)
    return order


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
            yield from ((node.name, *_signature(method)) for method in node.body if isinstance(method, ast.FunctionDef))
        elif isinstance(node, ast.FunctionDef):
            yield _signature(node)


def _signature(function: ast.FunctionDef) -> tuple[str, ...]:
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return (function.name, *(parameter.arg for parameter in parameters))


LONGEST_ID = 64
BOTH_STAY = (
    "**Both stay.** The cell above is the course's, and new. The one below is yours, written for the earlier one. "
    "Take over what you need, then delete the one that you don't want, and this note."
)


@dataclass
class Merge:
    """The cells that came of it, and what was done by kind, and each conflict with its cell's number, from 1."""

    cells: list[NotebookCell]
    done: Counter[str] = field(default_factory=Counter[str])
    conflicts: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])


@dataclass
class _Merging:
    theirs: Sequence[NotebookCell]
    before: dict[str, Given]
    now: dict[str, NotebookCell]
    symbols: list[str]
    matched: Matched
    done: Counter[str] = field(default_factory=Counter[str])
    contested: dict[str, str] = field(default_factory=dict[str, str])  # ids of the learner's cells: what they are of

    def of_release(self, key: str) -> list[NotebookCell]:
        """The cell that stands in the place of one of the release's."""
        new, place = self.now[key], self.matched.place(key)
        if place is None:
            self.done["restored" if key in self.before else "new"] += 1
            return [deepcopy(new)]
        mine = {**deepcopy(self.theirs[place]), "id": key}
        if given(mine).digest == given(new).digest:
            return [mine]
        old = self.before.get(key)
        if old and old.digest == given(mine).digest:
            self.done["renewed"] += 1
            return [deepcopy(new)]
        symbol = symbol_of(new, self.symbols)
        if _is_the_same_to_write(old, new, mine, bool(symbol)):
            self.done["answer" if symbol else "edited"] += 1
            return [mine]
        mine["id"] = _id(f"{new['id']}-yours-{given(mine).digest[:6]}")
        note = {"cell_type": "markdown", "id": _id(f"{mine['id']}-note"), "metadata": {}, "source": BOTH_STAY}
        self.contested[mine["id"]] = symbol
        if symbol:
            self.done["answer"] += 1
        return [deepcopy(new), note, mine]

    def own(self) -> dict[str, list[NotebookCell]]:
        """The learner's own cells, behind the release's cell that stands before them; "" for the beginning."""
        found = defaultdict[str, list[NotebookCell]](list)
        behind = ""
        for cell, key in zip(self.theirs, self.matched.keys, strict=True):
            if key in self.now:
                behind = key or ""
            elif key is None or given(cell).digest != self.before[key].digest:
                self.done["own"] += 1
                found[behind].append({**deepcopy(cell), "id": _id(str(cell.get("id") or f"own-{given(cell).digest}"))})
            else:
                self.done["removed"] += 1
        return found


def merged(
    theirs: Sequence[NotebookCell], before: Sequence[Given], now: Sequence[NotebookCell], symbols: Iterable[str]
) -> Merge:
    """The notebook's cells as they are to be. `before` is empty where nobody knows what was handed out."""
    known = list(symbols)
    matched = Matching(theirs, before, now, known).matched()
    of_now = {cell["id"]: cell for cell in now}
    merging = _Merging(theirs, {one.id: one for one in before}, of_now, known, matched)
    order = arranged([one.id for one in before], list(of_now), [key for key in matched.known if key in of_now])
    own = merging.own()
    cells = list(own[""])
    for key in order:
        cells += [*merging.of_release(key), *own[key]]
    _number_twins(cells)
    _prove_that_nothing_is_lost(theirs, before, now, cells)
    conflicts = [
        (n, merging.contested[cell["id"]]) for n, cell in enumerate(cells, 1) if cell["id"] in merging.contested
    ]
    return Merge(cells, merging.done, conflicts)


def _is_the_same_to_write(old: Given | None, new: NotebookCell, mine: NotebookCell, is_exercise: bool) -> bool:
    """Whether what was handed out then and now ask for the same; of a stub the docstring may have changed.

    Where nobody knows what was handed out, an answer that has the names and parameters of the stub is one to it.
    """
    if old is None:
        return is_exercise and has_signatures_of(source_of(new), source_of(mine))
    account = given(new)
    return old.digest == account.digest or (is_exercise and old.shape == account.shape)


def _id(name: str) -> str:
    return name[-LONGEST_ID:]


def _number_twins(cells: list[NotebookCell]) -> None:
    """Give each cell an id of its own, as the format wants."""
    seen = set[str]()
    for cell in cells:
        name, number = cell["id"], 2
        while cell["id"] in seen:
            cell["id"] = _id(f"{name}-{number}")
            number += 1
        seen.add(cell["id"])


def _prove_that_nothing_is_lost(
    theirs: Sequence[NotebookCell], before: Sequence[Given], now: Sequence[NotebookCell], cells: Sequence[NotebookCell]
) -> None:
    """Raises AssertionError where a cell that is the learner's own work is in no cell of the result."""
    handed_out = {one.digest for one in [*before, *map(given, now)]}
    kept = {given(cell).digest for cell in cells}
    for cell in theirs:
        digest = given(cell).digest
        assert digest in handed_out | kept, f"this cell would be lost: {source_of(cell)[:200]}"
