"""What a class has in common: misconceptions, checks that fail, statuses by exercise, and identical answers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from grader.grades import MEANING, Grade, Status, SubmissionGrades
from grader.submissions.shapes import size_of

LEAST_NODES = 60  # of a syntax tree: short answers are alike without having been copied
Exercise = tuple[str, str]  # its stem and its symbol


@dataclass
class Shared:
    """Something that some answers to an exercise have in common."""

    stem: str
    symbol: str
    name: str
    example: Grade  # the first, whose card is shown
    who: list[str] = field(default_factory=list[str])  # submissions


def misconceptions(graded: Iterable[SubmissionGrades]) -> list[Shared]:
    """The mistakes that cards name, the most frequent first."""
    return _shared(graded, lambda grade: grade.misconception)


def other_failures(graded: Iterable[SubmissionGrades]) -> list[Shared]:
    """The checks that do not hold, for reasons that no card names."""
    return _shared(graded, lambda grade: grade.check if grade.status == "fail" and not grade.misconception else "")


def limits_and_errors(graded: Iterable[SubmissionGrades]) -> list[Shared]:
    """The answers that did not run to their end, by what ended them, and those that could not be judged."""

    def ending(grade: Grade) -> str:
        is_one = grade.status in ("limit", "error", "not_graded")
        return f"{grade.status}: {grade.check or MEANING[grade.status]}" if is_one else ""

    return _shared(graded, ending)


def _shared(graded: Iterable[SubmissionGrades], name_of: Callable[[Grade], str]) -> list[Shared]:
    found: dict[tuple[str, str, str], Shared] = {}
    for grade in all_grades(graded):
        name = name_of(grade)
        if name:
            key = grade.stem, grade.symbol, name
            found.setdefault(key, Shared(*key, grade)).who.append(grade.submission)
    return sorted(found.values(), key=lambda mistake: (-len(mistake.who), mistake.stem, mistake.symbol, mistake.name))


def by_exercise(graded: Iterable[SubmissionGrades]) -> dict[Exercise, dict[Status, int]]:
    """How many answers to each exercise have each status."""
    found: dict[Exercise, dict[Status, int]] = {}
    for grade in all_grades(graded):
        counts = found.setdefault((grade.stem, grade.symbol), dict.fromkeys(MEANING, 0))
        counts[grade.status] += 1
    return found


def all_grades(graded: Iterable[SubmissionGrades]) -> Iterator[Grade]:
    """Of all submissions."""
    for submission in graded:
        yield from submission.grades


def identical_answers(
    graded: Sequence[SubmissionGrades], known: Collection[str] = (), least: int = LEAST_NODES
) -> list[Shared]:
    """Answers of the same shape under different names: information, which says nothing of how it came about.

    Left out are short ones, and those of a `known` shape: the stub, and the course's own published solution.
    """
    names = names_by_submission(graded)
    long_enough = _shared(graded, lambda grade: grade.shape if size_of(grade.shape) >= least else "")
    return [
        mistake for mistake in long_enough if len({names[who] for who in mistake.who}) > 1 and mistake.name not in known
    ]


def names_by_submission(graded: Iterable[SubmissionGrades]) -> dict[str, str]:
    """Who stands for each submission."""
    return {submission.submission: submission.who for submission in graded}
