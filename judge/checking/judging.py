"""How a body of checks becomes a verdict, or the list of its questions; and the exception that a learner sees."""

import functools
from dataclasses import replace

from judge.checking.again import again_lines
from judge.checking.asking import BatchRunner, current_runner, name_of
from judge.checking.declaration import Components, Declaration
from judge.checking.oracle import expected
from judge.checking.session import Mismatch, Session, in_session
from judge.checking.survey import first_questions, names_asked, questions_of_each
from judge.checking.verdict import MARK, Failure, Verdict
from judge.errors import CourseError
from judge.running.local import Interrupted, seeded
from judge.running.wire import to_bytes


class CheckFailed(AssertionError):
    """What a test function raises when not all holds; its text is the card, `verdict` the same as data."""

    def __init__(self, verdict: Verdict, card_is_seen: bool = False):
        super().__init__(str(verdict))
        self.verdict, self.card_is_seen = verdict, card_is_seen

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback: one line where the card stands above, else the card."""
        return [_below_the_card(self.verdict)] if self.card_is_seen else [str(self)]


class Stopped(KeyboardInterrupt):
    """What a test function raises where somebody stops it; it ends a run of many cells as any other interrupt does."""

    card_is_seen = False

    def __init__(self, verdict: Verdict):
        super().__init__(str(verdict))
        self.verdict = verdict

    def _render_traceback_(self) -> list[str]:
        """As that of CheckFailed."""
        return ["KeyboardInterrupt"] if self.card_is_seen else [str(self)]


def _below_the_card(verdict: Verdict) -> str:
    """One line that is never broken, and says nothing a second time."""
    return verdict.summary() if verdict.status == "not yet" else f"{MARK['failed']} The card above says why."


def judge(exercise: Declaration, components: Components, seed: int, diagnosing: bool = True) -> Verdict:
    """The verdict on what a learner wrote. Raises CourseError for a mistake of the test's author."""
    session = Session(exercise, seed, diagnosing=diagnosing)
    with in_session(session), seeded(seed):
        _ask_ahead(session, components)
        try:
            exercise.body(*components)
        except Mismatch as mismatch:
            random = not diagnosing or drawn(session, components, mismatch.failure)
            lines = again_lines(session, components, mismatch.failure, mismatch.component) if diagnosing else ()
            session.verdict.failure = replace(mismatch.failure, drawn=random, again=lines)
            session.verdict.error_over_tolerance = mismatch.error_over_tolerance
        except KeyboardInterrupt as stop:
            session.verdict.failure = _stopped(session, stop)
            raise Stopped(session.verdict) from None
    return session.verdict


def _stopped(session: Session, stop: KeyboardInterrupt) -> Failure:
    """Where it was when somebody stopped it."""
    title = session.stopped_in or "is judged"
    if not isinstance(stop, Interrupted) or not stop.record.error:
        return Failure(title, ("You stopped it, while no line of yours was running.",), drawn=False)
    frames = tuple(stop.record.error.frames)
    return Failure(title, ("You stopped it. It was here:",), frames=frames, printed=stop.record.printed, drawn=False)


def _ask_ahead(session: Session, components: Components) -> None:
    """Put to each component all that the test will ask it, in one crossing each, where the runner can."""
    runner = current_runner()
    if isinstance(runner, BatchRunner):
        each = questions_of_each(session.exercise, len(components), session.seed)
        for component, questions in zip(components, each, strict=True):
            if questions and component is not None:
                session.ask_ahead(runner, component, questions)


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
