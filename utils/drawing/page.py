"""A figure as HTML: title, legend, panels that wrap where the page is narrow, and the words that the mouse finds.

It stands by itself: no script has to be loaded before it, and its colours are those of the page around it.
"""

import re
from pathlib import Path

import plotly.graph_objects as go

from utils.drawing import notes, panels, scatters
from utils.drawing.known import Plain, Unsupported, inside, plain
from utils.drawing.notes import legend
from utils.drawing.text import bare, div, rich

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
    shown = panels.panels_of(traces, layout)
    lefts = {panel.frame.x.settings.get("domain", (0, 1))[0] for panel in shown}
    columns = max(1, len(lefts))
    parts = (panels.as_html(panel, layout, columns) for panel in shown)
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
