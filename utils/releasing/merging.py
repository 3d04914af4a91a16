"""One notebook brought to a new release: the learner's cells, those handed out before, and those handed out now.

A cell that one side alone has changed becomes what that side made of it. Where both have, both stay: the release's,
a note, and the learner's, which runs last and so counts. Nothing of the learner's is dropped.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from utils.releasing.manifest import Given, NotebookCell, given, source_of
from utils.releasing.matching import Matched, Matching, arranged, has_signatures_of, symbol_of

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
        """What stands in the place of one of the release's cells."""
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
        return self._both(new, mine, symbol)

    def _both(self, new: NotebookCell, mine: NotebookCell, symbol: str) -> list[NotebookCell]:
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
