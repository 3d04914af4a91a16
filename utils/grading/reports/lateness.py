"""Which submissions are late."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from utils.course import CourseError
from utils.grading.grades import SubmissionGrades


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


def mark_late(graded: Iterable[SubmissionGrades], deadline: datetime | None) -> list[SubmissionGrades]:
    """Those after the deadline are late, as are those that a platform has marked; of an unknown time it is said."""
    if deadline is None:
        return list(graded)
    last = deadline.timestamp()
    return [_late(one, last) for one in graded]


def _late(one: SubmissionGrades, last: float) -> SubmissionGrades:
    if one.submitted is None:
        said = "When it was handed in is not known, so it is not marked as late."
        return one if one.late else replace(one, problems=(*one.problems, said))
    return replace(one, late=one.late or one.submitted > last)
