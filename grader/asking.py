"""The runner of one answer: its process is asked all questions of a test at once, and before the judge looks."""

import contextlib
from collections.abc import Generator, Sequence
from typing import Any

from grader.boxes import Child, Ended
from judge.checking.asking import UNREADABLE
from judge.running.records import TOO_SLOW, LearnerError, Question, Record


class AnswerRunner:
    """Puts a test's questions to an answer's process. What ended it is the answer to all of them."""

    def __init__(self, child: Child):
        self.child = child
        self.ended: Ended | None = None
        self.too_slow = False
        self.asked_more = False  # beside the test's questions

    def ask(self, component: Any, question: Question) -> Record:
        """What it answers to one question."""
        return self.ask_all(component, [question])[0]

    def ask_all(self, component: Any, questions: Sequence[Question]) -> list[Record]:
        """What it answers to these, which are none of the test's."""
        self.asked_more = True
        return self.read(self.reply(questions), questions)

    def reply(self, questions: Sequence[Question]) -> bytes:
        """What comes back of these, unread: whoever only waits keeps nobody from judging. Nothing where it ended."""
        with self._ending():
            return self.child.reply(questions)
        return b""

    def read(self, reply: bytes, questions: Sequence[Question]) -> list[Record]:
        """The records in a reply; if it ended, why, in the place of each."""
        records: list[Record] = []
        with self._ending():
            records = self.child.records(reply, len(questions)) if reply else []
        self.too_slow |= any(one.error is not None and one.error.type == TOO_SLOW for one in records)
        return records or [_in_place_of_an_answer(self.ended)] * len(questions)

    @contextlib.contextmanager
    def _ending(self) -> Generator[None]:
        """Remember what ends the process, and go on."""
        try:
            yield
        except Ended as ended:
            self.ended = self.ended or ended


def _in_place_of_an_answer(ended: Ended | None) -> Record:
    """The record that stands for what the process did not say; a limit is told as one that was found in it."""
    assert ended
    kind = TOO_SLOW if ended.status == "limit" else UNREADABLE
    return Record(error=LearnerError(kind, str(ended)))
