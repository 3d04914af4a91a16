"""Answers that write to the grader themselves: it is bounded, strictly read, and fits its question or is nothing."""

import pytest

from tests.grader.hostile.judged import ERROR, LIMIT, RIGHT, WRONG, Case, holds, in_pairs, judged
from tests.grader.hostile.test_forging import RUNNING

WRITING = """
import os
from judge.running.wire import to_bytes
from judge.running.records import Record
"""
REPLY = "os.write(3, bytes(16) + len(content).to_bytes(8, 'little') + content)"


def replying(reply):
    return f"{RUNNING}child._reply = lambda token, content: {reply}\n"


ITSELF = "it writes to the grader by itself"
ANSWERS = RUNNING + "answering.Answering.answers = lambda self, questions: "
NO_RECORD = f"{ITSELF}: these bytes are not a record"
SHORT = replying("token + (len(content) - 9).to_bytes(8, 'little') + content")
LONG = replying("token + (len(content) + 9).to_bytes(8, 'little') + content")
EARLY = WRITING + f"content = to_bytes([Record()] * 26)\n{REPLY}"
PICKLE = RUNNING + "import pickle; child.to_bytes = lambda *given: pickle.dumps(len)"
PASSED = ANSWERS + "['passed'] * len(questions)"
HUGE = replying("token + (2**62).to_bytes(8, 'little')")
CLOSES = "import os, time; os.close(3); time.sleep(30)"
CASES = (
    Case("no answers", tail=ANSWERS + "[]", said=f"{ITSELF}: 0 answers to 26 questions", **ERROR),
    Case("answers that are none", tail=PASSED, said=f"{ITSELF}: what came are no records", **ERROR),
    Case("a pickle", tail=PICKLE, said=NO_RECORD, **ERROR),
    Case("garbage written", "os.write(3, os.urandom(4096))", head=WRITING, said=ITSELF, **ERROR),
    Case("garbage written before the question", tail=WRITING + "os.write(3, os.urandom(4096))", said=ITSELF, **ERROR),
    Case("a reply before the question", tail=EARLY, said=ITSELF, **ERROR),
    Case("a huge length", tail=HUGE, said="it answers more than 64 MB", **LIMIT),
    Case("a length that is too long", tail=LONG, said="seconds by the clock", **LIMIT, bounds={"wall_seconds": 1.0}),
    Case("a length that is too short", tail=SHORT, said=NO_RECORD, **ERROR),
    Case("the way back closed", "import os; os.close(3)", said="exit status 1", **ERROR),
    Case("the way back closed and gone", "import os; os.close(3); os._exit(0)", said="exit status 0", **ERROR),
    Case("the way back closed and asleep", CLOSES, said="it closes the way to the grader", **ERROR),
)


@pytest.mark.slow
@in_pairs(*CASES)
def test_what_is_written_by_itself_is_no_answer(box, case, which):
    holds(box, case, which)


@pytest.mark.parametrize(("answer", "status"), [(WRONG, "error"), (RIGHT, "pass")])
def test_extra_bytes_and_a_reply_twice_are_not_taken_for_the_next_one(in_namespaces, answer, status):
    """A right answer is judged in one crossing; a wrong one is asked more, and then they are in the way."""
    twice = RUNNING + "import os\nonce = child._reply\nchild._reply = lambda token, content: once(token, content) * 2"
    outcome = judged(in_namespaces, Case("", tail=twice).source(answer))
    assert outcome.status == status
    assert status == "pass" or "it writes to the grader by itself" in outcome.said
