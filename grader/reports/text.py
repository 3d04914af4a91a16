"""Grades as text: the table that `python -m utils grade` ends with."""

import os
import shlex
from collections import Counter
from collections.abc import Sequence

from grader.grades import Grade, Status, SubmissionGrades
from grader.reports.counting import by_exercise, misconceptions
from grader.submissions.entries import shown


def how_to_repeat(grade: Grade, file: str = "FILE") -> str:
    """For whoever has the submission."""
    return f"python -m utils grade {_quoted(file)} --exercise {grade.symbol} --seed {grade.seed}"


def _quoted(file: str) -> str:
    """A path for a shell; what can't be printed, such as bytes that are no text, as bash and zsh have it."""
    if file.isprintable():
        return shlex.quote(file)
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in os.fsencode(file))
    return f"$'{''.join(plain)}'"


MARK: dict[Status, str] = {
    "pass": "✔",
    "fail": "✘",
    "not_yet": "○",
    "missing": "–",
    "error": "!",
    "limit": "⊘",
    "not_graded": "?",
}
MOST = 20  # submissions that are listed one by one
COMMON = 5


def summary(graded: Sequence[SubmissionGrades]) -> str:
    """A line for each submission where they are few, else for each exercise; then what went wrong most often."""
    if not graded:
        return "No submission was found."
    few = len(graded) <= MOST
    table = _each(graded) if few else _exercises(graded)
    lines = [*table, "", _total(graded)]
    common = misconceptions(graded)[:COMMON]
    if common:
        lines.append("The most common misconceptions:")
    for mistake in common:
        lines.append(f"{len(mistake.who):5} × {mistake.symbol}: {shown(mistake.name)}")
    return "\n".join(lines)


def _total(graded: Sequence[SubmissionGrades]) -> str:
    """2 submissions: 1 pass, 1 fail; 1 late."""
    counts = Counter[Status](grade.status for submission in graded for grade in submission.grades)
    counted = [f"{counts[status]} {status}" for status in MARK if counts[status]]
    late = sum(submission.late for submission in graded)
    said = ", ".join(counted) or "no grades"
    if late:
        said += f"; {late} late"
    noun = "submission" if len(graded) == 1 else "submissions"
    return f"{len(graded)} {noun}: {said}."


def _each(graded: Sequence[SubmissionGrades]) -> list[str]:
    width = max(len(submission.who) for submission in graded)
    lines: list[str] = []
    for submission in graded:
        name = f"{shown(submission.who):{width}}"
        points = f"{submission.points:g} of {submission.max_points:g}"
        signs = " ".join(f"{MARK[grade.status]} {grade.symbol}" for grade in submission.grades)
        lines.append(f"{name}  {points}  {signs}")
    return lines


def _exercises(graded: Sequence[SubmissionGrades]) -> list[str]:
    counts = by_exercise(graded)
    width = max([len(symbol) for _, symbol in counts], default=0)
    lines = [_line("", list(MARK), width)]
    for (_, symbol), found in counts.items():
        numbers = [str(found[status] or "") for status in MARK]
        lines.append(_line(symbol, numbers, width))
    return lines


def _line(title: str, cells: Sequence[str], width: int) -> str:
    columns = map("{:>11}".format, cells)
    return f"{title:{width}}" + "".join(columns)
