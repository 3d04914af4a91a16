"""A heatmap: one picture with a pixel for each cell, its texts, and its numbers for the mouse."""

import json
import re
from collections.abc import Callable
from itertools import chain
from typing import Any

from utils.drawing import colours, png
from utils.drawing.axes import Extent, even_step, numbers_or_names
from utils.drawing.frame import Frame, percent, text_at
from utils.drawing.known import Plain, Unsupported, inside
from utils.drawing.text import bare, escaped, filled, formatted, lines, width_of

MOST_LINES = 80  # cells in a row; with more, lines between them would be all that is seen
_FIELDS = ("x", "y", "z", "text")
_FIELD = re.compile(r"%\{(\w+)(?::([^}]*))?\}")
_ROOM = 8  # pixels beside a cell's text


def extents(trace: Plain) -> tuple[Extent, Extent]:
    """What the cells take on both axes."""
    x, y = _places(trace)
    return _extent(x), _extent(y)


def _extent(values: list[Any]) -> Extent:
    return Extent(values, _half(values), pad_low=False, pad_high=False)


def draw(trace: Plain, frame: Frame) -> str:
    """The cells as SVG."""
    z, x, y = trace["z"], *_places(trace)
    across = list(map(frame.x.number, x))
    below = list(map(frame.y.number, y))
    if frame.x.low >= frame.x.high:
        raise Unsupported("a heatmap whose columns run to the left")
    texts = _texts(trace)
    is_turned = frame.y.low < frame.y.high  # then the last row is on top
    order = range(len(z))[:: -1 if is_turned else 1]
    place = _place(frame, across, below)
    cells = {
        "x": [bare(str(one)) for one in x],
        "y": [bare(str(y[row])) for row in order],
        **_said(trace, order),
    }
    data = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
    picture = _picture(trace, [z[row] for row in order])
    parts = [
        f'<image {place} preserveAspectRatio="none" class="cf-cells" ',
        f'href="{picture}" data-cells="{escaped(data)}"/>',
        _lines(trace, place, len(x), len(z)),
        _written(trace, texts, frame, across, below),
    ]
    return "".join(parts)


def _place(frame: Frame, across: list[float], below: list[float]) -> str:
    """Where all cells together lie."""
    half_x = even_step(across, "columns") / 2
    half_y = even_step(below, "rows") / 2
    left = frame.x.share(across[0] - half_x)
    width = 2 * half_x * len(across) / (frame.x.high - frame.x.low)
    ends = map(frame.y.share, (below[0] - half_y, below[-1] + half_y))
    top, bottom = sorted(map(frame.drop, ends))
    return f'x="{percent(left)}" y="{top:g}" width="{percent(width)}" height="{bottom - top:g}"'


def least_width(trace: Plain) -> float:
    """How many pixels the cells need for their texts."""
    size = inside(trace, "textfont.size", 12)
    columns = len(trace["z"][0]) if trace["z"] else 1
    texts = chain.from_iterable(_texts(trace) or ())
    widest = max((width_of(text, size) for text in texts), default=0.0)
    each = widest + _ROOM if widest else 6
    return columns * each


def limits(trace: Plain) -> tuple[float, float]:
    """The values at the two ends of the scale."""
    values = [value for value in chain.from_iterable(trace["z"]) if value is not None]
    low, high = trace.get("zmin"), trace.get("zmax")
    if low is None:
        low = min(values, default=0)
    if high is None:
        high = max(values, default=1)
    return (low, high) if high > low else (low, low + 1)


def scale(trace: Plain) -> colours.Scale:
    """The colours of the cells."""
    if "colorscale" not in trace:
        raise Unsupported("a heatmap without a scale")
    return colours.scale(trace["colorscale"])


def _places(trace: Plain) -> tuple[list[Any], list[Any]]:
    z = trace["z"]
    if len(set(map(len, z or ()))) != 1:
        raise Unsupported("a heatmap without rows of one length")
    x, y = trace.get("x"), trace.get("y")
    if x is None:
        x = range(len(z[0]))
    if y is None:
        y = range(len(z))
    if len(x) != len(z[0]) or len(y) != len(z):
        raise Unsupported("a heatmap whose labels are not one for each row and column")
    return numbers_or_names(list(x)), numbers_or_names(list(y))


def _half(values: list[Any]) -> float:
    return 0.5 if isinstance(values[0], str) else even_step(values, "cells") / 2


def _picture(trace: Plain, rows: list[list]) -> str:
    low, high = limits(trace)
    places = [bytes(_in_palette(value, low, high) for value in row) for row in rows]
    return png.data_url(places, colours.palette(scale(trace), png.COLOURS))


def _in_palette(value: float | None, low: float, high: float) -> int:
    """Where in the palette the colour of a value is."""
    if value is None:
        return png.NOTHING
    last = png.COLOURS - 1
    return min(max(round((value - low) / (high - low) * last), 0), last)


def _texts(trace: Plain) -> list[list[str]] | None:
    template = trace.get("texttemplate")
    if not template:
        return None
    given = trace.get("text") or [[""] * len(row) for row in trace["z"]]

    def written(z: float | None, text: str) -> str:
        return "" if z is None else filled(template, {"z": z, "text": text})

    rows = zip(trace["z"], given, strict=True)
    return [[written(*cell) for cell in zip(*row, strict=True)] for row in rows]


def _said(trace: Plain, order: range) -> Plain:
    """The numbers, the texts and the template that the mouse's words are made of."""
    template = _template(trace)
    fields = dict(_FIELD.findall(template))
    if set(fields) - set(_FIELDS) or "%{" in _FIELD.sub("", template):
        raise Unsupported(f"the fields of {template!r}")
    told: Plain = {"t": _FIELD.sub(r"%{\1}", template)}
    numbers = [trace["z"][row] for row in order]
    spec = fields.get("z")
    if spec:
        numbers = [[formatted(one, spec) for one in row] for row in numbers]
    told["z"] = numbers
    if "text" in fields:
        told["text"] = [[bare(str(one)) for one in trace["text"][row]] for row in order]
    return told


def _template(trace: Plain) -> str:
    """What is said under the mouse, its <extra> part in brackets behind the rest."""
    given = trace.get("hovertemplate") or "%{x}, %{y}: %{z}<extra></extra>"
    main, _, extra = given.partition("<extra>")
    extra = extra.replace("</extra>", "")
    return f"{bare(main)} ({bare(extra)})" if extra else bare(main)


def _lines(trace: Plain, place: str, columns: int, rows: int) -> str:
    if not trace.get("xgap") or max(columns, rows) > MOST_LINES:
        return ""
    path = [
        *(f"M{at} 0V{rows}" for at in range(1, columns)),
        *(f"M0 {at}H{columns}" for at in range(1, rows)),
    ]
    whole = f'{place} viewBox="0 0 {columns} {rows}" preserveAspectRatio="none"'
    return f'<svg {whole} class="cf-gaps"><path d="{"".join(path)}"/></svg>'


def _written(trace: Plain, texts: list[list[str]] | None, frame: Frame, across: list[float], below: list[float]) -> str:
    if texts is None:
        return ""
    size = inside(trace, "textfont.size", 12)
    family = inside(trace, "textfont.family", "inherit")
    ink_of = _inks(trace)
    shown = []
    for y, row, numbers in zip(below, texts, trace["z"], strict=True):
        top = frame.drop(frame.y.share(y))
        for x, text, number in zip(across, row, numbers, strict=True):
            if text and number is not None:
                left = percent(frame.x.share(x))
                shown.append(text_at(left, top, lines(text), f' fill="{ink_of(number)}"'))
    return f'<g class="cf-in cf-over" font-size="{size:g}" font-family="{escaped(family)}">{"".join(shown)}</g>'


def _inks(trace: Plain) -> Callable[[float], str]:
    """The colour of a cell's letters, by its number: the one that is given, or one that can be read."""
    given = inside(trace, "textfont.color")
    if given:
        return lambda number: colours.css(given)
    low, high = limits(trace)
    inks = list(map(colours.ink_on, colours.palette(scale(trace), png.COLOURS)))
    return lambda number: inks[_in_palette(number, low, high)]
