"""The runner of one answer: its process is asked all questions of a test at once, and before the judge looks."""

import contextlib
from collections.abc import Sequence
from typing import Any

from utils.checking.asking import UNREADABLE, name_of
from utils.grading.boxes import Child, Ended
from utils.running.records import TOO_SLOW, LearnerError, Question, Record


class AnswerRunner:
    """Puts a test's questions to an answer's process. What ended it is the answer to all of them."""

    def __init__(self, child: Child):
        self.child = child
        self.ended: Ended | None = None
        self.too_slow = False
        self._known: dict[str, Record] = {}

    def ask(self, component: Any, question: Question) -> Record:
        """What it answers to one question."""
        return self.ask_all(component, [question])[0]

    def ask_all(self, component: Any, questions: Sequence[Question]) -> list[Record]:
        """What it answers to these; those that `ahead` has asked are not asked again."""
        names = list(map(name_of, questions))
        if not all(name in self._known for name in names):
            return self._asked(questions)
        return [self._known.pop(name) for name in names]

    def ahead(self, questions: Sequence[Question]) -> None:
        """Ask them now: whoever waits for the process keeps nobody from judging meanwhile."""
        records = self._asked(questions)
        self._known = dict(zip(map(name_of, questions), records, strict=False))

    def _asked(self, questions: Sequence[Question]) -> list[Record]:
        records: list[Record] = []
        with contextlib.suppress(Ended):
            records = self._crossing(questions)
        self.too_slow |= any(one.error is not None and one.error.type == TOO_SLOW for one in records)
        return records or [_in_place_of_an_answer(self.ended)] * len(questions)

    def _crossing(self, questions: Sequence[Question]) -> list[Record]:
        try:
            return self.child.ask_all(questions)
        except Ended as ended:
            self.ended = self.ended or ended
            raise


def _in_place_of_an_answer(ended: Ended | None) -> Record:
    """The record that stands for what the process did not say; a limit is told as one that was found in it."""
    assert ended
    kind = TOO_SLOW if ended.status == "limit" else UNREADABLE
    return Record(error=LearnerError(kind, str(ended)))
