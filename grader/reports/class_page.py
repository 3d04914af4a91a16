"""The page that an instructor gets: one file with the grades of a class, and what it has and has not understood."""

from __future__ import annotations  # plotly's classes load slowly

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from grader.grades import MEANING, Grade, Status, SubmissionGrades
from grader.owners import Matched
from grader.reports.counting import (
    LEAST_NODES,
    Exercise,
    Shared,
    all_grades,
    by_exercise,
    identical_answers,
    limits_and_errors,
    misconceptions,
    names_by_submission,
    other_failures,
)
from grader.reports.page import NAMES, card, code, escaped, items, mark, moment, page, template
from grader.reports.text import MARK, how_to_repeat
from utils.learner.cards import inline

# Each has a contrast of 3 on white and on the dark page, and its neighbours differ to the colour-blind
COLOURS: dict[Status, str] = {
    "pass": "#2a9d7c",
    "fail": "#d1495b",
    "not_yet": "#b7862b",
    "missing": "#8a929c",
    "error": "#8f63c9",
    "limit": "#1f7fb5",
    "not_graded": "#a0567f",
}
BAR, FRAME = 24, 70  # pixels: an exercise's bar; the axis


def class_figures(graded: Sequence[SubmissionGrades]) -> dict[str, tuple[str, go.Figure]]:
    """By the id of the element that holds each: what it says in words, and the figure."""
    points = [one.points for one in graded]
    seconds = [one.seconds for one in graded]
    return {
        "points": (_spread("Points", points), _histogram(points, "points", "#1f7fb5")),
        "exercises": (_legend(), _statuses(graded)),
        "seconds": (_spread("Seconds", seconds), _histogram(seconds, "seconds a submission", "#c0682b")),
    }


def holder(name: str, words: str, figure: go.Figure) -> str:
    """What a figure says, in HTML; where it is drawn; and its data."""
    written = json.dumps(figure.to_plotly_json(), separators=(",", ":")).replace("<", "\\u003c")
    layout: Any = figure.layout
    height = layout.height or 260
    return (
        f'<p class="soft">{words}</p>\n'
        f'<div class="figure" id="{name}" role="img" aria-label="Figure" style="height:{height}px"></div>\n'
        f'<script type="application/json" id="{name}-data">{written}</script>'
    )


def _legend() -> str:
    """In HTML, which wraps where the page is narrow."""
    words: list[str] = []
    for status, colour in COLOURS.items():
        swatch = f'<span class="swatch" style="background:{colour}"></span>'
        words.append(f'<span class="nowrap">{swatch}{NAMES[status]}</span>')
    return " ".join(words)


def _spread(what: str, values: list[float]) -> str:
    if not values:
        return f"{what}: none."
    middle = sorted(values)[len(values) // 2]
    return f"{what}: from {min(values):.3g} to {max(values):.3g}, half of them at most {middle:.3g}."


def _histogram(values: list[float], title: str, colour: str) -> go.Figure:
    bars = go.Histogram(x=[round(value, 3) for value in values], nbinsx=24, marker={"color": colour})
    return _framed(go.Figure(bars), 260).update_layout(
        xaxis={"title": {"text": title}}, yaxis={"title": {"text": "submissions"}}, bargap=0.05
    )


def _statuses(graded: Sequence[SubmissionGrades]) -> go.Figure:
    counts = by_exercise(graded)
    names = [symbol for _, symbol in counts]
    figure = go.Figure()
    for status, colour in COLOURS.items():
        found = [one[status] for one in counts.values()]
        if not any(found):
            continue
        bar = go.Bar(y=names, x=found, name=NAMES[status], orientation="h", marker={"color": colour})
        figure.add_trace(bar)
    return _framed(figure, FRAME + BAR * len(names)).update_layout(
        barmode="stack",
        xaxis={"title": {"text": "submissions"}},
        yaxis={"autorange": "reversed", "automargin": True, "dtick": 1, "type": "category"},
        showlegend=False,
    )


def _framed(figure: go.Figure, height: int) -> go.Figure:
    """Without plotly's template, whose colours are for one theme and which is long."""
    return figure.update_layout(
        template="none",
        height=height,
        margin={"l": 50, "r": 10, "t": 20, "b": 45},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )


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
