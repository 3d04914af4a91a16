"""One exercise judged by itself, to repeat and explain a grade: `grade FILE --exercise LayerNorm --seed 123`."""

import argparse
from collections.abc import Sequence

from grader.bounds import Bounds
from grader.grades import MEANING, Grade
from grader.jobs import Job, Terms, close_here, done_here
from grader.plans import chosen
from grader.seeds import seed_for
from grader.submissions.finding import HandedIn
from grader.submissions.reading import read
from utils.course import CourseError
from utils.learner.parsing import did_you_mean


def one_exercise(options: argparse.Namespace, handed_in: Sequence[HandedIn], chapters: Sequence[str]) -> int:
    """Print its card for each submission; nothing is kept. 0 if all pass. Raises CourseError for another name."""
    found = chosen(chapters, options.exercise)
    if not found:
        guess = did_you_mean(options.exercise, [one.symbol for one in chosen(chapters)])
        raise CourseError(f"No exercise is called {options.exercise}.{guess}")
    terms = Terms(seed_for(options.seed or 0), Bounds.of(options), options.require_sandbox, options.no_sandbox)
    passed = True
    try:
        for one in handed_in:
            job = Job(read(one), {found[0].stem: ""}, options.exercise)
            (grade,) = done_here(job, terms).grades
            print(_told(grade))
            passed &= grade.status == "pass"
    finally:
        close_here()
    return int(not passed)


def _told(grade: Grade) -> str:
    head = f"{grade.submission}: {grade.status} ({MEANING[grade.status]}), seed {grade.seed}, {grade.protection}"
    return "\n".join([head, grade.said, *grade.notes])
