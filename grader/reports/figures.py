"""The figures of a class: how many points, how long grading took, and what became of each exercise."""

from __future__ import annotations  # plotly's classes load slowly

import json
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from grader.grades import Status, SubmissionGrades
from grader.reports.counting import by_exercise
from grader.reports.page import NAMES

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
