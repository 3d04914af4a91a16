"""The table of all grades of a class: a row for each submission, a column for each exercise."""

from collections.abc import Mapping, Sequence

from grader.grades import Grade, Status, SubmissionGrades
from grader.reports.counting import Exercise, by_exercise
from grader.reports.page import NAMES, escaped
from grader.reports.text import MARK

# A column is sorted by this
WORTH: dict[Status, int] = {"pass": 5, "fail": 4, "limit": 3, "error": 2, "not_yet": 1, "missing": 0, "not_graded": -1}


def grades_table(graded: Sequence[SubmissionGrades], links: Mapping[str, str]) -> str:
    """With JavaScript a click on a column's head sorts the rows by it."""
    columns = list(by_exercise(graded))
    heads = ["Submission", "Points", "Seconds", *(symbol for _, symbol in columns)]
    rows = "\n".join(_row(one, columns, links) for one in graded)
    return f"""<div class="wide" tabindex="0" role="region" aria-label="Table of grades">
<table class="grades"><thead><tr>{"".join(map(_head, heads))}</tr></thead>
<tbody>
{rows}
</tbody></table></div>"""


def _head(name: str) -> str:
    button = f'<button type="button">{escaped(name)}</button>'
    return f'<th scope="col">{button}</th>'


def _row(one: SubmissionGrades, columns: list[Exercise], links: Mapping[str, str]) -> str:
    found = {(grade.stem, grade.symbol): grade for grade in one.grades}
    cells = "".join(_cell(found.get(column)) for column in columns)
    late = ' <span class="late">late</span>' if one.late else ""
    name = escaped(one.who)
    if one.submission in links:
        name = f'<a href="{escaped(links[one.submission])}">{name}</a>'
    return (
        f'<tr><th scope="row" title="{escaped(one.submission)}">{name}{late}</th>'
        f"<td>{one.points:g}</td><td>{one.seconds:.2f}</td>{cells}</tr>"
    )


def _cell(grade: Grade | None) -> str:
    """Its sign; what was found stands in the title."""
    if grade is None:
        return "<td></td>"
    why = grade.misconception or grade.check
    said = f"{NAMES[grade.status]}: {why}" if why else NAMES[grade.status]
    sign, worth = MARK[grade.status], WORTH[grade.status]
    return f'<td class="{grade.status}" data-s="{worth}" title="{escaped(said)}">{sign}</td>'
