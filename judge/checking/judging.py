"""How a body of checks becomes a verdict, or the list of its questions; and the exception that a learner sees."""

import functools
from collections.abc import Sequence
from dataclasses import replace

from judge.checking.again import again_lines
from judge.checking.answer import Mismatch
from judge.checking.asking import BatchRunner, current_runner
from judge.checking.declaration import Components, Declaration
from judge.checking.oracle import expected
from judge.checking.session import Session, in_session
from judge.checking.survey import first_questions, questions_of, questions_of_each
from judge.checking.verdict import MARK, Failure, Verdict
from judge.errors import CourseError
from judge.running.local import Interrupted, seeded
from judge.running.records import Question, Record
from judge.running.wire import to_bytes


class CheckFailed(AssertionError):
    """The failure of a test function; its text is the card, `verdict` the same as data."""

    def __init__(self, verdict: Verdict, card_is_seen: bool = False):
        super().__init__(str(verdict))
        self.verdict, self.card_is_seen = verdict, card_is_seen

    def _render_traceback_(self) -> list[str]:
        """The text that IPython prints in place of a traceback: one line where the card stands above, else the card."""
        return [_below_the_card(self.verdict)] if self.card_is_seen else [str(self)]


class Stopped(KeyboardInterrupt):
    """A test function that somebody stopped; it ends a run of many cells as any other interrupt does."""

    card_is_seen = False

    def __init__(self, verdict: Verdict):
        super().__init__(str(verdict))
        self.verdict = verdict

    def _render_traceback_(self) -> list[str]:
        """The text that IPython prints, as that of CheckFailed."""
        return ["KeyboardInterrupt"] if self.card_is_seen else [str(self)]


def _below_the_card(verdict: Verdict) -> str:
    """One line that is never broken, and says nothing a second time."""
    return verdict.summary() if verdict.status == "not yet" else f"{MARK['failed']} The card above says why."


def judge(
    exercise: Declaration, components: Components, seed: int, diagnosing: bool = True, answers: Sequence[Record] = ()
) -> Verdict:
    """The verdict on what a learner wrote. Raises CourseError for a mistake of the test's author.

    Without `diagnosing` a failure says what is wrong, but nobody looks for the cause, which takes longer than judging.
    `answers` are the first component's to all questions of the test, where somebody has asked them already.
    """
    session = Session(exercise, seed, survey=questions_of)
    failed = None
    with in_session(session), seeded(seed):
        try:
            _ask_ahead(session, components, answers)
            failed = _first_mismatch(exercise, components)
            if failed:
                session.verdict.failure = _failure(session, components, failed, diagnosing)
                session.verdict.error_over_tolerance = failed.difference.error_over_tolerance
        except KeyboardInterrupt as stop:
            title = failed.line if failed else session.stopped_in
            session.verdict.failure = _stopped(title or "is judged", stop)
            raise Stopped(session.verdict) from None
    return session.verdict


def _ask_ahead(session: Session, components: Components, answers: Sequence[Record]) -> None:
    """Put to each component all that the test will ask it, in one crossing each, where the runner can."""
    if not answers and not isinstance(current_runner(), BatchRunner):
        return
    each = questions_of_each(session.exercise, len(components), session.seed)
    if answers:
        session.transcript.enter(components[0], each[0], answers)
    for component, questions in zip(components, each, strict=True):
        if component is not None:
            session.transcript.ask_ahead(component, questions)


def _first_mismatch(exercise: Declaration, components: Components) -> Mismatch | None:
    try:
        exercise.body(*components)
    except Mismatch as mismatch:
        return mismatch.with_traceback(None)  # which would keep all that the test has made while it is explained
    return None


def _failure(session: Session, components: Components, mismatch: Mismatch, diagnosing: bool) -> Failure:
    """The Failure of the line that did not hold."""
    difference, question = mismatch.difference, mismatch.answer.trial.question
    if not diagnosing:
        return Failure(mismatch.line, difference.lines, more=difference.more, question=question)
    # why an answer failed is asked at a failure, and not imported before
    from judge.checking.diagnosis.explaining import explain

    failure = explain(mismatch)
    asked = list(session.transcript.asked)
    return replace(
        failure,
        line=mismatch.line,
        drawn=drawn(session, components, failure, asked),
        again=again_lines(session, components, failure, mismatch.answer.component, asked),
    )


def _stopped(title: str, stop: KeyboardInterrupt) -> Failure:
    """Where it was when somebody stopped it."""
    if not isinstance(stop, Interrupted) or not stop.record.error:
        return Failure(title, ("You stopped it, while no line of yours was running.",), drawn=False)
    frames = tuple(stop.record.error.frames)
    return Failure(title, ("You stopped it. It was here:",), frames=frames, printed=stop.record.printed, drawn=False)


def drawn(session: Session, components: Components, failure: Failure, asked: Sequence[Question]) -> bool:
    """Whether with another seed the question of a failure would be another, or have another answer."""
    question, exercise, seed = failure.question, session.exercise, session.seed
    if question is None or failure.not_yet:
        return False
    if question not in asked:
        return True
    place = asked.index(question) + 1
    try:
        if question.name not in _asked_with(exercise, seed + 1, seed, len(components), place):
            return True
        here, elsewhere = (expected(exercise, replace(question, seed=any_seed)) for any_seed in (seed, seed + 1))
        return to_bytes(here) != to_bytes(elsewhere)
    # A course without solutions has no answers for another seed.
    except (CourseError, LookupError):
        return True


@functools.lru_cache(maxsize=256)
def _asked_with(exercise: Declaration, other: int, seed: int, n_components: int, most: int) -> frozenset[str]:
    """The names of the first questions that the test asks with another seed, with this one put in."""
    questions = first_questions(exercise, other, n_components, most)
    return frozenset(replace(question, seed=seed).name for question in questions)
