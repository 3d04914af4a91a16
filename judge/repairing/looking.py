"""What a search tries: every single edit of the answer, the likeliest first."""

import sys
from ctypes import c_longlong
from dataclasses import dataclass, field
from functools import cached_property

from judge.checking.counts import briefly
from judge.edits.candidates import edits
from judge.edits.edit import Edit
from judge.edits.exercises import vocabulary_of
from judge.edits.operators import REPAIRING
from judge.edits.vocabulary import Vocabulary
from judge.repairing.dealing import Found, Share
from judge.repairing.repair import repair_of
from judge.repairing.trying import Answer, is_right, is_slow, mends, reference_still_passes
from judge.running.children import shared_number
from judge.running.records import Question

# How many are tried, the plausible first. Of 62 changes that mended an answer of benchmarks/wrong_answers 54 were among
# the first hundred, and the only one behind the 500th was a way round the mistake; a reader waits for all the others.
MOST_CANDIDATES = 500
MOST_OF_DRAWS = 100  # where each of them has to draw again and again; the latest that mended anything was the 52nd
MOST_COMPILED = 80  # where what is new in each is compiled first, a twentieth of a second for each operation


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
    def most(self) -> int:
        """How many candidates are tried: fewer where each takes long."""
        if self.answer.exercise.written_with.is_compiled:
            return MOST_COMPILED
        draws = self.brief is not self.question
        return MOST_OF_DRAWS if draws else MOST_CANDIDATES

    @cached_property
    def edits(self) -> list[Edit]:
        """All that is to be tried, the plausible first."""
        return edits(self.answer.definitions, self.vocabulary, REPAIRING, self.lines)[: self.most]


def one_edit(search: Search, share: Share) -> list[Found]:
    """The first edit of this share with which every check passes, and its place; none where there is none.

    What comes after the best place that any of the shares has found so far need not be tried. Nothing is found where
    something that was tried has changed how right answers are judged.
    """
    answer = search.answer
    if is_slow(answer, search.brief) or is_right(answer, search.brief, search.seed):
        return []  # where it is right, it is not what was judged
    for place in share.places(len(search.edits)):
        if place > search.best.value or not share.goes_on():
            break
        edit = search.edits[place]
        if mends(answer, edit, search.question, search.seed):
            search.best.value = min(search.best.value, place)
            is_sound = reference_still_passes(answer.exercise, search.seed)
            return [(place, repair_of(answer, edit, search.vocabulary))] if is_sound else []
    return []
