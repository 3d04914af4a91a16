"""The questions of a test: its body is run to collect them, and nothing ends it."""

import functools

from judge.checking.declaration import Components, Declaration
from judge.checking.oracle import Reference
from judge.checking.session import Session, in_session
from judge.checking.transcript import Enough, Transcript
from judge.running.local import seeded
from judge.running.records import Question


def survey(exercise: Declaration, components: Components, seed: int) -> list[Question]:
    """Every question that the test asks these components, in order, each once; and last its worked example."""
    return list(_surveyed(exercise, components, seed, few_draws=True).transcript.asked)


def largest_error(exercise: Declaration, components: Components, seed: int) -> float:
    """The largest error over what is allowed that any check of the test finds, and none ends it."""
    return _surveyed(exercise, components, seed).verdict.error_over_tolerance


def questions_of(exercise: Declaration, seed: int) -> list[Question]:
    """The questions that the test asks with this seed, whatever it is given: found by asking the reference."""
    return questions_of_each(exercise, 1, seed)[0]


def questions_of_each(exercise: Declaration, n_components: int, seed: int) -> list[list[Question]]:
    """The questions of a test that is given several functions: those to the first, the second, ..."""
    return surveyed_reference(exercise, n_components, seed)[0]


def lines_of(exercise: Declaration, n_components: int, seed: int) -> int:
    """How many lines the card has where all of them hold."""
    return surveyed_reference(exercise, n_components, seed)[1]


@functools.lru_cache(maxsize=64)
def surveyed_reference(exercise: Declaration, n_components: int, seed: int) -> tuple[list[list[Question]], int]:
    """The questions to each that the test is given, and the lines of its card, found by asking the reference."""
    references = tuple(Reference() for _ in range(n_components))
    surveyed = _surveyed(exercise, references, seed)
    questions = [list(surveyed.transcript.column(reference).asked) for reference in references]
    return questions, len(surveyed.verdict.passed)


def first_questions(exercise: Declaration, seed: int, n_components: int, most: int) -> list[Question]:
    """The first questions of the test, each once; the last is not answered."""
    transcript = Transcript(exercise, few_draws=True, most=most)
    session = Session(exercise, seed, surveying=True, transcript=transcript)
    with in_session(session), seeded(seed):
        try:
            exercise.body(*(Reference() for _ in range(n_components)))
        except Enough:
            pass
    return list(transcript.asked)


def _surveyed(exercise: Declaration, components: Components, seed: int, few_draws: bool = False) -> Session:
    session = Session(exercise, seed, surveying=True, transcript=Transcript(exercise, few_draws))
    with in_session(session), seeded(seed):
        exercise.body(*components)
        if exercise.example:
            session.transcript.ask(components[0], exercise.example_question(seed))
    return session
