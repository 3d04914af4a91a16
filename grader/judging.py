"""The judge of answers: the course's own test functions here, the answer's code in a process of a box.

The process is asked all questions of a test at once, and before the judge looks.
"""

import contextlib
import hashlib
import threading
import time
import traceback
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.bounds import Bounds
from grader.boxes import Box, Child, Ended, Task
from grader.grades import Grade, Status
from grader.lending import (
    Find,
    among,
    before,
    of_other_libraries,
    of_the_reference,
    parts_for,
    solutions_are_here,
    why_lacking,
    why_unfilled,
    why_unread,
)
from grader.plans import Plan, plan_of, points_of
from grader.sandbox.opening import open_box
from grader.submissions.answers import Answer, find_answer
from grader.submissions.commands import why_not_there
from grader.submissions.shapes import uses_of_other_libraries
from judge.checking import Verdict, use_runner
from judge.checking.asking import UNREADABLE
from judge.checking.judging import judge
from judge.running.records import TOO_SLOW, LearnerError, Question, Record
from utils.course import CourseError, ExerciseInfo, doable, exercises
from utils.learner.cards import as_html

MOST_KNOWN = 2_000  # verdicts
ALIKE_ON_ANY_PARTS: set[Status] = {"not_yet", "limit"}  # and to reach a limit once more takes as long again
MAY_LACK_A_CALL: set[Status] = {"error", "fail"}  # such as KeyError, or the value of another entry
MINE = object()  # stands here for what only the answer's process holds


class AnswerRunner:
    """Puts a test's questions to an answer's process. What ended it is the answer to all of them."""

    def __init__(self, child: Child):
        self.child = child
        self.ended: Ended | None = None
        self.too_slow = False
        self.asked_more = False  # beside the test's questions

    def ask(self, component: Any, question: Question) -> Record:
        """The answer to one question."""
        return self.ask_all(component, [question])[0]

    def ask_all(self, component: Any, questions: Sequence[Question]) -> list[Record]:
        """The answers to these, which are none of the test's."""
        self.asked_more = True
        return self.read(self.reply(questions), questions)

    def reply(self, questions: Sequence[Question]) -> bytes:
        """The bytes that answer these, unread: whoever only waits keeps nobody from judging. Nothing where it ended."""
        with self._ending():
            return self.child.reply(questions)
        return b""

    def read(self, reply: bytes, questions: Sequence[Question]) -> list[Record]:
        """The records in a reply; if it ended, why, in the place of each."""
        records: list[Record] = []
        with self._ending():
            records = self.child.records(reply, len(questions)) if reply else []
        self.too_slow |= any(record.error is not None and record.error.type == TOO_SLOW for record in records)
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


@dataclass(frozen=True)
class _Judged:
    verdict: Verdict
    status: Status
    seconds: float  # that its process took, and the judge's own work


@dataclass
class Judge:
    """Grades the answers in a chapter's cells; several threads may, and wait for processes side by side.

    `seed` is that of all random numbers, so that everybody in a class is asked the same.
    """

    box: Box
    seed: int
    bounds: Bounds = field(default_factory=Bounds)
    # Held but for waiting: torch's random numbers and settings are the whole process's, and CPython 3.11 can't parse in
    # two threads at once (SystemError: AST constructor recursion depth mismatch)
    alone: threading.Lock = field(default_factory=threading.Lock)
    # Held by the one answer that runs with a library beside torch: JAX takes 190 MB of each process's own
    _with_a_library: threading.Lock = field(default_factory=threading.Lock)
    # the same code has the same verdict; so have the same answers to the same questions, unless more was asked
    _known: dict[tuple[ExerciseInfo, str], _Judged] = field(default_factory=dict[tuple[ExerciseInfo, str], "_Judged"])

    @property
    def protection(self) -> str:
        """What keeps an answer's process from the rest."""
        return self.box.protection

    def grades(
        self,
        cells: Sequence[str],
        stem: str,
        elsewhere: Mapping[str, Sequence[str]] | None = None,
        symbol: str | None = None,
    ) -> dict[str, Grade]:
        """A grade for each exercise of a chapter, by its symbol, or for the one that is named.

        `elsewhere` has the code cells of the submission's other chapters, by their stems: what they define is used to
        say how an answer does on its author's own parts. Never raises for what stands in the cells.
        """
        chapters = {**(elsewhere or {}), stem: cells}
        with self.alone:
            wanted = [exercise for exercise in doable(exercises(stem)) if symbol in (None, exercise.symbol)]
            found: dict[str, Grade] = {}
            for exercise in wanted:
                found[exercise.symbol] = self._grade(exercise, chapters, found)
        return found

    def _grade(self, info: ExerciseInfo, chapters: Mapping[str, Sequence[str]], found: Mapping[str, Grade]) -> Grade:
        answer = find_answer(chapters[info.stem], info.symbol, before(info), of_other_libraries(info))
        try:
            grade = self._graded(info, answer, chapters, found)
        except CourseError:  # no process can be had: whoever opened the box opens another one
            raise
        except Exception:  # of ours: nobody's grade is lost for it, and whoever reads it can repair it
            said = f"The grader itself failed at this answer. Please report it:\n{traceback.format_exc()}"
            grade = self._row(info, "not_graded", check="can be judged", said=said)
        notes = (*answer.notes, *uses_of_other_libraries(answer.source, info.library))
        return replace(grade, notes=notes, shape=answer.shape)

    def _graded(
        self, info: ExerciseInfo, answer: Answer, chapters: Mapping[str, Sequence[str]], found: Mapping[str, Grade]
    ) -> Grade:
        if answer.newer or answer.unread:
            return self._row(info, "not_graded", check="can be read", said=answer.problem)
        if answer.problem:
            status: Status = "missing" if answer.missing else "error"
            check = "is in the notebook" if answer.missing else "can be run"
            return self._row(info, status, check=check, said=answer.problem)
        find = of_the_reference if solutions_are_here() else among(chapters)
        if unread := why_unread(answer, find):
            return self._row(info, "not_graded", check="can be read", said=unread)
        plan = plan_of(info, self.seed, self.bounds)
        answer, judged = self._best(plan, answer, find)
        if judged.status in MAY_LACK_A_CALL and (unfilled := why_unfilled(answer, find)):
            return self._row(info, "not_graded", check="can be read", said=unfilled)
        if judged.status == "error" and (newer := why_not_there(str(judged.verdict))):
            return self._row(info, "not_graded", check="can be run", said=newer)
        if not solutions_are_here() and (lacking := why_lacking(answer, find, str(judged.verdict))):
            return self._row(info, "error", check="has what it uses", said=lacking)
        parts = {found[symbol].status if symbol in found else None for symbol in answer.uses}
        is_whole = judged.status == "pass" and parts <= {"pass"}
        nothing_to_tell = is_whole or judged.status in ALIKE_ON_ANY_PARTS or "limit" in parts
        own = None if nothing_to_tell else self._with_own_parts(plan, answer, chapters)
        row = replace(self._row(info, judged.status), with_own_parts=own, seconds=judged.seconds)
        return _told(row, plan, judged.verdict)

    def _best(self, plan: Plan, answer: Answer, find: Find, diagnosing: bool = True) -> tuple[Answer, _Judged]:
        """With the calls that may fill what it and its parts read, where there are any; if it does not pass so, without
        them."""
        lent, filled = parts_for(answer, find), parts_for(answer, find, fuller=True)
        if not answer.fuller and filled == lent:
            return answer, self._judged(plan, answer, lent, diagnosing)
        fuller = replace(answer, source=answer.fuller or answer.source)
        judged = self._judged(plan, fuller, filled, diagnosing)
        if judged.status == "pass":
            return fuller, judged
        without = self._judged(plan, answer, lent, diagnosing)
        if judged.status == "fail" and without.status != "pass":
            return fuller, judged  # a wrong value says more than an empty table
        return answer, without

    def _with_own_parts(self, plan: Plan, answer: Answer, chapters: Mapping[str, Sequence[str]]) -> Status | None:
        """How the same answer does with what the learner wrote in place of the reference's; None if that is not all
        there, or it uses nothing."""
        find = among(chapters)
        if not answer.uses or not parts_for(answer, find).keys() >= {*answer.uses}:
            return None
        _, judged = self._best(plan, replace(answer, fuller=""), find, diagnosing=False)
        return judged.status

    def _judged(self, plan: Plan, answer: Answer, parts: Mapping[str, str], diagnosing: bool) -> _Judged:
        task = Task(answer.source, answer.symbol, parts, plan.bounds, plan.info.needs)
        code = (plan.info, task.digest)
        if code not in self._known:
            judged, is_whole = self._run(task, plan, diagnosing)
            if not is_whole:
                return judged
            self._remember(code, judged)
        return self._known[code]

    def _run(self, task: Task, plan: Plan, diagnosing: bool) -> tuple[_Judged, bool]:
        """What becomes of it, and whether that is all there is to say of such code, on however busy a machine."""
        components = (MINE, *[None] * (plan.components - 1))
        with self._in_turn(task), contextlib.closing(self.box.start(task)) as child:
            began = time.monotonic()
            runner = AnswerRunner(child)
            with self._others_first():
                reply = runner.reply(plan.questions)
                waited = time.monotonic() - began
            key = (plan.info, hashlib.sha256(reply).hexdigest())
            if reply and key in self._known:
                return replace(self._known[key], seconds=waited), True
            began = time.thread_time()
            answers = runner.read(reply, plan.questions)
            with use_runner(runner):
                verdict = judge(plan.exercise, components, plan.seed, diagnosing, answers)
            judged = _Judged(verdict, _status(verdict, runner), waited + time.thread_time() - began)
        has_a_cause = diagnosing or not verdict.failure  # else whoever answers the same would get none
        is_whole = has_a_cause and not runner.ended
        if is_whole and not runner.asked_more:
            self._remember(key, judged)
        return judged, is_whole and not runner.too_slow

    @contextlib.contextmanager
    def _in_turn(self, task: Task) -> Iterator[None]:
        """Within the block no other answer runs with a library, if this one does."""
        if not task.needs:
            yield
            return
        with self._others_first():
            self._with_a_library.acquire()
        try:
            yield
        finally:
            self._with_a_library.release()

    @contextlib.contextmanager
    def _others_first(self) -> Iterator[None]:
        """Let other threads judge within the block."""
        self.alone.release()
        try:
            yield
        finally:
            self.alone.acquire()

    def _remember(self, key: tuple[ExerciseInfo, str], judged: _Judged) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[key] = judged

    def _row(self, info: ExerciseInfo, status: Status, check: str = "", said: str = "") -> Grade:
        worth = points_of(info)
        return Grade(
            submission="",  # whoever gave the cells knows
            stem=info.stem,
            symbol=info.symbol,
            status=status,
            points=worth if status == "pass" else 0.0,
            max_points=worth,
            check=check,
            said=said,
            seed=self.seed,
            protection=self.protection,
        )


@contextlib.contextmanager
def open_judge(
    seed: int = 0, bounds: Bounds | None = None, require_sandbox: bool = False, allow_none: bool = False
) -> Iterator[Judge]:
    """A judge with a box of its own, which is closed after the block. Raises CourseError where no box can be had."""
    with contextlib.closing(open_box(require=require_sandbox, allow_none=allow_none)) as box:
        yield Judge(box, seed, bounds or Bounds())


def _status(verdict: Verdict, runner: AnswerRunner) -> Status:
    if verdict.failure is None:
        return "pass"
    if verdict.failure.not_yet:
        return "not_yet"
    if runner.too_slow or (runner.ended and runner.ended.status == "limit"):
        return "limit"
    return "error" if runner.ended or verdict.failure.about == "error" else "fail"


def _told(grade: Grade, plan: Plan, verdict: Verdict) -> Grade:
    """The grade with what the verdict says."""
    failure = verdict.failure
    return replace(
        grade,
        check=failure.line if failure else "",
        misconception=(failure.misconception or "") if failure else "",
        passed=len(verdict.passed),
        checks=plan.checks,
        said=str(verdict),
        card=as_html(verdict),
    )
