"""The seam for who runs code: all questions in one crossing where the runner can, and a runner that breaks."""

import pytest

from judge.checking import check_parameters, use_runner
from judge.running.local import LocalRunner
from judge.running.records import Record
from tests.judge.checking.tiny import Counting, Scale, judged_by, scale
from utils.gpt import SMALL


class InOneCrossing(Counting):
    def ask_all(self, component, questions):
        self.crossings += 1
        self.asked += questions
        return [LocalRunner().ask(component, question) for question in questions]


def test_all_questions_cross_in_one_go_where_the_runner_can():
    one_by_one, at_once = Counting(), InOneCrossing()
    for runner in (one_by_one, at_once):
        with use_runner(runner):
            assert scale.judge(Scale).status == "passed"
    assert at_once.crossings == 1 and one_by_one.crossings == len(at_once.asked) == len(scale.questions())
    names = [[question.name for question in asked] for asked in (one_by_one.asked, at_once.asked)]
    assert names == [[question.name for question in scale.questions()]] * 2


class Breaking(LocalRunner):
    """A runner that breaks, alone and with many questions."""

    def __init__(self, *answers):
        self.answers = answers

    def ask(self, component, question):
        return self.ask_all(component, [question])[0]

    def ask_all(self, component, questions):
        if not self.answers:
            raise ConnectionError("the other side is gone")
        return list(self.answers)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ((), "ConnectionError: the other side is gone"),
        ((None,), "an answer of type NoneType"),
        ((Record(),) * 99, "99 answers to 1 questions"),
    ],
)
def test_a_runner_that_breaks_gives_a_verdict(answers, why):
    with use_runner(Breaking(*answers)):
        verdict = judged_by(lambda Scale: check_parameters(Scale, SMALL), Scale)
    assert verdict.status == "failed"
    assert why in verdict.failure.details[0]
