"""The page that an instructor gets: one file with the grades of a class, and what it has and has not understood."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from grader.grades import MEANING, Status, SubmissionGrades
from grader.owners import Matched
from grader.reports.counting import (
    LEAST_NODES,
    Shared,
    all_grades,
    identical_answers,
    limits_and_errors,
    misconceptions,
    names_by_submission,
    other_failures,
)
from grader.reports.figures import class_figures, holder
from grader.reports.grades_table import grades_table
from grader.reports.page import card, code, escaped, items, mark, moment, page, template
from grader.reports.repeating import how_to_repeat
from utils.learner.cards import inline

MOST_SEEDS = 10  # that are listed
COPIES = (
    "The same syntax tree but for names, comments and formatting, handed in under different names. "
    "That is information, and no proof of anything: people work together, "
    "and for many an exercise there are few ways to write it. "
    f"Left out are answers of fewer than {LEAST_NODES} nodes, stubs, and the course's own solution, which is public."
)


def class_page(
    matched: Matched,
    title: str = "Grades",
    known_shapes: Collection[str] = (),
    links: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    places: Mapping[str, str] | None = None,
) -> str:
    """`links` lead from a submission to its learner's page, `places` to its file; `notes` say how it was graded."""
    from plotly.offline import get_plotlyjs

    graded = matched.graded
    files = places or {}
    figures = class_figures(graded)
    parts = [
        f"<h1>{escaped(title)}</h1>",
        _in_short(graded, notes),
        _section("Points", holder("points", *figures["points"])),
        _section("Each exercise", holder("exercises", *figures["exercises"])),
        _section("Misconceptions", _all_shared(misconceptions(graded), graded, files)),
        _section("Other checks that do not hold", _all_shared(other_failures(graded), graded, files)),
        _section("Grades", grades_table(graded, links or {})),
        _section("Limits and errors", _all_shared(limits_and_errors(graded), graded, files)),
        _section("Late", _late(graded)),
        _section("People and files", _people(matched)),
        _section("Identical answers", _copies(identical_answers(graded, known_shapes), graded)),
        _section("How long it took", holder("seconds", *figures["seconds"])),
    ]
    return page(title, "\n".join(parts), [get_plotlyjs(), template("page.js")])


def _section(title: str, content: str) -> str:
    anchor = title.lower().replace(" ", "-")
    return f'<section id="s-{anchor}"><h2>{escaped(title)}</h2>{content or "<p>None.</p>"}</section>'


def _in_short(graded: Sequence[SubmissionGrades], notes: Sequence[str]) -> str:
    grades = list(all_grades(graded))
    statuses = Counter(grade.status for grade in grades)
    seeds = sorted({grade.seed for grade in grades})
    protections = {one.protection or "not known" for one in graded}
    more = ", …" * (len(seeds) > MOST_SEEDS)
    facts = [
        f"{len(graded)} submissions, {len(grades)} answers, {statuses['pass']} of them pass.",
        f"What kept the learners' code from the rest: {'; '.join(sorted(protections))}.",
        f"Seeds: {', '.join(map(str, seeds[:MOST_SEEDS]))}{more}.",
        *notes,
    ]
    return f"""{items(facts)}
<details><summary>What the signs mean</summary><ul>{"".join(map(_meaning, MEANING))}</ul></details>"""


def _meaning(status: Status) -> str:
    return f"<li>{mark(status)} {status}: {MEANING[status]}</li>"


def _all_shared(found: Sequence[Shared], graded: Sequence[SubmissionGrades], files: Mapping[str, str]) -> str:
    names = names_by_submission(graded)
    return "".join(_shared(one, names, files) for one in found)


def _shared(one: Shared, names: Mapping[str, str], files: Mapping[str, str]) -> str:
    """How many have it, folded up: who, and one of their cards."""
    who = ", ".join(map(names.__getitem__, one.who))
    example = one.example
    repeat = how_to_repeat(example, files.get(example.submission, example.submission))
    return f"""<details class="shared"><summary><b>{len(one.who)}</b> {code(one.symbol)} {inline(one.name)}</summary>
<p>{escaped(who)}</p>
<p>The card of {escaped(names[example.submission])}:</p>
{card(example)}
<pre>{escaped(repeat)}</pre></details>
"""


def _late(graded: Sequence[SubmissionGrades]) -> str:
    lines = ""
    for one in graded:
        late = {grade.stem: grade.submitted for grade in one.grades if grade.late}
        for stem, submitted in late.items():
            lines += f"<li>{escaped(one.who)}, {code(stem)}, {moment(submitted)}</li>"
    return f"<ul>{lines}</ul>" if lines else ""


def _people(matched: Matched) -> str:
    """Nobody is dropped: who is not in the roster, who has handed in nothing, what can't be read."""
    problems = [f"{one.who}: {said}" for one in matched.graded for said in one.problems]
    lists = {
        "Submissions of nobody in the roster": matched.unknown,
        "People without a submission": [person.name for person in matched.absent],
        "To be settled in the roster": matched.notes,
        "Files that are not read": problems,
    }
    return "".join(f"<h3>{title}</h3>{items(found)}" for title, found in lists.items() if found)


def _copies(found: Sequence[Shared], graded: Sequence[SubmissionGrades]) -> str:
    names = names_by_submission(graded)
    lines = ""
    for one in found:
        who = ", ".join(map(names.__getitem__, one.who))
        lines += f"<li>{code(one.symbol)}: {escaped(who)}</li>"
    listed = f"<ul>{lines}</ul>" if lines else "<p>None.</p>"
    return f"<p>{escaped(COPIES)}</p>{listed}"
