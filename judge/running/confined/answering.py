"""Makes what a learner wrote, and answers questions about it, within the bounds of the whole answer."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FrameType, ModuleType
from typing import Any

from judge.running.confined.exchange import Bounded
from judge.running.frames import own_frames
from judge.running.limited import Limit
from judge.running.local import Interrupted, LocalRunner
from judge.running.records import TOO_SLOW, Frame, LearnerError, Question, Record
from judge.running.sources import run_cell
from judge.running.wire import too_many_bytes

TOO_LARGE = "TooLarge"  # the type of the error that stands for answers that are
SAYING = {
    "[Errno 11]": "processes",
    "[Errno 12]": "memory",
    "[Errno 24]": "open_files",
    "[Errno 27]": "written",
    "[Errno 28]": "written",
    "can't start new thread": "processes",
    "can't allocate memory": "memory",
    "file write failed": "written",
}
SYSTEM_ERRORS = ("OSError", "RuntimeError")


def bound_in(error: LearnerError) -> str:
    """The name of the bound that an error says was reached; "" where it speaks of none."""
    if error.is_a("MemoryError"):
        return "memory"
    if error.is_a(TOO_LARGE):
        return "answered"
    if not any(map(error.is_a, SYSTEM_ERRORS)) and error.type != "BlockingIOError":
        return ""
    return next((bound for said, bound in SAYING.items() if said in error.message), "")


SHARE = 0.9  # of the time by the clock, after which code is ended from inside, with a word about the loop
LEAST = 0.1  # seconds
MAKING = Question("function")


class Answering:
    """The component that a learner wrote, in this process."""

    def __init__(self, bounds: Bounded):
        self.bounds = bounds
        self.passed = 0.0  # seconds by the clock of what was asked before
        self.printed = 0  # characters
        self.names: dict[str, Any] = {}
        self.component: Any = None

    def make(self, name: str, source: str, parts: Mapping[str, str]) -> LearnerError | None:
        """Run the source, after its parts. Returns what is wrong with it, where it can't be run to its end."""
        made: dict[str, Any] = {}

        def run_all() -> None:
            for part, text in parts.items():
                made[part] = _run(text, made)[part]
            self.component = _run(source, made, "__main__")[name]

        return _without_the_file(self._record(run_all, MAKING).error)

    def answers(self, questions: Sequence[Question]) -> list[Record] | LearnerError:
        """A record for each question, or the error that says which bound one of them reached.

        Those behind one that did not come to its end are not asked: each would take as long. Nor are those behind
        answers that take too much already: while they are kept, the next would have less memory than it may.
        """
        records: list[Record] = []
        taken = 0
        for question in questions:
            record = self._record(self.component, question)
            if record.error and bound_in(record.error):
                return record.error
            taken += record.tensor_bytes
            if taken > self.bounds["answered"]:
                return LearnerError(TOO_LARGE, too_many_bytes(taken, self.bounds["answered"]))
            records.append(record)
            if record.error and record.error.type == TOO_SLOW:
                break
        left = len(questions) - len(records)
        return records + [replace(last, printed="") for last in records[-1:]] * left

    def _record(self, component: Any, question: Question) -> Record:
        began = time.monotonic()
        try:
            runner = LocalRunner(self._limit, self.bounds["printed"] - self.printed, draws_go_on=False)
            record = runner.ask(component, question)
            self.printed += len(record.printed)
            return record
        except Interrupted as stop:
            return stop.record
        except BaseException as error:  # whatever a learner's code raises, the next question is asked
            return Record(error=LearnerError(type(error).__name__, str(error)[:500], own_frames(error)))
        finally:
            self.passed += time.monotonic() - began

    def _limit(self, look: Callable[[FrameType], None]) -> Limit:
        work = self.bounds["cpu_seconds"] - time.process_time()
        by_the_clock = SHARE * self.bounds["wall_seconds"] - self.passed
        return Limit(_rounded(work), _rounded(by_the_clock), look=look)


def _rounded(seconds: float) -> float:
    return max(LEAST, round(seconds, 1))


def _run(source: str, given: Mapping[str, Any], module: str = "__part__") -> dict[str, Any]:
    """The names that a source makes; it finds those that are given as if it had imported them."""
    made = ModuleType(module)
    sys.modules[module] = made  # where dataclasses, pickle and others look up what a class is made of
    names = vars(made)
    names.update(given)
    run_cell(source, names)
    return names


def _without_the_file(error: LearnerError | None) -> LearnerError | None:
    """A syntax error's message names the text by a digest; what counts in it is the line."""
    if not error or not error.is_a("SyntaxError"):
        return error
    message, _, place = error.message.partition(" (<")
    number = "".join(filter(str.isdigit, place.partition("line ")[2]))
    frames = [Frame("your cell", int(number or 0), "<module>", "")]
    return LearnerError(error.type, message, frames, error.bases)
