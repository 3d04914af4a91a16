"""What a test asks: its body is run to collect the questions, and nothing ends it."""

import functools
from typing import Any

from judge.checking.asking import name_of
from judge.checking.counts import briefly
from judge.checking.declaration import Components, Declaration
from judge.checking.oracle import Reference
from judge.checking.session import Session, in_session
from judge.running.local import seeded
from judge.running.records import Question, Record


def survey(exercise: Declaration, components: Components, seed: int) -> list[Question]:
    """Every question that the test asks these components, in order, each once; and last its worked example."""
    asked = _surveyed(exercise, components, seed, few_draws=True).asked
    return list({name: question for (_, name), question in asked.items()}.values())


def largest_error(exercise: Declaration, components: Components, seed: int) -> float:
    """The largest error over what is allowed that any check of the test finds, and none ends it."""
    return _surveyed(exercise, components, seed).verdict.error_over_tolerance


def questions_of(exercise: Declaration, seed: int) -> list[Question]:
    """The questions that the test asks with this seed, whatever it is given: found by asking the reference."""
    return questions_of_each(exercise, 1, seed)[0]


def questions_of_each(exercise: Declaration, n_components: int, seed: int) -> list[list[Question]]:
    """The same of a test that is given several functions: what it asks the first, the second, ..."""
    return surveyed_reference(exercise, n_components, seed)[0]


def lines_of(exercise: Declaration, n_components: int, seed: int) -> int:
    """How many lines the card has where all of them hold."""
    return surveyed_reference(exercise, n_components, seed)[1]


@functools.lru_cache(maxsize=64)
def surveyed_reference(exercise: Declaration, n_components: int, seed: int) -> tuple[list[list[Question]], int]:
    """What the test asks each that it is given, and the lines of its card, found by asking the reference."""
    references = tuple(Reference() for _ in range(n_components))
    surveyed = _surveyed(exercise, references, seed)
    asked = surveyed.asked.items()
    questions = [[question for (whose, _), question in asked if whose == id(one)] for one in references]
    return questions, len(surveyed.verdict.passed)


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
        self.asked.setdefault((0, name_of(question)), question)
        if len(self.asked) >= self.most:
            raise _Enough
        return self.ask(component, question)


def names_asked(session: Session) -> list[str]:
    """The questions asked so far by their names, each once, whoever was asked."""
    return list(dict.fromkeys(name for _, name in session.asked))


def first_questions(exercise: Declaration, seed: int, n_components: int, most: int) -> list[Question]:
    """What the test asks first, each once, of all that it is given."""
    session = _Beginning(exercise, seed, most)
    with in_session(session), seeded(seed):
        try:
            exercise.body(*(Reference() for _ in range(n_components)))
        except _Enough:
            pass
    return list(session.asked.values())


def _surveyed(exercise: Declaration, components: Components, seed: int, few_draws: bool = False) -> Session:
    session = Session(exercise, seed, surveying=True, few_draws=few_draws)
    with in_session(session), seeded(seed):
        exercise.body(*components)
        if exercise.example:
            session.ask_in_test(components[0], example_question(exercise, seed))
    return session


def example_question(exercise: Declaration, seed: int) -> Question:
    """The question that the chapter's text answers by hand."""
    assert exercise.example
    return Question(exercise.drive, exercise.example.arguments, {}, seed)
