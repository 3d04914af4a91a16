"""Whether random numbers had a part in a failure: whether another seed would ask or answer otherwise."""

import functools
from dataclasses import replace
from typing import Any

from utils.checking.asking import name_of
from utils.checking.counts import briefly
from utils.checking.declaration import Components, Declaration
from utils.checking.oracle import Reference, expected
from utils.checking.session import Session, in_session
from utils.checking.verdict import Failure
from utils.course import CourseError
from utils.running.local import seeded
from utils.running.records import Question, Record
from utils.running.wire import to_bytes


class _Enough(Exception):
    """As many questions were asked as are wanted."""


class _Beginning(Session):
    """A survey of the first questions of a test, the last of which nobody answers."""

    def __init__(self, exercise: Declaration, seed: int, most: int):
        super().__init__(exercise, seed, surveying=True)
        self.most = most

    def expected(self, question: Question) -> Record:
        return super().expected(briefly(question))

    def ask_in_test(self, component: Any, question: Question) -> Record:
        self.asked.setdefault((id(component), name_of(question)), question)
        if len(self.asked) >= self.most:
            raise _Enough
        return self.ask(component, question)


def drawn(session: Session, components: Components, failure: Failure) -> bool:
    """Whether with another seed the question of a failure would be another, or have another answer."""
    question, exercise, seed = failure.question, session.exercise, session.seed
    if question is None or failure.not_yet:
        return False
    names = [name for _, name in session.asked]
    if name_of(question) not in names:
        return True
    place = names.index(name_of(question)) + 1
    try:
        if name_of(question) not in _asked_with(exercise, seed + 1, seed, len(components), place):
            return True
        here, elsewhere = (expected(exercise, replace(question, seed=one)) for one in (seed, seed + 1))
        return to_bytes(here) != to_bytes(elsewhere)
    # A course without solutions has no answers for another seed.
    except (CourseError, LookupError):
        return True


@functools.lru_cache(maxsize=256)
def _asked_with(
    exercise: Declaration,
    other: int,
    seed: int,
    n_components: int,
    most: int,
) -> frozenset[str]:
    """The names, with this seed put in, of the first questions that the test asks with another."""
    session = _Beginning(exercise, other, most)
    with in_session(session), seeded(other):
        try:
            exercise.body(*(Reference() for _ in range(n_components)))
        except _Enough:
            pass
    return frozenset(name_of(replace(question, seed=seed)) for question in session.asked.values())
