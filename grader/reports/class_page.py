"""The page that an instructor gets: one file with the grades of a class, and what it has and has not understood."""

from __future__ import annotations  # plotly's classes load slowly

import json
from collections.abc import Collection, Mapping, Sequence

import plotly.graph_objects as go
from markupsafe import Markup

from grader.grades import Grade, Status, SubmissionGrades
from grader.owners import Matched
from grader.reports.counting import (
    LEAST_NODES,
    all_grades,
    by_exercise,
    identical_answers,
    limits_and_errors,
    misconceptions,
    names_by_submission,
    other_failures,
)
from grader.reports.page import NAMES, PAGES, page

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
MOST_SEEDS = 10  # that are listed
# A column is sorted by this
WORTH: dict[Status, int] = {"pass": 5, "fail": 4, "limit": 3, "error": 2, "not_yet": 1, "missing": 0, "not_graded": -1}


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
    points, seconds = [submission.points for submission in graded], [submission.seconds for submission in graded]
    columns = list(by_exercise(graded))

    def in_columns(submission: SubmissionGrades) -> list[Grade | None]:
        found = {(grade.stem, grade.symbol): grade for grade in submission.grades}
        return list(map(found.get, columns))

    late: list[tuple[str, str, float | None]] = []
    for submission in graded:
        chapters = {grade.stem: grade.submitted for grade in submission.grades if grade.late}
        late += [(submission.who, stem, submitted) for stem, submitted in chapters.items()]
    return page(
        "class.html",
        scripts=[get_plotlyjs(), PAGES.get_template("page.js").render()],
        title=title,
        graded=graded,
        facts=[*_in_short(graded), *notes],
        figures={
            "points": _histogram(points, "points", "#1f7fb5"),
            "exercises": _statuses(graded),
            "seconds": _histogram(seconds, "seconds a submission", "#c0682b"),
        },
        spreads={"points": _spread("Points", points), "seconds": _spread("Seconds", seconds)},
        data=_data,
        misconceptions=misconceptions(graded),
        other_failures=other_failures(graded),
        limits_and_errors=limits_and_errors(graded),
        copies=identical_answers(graded, known_shapes),
        names=names_by_submission(graded),
        columns=columns,
        in_columns=in_columns,
        late=late,
        # Nobody is dropped
        people_and_files={
            "Submissions of nobody in the roster": matched.unknown,
            "People without a submission": [person.name for person in matched.absent],
            "To be settled in the roster": matched.notes,
            "Files that are not read": [
                f"{submission.who}: {said}" for submission in graded for said in submission.problems
            ],
        },
        links=links or {},
        places=places or {},
        COLOURS=COLOURS,
        WORTH=WORTH,
        LEAST_NODES=LEAST_NODES,
    )


def _in_short(graded: Sequence[SubmissionGrades]) -> list[str]:
    grades = list(all_grades(graded))
    passes = sum(grade.status == "pass" for grade in grades)
    seeds = sorted({grade.seed for grade in grades})
    protections = {submission.protection or "not known" for submission in graded}
    more = ", …" * (len(seeds) > MOST_SEEDS)
    return [
        f"{len(graded)} submissions, {len(grades)} answers, {passes} of them pass.",
        f"What kept the learners' code from the rest: {'; '.join(sorted(protections))}.",
        f"Seeds: {', '.join(map(str, seeds[:MOST_SEEDS]))}{more}.",
    ]


def _data(figure: go.Figure) -> Markup:
    """For a script's element, which no text in it may end."""
    return Markup(json.dumps(figure.to_plotly_json(), separators=(",", ":")).replace("<", "\\u003c"))


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
        found = [of_status[status] for of_status in counts.values()]
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
