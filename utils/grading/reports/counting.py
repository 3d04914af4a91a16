"""What a class has in common: misconceptions, checks that fail, statuses by exercise, and identical answers."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from utils.grading.grades import MEANING, Grade, Status, SubmissionGrades
from utils.grading.submissions.shapes import size_of

LEAST_NODES = 60  # of a syntax tree: short answers are alike without having been copied
Exercise = tuple[str, str]  # its stem and its symbol


@dataclass
class Shared:
    """Something that some answers to an exercise have in common."""

    stem: str
    symbol: str
    name: str
    who: list[str] = field(default_factory=list[str])  # submissions
    example: Grade | None = None  # the first, whose card is shown


def misconceptions(graded: Iterable[SubmissionGrades]) -> list[Shared]:
    """Those that cards name, the most frequent first."""
    return _shared(graded, lambda grade: grade.misconception)


def other_failures(graded: Iterable[SubmissionGrades]) -> list[Shared]:
    """The checks that do not hold, for reasons that no card names."""
    return _shared(graded, lambda grade: grade.check if grade.status == "fail" and not grade.misconception else "")


def limits_and_errors(graded: Iterable[SubmissionGrades]) -> list[Shared]:
    """What was not run to its end, by what ended it."""
    return _shared(graded, lambda grade: _ending(grade) if grade.status in ("limit", "error") else "")


def _ending(grade: Grade) -> str:
    return f"{grade.status}: {grade.check or MEANING[grade.status]}"


def _shared(graded: Iterable[SubmissionGrades], name_of: Callable[[Grade], str]) -> list[Shared]:
    found: dict[tuple[str, str, str], Shared] = {}
    for one in graded:
        for grade in one.grades:
            name = name_of(grade)
            if not name:
                continue
            key = grade.stem, grade.symbol, name
            shared = found.setdefault(key, Shared(*key, example=grade))
            shared.who.append(one.submission)
    return sorted(found.values(), key=lambda one: (-len(one.who), one.stem, one.symbol, one.name))


def by_exercise(graded: Iterable[SubmissionGrades]) -> dict[Exercise, dict[Status, int]]:
    """How many answers to each exercise have each status."""
    found: dict[Exercise, dict[Status, int]] = {}
    for one in graded:
        for grade in one.grades:
            counts = found.setdefault((grade.stem, grade.symbol), dict.fromkeys(MEANING, 0))
            counts[grade.status] += 1
    return found


def identical_answers(
    graded: Sequence[SubmissionGrades],
    known: Collection[str] = (),
    least: int = LEAST_NODES,
) -> list[Shared]:
    """Answers of the same shape under different names: information, which says nothing of how it came about.

    Left out are short ones, and those of a `known` shape: the stub, and the course's own published solution.
    """
    found = _shared(graded, lambda grade: grade.shape if size_of(grade.shape) >= least else "")
    people = {one.submission: one.who for one in graded}
    return [one for one in found if one.name not in known and len({people[who] for who in one.who}) > 1]
