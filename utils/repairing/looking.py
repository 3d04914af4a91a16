"""What a search tries: every single edit of the answer, and after that two together, the likeliest first."""

import sys
from collections import defaultdict
from collections.abc import Iterator
from ctypes import c_longlong
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from utils.checking.counts import briefly
from utils.edits.candidates import edits
from utils.edits.edit import Edit
from utils.edits.exercises import vocabulary_of
from utils.edits.operators import REPAIRING
from utils.edits.vocabulary import Vocabulary
from utils.repairing.dealing import Looked, Share, Step
from utils.repairing.nearness import AN_ERROR, THERE, is_nearer
from utils.repairing.repair import Repair, repair_of
from utils.repairing.trying import (
    Answer,
    distance_of,
    far_from_right,
    is_right,
    is_slow,
    next_failed,
    passes,
    reference_still_passes,
    tried,
)
from utils.repairing.two import alone_in, are_two_slips
from utils.running.children import shared_number
from utils.running.records import Question

MOST_CANDIDATES = 1500  # that are tried, the plausible first
MOST_OF_DRAWS = 400  # where each of them has to draw again and again
MOST_COMPILED = 80  # where what is new in each is compiled first, a twentieth of a second for each operation
MOST_ALIKE = 4  # edits that come equally near may do different things, or the same
MOST_OF_A_KIND = 1  # of these, but for errors: other values that are as near are often the same values
MOST_FIRSTS = 24  # edits that come nearer, after each of which another one is tried
SECONDS = 600  # tried after the nearest of them; half as many after the next, a third after the third
SECONDS_OF_DRAWS = 150
SECONDS_COMPILED = 20


@dataclass(frozen=True)
class Search:
    """What is looked for. `best` is the first place of all that has been found, known to every child."""

    answer: Answer
    question: Question  # that was answered wrongly
    lines: tuple[int, ...]  # of the learner's cell, those that raised an error
    seed: int
    best: c_longlong = field(default_factory=lambda: shared_number(sys.maxsize))

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that edits are made of."""
        return vocabulary_of(self.answer.exercise)

    @property
    def brief(self) -> Question:
        """The question for a first look."""
        return briefly(self.question)

    @property
    def draws(self) -> bool:
        """Whether each candidate has to draw again and again."""
        return self.brief is not self.question

    @property
    def most(self) -> tuple[int, int]:
        """How many candidates are tried, and how many second edits: fewer where each takes long."""
        if self.answer.exercise.written_with.is_compiled:
            return MOST_COMPILED, SECONDS_COMPILED
        if self.draws:
            return MOST_OF_DRAWS, SECONDS_OF_DRAWS
        return MOST_CANDIDATES, SECONDS

    @cached_property
    def edits(self) -> list[Edit]:
        """All that is to be tried, the plausible first."""
        return edits(self.answer.definitions, self.vocabulary, REPAIRING, self.lines)

    def found(self, place: int, repair: Repair) -> list[tuple[int, Repair]]:
        """What was found at this place, unless something that was tried has changed how right answers are judged."""
        self.best.value = min(self.best.value, place)
        return [(place, repair)] if reference_still_passes(self.answer.exercise, self.seed) else []


def one_edit(search: Search, share: Share) -> Looked:
    """The first edit of this share with which every check passes; those that come nearer are steps.

    What comes after the best place that any of the shares has found so far need not be tried.
    """
    answer, looked = search.answer, Looked()
    if is_slow(answer, search.brief) or is_right(answer, search.brief, search.seed):
        return looked  # where it is right, it is not what was judged
    start = distance_of(answer, search.brief, search.seed)
    for place in share.places(min(search.most[0], len(search.edits))):
        if place > search.best.value or not share.goes_on():
            break
        outcome = tried(answer, search.edits[place], search.question, search.seed)
        if outcome.passes:
            looked.found += search.found(place, repair_of(answer, search.edits[place], search.vocabulary))
            break
        if is_nearer(outcome.far, start):
            looked.steps.append((outcome.far, place))
    return looked


def two_edits(search: Search, steps: list[Step], share: Share) -> Looked:
    """The first pair of edits of this share with which every check passes: one comes nearer, one does the rest."""
    looked = Looked()
    firsts = [First(search, search.edits[place]) for _, place in nearest(search, steps)]
    pairs = list(_pairs(len(firsts), search.most[1]))
    for place in share.places(len(pairs)):
        if place > search.best.value or not share.goes_on():
            break
        first, number = firsts[pairs[place][0]], pairs[place][1]
        second = first.second(number)
        if second and first.rest and _are_both_due(search, first, second):
            looked.found += search.found(place, first.with_second(second))
            break
    return looked


def nearest(search: Search, steps: list[Step]) -> list[Step]:
    """The nearest steps; of those that come equally near the plausible ones, and not many."""
    nearest: dict[float, list[Step]] = defaultdict(list)
    for far, place in sorted(steps):
        alike = nearest[round(far, 6)]
        if far <= THERE or _is_another(search, place, alike):
            alike.append((far, place))
    return sorted(chain.from_iterable(nearest.values()))[:MOST_FIRSTS]


def _is_another(search: Search, place: int, alike: list[Step]) -> bool:
    """Whether this edit may do what those that come as near do not."""
    kinds = [search.edits[other].kind for _, other in alike]
    ends_in_an_error = bool(alike) and alike[0][0] >= AN_ERROR
    of_its_kind = 0 if ends_in_an_error else kinds.count(search.edits[place].kind)
    return len(alike) < MOST_ALIKE and of_its_kind < MOST_OF_A_KIND


def _pairs(n_firsts: int, most: int) -> Iterator[tuple[int, int]]:
    """Numbers of a first edit and of a second one, from 0: those small in both come before others."""
    of_first = ((first, most // first) for first in range(1, n_firsts + 1))
    pairs = ((first, second) for first, n_seconds in of_first for second in range(1, n_seconds + 1))
    for first, second in sorted(pairs, key=lambda pair: (pair[0] * pair[1], pair)):
        yield first - 1, second - 1


@dataclass(frozen=True)
class First:
    """An edit that comes nearer, and what may be tried after it."""

    search: Search
    edit: Edit

    @cached_property
    def answer(self) -> Answer:
        """The learner's answer with this edit."""
        return replace(self.search.answer, definitions=self.edit.located(self.search.answer.definitions))

    @cached_property
    def rest(self) -> Question | None:
        """The question at which it fails now."""
        return next_failed(self.answer, self.search.seed)

    @cached_property
    def seconds(self) -> list[Edit]:
        """What may be tried after it."""
        return edits(self.answer.definitions, self.search.vocabulary, REPAIRING)

    def second(self, number: int) -> Edit | None:
        """The edit of this number; None where there are not so many."""
        return self.seconds[number] if number < len(self.seconds) else None

    def repair(self, then: Repair | None = None, left: str = "") -> Repair:
        """The edit as a learner is told of it, with what else is to be done."""
        return repair_of(self.search.answer, self.edit, self.search.vocabulary, then, left)

    def with_second(self, second: Edit) -> Repair:
        """Both edits, as a learner is told of them."""
        return self.repair(then=repair_of(self.answer, second, self.search.vocabulary))


def _are_both_due(search: Search, first: First, second: Edit) -> bool:
    """Whether both together mend the answer, and a learner can be told that two things are wrong.

    Each of them alone leaves something wrong, and the second makes nothing worse: else it mends what the first broke.
    """
    before = search.answer.definitions
    if not are_two_slips(before, first.edit, first.answer.definitions, second):
        return False
    if not tried(first.answer, second, first.rest or search.question, search.seed).passes:
        return False
    alone = alone_in(before, first.answer.definitions, second)  # as when the first is undone in the mended code
    if alone is None or passes(search.answer, alone, search.seed):
        return False
    start, far = (far_from_right(search.answer, tree, search.brief) for tree in (before, alone))
    return not is_nearer(start, far)
