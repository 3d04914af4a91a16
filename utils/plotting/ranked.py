"""Numbers with long names: one lying bar each, the name at its left and the number at its end."""

import math
from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from utils.plotting.style import STYLES, distinct, finish, round_for_show

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
    figure = go.Figure(
        go.Bar(
            x=shown,
            y=distinct(list(values)),
            orientation="h",
            marker={"color": STYLES[1][0]},
            text=[np.format_float_positional(value, trim="-") for value in shown],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x}<extra></extra>",
        )
    )
    if level is not None:
        level = round_for_show(level)
        figure.add_shape(
            type="line", x0=level, x1=level, y0=0, y1=1, yref="paper", line={"color": "#8a929c", "dash": "dot"}
        )
        place = (
            round_for_show(math.log10(level)) if log_x else level
        )  # on a log axis a note takes the logarithm, a line the value
        figure.add_annotation(
            text=level_name, x=place, y=1, yref="paper", xanchor="center", yanchor="bottom", showarrow=False
        )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(title=x_title, zerolinecolor="black")
    if log_x:
        figure.update_xaxes(type="log", dtick=1, exponentformat="none")
    finish(figure, title, height=140 + ROW * len(shown))
    return figure.update_layout(margin={"r": 60, "t": 90 if level is not None else 70})
