"""Of two mistakes the one that an edit mends, where the other has a name: with the edit, a misconception is left."""

from dataclasses import dataclass

from utils.checking import Exercise
from utils.checking.asking import can_answer, record_of
from utils.checking.judging import judge
from utils.checking.known import Misconception
from utils.checking.likeness import ANOTHER_WAY, near
from utils.checking.oracle import expected
from utils.repairing.dealing import Looked, Share, Step
from utils.repairing.gate import gets_through
from utils.repairing.looking import First, Search, nearest
from utils.repairing.trying import Answer
from utils.running.limited import TooSlow
from utils.running.records import Question, Record

MOST_JUDGED = 12  # of the nearest edits: each is judged whole, and a cause is looked for


@dataclass(frozen=True)
class Left:
    """What is left to be done."""

    name: str
    advice: str


def edit_and_cause(search: Search, steps: list[Step], share: Share) -> Looked:
    """The first edit of this share that leaves a misconception which the learner's own answer has as well."""
    looked = Looked()
    firsts = [First(search, search.edits[place]) for _, place in nearest(search, steps)[:MOST_JUDGED]]
    for place in share.places(len(firsts)):
        if place > search.best.value or not share.goes_on():
            break
        left = _left(search, firsts[place])
        if left:
            looked.found += search.found(place, firsts[place].repair(left=f"{left.name}. {left.advice}"))
            break
    return looked


def _left(search: Search, first: First) -> Left | None:
    """The misconception that the edited answer is; None where there is none, or where two things can't be told of.

    An edit may make the very mistake that is left then. So the misconception has to show in the answer as it is
    written, and the edit has to mend something by itself.
    """
    try:
        left = _misconception(first.answer, search.seed)
        if left is None:
            return None
        forms = [one for one in search.answer.exercise.misconceptions if one.name == left.name]
        shows = any(_has(search, form) for form in forms)
        return left if shows and _mends(search, first) else None
    except (Exception, TooSlow):  # whatever an edited line does
        return None


def _mends(search: Search, first: First) -> bool:
    """Whether a question of the test is answered rightly with the edit, and wrongly without it."""
    exercise = search.answer.exercise
    with search.answer.reached.lent():
        without = search.answer.made(search.answer.definitions)
        edited = first.answer.made(first.answer.definitions)
        return any(
            not gets_through(exercise, one, record_of(without, one))
            and gets_through(exercise, one, record_of(edited, one))
            for one in exercise.questions(seed=search.seed)
        )


def _misconception(answer: Answer, seed: int) -> Left | None:
    """What a card would name of this answer."""
    with answer.reached.lent():
        failure = judge(answer.exercise, (answer.made(answer.definitions),), seed, of_two=False).failure
    if failure is None or failure.misconception is None:
        return None
    return Left(failure.misconception, failure.advice or "")


def _has(search: Search, known: Misconception) -> bool:
    """Whether the learner's own answer, without the edit, is wrong somewhere just as the misconception is.

    It has not where it is right at a question that the misconception answers wrongly; nor where this shows once alone,
    as it may by the sizes of that question.
    """
    answer, exercise = search.answer, search.answer.exercise
    alike = 0
    with answer.reached.lent():
        component = answer.made(answer.definitions)
        for question in exercise.questions(seed=search.seed):
            theirs = _wrongly(exercise, question, known)
            if theirs is not None:
                mine = record_of(component, question)
                if _same(exercise, mine, expected(exercise, question)):
                    return False
                alike += _same(exercise, mine, theirs)
    return alike > 1


def _wrongly(exercise: Exercise, question: Question, known: Misconception) -> Record | None:
    """What the misconception answers to a question that it answers wrongly; None where it does not."""
    if not can_answer(known.component, question) or expected(exercise, question).error:
        return None
    theirs = record_of(known.component, question)
    return None if _same(exercise, theirs, expected(exercise, question)) else theirs


def _same(exercise: Exercise, one: Record, other: Record) -> bool:
    """Whether two records end alike: with the same values, or the same error."""
    if one.error or other.error:
        return _message(one) == _message(other)
    got = list(map(exercise.view, one.outputs))
    want = list(map(exercise.view, other.outputs))
    return near(got, want, ANOTHER_WAY)


def _message(record: Record) -> str:
    return record.error.message if record.error else ""
