"""What all figures of the course share: colours, fonts, frame, and numbers that are stored alike on every processor.

Numbers are rounded, as a rule to three significant digits: enough for the eye, and the stored figure stays the same on
another processor, whose float32 sums may end in other digits.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from torch import Tensor

# A group of lines, or a bar, has a colour of its own; lines have a marker too, for who sees no difference in colour.
STYLES = (("#b4570a", "diamond"), ("#3b6fb6", "circle"), ("#2b8a57", "square"), ("#7b4fa3", "cross"))
DIVERGING = [[0.0, "#b2432f"], [0.5, "#f7f7f7"], [1.0, "#2f6db2"]]
FONT = {"family": "system-ui, sans-serif", "size": 13}


def round_for_show(value: float, digits: int = 3) -> float:
    """So many significant digits: with three, 97.8949 becomes 97.9 and 0.012345 becomes 0.0123."""
    return float(f"{value:.{digits}g}")


def numbers(values: Tensor, digits: int = 3) -> Any:
    """A tensor as nested lists of rounded numbers."""
    if values.ndim == 0:
        return round_for_show(values.item(), digits)
    return [numbers(part, digits) for part in values.detach()]


def distinct(labels: Sequence[str]) -> list[str]:
    """Labels with invisible marks added, so that plotly keeps two equal ones apart."""
    return [label + "\u200b" * list(labels[:index]).count(label) for index, label in enumerate(labels)]


def finish(figure: go.Figure, title: str, height: int) -> go.Figure:
    """The figure with the course's frame: title, font, margins, white ground."""
    figure.update_layout(
        template=go.layout.Template(),
        title=title,
        font=FONT,
        height=height,
        margin={"l": 70, "r": 30, "t": 70, "b": 60},
        paper_bgcolor="white",
        plot_bgcolor="white",
    )
    return figure
