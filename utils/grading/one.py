"""One exercise judged by itself, to repeat and explain a grade: `grade FILE --exercise LayerNorm --seed 123`."""

import argparse
from collections.abc import Sequence

from utils.course import CourseError
from utils.grading.bounds import Bounds
from utils.grading.grades import MEANING, Grade
from utils.grading.jobs import Job, Terms, close_here, done_here
from utils.grading.plans import chosen
from utils.grading.seeds import seed_for
from utils.grading.submissions.finding import HandedIn
from utils.grading.submissions.reading import read
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
