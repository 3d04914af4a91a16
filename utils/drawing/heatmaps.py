"""A heatmap: one picture with a pixel for each cell, its texts, and its numbers for the mouse."""

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from utils.drawing import colours
from utils.drawing.axes import Extent, Frame, even_step, numbers_or_names, percent
from utils.drawing.known import Plain, Unsupported, inside
from utils.drawing.text import bare, fields_of, filled, lines, spoken, tag, text_in_cell, width_of

MOST_LINES = 80  # cells in a row; with more, lines between them would be all that is seen
_FIELDS = {"x", "y", "z", "text"}
_ROOM = 8  # pixels beside a cell's text


def extents(trace: Plain) -> tuple[Extent, Extent]:
    """What the cells take on both axes."""
    x, y = map(_extent, _places(trace))
    return x, y


def _extent(values: list[Any]) -> Extent:
    is_named = isinstance(values[0], str)
    step = 1.0 if is_named else even_step(values, "cells")
    return Extent(values, step / 2, pad_low=False, pad_high=False)


def least_width(trace: Plain) -> float:
    """How many pixels the cells need for their texts."""
    size = inside(trace, "textfont.size", 12)
    texts = chain.from_iterable(_texts(trace))
    widest = max((width_of(text, size) for text in texts), default=0.0)
    each = widest + _ROOM if widest else 6
    return len(trace["z"][0]) * each


def draw(trace: Plain, frame: Frame) -> str:
    """The cells as SVG."""
    z, (x, y) = trace["z"], _places(trace)
    across = list(map(frame.x.number, x))
    below = list(map(frame.y.number, y))
    if frame.x.low >= frame.x.high:
        raise Unsupported("a heatmap whose columns run to the left")
    # Rows as they are seen, from the top: the last comes first, unless the axis is turned.
    order = slice(None, None, -1 if frame.y.low < frame.y.high else 1)
    cells = {"x": list(map(bare, x)), "y": list(map(bare, y[order])), **_told(trace, order)}
    data = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
    look = {"preserveAspectRatio": "none", "class_": "cf-cells"}
    picture = {"href": _picture(trace, z[order]), "data_cells": data}
    place = _place(frame, across, below)
    parts = [
        tag("image", **place, **look, **picture),
        _lines(trace, place, len(x), len(z)),
        _written(trace, frame, across, below),
    ]
    return "".join(parts)


def _place(frame: Frame, across: list[float], below: list[float]) -> Plain:
    """Where all cells together lie."""
    half_x = even_step(across, "columns") / 2
    half_y = even_step(below, "rows") / 2
    left = frame.x.share(across[0] - half_x)
    width = 2 * half_x * len(across) / (frame.x.high - frame.x.low)
    ends = map(frame.y.share, (below[0] - half_y, below[-1] + half_y))
    top, bottom = sorted(map(frame.drop, ends))
    return {"x": percent(left), "y": top, "width": percent(width), "height": bottom - top}


def _places(trace: Plain) -> tuple[list[Any], list[Any]]:
    z = trace["z"]
    x = trace.get("x", range(len(z[0])))
    y = trace.get("y", range(len(z)))
    if len(y) != len(z) or {len(x)} != set(map(len, z)):
        raise Unsupported("a heatmap whose labels are not one for each row and column")
    return numbers_or_names(x), numbers_or_names(y)


def _picture(trace: Plain, rows: list[list]) -> str:
    low, high = trace["zmin"], trace["zmax"]
    places = [bytes(_in_palette(value, low, high) for value in row) for row in rows]
    scale = colours.scale(trace["colorscale"])
    return data_url(places, colours.palette(scale, COLOURS))


def _in_palette(value: float | None, low: float, high: float) -> int:
    """Where in the palette the colour of a value is."""
    if value is None:
        return NOTHING
    last = COLOURS - 1
    return min(max(round((value - low) / (high - low) * last), 0), last)


def _told(trace: Plain, order: slice) -> Plain:
    """The template of the mouse's words, and the numbers and texts that they are made of."""
    template = spoken(trace.get("hovertemplate", "%{x}, %{y}: %{z}<extra></extra>"))
    fields = fields_of(template)
    if fields - _FIELDS:
        raise Unsupported(f"the fields of {template!r}")
    told = {"t": bare(template), "z": trace["z"][order]}
    if "text" in fields:
        told["text"] = [list(map(bare, row)) for row in trace["text"][order]]
    return told


def _lines(trace: Plain, place: Plain, columns: int, rows: int) -> str:
    if not trace.get("xgap") or max(columns, rows) > MOST_LINES:
        return ""
    path = [*(f"M{at} 0V{rows}" for at in range(1, columns)), *(f"M0 {at}H{columns}" for at in range(1, rows))]
    return tag(
        "svg",
        tag("path", d="".join(path)),
        **place,
        viewBox=f"0 0 {columns} {rows}",
        preserveAspectRatio="none",
        class_="cf-gaps",
    )


def _texts(trace: Plain) -> Iterator[list[str]]:
    """The texts of the cells, row after row; none where there are none."""
    template = trace.get("texttemplate")
    if not template:
        return
    nothing = [[""] * len(row) for row in trace["z"]]
    for numbers, texts in zip(trace["z"], trace.get("text", nothing), strict=True):
        cells = zip(numbers, texts, strict=True)
        yield ["" if z is None else filled(template, {"z": z, "text": text}) for z, text in cells]


def _written(trace: Plain, frame: Frame, across: list[float], below: list[float]) -> str:
    """The texts as SVG, in the colour that is given."""
    texts = list(_texts(trace))
    if not texts:
        return ""
    ink = colours.css(trace["textfont"]["color"])
    shown = []
    for y, row in zip(below, texts, strict=True):
        top = frame.drop(frame.y.share(y))
        lefts = map(percent, map(frame.x.share, across))
        cells = zip(lefts, row, strict=True)
        shown += [text_in_cell(left, top, lines(text), ink) for left, text in cells if text]
    return tag(
        "g",
        "".join(shown),
        class_="cf-in cf-over",
        font_size=inside(trace, "textfont.size", 12),
        font_family=inside(trace, "textfont.family", "inherit"),
    )


COLOURS = 255  # those of the scale; the palette's last place is left for what has no value
NOTHING = 255


def data_url(rows: Sequence[bytes], palette: Sequence[colours.Rgb]) -> str:
    """The picture as a data: URL. Each byte of a row is a place in the palette; `NOTHING` can be seen through."""
    size = struct.pack(">II", len(rows[0]), len(rows))
    ground = b"".join(map(bytes, palette))
    picture = b"".join(b"\0" + row for row in rows)
    parts = [
        b"\x89PNG\r\n\x1a\n",
        _chunk(b"IHDR", size + bytes([8, 3, 0, 0, 0])),
        _chunk(b"PLTE", ground.ljust(3 * 256, b"\0")),
        _chunk(b"tRNS", b"\xff" * NOTHING + b"\0"),
        _chunk(b"IDAT", zlib.compress(picture)),
        _chunk(b"IEND", b""),
    ]
    encoded = b64encode(b"".join(parts)).decode()
    return f"data:image/png;base64,{encoded}"


def _chunk(name: bytes, content: bytes) -> bytes:
    size = struct.pack(">I", len(content))
    check = struct.pack(">I", zlib.crc32(name + content))
    return size + name + content + check
