"""A whole class: which chapters of which submissions are to be graded, and their grades into the gradebook."""

import functools
import hashlib
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from grader.bounds import Bounds
from grader.gradebook import Gradebook
from grader.grades import SubmissionGrades
from grader.jobs import Job, Terms
from grader.plans import chosen, plan_of, without_extras
from grader.submissions.reading import Submission
from utils.course import ROOT, CourseError

JUDGES = (
    *("judge/checking", "judge/running", "judge/errors.py", "utils/gpt", "utils/config.py", "utils/dialects.py"),
    *("utils/huggingface.py", "utils/model_folder", "utils/reference", "utils/reference_model"),
    *("grader/asking.py", "grader/judging.py", "grader/lending.py", "grader/plans.py", "grader/sandbox"),
    *("grader/submissions", "grader/given.py", "grader/restoring.py", "utils/learner/collecting.py"),
    *("utils/learner/statements.py", "utils/course", "tests/expected", "tests/given"),
)


def basis_of(submission: str, stem: str, seed: int, bounds: Bounds) -> str:
    """Of one chapter of a submission whose content has this digest: that, and all that judges it.

    The other chapters are part of it: an answer is judged with its author's own parts too.
    """
    return _digest(submission, _of_the_course(stem), seed, bounds)


@functools.cache
def _of_the_course(stem: str) -> str:
    """What judges a chapter: its tests, its solution and those that it builds on, the engine, the reference model."""
    places = [*JUDGES, f"tests/misconceptions/{stem}", *_up_to(stem)]
    files = sorted({file for place in places for file in _files(ROOT / place)})
    return _digest(*((file.relative_to(ROOT).as_posix(), _digest(file.read_bytes())) for file in files))


def _digest(*values: object) -> str:
    total = hashlib.sha256()
    for one in values:
        total.update(one if isinstance(one, bytes) else repr(one).encode())
    return total.hexdigest()


def _up_to(stem: str) -> list[str]:
    """The tests and solutions of the chapters up to this one."""
    found = [*(ROOT / "tests").glob("ch*.py"), *(ROOT / "solutions").glob("ch*.ipynb")]
    return [path.relative_to(ROOT).as_posix() for path in found if path.stem <= stem]


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return [file for file in place.rglob("*") if file.is_file() and "__pycache__" not in file.parts]


class Workers(Protocol):
    """Whatever grades jobs: processes here, or a cluster."""

    def results(self, jobs: Iterable[Job]) -> Iterator[SubmissionGrades]: ...

    def close(self) -> None: ...


def prepare(stems: Sequence[str], terms: Terms) -> None:
    """Make the plans, before workers are forked that share them. Raises CourseError where the course is damaged."""
    for info in without_extras(chosen(stems)):
        try:
            plan_of(info, terms.seed, terms.bounds)
        except CourseError:
            raise
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"
            raise CourseError(f"Nothing is graded: the course's own {info.symbol} can't be judged. {said}") from error


def jobs_for(
    submissions: Iterable[Submission],
    stems: Sequence[str],
    terms: Terms,
    graded: dict[tuple[str, str], set[str]],
    again: bool = False,
) -> list[Job]:
    """A job for each submission of which something has not been graded yet, as it is; or `again`.

    `graded` is what the gradebook has. A chapter that is not handed in this time keeps the grade that it has.
    """
    jobs = (_job(one, stems, terms, graded, again) for one in submissions)
    return [job for job in jobs if job.bases]


def grade_all(jobs: Sequence[Job], workers: Workers, book: Gradebook) -> None:
    """Have the jobs done; each submission's grades are saved as soon as they are there."""
    bases = {job.submission.name: dict(job.bases) for job in jobs}
    with tqdm(total=len(jobs), unit=" submissions", disable=None) as bar:  # with the time left; only in a terminal
        for graded in workers.results(jobs):
            book.save(graded, bases[graded.submission])
            bar.update()


def _job(
    submission: Submission, stems: Sequence[str], terms: Terms, graded: dict[tuple[str, str], set[str]], again: bool
) -> Job:
    bases = {stem: _basis(submission, stem, terms) for stem in stems}
    new = {
        stem: basis
        for stem, basis in bases.items()
        if (submission.name, stem) not in graded
        or (stem in submission.notebooks and (again or graded[submission.name, stem] != {basis}))
    }
    return Job(submission, new)


def _basis(submission: Submission, stem: str, terms: Terms) -> str:
    return basis_of(submission.digest, stem, terms.seed, terms.bounds)
