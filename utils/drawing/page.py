"""A figure as HTML: title, legend, panels that wrap where the page is narrow, and the words that the mouse finds.

It stands by itself: no script has to be loaded before it, and its colours are those of the page around it.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle
from pathlib import Path

import plotly.graph_objects as go

from utils.drawing import bars, heatmaps, notes, scatters
from utils.drawing.axes import Axis, Extent, Frame, Ticks, make_axis, named, not_below, percent, upright_below
from utils.drawing.known import Plain, Unsupported, inside, plain
from utils.drawing.notes import legend
from utils.drawing.text import bare, div, rich, tag, width_of

HERE = Path(__file__).parent
STYLE = (HERE / "page.css").read_text(encoding="utf-8")
# What the mouse is over is said at once: a cell by its numbers, anything else by its <title>, which so is taken away.
HOVER = (HERE / "hover.js").read_text(encoding="utf-8").strip()
ROOM = 34  # pixels right of the panels: page.css
LEAVE = "this.lastElementChild.hidden=true"
TIP = '<div class="cf-tip" hidden></div>'
# Where a class of the drawing is hidden, or stands upright: below which width of its panel.
_RULES = {
    "n": "{display:none}",
    "u": " span{writing-mode:vertical-rl;transform:rotate(180deg);"
    "text-align:end;justify-self:center;white-space:nowrap;padding:0}",
}
# Errors of a figure whose form is not foreseen.
_UNFORESEEN = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def drawn(figure: go.Figure) -> str:
    """The figure as HTML. Raises Unsupported for what is not drawn here: plotly has to show it then."""
    try:
        return _drawn(*plain(figure))
    except _UNFORESEEN as error:
        raise Unsupported(f"{type(error).__name__}: {error}") from error


def _drawn(traces: list[Plain], layout: Plain) -> str:
    title = inside(layout, "title.text", "")
    parts = [
        div("cf-title", rich(title)) if title else "",
        legend(traces, layout),
        _panels(traces, layout),
        *_below(layout),
        TIP,
    ]
    body = "".join(parts)
    page = div(
        "cf",
        body,
        role="img",
        aria_label=inside(layout, "meta.words") or bare(title),
        onmousemove=HOVER,
        onmouseleave=LEAVE,
    )
    return f"<style>\n{STYLE}{_rules(body)}</style>{page}"


def _panels(traces: list[Plain], layout: Plain) -> str:
    shown = panels_of(traces, layout)
    lefts = {panel.frame.x.settings.get("domain", (0, 1))[0] for panel in shown}
    columns = max(1, len(lefts))
    parts = (as_html(panel, layout, columns) for panel in shown)
    beyond = max(map(scatters.reaches_beyond, traces), default=0)
    room = {"style": f"padding-right:{beyond}px"} if beyond > ROOM else {}
    return div(f"cf-panels{_arrows(layout)}", *parts, **room)


def _arrows(layout: Plain) -> str:
    """More room above, where a text may stand over the highest point."""
    texts = layout.get("annotations", ())
    return " cf-arrows" if any(note.get("showarrow", True) for note in texts) else ""


def _below(layout: Plain) -> list[str]:
    """The texts below all panels, each in one line that the page breaks."""
    below = filter(notes.is_outside, layout.get("annotations", ()))
    texts = (note["text"].replace("<br>", " ") for note in below)
    return [div("cf-below", rich(text)) for text in texts]


def _rules(body: str) -> str:
    """What is hidden or turned in this drawing, and where."""
    found = set(re.findall(r"\bcf-([nu])(\d+)\b", body))
    widths = sorted((kind, int(width)) for kind, width in found)
    rules = (f"@container (max-width:{width}px){{.cf-{kind}{width}{_RULES[kind]}}}\n" for kind, width in widths)
    return "".join(rules)


KINDS = {"bar": bars, "heatmap": heatmaps, "scatter": scatters}
HEIGHT, ABOVE, BELOW = 450, 100, 80  # plotly's own, where a figure does not say
LEAST = 200  # pixels: no panel is narrower
MOST = 60  # words below a panel; of more, every second or third ... is shown
FEW = 10  # names: where there are fewer, they are broken between words
_LETTERS = 13  # pixels that a label needs: the height of a line, and the width of one that stands upright


@dataclass(frozen=True)
class Panel:
    """The traces of a pair of axes by their kind, the frame in which they are drawn, and what stands over them."""

    kinds: dict[str, list[Plain]]
    frame: Frame
    name: str
    shapes: list[Plain]
    texts: list[Plain]


def panels_of(traces: Sequence[Plain], layout: Plain) -> list[Panel]:
    """The panels of a figure, in the order of their traces."""
    by_axes: dict[tuple[str, str], list[Plain]] = {}
    for trace in traces:
        ids = trace.get("xaxis", "x"), trace.get("yaxis", "y")
        by_axes.setdefault(ids, []).append(trace)
    made = [_panel(*entry, layout) for entry in by_axes.items()]
    naming = filter(_names_one, layout.get("annotations", ()))
    if {note["text"] for note in naming} - {panel.name for panel in made}:
        raise Unsupported("a text above the panels that is no panel's title")
    return made


def as_html(panel: Panel, layout: Plain, columns: int) -> str:
    """The panel with its ticks and titles."""
    frame = panel.frame
    x, y = frame.x.settings, frame.y.settings
    least = round(max(_least_width(panel), LEAST))
    gaps = round(20 * (columns - 1) / columns)
    share = f"{100 / columns:.4g}% - {gaps}px"
    parts = [
        _title("cf-name", panel.name),
        _title("cf-ytitle", inside(y, "title.text")),
        _ticks_beside(frame),
        div("cf-plot", tag("svg", _plot(panel, layout), height=frame.height)),
        _title("cf-xtitle", inside(x, "title.text")),
    ]
    place = 1 if x.get("side") == "top" else 4
    parts.insert(place, _ticks_below(frame.x))
    basis = f"flex-basis:max({least + 60}px, {share})"
    grid = f"grid-template-columns:auto auto minmax({least}px,1fr)"
    return div("cf-panel", *parts, style=f"{basis};{grid}")


def _title(kind: str, text: str | None) -> str:
    """A title or a name; nothing where there is none."""
    return div(kind, rich(text)) if text else ""


def _panel(ids: tuple[str, str], traces: list[Plain], layout: Plain) -> Panel:
    shapes = layout.get("shapes", ())
    texts = layout.get("annotations", ())
    settings = [layout.get(f"{name[0]}axis{name[1:]}", {}) for name in ids]
    traces = [_with_names(trace, settings) for trace in traces]
    kinds: dict[str, list[Plain]] = {kind: [] for kind in KINDS}
    for trace in traces:
        kinds[trace["type"]].append(trace)
    shown = [KINDS[trace["type"]].extents(trace) for trace in traces]
    axes: list[Axis] = []
    for given, axis, extents in zip(settings, ids, zip(*shown, strict=True), strict=True):
        by_shapes = _reached_by_shapes(shapes, axis, extents)
        axes.append(make_axis(given, [*extents, by_shapes]))
    across, (low, high) = (given.get("domain", (0, 1)) for given in settings)
    margins = inside(layout, "margin.t", ABOVE) + inside(layout, "margin.b", BELOW)
    room = layout.get("height", HEIGHT) - margins
    above = (sum(across) / 2, high)
    names = (note["text"] for note in texts if _is_above(note, above))
    return Panel(
        kinds,
        frame=Frame(*axes, height=round(max(room * (high - low), 40))),
        name=next(names, ""),
        shapes=[one for one in shapes if notes.belongs(one, ids)],
        texts=[one for one in texts if _is_in_panel(one, ids)],
    )


def _with_names(trace: Plain, settings: Sequence[Plain]) -> Plain:
    """The trace, its texts as names on the axes of categories."""
    columns = (column for column in zip("xy", settings, strict=True) if column[0] in trace)
    return trace | {letter: named(trace[letter], given) for letter, given in columns}


def _reached_by_shapes(shapes: Sequence[Plain], axis: str, shown: Sequence[Extent]) -> Extent:
    """The values that shapes have on an axis; between categories there are none."""
    everything = chain.from_iterable(extent.values for extent in shown)
    if str in map(type, everything):
        return Extent([])
    letter = axis[0]
    values = []
    for shape in shapes:
        if notes.reference(shape, letter) == axis:
            values += [shape[f"{letter}0"], shape[f"{letter}1"]]
    return Extent(values)


def _names_one(note: Plain) -> bool:
    """Whether an annotation is placed as plotly places the titles of panels."""
    placed = (note.get("xref"), note.get("yref"), note.get("yanchor"))
    return placed == ("paper", "paper", "bottom")


def _is_above(note: Plain, place: tuple[float, float]) -> bool:
    """Whether an annotation is the title of the panel whose upper edge has its middle there."""
    if not _names_one(note):
        return False
    return math.dist((note["x"], note["y"]), place) < 0.01


def _is_in_panel(note: Plain, ids: tuple[str, str]) -> bool:
    is_elsewhere = notes.is_outside(note) or _names_one(note)
    return notes.belongs(note, ids) and not is_elsewhere


def _plot(panel: Panel, layout: Plain) -> str:
    kinds, frame = panel.kinds, panel.frame
    parts = [] if kinds["heatmap"] else _grid(frame)
    if kinds["bar"]:
        parts.append(bars.draw(kinds["bar"], frame, layout))
    parts += (heatmaps.draw(trace, frame) for trace in kinds["heatmap"])
    parts += (scatters.draw(trace, frame) for trace in kinds["scatter"])
    parts += (notes.shape(one, frame) for one in panel.shapes)
    parts += (notes.annotation(note, frame) for note in panel.texts)
    return "".join(parts)


def _grid(frame: Frame) -> list[str]:
    """A line at each tick of the two axes, and a stronger one at 0."""
    lines = []
    for share, kind in _lines(frame.y):
        y = frame.drop(share)
        lines.append(tag("line", x1=0, x2="100%", y1=y, y2=y, class_=kind))
    for share, kind in _lines(frame.x):
        x = percent(share)
        lines.append(tag("line", x1=x, x2=x, y1=0, y2=frame.height, class_=kind))
    return lines


def _lines(axis: Axis) -> Iterator[tuple[float, str]]:
    """Where an axis has lines, each with its class."""
    switches = [axis.settings.get(name) for name in ("visible", "showgrid")]
    if axis.kind == "category" or False in switches:
        return
    zero = axis.share(0.0) if axis.kind == "linear" else -1
    for share, _ in axis.ticks():
        if abs(share - zero) > 1e-6:
            yield share, "cf-grid"
    if 0 <= zero <= 1:
        yield zero, "cf-zero"


def _ticks_beside(frame: Frame) -> str:
    """The words left of a panel. They lie in one cell of the grid, so that it is as wide as the longest."""
    spans = []
    for share, name in _thinned(frame.y, frame.height / _LETTERS):
        top = f"margin-top:{frame.drop(share) - 9:g}px"
        spans.append(_label(name, style=top))
    return div("cf-yticks", *spans, style=f"height:{frame.height:g}px")


def _ticks_below(axis: Axis) -> str:
    """The words below a panel: those of categories side by side in equal columns, others at their places."""
    ticks = _thinned(axis, MOST)
    if not ticks:
        return ""
    names = [name for _, name in ticks]
    if len(names) == len(axis.names):  # which are those of categories
        return _in_columns(names, axis)
    crowded = not_below(sum(map(width_of, names)) + 12 * len(names))
    spans = []
    for (share, name), kind in zip(ticks, cycle(["", crowded]), strict=False):
        spans.append(_label(name, class_=kind, style=f"left:{percent(share)}"))
    return div("cf-xticks cf-places", *spans)


def _in_columns(names: list[str], axis: Axis) -> str:
    """The names of categories, upright where there is too little room for their longest word."""
    words = " ".join(names).split(" ") if len(names) < FEW else names
    room = len(names) * (max(map(width_of, words)) + 6)
    turned = "" if axis.settings.get("tickangle") == 0 else upright_below(room)
    columns = f"grid-template-columns:repeat({len(names)},minmax(0,1fr))"
    spans = map(_label, names)
    return div("cf-xticks", div(f"cf-names {turned}", *spans, style=columns))


def _thinned(axis: Axis, most: float) -> Ticks:
    """All ticks, or every second or third ... of them, so that there are not too many."""
    ticks = axis.ticks()
    every = math.ceil(len(ticks) / max(1, int(most)))
    return ticks[:: max(1, every)]


def _label(name: str, **attributes: str) -> str:
    return tag("span", rich(name.replace("\u200b", "")), **attributes)


def _least_width(panel: Panel) -> float:
    x, kinds = panel.frame.x, panel.kinds
    widths: list[float] = [_LETTERS * min(len(x.names), MOST)]
    widths += map(heatmaps.least_width, kinds["heatmap"])
    if kinds["bar"]:
        widths.append(bars.least_width(kinds["bar"], abs(x.high - x.low)))
    return max(widths)
