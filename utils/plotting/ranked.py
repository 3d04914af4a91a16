"""Numbers with long names: one lying bar each, the name at its left and the number at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from utils.plotting.style import LEVEL, distinct, finish, lying_bars, round_for_show

ROW = 26  # pixels


def ranked(
    values: Mapping[str, float],
    title: str,
    *,
    x_title: str,
    log_x: bool = False,
    digits: int = 2,
    level: float | None = None,
    level_name: str = "",
) -> go.Figure:
    """A bar for each name, the first on top; `level` draws an upright dotted line, with its name.

    On a log axis all values must be above 0.
    """
    shown = [round_for_show(float(value), digits) for value in values.values()]
    written = [np.format_float_positional(value, trim="-") for value in shown]
    bars = lying_bars(shown, distinct(list(values)), text=written)
    log_axis = {"type": "log", "dtick": 1, "exponentformat": "none"} if log_x else {}
    layout = {
        "yaxis": {"autorange": "reversed", "automargin": True, "type": "category"},
        "xaxis": {"title": {"text": x_title}, **log_axis},
        "margin": {"l": 70, "r": 60, "t": 90 if level is not None else 70, "b": 60},
    }
    if level is not None:
        layout |= _line_at(round_for_show(level), level_name, log_x)
    return finish({"data": [bars], "layout": layout}, title, height=140 + ROW * len(shown))


def _line_at(level: float, name: str, log_x: bool) -> dict[str, Any]:
    """An upright line with its name above. On a log axis a note takes the logarithm, a line the value."""
    place = round_for_show(math.log10(level)) if log_x else level
    line = {"type": "line", "x0": level, "x1": level, "y0": 0, "y1": 1, "yref": "paper"}
    at = {"x": place, "xanchor": "center", "y": 1, "yref": "paper", "yanchor": "bottom"}
    note = {"text": name, "showarrow": False, **at}
    return {"shapes": [line | {"line": {"color": LEVEL, "dash": "dot"}}], "annotations": [note]}
