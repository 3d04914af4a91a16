"""Whether random numbers had a part in a failure: whether another seed would ask or answer otherwise."""

import functools
from dataclasses import replace

from judge.checking.asking import name_of
from judge.checking.declaration import Components, Declaration
from judge.checking.oracle import expected
from judge.checking.session import Session
from judge.checking.survey import first_questions, names_asked
from judge.checking.verdict import Failure
from judge.errors import CourseError
from judge.running.wire import to_bytes


def drawn(session: Session, components: Components, failure: Failure) -> bool:
    """Whether with another seed the question of a failure would be another, or have another answer."""
    question, exercise, seed = failure.question, session.exercise, session.seed
    if question is None or failure.not_yet:
        return False
    names = names_asked(session)
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
def _asked_with(exercise: Declaration, other: int, seed: int, n_components: int, most: int) -> frozenset[str]:
    """The names, with this seed put in, of the first questions that the test asks with another."""
    questions = first_questions(exercise, other, n_components, most)
    return frozenset(name_of(replace(question, seed=seed)) for question in questions)
