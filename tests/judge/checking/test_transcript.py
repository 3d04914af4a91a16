"""judge.checking.transcript: each cell is filled once, whoever fills it, and the columns are told apart by identity."""

import pytest

from judge.checking import use_runner
from judge.checking.asking import UNREADABLE
from judge.checking.oracle import Reference
from judge.checking.transcript import Enough, Row, Transcript
from judge.running.local import LocalRunner
from judge.running.records import TOO_SLOW, LearnerError, Question, Record
from tests.judge.checking.tiny import WEIGHTS, Counting, Scale, X, scale
from utils.gpt import SMALL

ONE, OTHER, THIRD = (Question("component", (SMALL, WEIGHTS, X + number)) for number in range(3))
DRAWS = Question("function", (3,), {"times": 2000})


class Ahead(Counting):
    """Takes all questions in one crossing."""

    def ask_all(self, component, questions):
        self.crossings += 1
        self.asked += questions
        return [LocalRunner().ask(component, one) for one in questions]


class Hanging(LocalRunner):
    def __init__(self):
        self.asked = []

    def ask(self, component, question):
        self.asked.append(question)
        return Record(error=LearnerError(TOO_SLOW, "it takes longer than 10 seconds"))


def test_equal_questions_are_one_question():
    again = Question("component", (SMALL, dict(WEIGHTS), X.clone()))
    assert again == ONE and again.name == ONE.name and len({ONE, again, OTHER}) == 2
    assert ONE != OTHER and ONE != "component"


def test_nobody_is_asked_twice():
    transcript, runner = Transcript(scale), Counting()
    with use_runner(runner):
        first = transcript.ask(Scale, ONE)
        assert transcript.ask(Scale, Question("component", (SMALL, WEIGHTS, X.clone()))) is first
        transcript.ask(Scale, OTHER)
    assert runner.asked == [ONE, OTHER] == list(transcript.asked)


def test_whoever_explains_asks_more_than_the_test_does():
    transcript, runner = Transcript(scale), Counting()
    with use_runner(runner):
        first = transcript.ask(Scale, ONE)
        assert transcript.answer(Scale, ONE) is first
        other = transcript.answer(Scale, OTHER)
        assert list(transcript.asked) == list(transcript.column(Scale).asked) == [ONE]
        assert transcript.ask(Scale, OTHER) is other
    assert runner.asked == [ONE, OTHER] == list(transcript.asked)


def test_what_says_that_it_equals_all_has_a_column_of_its_own():
    class Anything(type):
        def __eq__(cls, other):
            return True

        __hash__ = type.__hash__

    class Learner(Scale, metaclass=Anything):
        pass

    transcript = Transcript(scale)
    assert transcript.column(Scale) is not transcript.column(Learner)
    assert transcript.column(Learner) is transcript.column(Learner)


def test_what_took_too_long_is_not_asked_again():
    transcript, runner = Transcript(scale), Hanging()
    with use_runner(runner):
        assert transcript.ask(Scale, ONE) is transcript.ask(Scale, OTHER)
    assert runner.asked == [ONE] and list(transcript.asked) == [ONE, OTHER]


def test_what_is_asked_ahead_crosses_at_once_and_is_not_asked_by_the_test_yet():
    transcript, runner = Transcript(scale), Ahead()
    with use_runner(runner):
        transcript.ask_ahead(Scale, [ONE, OTHER])
        transcript.ask_ahead(Scale, [OTHER, THIRD])
        transcript.ask_ahead(Scale, [ONE, THIRD])
        assert not transcript.asked
        transcript.ask(Scale, OTHER)
    assert runner.crossings == 2 and runner.asked == [ONE, OTHER, THIRD] and list(transcript.asked) == [OTHER]


def test_a_runner_that_takes_one_at_a_time_is_asked_nothing_ahead():
    transcript, runner = Transcript(scale), Counting()
    with use_runner(runner):
        transcript.ask_ahead(Scale, [ONE, OTHER])
    assert not runner.asked


def test_an_answer_that_is_entered_must_fit_its_question():
    transcript = Transcript(scale)
    right, runner = LocalRunner().ask(Scale, ONE), Counting()
    transcript.enter(Scale, [ONE, OTHER], [right, Record(outputs=[1, 2, 3])])
    with use_runner(runner):
        assert transcript.ask(Scale, ONE) is right
        assert transcript.ask(Scale, OTHER).error.type == UNREADABLE
    assert not runner.asked
    with pytest.raises(ValueError, match="shorter"):
        transcript.enter(Scale, [ONE, OTHER], [right])


def test_the_last_of_so_many_is_not_answered():
    transcript, runner = Transcript(scale, most=2), Counting()
    with use_runner(runner):
        transcript.ask(Scale, ONE)
        transcript.ask(Scale, ONE)
        with pytest.raises(Enough):
            transcript.ask(Scale, OTHER)
    assert runner.asked == [ONE] and list(transcript.asked) == [ONE, OTHER]


@pytest.mark.parametrize(("few_draws", "n_drawn"), [(False, 2000), (True, 150)])
def test_a_survey_draws_little(few_draws, n_drawn):
    record = Transcript(scale, few_draws=few_draws).ask(lambda n: n, DRAWS)
    assert record.outputs == [3] * n_drawn


def test_the_reference_has_its_answers_from_the_oracle():
    transcript = Transcript(scale)
    assert transcript.ask(Reference(), ONE) is transcript.expected(ONE)


def test_a_row_asks_for_nothing_before_it_is_looked_at():
    transcript, runner = Transcript(scale), Counting()
    (no_offset, *_) = scale.misconceptions
    with use_runner(runner):
        row = Row(transcript, Scale, no_offset.component, ONE)
        assert row.theirs.output.equal(X * WEIGHTS["w"]) and row.right.output.equal(X * WEIGHTS["w"] + WEIGHTS["b"])
        assert not runner.asked
        assert row.mine.output.equal(row.right.output) and row.viewed(row.mine)[0] is row.mine.output
    assert runner.asked == [ONE]
