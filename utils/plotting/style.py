"""What all figures of the course share: colours, fonts, frame, and numbers that are stored alike on every processor.

Numbers are rounded, as a rule to three significant digits: enough for the eye, and the stored figure stays the same on
another processor, whose float32 sums may end in other digits. The ground can be seen through, and every colour holds on
white and on a dark page.
"""

from __future__ import annotations  # here and beside it: plotly's classes load slowly, at the first figure

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from torch import Tensor

from utils.plotting.words import described

# A group of lines, or a bar, has a colour of its own; lines have a marker too, for who sees no difference in colour.
# Each has a contrast of 3 or more on white and on #111111, and differs from the others to the colour-blind.
STYLES = (("#e8590c", "diamond"), ("#1f6aa5", "circle"), ("#2a9d7c", "square"), ("#c653dd", "cross"))
DASHES = ("solid", "dash", "dot", "dashdot")
DIVERGING = [[0.0, "#b2432f"], [0.5, "#f7f7f7"], [1.0, "#2f6db2"]]
# Paler, for cells with words in them, which are black.
PALE = [[0.0, "#ef9f8a"], [0.5, "#f7f7f7"], [1.0, "#7fb0e3"]]
BLACK = "#111111"
INK, GRID, ZERO, LEVEL = "#767676", "rgba(128,128,128,0.25)", "#8a8a8a", "#8a929c"  # a level is a line across
FONT = {"family": "system-ui, sans-serif", "size": 13, "color": INK}
NARROW, LETTER = 430, 7  # pixels: what a window of 700 leaves for a figure between its axes; a letter
LEGEND_LINE, LEGEND_MARK = 22, 40  # pixels: a row of a legend; the line or square before a name
UPRIGHT = 10  # bars above which numbers stand upright
ABOVE = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}  # a legend that takes no width
# A dragged-open figure can be put back, and a picture of it kept; the other buttons lay over the titles.
NO_BUTTONS = ["zoom", "pan", "select", "lasso", "zoomIn", "zoomOut", "autoScale"]
TITLE_WIDTH, TITLE_LINE = 60, 20  # characters, pixels
SMALL_NUMBERS = {"minsize": 9, "mode": "show"}  # a bar's number is never left out


def round_for_show(value: float, digits: int = 3) -> float:
    """So many significant digits: with three, 97.8949 becomes 97.9 and 0.012345 becomes 0.0123."""
    return float(f"{value:.{digits}g}")


def numbers(values: Tensor, digits: int = 3) -> Any:
    """A tensor as nested lists of rounded numbers."""
    return _rounded(values.detach().tolist(), digits)


def _rounded(values: Any, digits: int) -> Any:
    return [_rounded(one, digits) for one in values] if isinstance(values, list) else round_for_show(values, digits)


def decimals(values: Iterable[float], digits: int = 3) -> str:
    """The format in which all numbers of a figure are written: as many decimals as they need, at most so many digits.

    Digits are counted from the largest number's first; a 1 counts as a share does, with nothing before its point.
    """
    shown = [abs(value) for value in values]
    largest = max(shown, default=0.0) or 1.0
    most = max(0, digits - math.ceil(math.log10(largest)))
    needed = (f"{value:.{most}f}".partition(".")[2].rstrip("0") for value in shown)
    return f".{max(map(len, needed), default=0)}f"


def from_nothing(scale: Sequence[Sequence]) -> list[list]:
    """The upper half of a scale of three colours, for numbers of which none is below 0."""
    return [[0.0, scale[1][1]], [1.0, scale[2][1]]]


def scale_of(values: Tensor, scale: Sequence[Sequence] = DIVERGING) -> dict[str, Any]:
    """The colours for a table: 0 white, red below it; where nothing is below it, white to blue alone."""
    limit = round_for_show(float(values.abs().max())) if values.numel() else 0.0
    limit = limit or 1.0
    if not values.numel() or float(values.min()) >= 0:
        return {"colorscale": from_nothing(scale), "zmin": 0.0, "zmax": limit}
    return {"colorscale": [list(one) for one in scale], "zmin": -limit, "zmax": limit}


def stands_upright(values: Sequence[float]) -> bool:
    """Whether bars are so many that in a narrow window their numbers have room only when they stand upright."""
    return len(values) > UPRIGHT


def room_for_numbers(values: Sequence[float], *, upright: bool = False) -> list[float]:
    """The range of an axis on which bars stand that carry their numbers at their ends."""
    room = (0.28 if upright else 0.1) * ((max(0.0, *values) - min(0.0, *values)) or 1.0)
    return [round_for_show(min(0.0, *values) - room * (min(values) < 0)), round_for_show(max(0.0, *values) + room)]


def escaped(text: str) -> str:
    """The text with what plotly would read as markup made harmless, and `<|endoftext|>` short: `<eot>`."""
    text = text.replace("<|endoftext|>", "<eot>")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def distinct(labels: Sequence[str]) -> list[str]:
    """Labels with invisible marks added, so that plotly keeps two equal ones apart; none is read as markup."""
    return [escaped(label) + "\u200b" * list(labels[:index]).count(label) for index, label in enumerate(labels)]


def color_bar(title: str = "") -> dict[str, Any]:
    """A slim scale; its title runs along it, so that no width is lost and nothing is cut."""
    return {"thickness": 12, "outlinewidth": 0, "title": {"text": title, "side": "right"}}


def lying_bars(values: Sequence[float], names: Sequence[str], **more: Any) -> dict[str, Any]:
    """A bar for each name, from the left, with room for a number at its end; `more` replaces or adds settings."""
    usual = {
        "type": "bar",
        "x": values,
        "y": names,
        "orientation": "h",
        "marker": {"color": STYLES[1][0]},
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x}<extra></extra>",
    }
    return usual | more


def grouped(heights: Mapping[str, Sequence[float]], names: Sequence[str], **more: Any) -> list[dict[str, Any]]:
    """Upright bars for each name, those of the groups side by side, each group with a colour.

    Raises ValueError for more groups than there are colours.
    """
    styles = STYLES[: len(heights)]
    return [
        {
            "type": "bar",
            "name": escaped(group),
            "x": names,
            "y": row,
            "marker": {"color": colour},
            "textposition": "outside",
            "cliponaxis": False,
            "hovertemplate": f"%{{x}}: %{{y}}<extra>{escaped(group)}</extra>",
            **more,
        }
        for (group, row), (colour, _) in zip(heights.items(), styles, strict=True)
    ]


def finish(
    figure: dict[str, Any], title: str, height: int, *, words: str = "", legend: bool | None = None
) -> go.Figure:
    """The figure with the course's frame: title, font, margins, a ground to be seen through, and its text alternative.

    It is given as its `data` and `layout`, of which plotly makes a figure in one step: quickly enough to follow a
    control. `words` say what is to be seen; without them they are made of the data. `legend` shows one above, or never.
    """
    lines = textwrap.wrap(title, TITLE_WIDTH)
    more = TITLE_LINE * (len(lines) - 1 if lines else 0)
    named = [trace["name"] for trace in figure["data"] if trace.get("name") and trace.get("showlegend", True)]
    rows = legend_rows(named) if legend else 0
    more += LEGEND_LINE * max(0, rows - 2)  # the margin has room for two
    top = {True: 90, False: 60, None: 70}[legend]
    layout = {
        "template": go.layout.Template(),
        "title": {
            "text": "<br>".join(lines),
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "pad": {"l": 10},
            "font": {"size": 16},
        },
        "font": FONT,
        "height": height + more,
        "margin": {"l": 70, "r": 30, "t": top + more, "b": 60},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "modebar": {"remove": NO_BUTTONS, "bgcolor": "rgba(0,0,0,0)", "color": INK, "activecolor": INK},
        "meta": {"words": words or described(title, figure["data"], figure.get("layout", {}))},
    }
    layout["title"] |= {"y": 1, "yref": "container", "yanchor": "top"}
    layout["title"]["pad"] |= {"t": 14}
    if legend is not None:
        layout |= {"showlegend": legend, "legend": ABOVE}
    layout |= figure.get("layout", {})
    for name in sorted({"xaxis", "yaxis", *(name for name in layout if name[1:5] == "axis")}):
        layout[name] = _framed(layout.get(name, {}))
    return go.Figure({"data": figure["data"], "layout": layout})


def legend_rows(names: Sequence[str]) -> int:
    """How many rows a legend has in a narrow window, where plotly gives each entry the width of the longest."""
    widest = LEGEND_MARK + LETTER * max(map(len, names), default=0)
    in_a_row = max(1, NARROW // widest)
    return math.ceil(len(names) / in_a_row)


def _framed(axis: dict[str, Any]) -> dict[str, Any]:
    """An axis with the course's colours; its title keeps off its labels, and a grid stands on numbers only."""
    title = axis.get("title") or {}
    grid = {"showgrid": False} if axis.get("type") == "category" else {"gridcolor": GRID, "zerolinecolor": ZERO}
    apart = {"ticks": "outside", "ticklen": 4, "tickcolor": "rgba(0,0,0,0)"}  # labels keep off what they stand beside
    return {**grid, **apart, "automargin": True, **axis, "title": {"standoff": 8, **title}}
