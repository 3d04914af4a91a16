"""A `Job`: the chapters of one submission that are to be graded, and how; any process that has the course can do it."""

import functools
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property

from grader.bounds import Bounds
from grader.given import Restored, places
from grader.grades import Grade, Status, SubmissionGrades
from grader.judging import Judge, open_judge
from grader.plans import points_of
from grader.submissions.reading import Submission
from grader.submitted import CodeCell
from utils.course import CourseError, doable, exercises

MOST_BOXES = 3  # that are opened for one job


@dataclass(frozen=True)
class Terms:
    """How a class is judged."""

    seed: int
    bounds: Bounds = field(default_factory=Bounds)
    require_sandbox: bool = False
    allow_none: bool = False


@dataclass(frozen=True)
class Job:
    """A submission that is to be graded; `bases` says of each of its chapters what the grades rest on (batch.py)."""

    submission: Submission
    bases: Mapping[str, str]
    symbol: str | None = None  # the only exercise, if it is not all

    def ended(self, why: str) -> SubmissionGrades:
        """The grades where no process came to the end of a submission: that is no fault of the answers."""
        rows = [row for stem in self.bases for row in self._alike(stem, "not_graded", "can be judged", why)]
        return self._graded(rows, 0.0, "")

    def done_by(self, judge: Judge) -> SubmissionGrades:
        """Its grades. A chapter that needs a library, whose compiler takes seconds, is graded beside the others."""
        began = time.monotonic()
        slow = [stem for stem in self.bases if any(exercise.needs for exercise in exercises(stem))]
        with ThreadPoolExecutor(1) as beside:
            of_slow = beside.submit(self._chapters_in_turn, judge, slow)
            done = self._chapters_in_turn(judge, [stem for stem in self.bases if stem not in slow])
        done |= of_slow.result()
        rows = [row for stem in self.bases for row in done[stem]]
        return self._graded(rows, time.monotonic() - began, judge.protection)

    def _chapters_in_turn(self, judge: Judge, stems: Sequence[str]) -> dict[str, list[Grade]]:
        return {stem: self._chapter(judge, stem) for stem in stems}

    def _chapter(self, judge: Judge, stem: str) -> list[Grade]:
        notebook = self.submission.notebooks.get(stem)
        with judge.alone:
            if not notebook and self.submission.unopened:
                said = " ".join(self.submission.unopened)
                return self._alike(stem, "not_graded", "can be opened", said, judge)
            if not notebook:
                said = f"The submission has no notebook of {stem}."
                return self._alike(stem, "missing", "is in the submission", said, judge)
            if notebook.problem:
                status: Status = "not_graded" if notebook.too_large else "error"
                return self._alike(stem, status, "can be read", notebook.problem, judge)
            chapters = self._chapters
        return list(judge.grades(chapters[stem], stem, chapters, self.symbol).values())

    @cached_property
    def _chapters(self) -> dict[str, list[str]]:
        """The code cells by which a judge goes: what was given is as it was released."""
        readable = {stem: notebook for stem, notebook in self.submission.notebooks.items() if not notebook.problem}
        return {
            stem: Restored(_given(stem), list(map(CodeCell, notebook.ids, notebook.cells))).judged
            for stem, notebook in readable.items()
        }

    def _alike(self, stem: str, status: Status, check: str, said: str, judge: Judge | None = None) -> list[Grade]:
        """A grade of this status for each exercise."""
        wanted = [exercise for exercise in doable(exercises(stem)) if self.symbol in (None, exercise.symbol)]
        return [
            Grade(
                submission=self.submission.name,
                stem=stem,
                symbol=exercise.symbol,
                status=status,
                points=0.0,
                max_points=points_of(exercise),
                check=check,
                said=said,
                seed=judge.seed if judge else 0,
                protection=judge.protection if judge else "",
            )
            for exercise in wanted
        ]

    def _graded(self, rows: list[Grade], seconds: float, protection: str) -> SubmissionGrades:
        submission = self.submission
        grades: list[Grade] = []
        for grade in rows:  # whose each is, and when its chapter was handed in
            grade = replace(grade, submission=submission.name)
            if grade.stem in submission.notebooks:
                grade = replace(grade, submitted=submission.when(grade.stem), late=submission.late)
            grades.append(grade)
        return SubmissionGrades(
            submission=submission.name,
            grades=grades,
            people=submission.people,
            seconds=seconds,
            protection=protection,
            problems=submission.problems,
        )


_given = functools.cache(places)


def done_here(job: Job, terms: Terms) -> SubmissionGrades:
    """The grades of a job, by this process's own judge: opened at its first job, and kept.

    Where it can't judge another one is opened. Raises CourseError where none can be.
    """
    failed: list[str] = []
    while len(failed) < MOST_BOXES:
        with _opening:
            judge = _judge(terms)
        try:
            return job.done_by(judge)
        except CourseError as error:
            failed.append(str(error))
        with _opening:
            if _judge(terms) is judge:  # no other thread has seen it too
                close_here()
    return job.ended(f"It could not be judged, in {MOST_BOXES} boxes one after another: {failed[-1]}")


_opening = threading.Lock()
_kept = ExitStack()
_inherited: list[ExitStack] = []


@functools.cache
def _judge(terms: Terms) -> Judge:
    opening = open_judge(terms.seed, terms.bounds, terms.require_sandbox, terms.allow_none)
    try:
        judge = _kept.enter_context(opening)
    except OSError as error:
        said = f"No box for answers can be made in {tempfile.gettempdir()} ({error}). Make room there, or set TMPDIR."
        raise CourseError(said) from None
    use_one_thread()
    return judge


def use_one_thread() -> None:
    """Judging is many small operations, and there is a process for each core."""
    import torch  # not at the top: while it is imported here, a box that is being opened imports it too

    torch.set_num_threads(1)


def open_here(terms: Terms) -> None:
    """Open this process's judge. What is forked of this process may judge by it too: see `leave_open`.

    Raises CourseError where none can be.
    """
    _judge(terms)


def leave_open() -> None:
    """In a fork: the judge that was open before belongs to the process that opened it, which closes it."""
    _inherited.append(_kept.pop_all())  # kept: a generator that nobody holds is closed, and closes the box


def close_here() -> None:
    """Close this process's judge."""
    _kept.close()
    _judge.cache_clear()
