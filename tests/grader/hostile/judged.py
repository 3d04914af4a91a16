"""What becomes of an answer that is run in a box, and pairs of a wrong and a right one with the same hostile code."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from grader.bounds import Bounds
from grader.boxes import Ended, Task
from judge.checking import use_runner
from judge.running.records import TOO_SLOW
from tests.ch04_attention import softmax

RIGHT = "torch.exp(x - x.amax(dim, keepdim=True)) / torch.exp(x - x.amax(dim, keepdim=True)).sum(dim, keepdim=True)"
WRONG = "torch.exp(x - x.amax(dim, keepdim=True)) / torch.exp(x).sum()"
UNHURRIED = {"cpu_seconds": 20, "wall_seconds": 60.0}  # a busy machine is no reason to end anything
TEMPLATE = """\
import torch
{head}
def answer(x, dim):
    return {answer}

def softmax(x, dim=-1):
{inside}
    return {given}
{tail}
"""


class Untouchable:
    """Stands for the component, which is not here."""


ERROR = {"wrong": "error", "right": "error"}
LIMIT = {"wrong": "limit", "right": "limit"}
NEVER = {"wrong": "fail", "right": "fail"}


@dataclass(frozen=True)
class Outcome:
    """As a grader writes it down."""

    status: str
    said: str


class ChildRunner:
    """Asks a child, and keeps what it ended with."""

    def __init__(self, child):
        self.child, self.ended, self.slow = child, None, ""

    def ask(self, component, question):
        return self.ask_all(component, [question])[0]

    def ask_all(self, component, questions):
        try:
            records = self.child.ask_all(questions)
        except Ended as error:
            self.ended = self.ended or error
            raise
        slow = [one.error.message for one in records if one.error and one.error.type == TOO_SLOW]
        self.slow = self.slow or "".join(slow[:1])
        return records


STATUS = {"passed": "pass", "failed": "fail", "not yet": "not_yet"}


def judged(box, source, exercise=softmax, seed=0, **bounds) -> Outcome:
    """The outcome for one answer, in a process of its own."""
    child = box.start(Task(source, exercise.symbol, bounds=Bounds(**UNHURRIED | bounds)))
    runner = ChildRunner(child)
    try:
        with use_runner(runner):
            verdict = exercise.judge(Untouchable(), seed=seed)
    finally:
        child.close()
    if runner.ended:
        return Outcome(runner.ended.status, str(runner.ended))
    if runner.slow:
        return Outcome("limit", runner.slow)
    return Outcome(STATUS[verdict.status], str(verdict))


@dataclass(frozen=True)
class Case:
    """Hostile code round an answer, and what comes out for a wrong and for a right one."""

    name: str
    inside: str = "pass"  # run at each call
    head: str = ""  # run before the answer is defined
    tail: str = ""  # and after it
    given: str = "answer(x, dim)"  # what the call returns
    wrong: str = "fail"
    right: str = "pass"
    said: str = ""  # stands in what is said of either, where that is no pass
    bounds: Mapping[str, float] = field(default_factory=dict)

    def source(self, answer: str) -> str:
        return TEMPLATE.format(
            head=textwrap.dedent(self.head),
            answer=answer,
            inside=textwrap.indent(textwrap.dedent(self.inside).strip(), "    "),
            given=self.given,
            tail=textwrap.dedent(self.tail),
        )


def in_pairs(*cases: Case) -> pytest.MarkDecorator:
    """A test of each case with a wrong and with a right answer."""
    both = [(case, which) for case in cases for which in ("wrong", "right")]
    return pytest.mark.parametrize(("case", "which"), both, ids=[f"{case.name}, {which}" for case, which in both])


def holds(box, case: Case, which: str, **bounds) -> Outcome:
    """See that the outcome is as the case says."""
    outcome = judged(box, case.source(RIGHT if which == "right" else WRONG), **bounds | dict(case.bounds))
    assert outcome.status == getattr(case, which), outcome.said
    if outcome.status != "pass" and case.said:
        assert case.said in outcome.said, outcome.said
    return outcome
