"""What was handed in late: a chapter, by its own deadline."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from grader.grades import Grade, SubmissionGrades
from utils.course import CourseError


def moment_of(deadline: str | None) -> datetime | None:
    """The deadline; a day without a time is meant to its end, and one without a time zone is in this machine's.

    Raises CourseError for what is no time.
    """
    if not deadline:
        return None
    try:
        found = datetime.fromisoformat(deadline)
    except ValueError:
        raise CourseError(f"--deadline {deadline} is no time: write it as 2026-12-01T23:59+01:00.") from None
    is_a_day = deadline[:10] == deadline
    return (found + timedelta(days=1, seconds=-1) if is_a_day else found).astimezone()


def mark_late(graded: Iterable[SubmissionGrades], deadlines: Mapping[str, datetime]) -> list[SubmissionGrades]:
    """A chapter after its deadline is late, as is one that a platform has marked; of an unknown time it is said."""
    last = {stem: moment.timestamp() for stem, moment in deadlines.items()}
    return [_marked(one, last) for one in graded]


def _marked(one: SubmissionGrades, last: Mapping[str, float]) -> SubmissionGrades:
    handed_in = [grade for grade in one.grades if grade.stem in last and grade.status != "missing"]
    unknown = dict.fromkeys(grade.stem for grade in handed_in if grade.submitted is None and not grade.late)
    said = [f"When {stem} was handed in is not known, so it is not marked as late." for stem in unknown]
    grades = [replace(grade, late=grade.late or _is_after(grade, last)) for grade in one.grades]
    return replace(one, grades=grades, problems=(*one.problems, *said))


def _is_after(grade: Grade, last: Mapping[str, float]) -> bool:
    return grade.submitted is not None and grade.submitted > last.get(grade.stem, math.inf)
