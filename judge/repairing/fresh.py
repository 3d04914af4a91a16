"""Fresh questions for a mended program: a repair is shown only where it answers them all as the reference does.

A test asks what it asks, and an absurd change may happen to answer just that. So the test's questions are drawn again
with other seeds, and put with other sizes; what the reference itself does not answer then is no question.
"""

import ast
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judge.checking import Exercise
from judge.checking.asking import name_of, record_of
from judge.checking.counts import briefly
from judge.checking.likeness import FIRST_LOOK
from judge.checking.measuring import equal
from judge.checking.oracle import expected
from judge.checking.survey import first_questions
from judge.errors import CourseError
from judge.repairing.gate import gets_through
from judge.repairing.other_sizes import Between, of_other_sizes
from judge.running.kinds import kind_of
from judge.running.limited import Limit, TooSlow, limited
from judge.running.records import Question

FRESH, OF_THE_FAILED = 50, 3  # questions, and how many are the one that failed, with other sizes
COMPILED = 6  # where each operation is compiled anew for each size
FIRST_SEED, SEEDS = 1_000, 6  # with which the test is drawn again: far from those that anyone is judged with
EVERY_QUESTION = 10_000  # more than any test has
SECONDS = 5.0  # of work for all of them: where that is not enough, the repair is not shown
LONGEST_TEXT = 12  # characters of a text in the code that is put into the texts that are given


def stands(exercise: Exercise, component: Any, failed: Question, code: ast.Module, seed: int) -> bool:
    """Whether what the mended code makes answers fresh questions as the reference does; False where its time is up.

    `failed` is the question that the code answered wrongly before. A course without its solutions has no answers to
    questions of another seed: there, the test alone decides.
    """

    def answers_all() -> bool:
        questions = fresh_questions(exercise, failed, seed, texts_in(code))
        return all(_answers(exercise, component, question) for question in questions)

    try:
        return limited(Limit(SECONDS), answers_all)
    except (CourseError, LookupError):
        return True
    except TooSlow:
        return False


def _answers(exercise: Exercise, component: Any, question: Question) -> bool:
    """Whether it ends as the reference does; where that raises an error, which one is for the test to say."""
    record = record_of(component, question)
    if expected(exercise, question).error:
        return record.error is not None
    return gets_through(exercise, question, record, FIRST_LOOK)


def texts_in(code: ast.Module) -> tuple[str, ...]:
    """The short texts that the code writes out: a program that looks for one should meet it."""
    constants = (node.value for node in ast.walk(code) if isinstance(node, ast.Constant))
    return tuple(dict.fromkeys(one for one in constants if isinstance(one, str) and 0 < len(one) <= LONGEST_TEXT))


def fresh_questions(exercise: Exercise, failed: Question, seed: int, texts: Sequence[str] = ()) -> list[Question]:
    """The test's questions with other seeds and other sizes: fifty, or as many as there are with `SEEDS` seeds."""
    if exercise.written_with.is_compiled:
        return first_questions(exercise, seed + FIRST_SEED, 1, COMPILED)
    chance, failed = random.Random(seed), briefly(failed)
    questions: dict[str, Question] = {}
    for number in range(SEEDS):
        drawn = first_questions(exercise, seed + FIRST_SEED + number, 1, EVERY_QUESTION)
        draws = any(kind_of(one).varies(one) for one in drawn)
        asked = list(map(briefly, drawn))
        between = Between(exercise, [failed, *asked])
        for question in [*([failed] * OF_THE_FAILED), *chance.sample(asked, len(asked))]:
            other = of_other_sizes(exercise, question, between, texts, chance)
            fresh = [question] if question is not failed else []
            fresh += [other] if other is not question and not expected(exercise, other).error else []
            questions |= {name_of(one): one for one in fresh if _has_one_answer(exercise, one, draws)}
            if len(questions) >= FRESH:
                return list(questions.values())
    return list(questions.values())


def _has_one_answer(exercise: Exercise, question: Question, draws: bool) -> bool:
    """Whether its answer, or how often each comes, can be compared; whatever else a test looks at, it judges itself.

    Where an exercise draws, a test also asks for a draw or two, of which it looks at the form alone.
    """
    kind = kind_of(question)
    if not draws or not kind.is_value or kind.varies(question):
        return kind.is_value
    if "times" in question.options:
        return False
    here, *elsewhere = (expected(exercise, replace(question, seed=question.seed + more)) for more in range(4))
    return all(equal(here.outputs, one.outputs) for one in elsewhere)
