"""A heatmap: one picture with a pixel for each cell, its texts, and its numbers for the mouse."""

import json
import re
from itertools import chain
from typing import Any

from utils.drawing import colours, png
from utils.drawing.axes import Extent, even_step, numbers_or_names
from utils.drawing.frame import Frame, percent, text_at
from utils.drawing.known import Plain, Unsupported, inside
from utils.drawing.text import bare, escaped, filled, formatted, lines, width_of

MOST_LINES = 80  # cells in a row; with more, lines between them would be all that is seen
_FIELDS = ("x", "y", "z", "text")
_ROOM = 8  # pixels beside a cell's text


def extents(trace: Plain) -> tuple[Extent, Extent]:
    """What the cells take on both axes."""
    x, y = _places(trace)
    return tuple(Extent(values, _half(values), False, False) for values in (x, y))  # type: ignore[return-value]


def draw(trace: Plain, frame: Frame) -> str:
    """The cells as SVG."""
    z, x, y = trace["z"], *_places(trace)
    turned = frame.y.low < frame.y.high  # then the last row is on top
    right, below = frame.x.low < frame.x.high, [frame.y.number(one) for one in y]
    if not right:
        raise Unsupported("a heatmap whose columns run to the left")
    texts = _texts(trace)
    order = range(len(z))[:: -1 if turned else 1]
    rows = [z[row] for row in order]
    across = [frame.x.number(one) for one in x]
    half_x, half_y = even_step(across, "columns") / 2, even_step(below, "rows") / 2
    left, width = frame.x.share(across[0] - half_x), 2 * half_x * len(x) / (frame.x.high - frame.x.low)
    ends = sorted(frame.drop(frame.y.share(one)) for one in (below[0] - half_y, below[-1] + half_y))
    place = f'x="{percent(left)}" y="{ends[0]:g}" width="{percent(width)}" height="{ends[1] - ends[0]:g}"'
    cells = {"x": [bare(str(one)) for one in x], "y": [bare(str(y[row])) for row in order], **_said(trace, order)}
    picture = (
        f'<image {place} preserveAspectRatio="none" class="cf-cells" href="{_picture(trace, rows)}" '
        f'data-cells="{escaped(json.dumps(cells, ensure_ascii=False, separators=(",", ":")))}"/>'
    )
    return picture + _lines(trace, place, len(x), len(z)) + _written(trace, texts, frame, across, below)


def least_width(trace: Plain) -> float:
    """How many pixels the cells need for their texts."""
    texts = _texts(trace)
    size = inside(trace, "textfont.size", 12)
    columns = len(trace["z"][0]) if trace["z"] else 1
    widest = max((width_of(text, size) for text in chain.from_iterable(texts or ())), default=0.0)
    return columns * (widest + _ROOM if widest else 6)


def limits(trace: Plain) -> tuple[float, float]:
    """The values at the two ends of the scale."""
    values = [value for value in chain.from_iterable(trace["z"]) if value is not None]
    low, high = trace.get("zmin"), trace.get("zmax")
    low, high = min(values, default=0) if low is None else low, max(values, default=1) if high is None else high
    return (low, high) if high > low else (low, low + 1)


def scale(trace: Plain) -> colours.Scale:
    """The colours of the cells."""
    if "colorscale" not in trace:
        raise Unsupported("a heatmap without a scale")
    return colours.scale(trace["colorscale"])


def _places(trace: Plain) -> tuple[list[Any], list[Any]]:
    z = trace["z"]
    if not z or len({len(row) for row in z}) != 1:
        raise Unsupported("a heatmap without rows of one length")
    x = trace.get("x")
    y = trace.get("y")
    x, y = range(len(z[0])) if x is None else x, range(len(z)) if y is None else y
    if len(x) != len(z[0]) or len(y) != len(z):
        raise Unsupported("a heatmap whose labels are not one for each row and column")
    return numbers_or_names(list(x)), numbers_or_names(list(y))


def _half(values: list[Any]) -> float:
    return 0.5 if isinstance(values[0], str) else even_step(values, "cells") / 2


def _picture(trace: Plain, rows: list[list]) -> str:
    low, high = limits(trace)
    places = [bytes(png.NOTHING if value is None else _in_palette(value, low, high) for value in row) for row in rows]
    return png.data_url(places, colours.palette(scale(trace), png.COLOURS))


def _in_palette(value: float, low: float, high: float) -> int:
    """Where in the palette the colour of a value is."""
    last = png.COLOURS - 1
    return min(max(round((value - low) / (high - low) * last), 0), last)


def _texts(trace: Plain) -> list[list[str]] | None:
    template = trace.get("texttemplate")
    if not template:
        return None
    given = trace.get("text") or [[""] * len(row) for row in trace["z"]]
    return [
        ["" if z is None else filled(template, {"z": z, "text": text}) for z, text in zip(*row, strict=True)]
        for row in zip(trace["z"], given, strict=True)
    ]


def _said(trace: Plain, order: range) -> Plain:
    """The numbers, the texts and the template that the mouse's words are made of."""
    main, _, extra = (trace.get("hovertemplate") or "%{x}, %{y}: %{z}<extra></extra>").partition("<extra>")
    extra = extra.replace("</extra>", "")
    template = bare(main) + (f" ({bare(extra)})" if extra else "")
    fields = dict(re.findall(r"%\{(\w+)(?::([^}]*))?\}", template))
    if set(fields) - set(_FIELDS) or "%{" in re.sub(r"%\{\w+(:[^}]*)?\}", "", template):
        raise Unsupported(f"the fields of {template!r}")
    told: Plain = {"t": re.sub(r"%\{(\w+)[^}]*\}", r"%{\1}", template)}
    spec = fields.get("z", "")
    told["z"] = [[formatted(one, spec) if spec else one for one in trace["z"][row]] for row in order]
    if "text" in fields:
        told["text"] = [[bare(str(one)) for one in trace["text"][row]] for row in order]
    return told


def _lines(trace: Plain, place: str, columns: int, rows: int) -> str:
    if not trace.get("xgap") or max(columns, rows) > MOST_LINES:
        return ""
    path = [f"M{at} 0V{rows}" for at in range(1, columns)] + [f"M0 {at}H{columns}" for at in range(1, rows)]
    whole = f'{place} viewBox="0 0 {columns} {rows}" preserveAspectRatio="none"'
    return f'<svg {whole} class="cf-gaps"><path d="{"".join(path)}"/></svg>'


def _written(trace: Plain, texts: list[list[str]] | None, frame: Frame, across: list[float], below: list[float]) -> str:
    if texts is None:
        return ""
    low, high = limits(trace)
    inks = [colours.ink_on(one) for one in colours.palette(scale(trace), png.COLOURS)]
    given = inside(trace, "textfont.color")
    size, family = inside(trace, "textfont.size", 12), inside(trace, "textfont.family", "inherit")
    shown = []
    for y, row, numbers in zip(below, texts, trace["z"], strict=True):
        for x, text, number in zip(across, row, numbers, strict=True):
            if text and number is not None:
                ink = colours.css(given) if given else inks[_in_palette(number, low, high)]
                at = percent(frame.x.share(x)), frame.drop(frame.y.share(y))
                shown.append(text_at(*at, lines(text), f' fill="{ink}"'))
    return f'<g class="cf-in cf-over" font-size="{size:g}" font-family="{escaped(family)}">{"".join(shown)}</g>'
