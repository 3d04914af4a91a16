"""The page that a learner gets: the notebook's cards, with points and how to repeat each."""

from collections.abc import Sequence
from itertools import groupby

from grader.grades import Grade, SubmissionGrades
from grader.reports.page import NAMES, card, code, escaped, items, mark, moment, page
from grader.reports.text import how_to_repeat

OWN_PARTS = "With your own parts of the other exercises it"


def learner_page(one: SubmissionGrades, file: str = "FILE") -> str:
    """All of one submission, on a page without scripts; `file` is what the command that repeats a grade is given."""
    title = f"Grades of {one.who}"
    parts = [
        f"<h1>{escaped(title)}</h1>",
        f'<p class="total"><b>{one.points:g}</b> of {one.max_points:g} points</p>',
        f"<p>{_how_it_was_judged(one)}</p>",
    ]
    if one.problems:
        parts.append(f'<section class="note"><h2>About your files</h2>{items(one.problems)}</section>')
    for stem, alike in groupby(one.grades, lambda grade: grade.stem):
        grades = list(alike)
        sections = "".join(_exercise(grade, file) for grade in grades)
        parts.append(f"<h2>{escaped(stem)}</h2><p>{_when(grades)}</p>{sections}")
    return page(title, "\n".join(parts))


def _how_it_was_judged(one: SubmissionGrades) -> str:
    left = f" Not graded yet: {one.not_graded}." if one.not_graded else ""
    protected = f" Your code ran within: {escaped(one.protection)}." if one.protection else ""
    return f"{escaped(one.submission)}.{left}{protected}"


def _when(grades: Sequence[Grade]) -> str:
    """When a chapter was handed in."""
    when = grades[0].submitted
    if when is None and all(grade.status == "missing" for grade in grades):
        return "Not handed in."
    late = ' <strong class="late">late</strong>' if grades[0].late else ""
    return f"Handed in {moment(when)}{late}."


def _exercise(grade: Grade, file: str) -> str:
    points = f"{NAMES[grade.status]}, {grade.points:g} of {grade.max_points:g} points"
    own = f"<p>{OWN_PARTS} has {NAMES[grade.with_own_parts]}.</p>" if grade.with_own_parts else ""
    return f"""<section class="exercise">
<h3>{mark(grade.status)} {code(grade.symbol)}</h3>
<p>{points}</p>
{card(grade)}{items(grade.notes)}{own}
<details><summary>Repeat it</summary><pre>{escaped(how_to_repeat(grade, file))}</pre></details>
</section>"""
