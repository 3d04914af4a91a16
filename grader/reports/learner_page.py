"""The page that a learner gets: the notebook's cards, with points and how to repeat each."""

from itertools import groupby

from grader.grades import SubmissionGrades
from grader.reports.page import page


def learner_page(one: SubmissionGrades, file: str = "FILE") -> str:
    """All of one submission, on a page without scripts; `file` is what the command that repeats a grade is given."""
    chapters = [(stem, list(grades)) for stem, grades in groupby(one.grades, lambda grade: grade.stem)]
    return page("learner.html", title=f"Grades of {one.who}", one=one, file=file, chapters=chapters)
