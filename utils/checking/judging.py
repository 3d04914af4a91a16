"""How a body of checks becomes a verdict, or the list of its questions; and the exception that a learner sees."""

import functools
from typing import TYPE_CHECKING

from utils.checking.example import example_question
from utils.checking.oracle import REFERENCE
from utils.checking.session import Mismatch, Session, in_session
from utils.checking.verdict import Verdict
from utils.running.local import seeded
from utils.running.records import Question

if TYPE_CHECKING:
    from utils.checking.exercise import Exercise


class CheckFailed(AssertionError):
    """What a test function raises when not all holds; its text is the card, `verdict` the same as data."""

    def __init__(self, verdict: Verdict, card_is_seen: bool = False):
        super().__init__(str(verdict))
        self.verdict, self.card_is_seen = verdict, card_is_seen

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback: one line where the card stands above, else the card."""
        return [self.verdict.summary()] if self.card_is_seen else [str(self)]


def judge(exercise: "Exercise", components: tuple, seed: int) -> Verdict:
    """The verdict on what a learner wrote. Raises CourseError for a mistake of the test's author."""
    session = Session(exercise, seed)
    with in_session(session), seeded(seed):
        session.ask_ahead(components[0])
        try:
            exercise.body(*components)
        except Mismatch as mismatch:
            session.verdict.failure = mismatch.failure
            session.verdict.error_over_tolerance = mismatch.error_over_tolerance
    return session.verdict


def survey(exercise: "Exercise", components: tuple, seed: int) -> list[Question]:
    """Every question that the test asks these components, in order, each once; and last its worked example."""
    session = Session(exercise, seed, surveying=True)
    with in_session(session), seeded(seed):
        exercise.body(*components)
        if exercise.example:
            session.ask_in_test(components[0], example_question(exercise, seed))
    return list(session.asked.values())


@functools.lru_cache(maxsize=64)
def questions_of(exercise: "Exercise", seed: int) -> list[Question]:
    """The questions that the test asks with this seed, whatever it is given: found by asking the reference."""
    return survey(exercise, (REFERENCE,), seed)
