"""The runner of one answer: its process is asked all questions of a test at once, and before the judge looks."""

import contextlib
import hashlib
from collections.abc import Generator, Sequence
from typing import Any

from grader.boxes import Child, Ended
from judge.checking.asking import UNREADABLE, name_of
from judge.running.records import TOO_SLOW, LearnerError, Question, Record


class AnswerRunner:
    """Puts a test's questions to an answer's process. What ended it is the answer to all of them."""

    def __init__(self, child: Child):
        self.child = child
        self.ended: Ended | None = None
        self.too_slow = False
        self.asked_more = False  # beside what was asked ahead
        self._known: dict[str, Record] = {}

    def ask(self, component: Any, question: Question) -> Record:
        """What it answers to one question."""
        return self.ask_all(component, [question])[0]

    def ask_all(self, component: Any, questions: Sequence[Question]) -> list[Record]:
        """What it answers to these; those that `ahead` has asked are not asked again."""
        names = list(map(name_of, questions))
        if not all(name in self._known for name in names):
            self.asked_more = True
            return self._read(self._reply(questions), questions)
        return [self._known.pop(name) for name in names]

    def ahead(self, questions: Sequence[Question]) -> str:
        """Ask them now: whoever waits for the process keeps nobody from judging meanwhile. Returns a digest of all
        that came back, "" where nothing did."""
        self._ahead = questions
        self._first = self._reply(questions)
        return hashlib.sha256(self._first).hexdigest() if self._first else ""

    def read(self) -> None:
        """Read what was answered ahead."""
        records = self._read(self._first, self._ahead)
        self._known = dict(zip(map(name_of, self._ahead), records, strict=True))

    def _reply(self, questions: Sequence[Question]) -> bytes:
        with self._ending():
            return self.child.reply(questions)
        return b""

    def _read(self, reply: bytes, questions: Sequence[Question]) -> list[Record]:
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
