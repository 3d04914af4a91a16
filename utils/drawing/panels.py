"""A panel: what a pair of axes shows, with the words at its sides."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle
from types import ModuleType
from typing import Any

from utils.drawing import bars, heatmaps, notes, scatters
from utils.drawing.axes import Axis, Extent, Ticks, make_axis
from utils.drawing.frame import Frame, not_below, percent, upright_below
from utils.drawing.known import Plain, Unsupported, inside
from utils.drawing.text import rich, width_of

KINDS = {"heatmap": heatmaps, "bar": bars, "scatter": scatters}
HEIGHT, ABOVE, BELOW = 450, 100, 80  # plotly's own, where a figure does not say
LEAST = 200  # pixels: no panel is narrower
_LETTERS = 13  # pixels that a label needs: the height of a line, and the width of one that stands upright


@dataclass(frozen=True)
class Panel:
    """The traces of a pair of axes, and the frame in which they are drawn."""

    ids: tuple[str, str]
    traces: list[Plain]
    frame: Frame
    name: str = ""


def panels_of(traces: Sequence[Plain], layout: Plain) -> list[Panel]:
    """The panels of a figure, in the order of their traces."""
    by_axes: dict[tuple[str, str], list[Plain]] = {}
    for trace in traces:
        by_axes.setdefault((trace.get("xaxis", "x"), trace.get("yaxis", "y")), []).append(trace)
    made = [_panel(ids, shown, layout) for ids, shown in by_axes.items()]
    naming = filter(_names_one, layout.get("annotations", ()))
    titles = {note["text"] for note in naming}
    if titles - {panel.name for panel in made}:
        raise Unsupported("a text above the panels that is no panel's title")
    return made


def as_html(panel: Panel, layout: Plain, columns: int) -> str:
    """The panel with its ticks and titles."""
    frame, x, y = panel.frame, panel.frame.x.settings, panel.frame.y.settings
    least = round(max(_least_width(panel), LEAST))
    gaps = round(20 * (columns - 1) / columns)
    share = f"max({least + 60}px, {100 / columns:.4g}% - {gaps}px)"
    plot = f'<svg height="{frame.height:g}">{_drawn(panel, layout)}</svg>'
    parts = [
        _words("cf-name", panel.name),
        _words("cf-ytitle", inside(y, "title.text", "")),
        _beside(frame),
        f'<div class="cf-plot">{plot}</div>',
        _words("cf-xtitle", inside(x, "title.text", "")),
    ]
    place = 1 if x.get("side") == "top" else 4
    parts.insert(place, _below(frame))
    style = f"flex-basis:{share};grid-template-columns:auto auto minmax({least}px,1fr)"
    return f'<div class="cf-panel" style="{style}">{"".join(parts)}</div>'


def _words(kind: str, text: str) -> str:
    """A title or a name; nothing where there is none."""
    return f'<div class="{kind}">{rich(text)}</div>' if text else ""


def _panel(ids: tuple[str, str], traces: list[Plain], layout: Plain) -> Panel:
    settings = [layout.get(f"{name[0]}axis{name[1:]}", {}) for name in ids]
    extents = zip(*(_kind(trace).extents(trace) for trace in traces), strict=True)
    axes: list[Axis] = []
    for given, axis, shown in zip(settings, ids, extents, strict=True):
        by_shapes = _reached_by_shapes(layout, axis, shown)
        axes.append(make_axis(given, [*shown, by_shapes]))
    low, high = settings[1].get("domain", (0, 1))
    margins = inside(layout, "margin.t", ABOVE) + inside(layout, "margin.b", BELOW)
    room = layout.get("height", HEIGHT) - margins
    frame = Frame(*axes, height=round(max(room * (high - low), 40)))
    notes_here = (note for note in layout.get("annotations", ()) if _above(note, settings))
    title = next(notes_here, {"text": ""})
    return Panel(ids, traces, frame, title["text"])


def _kind(trace: Plain) -> ModuleType:
    return KINDS[trace.get("type", "scatter")]


def _reached_by_shapes(layout: Plain, axis: str, shown: Sequence[Extent]) -> Extent:
    """The values that shapes have on an axis; between categories there are none."""
    everything = chain.from_iterable(extent.values for extent in shown)
    if any(isinstance(value, str) for value in everything):
        return Extent([])
    letter = axis[0]
    values: list[Any] = []
    for shape in layout.get("shapes", ()):
        if shape.get(f"{letter}ref", letter) == axis:
            values += [shape[f"{letter}0"], shape[f"{letter}1"]]
    return Extent(values)


def _above(note: Plain, settings: Sequence[Plain]) -> bool:
    """Whether an annotation is the title of the panel that has these axes."""
    (left, right), (_, top) = (given.get("domain", (0, 1)) for given in settings)
    if not _names_one(note):
        return False
    away = abs(note["x"] - (left + right) / 2), abs(note["y"] - top)
    return max(away) < 0.01


def _names_one(note: Plain) -> bool:
    """Whether an annotation is placed as plotly places the titles of panels."""
    return note.get("xref") == note.get("yref") == "paper" and note.get("yanchor") == "bottom"


def _drawn(panel: Panel, layout: Plain) -> str:
    frame = panel.frame
    beside_each_other = [trace for trace in panel.traces if trace.get("type") == "bar"]
    one_by_one = [trace for trace in panel.traces if trace.get("type") != "bar"]
    is_map = "heatmap" in [trace.get("type") for trace in panel.traces]
    here = [one for one in layout.get("shapes", ()) if notes.belongs(one, panel.ids)]
    parts = [
        "" if is_map else _grid(frame),
        bars.draw(beside_each_other, frame, layout) if beside_each_other else "",
        *(_kind(trace).draw(trace, frame) for trace in one_by_one),
        *(notes.shape(one, frame) for one in here),
        *(notes.annotation(note, frame) for note in _texts(panel, layout)),
    ]
    return "".join(parts)


def _texts(panel: Panel, layout: Plain) -> list[Plain]:
    """The annotations that stand in the panel."""
    notes_here = [note for note in layout.get("annotations", ()) if notes.belongs(note, panel.ids)]
    return [note for note in notes_here if not notes.is_outside(note) and not _names_one(note)]


def _grid(frame: Frame) -> str:
    level = _lines(frame.y, partial(_level, frame))
    upright = _lines(frame.x, partial(_upright, frame))
    return "".join([*level, *upright])


def _lines(axis: Axis, line: Callable[[float, str], str]) -> Iterator[str]:
    """A line at each tick of an axis, and a stronger one at 0."""
    settings = axis.settings
    is_hidden = settings.get("showgrid") is False or not settings.get("visible", True)
    if axis.kind == "category" or is_hidden:
        return
    zero = axis.share(0.0) if axis.kind == "linear" else -1
    for share, _ in axis.ticks():
        if abs(share - zero) > 1e-6:
            yield line(share, "cf-grid")
    if 0 <= zero <= 1:
        yield line(zero, "cf-zero")


def _level(frame: Frame, share: float, kind: str) -> str:
    y = f"{frame.drop(share):g}"
    return f'<line x1="0" x2="100%" y1="{y}" y2="{y}" class="{kind}"/>'


def _upright(frame: Frame, share: float, kind: str) -> str:
    x = percent(share)
    return f'<line x1="{x}" x2="{x}" y1="0" y2="{frame.height:g}" class="{kind}"/>'


def _beside(frame: Frame) -> str:
    """The words left of a panel. They lie in one cell of the grid, so that it is as wide as the longest."""
    ticks = _thinned(frame.y, frame.height / _LETTERS)
    spans = []
    for share, name in ticks:
        top = f"{frame.drop(share) - 9:g}px"
        spans.append(f'<span style="margin-top:{top}">{_label(name)}</span>')
    return f'<div class="cf-yticks" style="height:{frame.height:g}px">{"".join(spans)}</div>'


def _below(frame: Frame) -> str:
    """The words below a panel: those of categories side by side in equal columns, others at their places."""
    axis = frame.x
    ticks = _thinned(axis, 60)
    if not ticks:
        return ""
    if axis.kind == "category" and len(ticks) == len(axis.names):
        return _in_columns([name for _, name in ticks], axis)
    widths = [width_of(name) for _, name in ticks]
    crowded = not_below(sum(widths) + 12 * len(ticks))
    spans = []
    for (share, name), kind in zip(ticks, cycle(["", crowded]), strict=False):
        spans.append(f'<span class="{kind}" style="left:{percent(share)}">{_label(name)}</span>')
    return f'<div class="cf-xticks cf-places">{"".join(spans)}</div>'


def _in_columns(names: list[str], axis: Axis) -> str:
    """The names of categories, upright where there is too little room for their longest word."""
    is_broken = len(names) < 10  # names are broken between words where there are few
    words = " ".join(names).split(" ") if is_broken else names
    room = len(names) * (max(map(width_of, words)) + 6)
    turned = "" if axis.settings.get("tickangle") == 0 else upright_below(room)
    spans = "".join(f"<span>{_label(name)}</span>" for name in names)
    columns = f"grid-template-columns:repeat({len(names)},minmax(0,1fr))"
    return f'<div class="cf-xticks"><div class="cf-names {turned}" style="{columns}">{spans}</div></div>'


def _thinned(axis: Axis, most: float) -> Ticks:
    """All ticks, or every second or third ... of them, so that there are not too many."""
    ticks = axis.ticks()
    every = math.ceil(len(ticks) / max(1, int(most)))
    return ticks[:: max(1, every)]


def _label(name: str) -> str:
    return rich(name.replace("\u200b", ""))


def _least_width(panel: Panel) -> float:
    x = panel.frame.x
    maps = [trace for trace in panel.traces if trace.get("type") == "heatmap"]
    widths = [0.0, *map(heatmaps.least_width, maps)]
    beside_each_other = [trace for trace in panel.traces if trace.get("type") == "bar"]
    if beside_each_other:
        widths.append(bars.least_width(beside_each_other, abs(x.high - x.low)))
    if x.kind == "category":
        widths.append(_LETTERS * min(len(x.names), 60))
    return max(widths)
