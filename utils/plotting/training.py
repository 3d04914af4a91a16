"""Curves over the steps of a run: its losses while it trains, and those of several runs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import DASHES, LEVEL, STYLES, escaped, finish, numbers, round_for_show

Run = tuple[Sequence[float], Sequence[float]]  # steps, and a value at each
DIGITS = 4
NAME = 0.4, 0.12  # what a level's name takes at most of the axis of steps, and of that of values


def loss_curves(
    groups: Mapping[str, Sequence[Run]],
    title: str,
    *,
    y_title: str = "loss (nats)",
    steps: int = 0,
    level: float | None = None,
    level_name: str = "",
    from_zero: bool = False,
) -> go.Figure:
    """At most four groups of runs, each group with a colour, a kind of dash and one entry in the legend.

    The axis of steps reaches to `steps`, however few are done. `level` draws a dotted line across, with its name.
    Raises ValueError for more groups than there are colours.
    """
    styles = zip(STYLES[: len(groups)], DASHES, strict=False)
    data = []
    for (group, runs), ((colour, _), dash) in zip(groups.items(), styles, strict=True):
        look = {"line": {"color": colour, "dash": dash, "width": 2}}
        data += [_line(group, run, look | {"showlegend": index == 0}) for index, run in enumerate(runs)]
    values = [value for runs in groups.values() for _, row in runs for value in row]
    known = [*values, level] if level is not None else values
    last, room = max([steps, *_steps(groups)]), _room(known, from_zero)
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": "step"}, "range": [0, last]},
        "yaxis": {"title": {"text": y_title}, "range": room},
    }
    if level is not None:
        at_the_end = [
            value
            for runs in groups.values()
            for run in runs
            for step, value in zip(*run, strict=True)
            if step >= (1 - NAME[0]) * last
        ]
        layout |= _across(level, level_name, _side(level, at_the_end, NAME[1] * (room[1] - room[0])))
    return finish({"data": data, "layout": layout}, title, height=380, legend=True)


def _line(group: str, run: Run, look: dict[str, Any]) -> dict[str, Any]:
    steps, values = run
    return {
        "type": "scatter",
        "x": list(steps),
        "y": [round_for_show(value, DIGITS) for value in values],
        "name": escaped(group),
        "legendgroup": group,
        "mode": "lines",
        "hovertemplate": f"step %{{x}}: %{{y}}<extra>{escaped(group)}</extra>",
        **look,
    }


def _steps(groups: Mapping[str, Sequence[Run]]) -> list[float]:
    return [step for runs in groups.values() for steps, _ in runs for step in steps] or [1]


def _room(values: Sequence[float], from_zero: bool) -> list[float]:
    """The range of an axis on which all of these have room."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.08 * (high - low) or 0.1
    return [0.0 if from_zero else round_for_show(low - room), round_for_show(high + room)]


def _side(level: float, values: Sequence[float], height: float) -> str:
    """Where the name of a level is out of the curves' way: above its line, unless fewer of them run below it."""
    above = sum(0 < value - level < height for value in values)
    below = sum(0 < level - value < height for value in values)
    return "top" if below < above else "bottom"  # the side of the name that is at the line


def _across(level: float, name: str, side: str) -> dict[str, Any]:
    place = round_for_show(level, DIGITS)
    line = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": place, "y1": place}
    at = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y", "y": place, "yanchor": side}
    note = {"text": escaped(name), "showarrow": False, **at}
    return {"shapes": [line | {"line": {"color": LEVEL, "dash": "dot"}}], "annotations": [note]}


def seeds(
    rows: Mapping[str, Sequence[float]],
    title: str,
    *,
    x_title: str = "held-out loss (nats)",
    level: float | None = None,
    level_name: str = "",
) -> go.Figure:
    """A row of dots for each name, one for each seed, the first on top; `level` draws an upright dotted line."""
    names = [escaped(name) for name, values in rows.items() for _ in values]
    values = [round_for_show(value, DIGITS) for row in rows.values() for value in row]
    trace = {
        "type": "scatter",
        "x": values,
        "y": names,
        "mode": "markers",
        "marker": {"color": STYLES[1][0], "symbol": STYLES[1][1], "size": 9},
        "hovertemplate": "%{y}: %{x}<extra></extra>",
    }
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": x_title}, "range": _room(values, False)},
        "yaxis": {"autorange": "reversed", "type": "category"},
    }
    if level is not None:
        layout |= _upright(level, level_name)
    told = [f"{name}: {', '.join(f'{value:g}' for value in row)}" for name, row in rows.items()]
    words = f"{title}. {x_title}, one number for each seed. {'; '.join(told)}."
    return finish({"data": [trace], "layout": layout}, title, height=150 + 26 * len(rows), words=words)


def _upright(level: float, name: str) -> dict[str, Any]:
    place = round_for_show(level, DIGITS)
    line = {"type": "line", "xref": "x", "x0": place, "x1": place, "yref": "y domain", "y0": 0, "y1": 1}
    at = {"xref": "x", "x": place, "xanchor": "left", "yref": "y domain", "y": 1, "yanchor": "bottom"}
    note = {"text": escaped(name), "showarrow": False, **at}
    return {"shapes": [line | {"line": {"color": LEVEL, "dash": "dot"}}], "annotations": [note]}


def descents(
    ways: Mapping[str, Float[Tensor, "step xy"]],
    level_lines: Sequence[Float[Tensor, "point xy"]],
    title: str,
    *,
    x_title: str,
    y_title: str,
) -> go.Figure:
    """At most four ways down a landscape of two numbers, a dot for each step, over its thin lines of equal height.

    Raises ValueError for more ways.
    """
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": numbers(places[:, 0]),
            "y": numbers(places[:, 1]),
            "mode": "lines",
            "line": {"color": LEVEL, "width": 0.5},
            "name": "equal height",
            "legendgroup": "equal height",
            "showlegend": index == 0,
        }
        for index, places in enumerate(level_lines)
    ]
    for (name, places), (colour, symbol) in zip(ways.items(), STYLES[: len(ways)], strict=True):
        xs, ys = numbers(places.T)
        look = {"line": {"color": colour, "width": 1.5}, "marker": {"color": colour, "symbol": symbol, "size": 5}}
        text = f"%{{x}}, %{{y}}<extra>{escaped(name)}</extra>"
        line = {"type": "scatter", "x": xs, "y": ys, "name": escaped(name), "mode": "lines+markers"}
        data.append(line | look | {"hovertemplate": text})
    axes = {"xaxis": {"title": {"text": x_title}}, "yaxis": {"title": {"text": y_title}}}
    ends = [
        f"{name} from ({', '.join(map(str, numbers(places[0])))}) to ({', '.join(map(str, numbers(places[-1])))})"
        for name, places in ways.items()
    ]
    words = f"{title}. Over lines of equal height, {x_title} and {y_title}: {'; '.join(ends)}."
    return finish({"data": data, "layout": axes}, title, height=420, legend=True, words=words)
