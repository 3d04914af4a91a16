"""A panel: what a pair of axes shows, with the words at its sides."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    titles = {note["text"] for note in layout.get("annotations", ()) if _names_one(note)}
    if titles - {panel.name for panel in made}:
        raise Unsupported("a text above the panels that is no panel's title")
    return made


def as_html(panel: Panel, layout: Plain, columns: int) -> str:
    """The panel with its ticks and titles."""
    frame, x, y = panel.frame, panel.frame.x.settings, panel.frame.y.settings
    least = round(max(_least_width(panel), LEAST))
    share = f"max({least + 60}px, {100 / columns:.4g}% - {round(20 * (columns - 1) / columns)}px)"
    above = x.get("side") == "top"
    ticks = _below(frame)
    parts = [
        f'<div class="cf-name">{rich(panel.name)}</div>' if panel.name else "",
        ticks if above else "",
        f'<div class="cf-ytitle">{rich(inside(y, "title.text", ""))}</div>' if inside(y, "title.text") else "",
        _beside(frame),
        f'<div class="cf-plot"><svg height="{frame.height:g}">{_drawn(panel, layout)}</svg></div>',
        "" if above else ticks,
        f'<div class="cf-xtitle">{rich(inside(x, "title.text", ""))}</div>' if inside(x, "title.text") else "",
    ]
    style = f"flex-basis:{share};grid-template-columns:auto auto minmax({least}px,1fr)"
    return f'<div class="cf-panel" style="{style}">{"".join(parts)}</div>'


def _panel(ids: tuple[str, str], traces: list[Plain], layout: Plain) -> Panel:
    settings = [layout.get(f"{name[0]}axis{name[1:]}", {}) for name in ids]
    pairs = [KINDS[trace.get("type", "scatter")].extents(trace) for trace in traces]
    extents = [[pair[side] for pair in pairs] for side in (0, 1)]
    for shown, axis in zip(extents, ids, strict=True):
        shown.append(_reached_by_shapes(layout, axis, shown))
    x, y = (make_axis(given, shown) for given, shown in zip(settings, extents, strict=True))
    low, high = settings[1].get("domain", (0, 1))
    room = layout.get("height", HEIGHT) - inside(layout, "margin.t", ABOVE) - inside(layout, "margin.b", BELOW)
    frame = Frame(x, y, round(max(room * (high - low), 40)))
    titles = [note["text"] for note in layout.get("annotations", ()) if _above(note, settings)]
    return Panel(ids, traces, frame, titles[0] if titles else "")


def _reached_by_shapes(layout: Plain, axis: str, shown: Sequence[Extent]) -> Extent:
    """The values that shapes have on an axis; between categories there are none."""
    values = [
        shape[f"{axis[0]}{end}"]
        for shape in layout.get("shapes", ())
        if shape.get(f"{axis[0]}ref", axis[0]) == axis
        for end in (0, 1)
    ]
    named = any(isinstance(value, str) for extent in shown for value in extent.values)
    return Extent([] if named else values)


def _above(note: Plain, settings: Sequence[Plain]) -> bool:
    """Whether an annotation is the title of the panel that has these axes."""
    (left, right), (_, top) = (given.get("domain", (0, 1)) for given in settings)
    return _names_one(note) and abs(note["x"] - (left + right) / 2) < 0.01 and abs(note["y"] - top) < 0.01


def _names_one(note: Plain) -> bool:
    """Whether an annotation is placed as plotly places the titles of panels."""
    return note.get("xref") == note.get("yref") == "paper" and note.get("yanchor") == "bottom"


def _drawn(panel: Panel, layout: Plain) -> str:
    frame = panel.frame
    mapped = any(trace.get("type") == "heatmap" for trace in panel.traces)
    upright = [trace for trace in panel.traces if trace.get("type") == "bar"]
    parts = [] if mapped else [_grid(frame)]
    parts += [bars.draw(upright, frame, layout)] if upright else []
    parts += [
        KINDS[trace.get("type", "scatter")].draw(trace, frame) for trace in panel.traces if trace.get("type") != "bar"
    ]
    parts += [notes.shape(one, frame) for one in layout.get("shapes", ()) if notes.belongs(one, panel.ids)]
    texts = [note for note in layout.get("annotations", ()) if not notes.is_outside(note) and not _names_one(note)]
    return "".join(parts + [notes.annotation(note, frame) for note in texts if notes.belongs(note, panel.ids)])


def _grid(frame: Frame) -> str:
    shown = []
    for axis, line in ((frame.y, _level), (frame.x, _upright)):
        if axis.kind == "category" or axis.settings.get("showgrid") is False or not axis.settings.get("visible", True):
            continue
        zero = axis.share(0.0) if axis.kind == "linear" else -1
        shown += [line(frame, share, "cf-grid") for share, _ in axis.ticks() if abs(share - zero) > 1e-6]
        shown += [line(frame, zero, "cf-zero")] if 0 <= zero <= 1 else []
    return "".join(shown)


def _level(frame: Frame, share: float, kind: str) -> str:
    return f'<line x1="0" x2="100%" y1="{frame.drop(share):g}" y2="{frame.drop(share):g}" class="{kind}"/>'


def _upright(frame: Frame, share: float, kind: str) -> str:
    return f'<line x1="{percent(share)}" x2="{percent(share)}" y1="0" y2="{frame.height:g}" class="{kind}"/>'


def _beside(frame: Frame) -> str:
    """The words left of a panel. They lie in one cell of the grid, so that it is as wide as the longest."""
    ticks = _thinned(frame.y, frame.height / _LETTERS)
    spans = [f'<span style="margin-top:{frame.drop(share) - 9:g}px">{_label(name)}</span>' for share, name in ticks]
    return f'<div class="cf-yticks" style="height:{frame.height:g}px">{"".join(spans)}</div>'


def _below(frame: Frame) -> str:
    """The words below a panel: those of categories side by side in equal columns, others at their places."""
    axis = frame.x
    ticks = _thinned(axis, 60)
    if not ticks:
        return ""
    widths = [width_of(name) for _, name in ticks]
    if axis.kind == "category" and len(ticks) == len(axis.names):
        words = [width_of(word) for _, name in ticks for word in name.split(" ")] if len(ticks) < 10 else widths
        turned = "" if axis.settings.get("tickangle") == 0 else upright_below(len(ticks) * (max(words) + 6))
        spans = [f"<span>{_label(name)}</span>" for _, name in ticks]
        columns = f"grid-template-columns:repeat({len(ticks)},minmax(0,1fr))"
        return f'<div class="cf-xticks"><div class="cf-names {turned}" style="{columns}">{"".join(spans)}</div></div>'
    crowded = not_below(sum(widths) + 12 * len(ticks))
    spans = [
        f'<span class="{crowded if index % 2 else ""}" style="left:{percent(share)}">{_label(name)}</span>'
        for index, (share, name) in enumerate(ticks)
    ]
    return f'<div class="cf-xticks cf-places">{"".join(spans)}</div>'


def _thinned(axis: Axis, most: float) -> Ticks:
    ticks = axis.ticks()
    return ticks[:: max(1, -(-len(ticks) // max(1, int(most))))]


def _label(name: str) -> str:
    return rich(name.replace("\u200b", ""))


def _least_width(panel: Panel) -> float:
    widths = [0.0]
    for trace in panel.traces:
        if trace.get("type") == "heatmap":
            widths.append(heatmaps.least_width(trace))
    upright = [trace for trace in panel.traces if trace.get("type") == "bar"]
    if upright:
        widths.append(bars.least_width(upright, abs(panel.frame.x.high - panel.frame.x.low)))
    if panel.frame.x.kind == "category":
        widths.append(_LETTERS * min(len(panel.frame.x.names), 60))
    return max(widths)
