"""A figure in words, for who can't see it: what it shows, how far its numbers reach, and where the largest is."""

import html
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

Plain = Mapping[str, Any]
MOST = 6  # bars or lines that are told one by one


def described(title: str, data: Sequence[Plain], layout: Plain) -> str:
    """A sentence or two that stand alone."""
    tell = {"bar": _bars, "heatmap": _tables, "scatter": _lines}
    parts = []
    for kind in sorted({trace["type"] for trace in data}):
        traces = [trace for trace in data if trace["type"] == kind]
        parts.append(tell[kind](traces, layout))
    said = " ".join(parts) or "An empty figure."
    return f"{plain(title).rstrip('.')}. {said}" if title else said


def plain(text: str) -> str:
    """A text without plotly's tags and invisible marks."""
    in_one_line = re.sub(r"<br ?/?>", " ", str(text))
    bare = html.unescape(re.sub(r"</?[bi]>", "", in_one_line))
    return bare.replace("\u200b", "").replace("\n", "⏎")


def _tables(traces: Sequence[Plain], layout: Plain) -> str:
    first = traces[0]
    cells = chain.from_iterable(chain.from_iterable(trace["z"]) for trace in traces)
    values = [value for value in cells if value is not None]
    if not values:
        return "An empty heatmap."
    rows, columns = len(first["z"]), max(map(len, first["z"]))
    what = "Heatmap" if len(traces) == 1 else f"{len(traces)} heatmaps, each"
    told = f"{what} of {rows} {_plural('row', rows)} and {columns} {_plural('column', columns)}, values "
    return f"{told}{min(values):g} to {max(values):g}; {_largest(traces, max(values), layout)}."


def _largest(traces: Sequence[Plain], value: float, layout: Plain) -> str:
    for number, trace in enumerate(traces):
        for row, entries in enumerate(trace["z"]):
            if value in entries:
                column = list(entries).index(value)
                at = [_place(layout, "y", trace, row), _place(layout, "x", trace, column)]
                names = [plain(note["text"]) for note in layout.get("annotations") or ()]
                panel = f" in {names[number]}" if len(names) == len(traces) > 1 else ""
                return f"largest: {', '.join(at)}{panel}"
    return ""


def _place(layout: Plain, letter: str, trace: Plain, index: int) -> str:
    titles = [axis.get("title") or {} for key, axis in layout.items() if key.startswith(f"{letter}axis")]
    name = next((plain(title["text"]) for title in titles if title.get("text")), "")
    labels = trace.get(letter)
    label = plain(labels[index]) if labels is not None else str(index + 1)
    return f"{name or {'y': 'row', 'x': 'column'}[letter]} {label}"


def _bars(traces: Sequence[Plain], layout: Plain) -> str:
    told = []
    for trace in traces:
        lying = trace.get("orientation") == "h"
        names, values = (trace["y"], trace["x"]) if lying else (trace["x"], trace["y"])
        pairs = [f"{plain(name)} {value:g}" for name, value in zip(names, values, strict=True)]
        more = f", and {len(pairs) - MOST} more from {min(values):g} to {max(values):g}" if len(pairs) > MOST else ""
        if pairs:
            name = f"{plain(trace['name'])}: " if trace.get("name") else ""
            told.append(f"{name}{', '.join(pairs[:MOST])}{more}")
    return f"Bars. {'; '.join(told)}." if told else "No bars."


def _lines(traces: Sequence[Plain], layout: Plain) -> str:
    told = []
    for name, group in _by_name(traces).items():
        lines = [trace for trace in group if len(trace["y"]) > 1]
        if len(lines) == 1:
            told.append(f"{name}from {_point(lines[0], 0)} to {_point(lines[0], -1)}")
        elif lines:
            values = [value for trace in lines for value in trace["y"] if value is not None]
            told.append(f"{name}{len(lines)} lines, values {min(values):g} to {max(values):g}")
    more = f"; and {len(told) - MOST} more" if len(told) > MOST else ""
    return f"{_plural('Line', len(told))}. {'; '.join(told[:MOST])}{more}."


def _by_name(traces: Sequence[Plain]) -> dict[str, list[Plain]]:
    groups: dict[str, list[Plain]] = {}
    for trace in traces:
        groups.setdefault(f"{plain(trace['name'])}: " if trace.get("name") else "", []).append(trace)
    return groups


def _point(trace: Plain, index: int) -> str:
    x, y = trace["x"][index], trace["y"][index]
    return f"{y:g} at {plain(x) if isinstance(x, str) else format(x, 'g')}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
