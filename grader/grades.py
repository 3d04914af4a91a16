"""A `Grade`: what came out for one exercise of one submission; `SubmissionGrades`: for all of one submission."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from utils.course import CourseError

Status = Literal["pass", "fail", "not_yet", "missing", "error", "limit", "not_graded"]
MEANING: dict[Status, str] = {
    "pass": "every check holds",
    "fail": "a check does not hold",
    "not_yet": "the stub is still there",
    "missing": "the submission does not define it",
    "error": "the code, or the notebook, can't be run to its end",
    "limit": "it took more time, memory or room than an answer may",
    "not_graded": "the grader could not judge it, which says nothing of the answer; the next run tries again",
}


def column(kind: type[str | int | float | bool], in_csv: bool = False) -> dict[str, Any]:
    """The metadata of a field that a later release adds to `Grade`, which has a default.

    The gradebook gets its column from it (gradebook.py), and grades that were saved before have the default; `in_csv`,
    it follows the columns that the CSV had before (reports/tables.py). For ever: a released field keeps its name and
    its kind.
    """
    return {"kind": kind, "in_csv": in_csv}


@dataclass(frozen=True)
class Grade:
    """One row of the gradebook, but for what is the same in the whole submission.

    A new field is `hints: int = field(default=0, metadata=column(int))`.
    """

    submission: str  # its name: that of its file or folder
    stem: str
    symbol: str
    status: Status
    points: float
    max_points: float
    check: str = ""  # the line that did not hold
    misconception: str = ""  # its name, where one is proved
    seed: int = 0
    seconds: float = 0.0
    said: str = ""  # the card as plain text
    card: str = ""  # the same as HTML
    notes: tuple[str, ...] = ()  # about the answer, not its worth: "defined twice, in cells 4 and 9: the last counts"
    # For information: the same answer on the learner's own parts. None where it has none, or all that it uses passes
    with_own_parts: Status | None = None
    shape: str = ""  # a digest of the answer's normalised syntax tree: equal for copies
    protection: str = ""  # what kept the answer's process from the rest
    passed: int = 0  # checks that hold, of so many
    checks: int = 0
    submitted: float | None = None  # when its chapter was handed in, in seconds since 1970
    late: bool = False  # as the platform says, or by the chapter's deadline

    def __post_init__(self):
        """What is said may quote a learner's process: half a character can be written to no file."""
        for field in fields(self):
            text = getattr(self, field.name)
            is_said = field.name in ("check", "misconception", "said", "card") or "kind" in field.metadata
            if is_said and isinstance(text, str):
                object.__setattr__(self, field.name, text.encode("utf-8", "backslashreplace").decode())


@dataclass(frozen=True)
class Person:
    """A learner, as the roster has them."""

    name: str
    id: str = ""  # the platform's: Canvas's ID, Moodle's ID number
    sis_id: str = ""
    login: str = ""
    email: str = ""
    section: str = ""


@dataclass(frozen=True)
class SubmissionGrades:
    """All that came out for one submission."""

    submission: str
    grades: Sequence[Grade] = ()
    owners: tuple[Person, ...] = ()  # as the roster has them: several where it is a group's
    seconds: float = 0.0
    protection: str = ""
    problems: Sequence[str] = ()  # of its files, as sentences
    people: Sequence[str] = ()  # who handed it in, as the platform says: names, IDs or e-mail addresses

    @property
    def points(self) -> float:
        """Of all its exercises."""
        return sum(grade.points for grade in self.grades)

    @property
    def max_points(self) -> float:
        """How many it could have been."""
        return sum(grade.max_points for grade in self.grades)

    @property
    def not_graded(self) -> int:
        """How many of its answers the grader could not judge."""
        return sum(grade.status == "not_graded" for grade in self.grades)

    @property
    def submitted(self) -> float | None:
        """When the last of its chapters was handed in."""
        return max((grade.submitted for grade in self.grades if grade.submitted is not None), default=None)

    @property
    def late(self) -> bool:
        """Whether any of its chapters is."""
        return any(grade.late for grade in self.grades)

    @property
    def who(self) -> str:
        """The people, else the submission."""
        return ", ".join(owner.name for owner in self.owners) or self.submission


def points_for(status: Status, max_points: float, passed: int = 0, checks: int = 0, by_check: bool = False) -> float:
    """All points or none; `by_check`, a wrong answer has its share of the checks that hold."""
    if status == "pass":
        return max_points
    if status == "fail" and by_check and checks:
        return round(max_points * passed / checks, 2)
    return 0.0


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
    marked: list[SubmissionGrades] = []
    for submission in graded:
        handed_in = [grade for grade in submission.grades if grade.stem in last and grade.status != "missing"]
        unknown = dict.fromkeys(grade.stem for grade in handed_in if grade.submitted is None and not grade.late)
        said = [f"When {stem} was handed in is not known, so it is not marked as late." for stem in unknown]
        grades: list[Grade] = []
        for grade in submission.grades:
            is_after = grade.submitted is not None and grade.submitted > last.get(grade.stem, math.inf)
            grades.append(replace(grade, late=grade.late or is_after))
        marked.append(replace(submission, grades=grades, problems=(*submission.problems, *said)))
    return marked
