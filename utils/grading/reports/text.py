"""Grades as text: the table that `python -m utils grade` ends with."""

from collections import Counter
from collections.abc import Sequence

from utils.grading.grades import Status, SubmissionGrades
from utils.grading.reports.counting import by_exercise, misconceptions
from utils.grading.submissions.entries import shown

MARK: dict[Status, str] = {"pass": "✔", "fail": "✘", "not_yet": "○", "missing": "–", "error": "!", "limit": "⧖"}
MOST = 20  # submissions that are listed one by one
COMMON = 5


def summary(graded: Sequence[SubmissionGrades]) -> str:
    """A line for each submission where they are few, else for each exercise; then what went wrong most often."""
    if not graded:
        return "No submission was found."
    lines = _each(graded) if len(graded) <= MOST else _exercises(graded)
    statuses = Counter(grade.status for one in graded for grade in one.grades)
    counted = ", ".join(f"{statuses[status]} {status}" for status in MARK if statuses[status])
    late = sum(one.late for one in graded)
    lines += ["", f"{len(graded)} submissions: {counted or 'no grades'}{f'; {late} late' if late else ''}."]
    common = misconceptions(graded)[:COMMON]
    lines += ["The most common misconceptions:"] if common else []
    lines += [f"{len(one.who):5} × {one.symbol}: {shown(one.name)}" for one in common]
    return "\n".join(lines)


def _each(graded: Sequence[SubmissionGrades]) -> list[str]:
    width = max(len(one.who) for one in graded)
    return [
        f"{one.who:{width}}  {one.points:g} of {one.max_points:g}  "
        + " ".join(f"{MARK[grade.status]} {grade.symbol}" for grade in one.grades)
        for one in graded
    ]


def _exercises(graded: Sequence[SubmissionGrades]) -> list[str]:
    counts = by_exercise(graded)
    width = max([len(symbol) for _, symbol in counts] or [0])
    lines = [" " * width + "".join(f"{status:>9}" for status in MARK)]
    lines += [
        f"{symbol:{width}}" + "".join(f"{found[status] or '':>9}" for status in MARK)
        for (_, symbol), found in counts.items()
    ]
    return lines
