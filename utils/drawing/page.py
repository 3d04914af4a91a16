"""A figure as HTML: title, legend, panels that wrap where the page is narrow, and the words that the mouse finds.

It stands by itself: no script has to be loaded before it, and its colours are those of the page around it.
"""

import re

import plotly.graph_objects as go

from utils.drawing import colours, heatmaps, notes, panels, scatters
from utils.drawing.known import Plain, Unsupported, inside, plain
from utils.drawing.text import bare, escaped, formatted, rich

STYLE = """
.cf{position:relative;font:13px/1.35 system-ui,sans-serif;white-space:normal;padding-top:4px}
.cf-title{font-size:15px;font-weight:600;margin-bottom:8px}
.cf-legend{display:flex;flex-wrap:wrap;gap:2px 18px;margin-bottom:6px}
.cf-legend>span{display:inline-flex;align-items:center;gap:6px}
.cf-scale{display:inline-block;width:120px;height:10px;border:1px solid #8888}
.cf-panels{display:flex;flex-wrap:wrap;gap:16px 20px;overflow-x:auto;padding:14px 34px 6px 0}
.cf-arrows{padding-top:44px}
.cf-panel{flex:1 1 0;display:grid;align-content:start}
.cf-name{grid-column:3;text-align:center;margin-bottom:4px}
.cf-plot{grid-column:3;container-type:inline-size}
.cf-plot>svg{display:block;width:100%;overflow:visible}
.cf svg{overflow:visible;font-size:12px;fill:currentColor}
.cf svg text{dominant-baseline:central;pointer-events:none}
.cf-in text,.cf-mid{text-anchor:middle}
.cf-cells{image-rendering:pixelated}
/* on a dark page what is near 0 is dark, as on a light one it is light: squares of white would glare */
[data-jp-theme-light=false] :is(.cf-cells,.cf-over,.cf-cells-scale){filter:invert(.93) hue-rotate(180deg)}
.cf-gaps,.cf-note{pointer-events:none}
.cf-gaps path{stroke:#8885;vector-effect:non-scaling-stroke;fill:none}
.cf-line{pointer-events:none}
.cf-line path{fill:none;vector-effect:non-scaling-stroke}
.cf-hit{fill:transparent}
.cf-grid{stroke:#8884}
.cf-zero{stroke:#888}
.cf-ytitle{grid-column:1;writing-mode:vertical-rl;transform:rotate(180deg);text-align:center}
.cf-yticks{grid-column:2;display:grid;justify-items:end;padding:0 6px;font-size:12px;white-space:nowrap}
.cf-yticks span{grid-area:1/1;height:18px;line-height:18px}
.cf-xticks{grid-column:3;container-type:inline-size;padding-top:4px;font-size:12px}
.cf-names{display:grid}
.cf-names span{text-align:center;line-height:1.15}
.cf-places{position:relative;height:18px}
.cf-places span{position:absolute;transform:translateX(-50%);white-space:nowrap}
.cf-xtitle{grid-column:3;text-align:center}
.cf-below{margin-top:6px;max-width:88ch;white-space:pre-wrap}
.cf-tip{position:absolute;z-index:9;max-width:min(30em,90%);padding:2px 8px;border-radius:4px;background:#1f2328;
color:#fff;box-shadow:0 0 0 1px #8888;pointer-events:none;white-space:pre-wrap}
"""
# Where a class of the drawing is hidden, or stands upright: below which width of its panel.
_RULES = {
    "n": "{display:none}",
    "u": " span{writing-mode:vertical-rl;transform:rotate(180deg);text-align:end;justify-self:center;"
    "white-space:nowrap}",
}
# What the mouse is over is said at once: a cell by its numbers, anything else by its <title>, which so is taken away.
HOVER = """
var r=this,t=r.lastElementChild,e=event.target,d=e.dataset||{},s='';
if(d.cells){var c=e.cells||(e.cells=JSON.parse(d.cells)),b=e.getBoundingClientRect(),
at=function(p,n){return Math.max(0,Math.min(n-1,Math.floor(p*n)))},
j=at((event.clientX-b.left)/b.width,c.x.length),i=at((event.clientY-b.top)/b.height,c.y.length);
if(c.z[i][j]!==null)s=c.t.replace(/%\\{(\\w+)\\}/g,function(m,k){return k=='x'?c.x[j]:k=='y'?c.y[i]:c[k][i][j]})}
else{var k=e.querySelector(':scope>title');if(k){d.say=k.textContent;k.remove()}s=d.say||''}
t.textContent=s;t.hidden=!s;
if(s){var q=r.getBoundingClientRect();
t.style.left=Math.max(0,Math.min(event.clientX-q.left+12,q.width-t.offsetWidth-4))+'px';
t.style.top=event.clientY-q.top+16+'px'}
"""


def drawn(figure: go.Figure) -> str:
    """The figure as HTML. Raises Unsupported for what is not drawn here: plotly has to show it then."""
    try:
        return _drawn(*plain(figure))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unsupported(f"{type(error).__name__}: {error}") from error  # a figure of a form that is not foreseen


def _drawn(traces: list[Plain], layout: Plain) -> str:
    shown = panels.panels_of(traces, layout)
    title = inside(layout, "title.text", "")
    columns = len({panel.frame.x.settings.get("domain", (0, 1))[0] for panel in shown}) or 1
    below = [note["text"] for note in layout.get("annotations", ()) if notes.is_outside(note)]
    body = "".join(
        [
            f'<div class="cf-title">{rich(title)}</div>' if title else "",
            _legend(traces, layout),
            f'<div class="cf-panels{_arrows(layout)}">'
            f"{''.join(panels.as_html(one, layout, columns) for one in shown)}</div>",
            *(f'<div class="cf-below">{rich(text.replace("<br>", " "))}</div>' for text in below),
            '<div class="cf-tip" hidden></div>',
        ]
    )
    words = escaped(inside(layout, "meta.words") or bare(title))
    away = "this.lastElementChild.hidden=true"
    return (
        f'<style>{STYLE}{_rules(body)}</style><div class="cf" role="img" aria-label="{words}" '
        f'onmousemove="{escaped(HOVER.strip())}" onmouseleave="{away}">{body}</div>'
    )


def _arrows(layout: Plain) -> str:
    """More room above, where a text may stand over the highest point."""
    return " cf-arrows" if any(note.get("showarrow", True) for note in layout.get("annotations", ())) else ""


def _rules(body: str) -> str:
    found = sorted(set(re.findall(r"\bcf-([nu])(\d+)\b", body)), key=lambda one: (one[0], int(one[1])))
    return "".join(f"@container (max-width:{width}px){{.cf-{kind}{width}{_RULES[kind]}}}\n" for kind, width in found)


def _legend(traces: list[Plain], layout: Plain) -> str:
    entries = [_scale(trace) for trace in traces if trace.get("type") == "heatmap" and trace.get("showscale", True)]
    entries += [_marker_scale(trace) for trace in traces if inside(trace, "marker.colorbar")]
    named = [trace for trace in traces if trace.get("type") != "heatmap" and trace.get("showlegend", True)]
    several = sum(trace.get("type") != "heatmap" for trace in traces) > 1
    if layout.get("showlegend", several):
        entries += [f"<span>{_swatch(trace)}{rich(trace['name'])}</span>" for trace in named if trace.get("name")]
        for shape in layout.get("shapes", ()):
            if shape.get("showlegend"):
                line = f'<line x1="0" x2="28" y1="7" y2="7" {notes.stroke(shape)}/>'
                entries.append(f'<span><svg width="28" height="14">{line}</svg>{rich(shape["name"])}</span>')
    return f'<div class="cf-legend">{"".join(entries)}</div>' if entries else ""


def _swatch(trace: Plain) -> str:
    if trace.get("type") == "bar":
        colour = inside(trace, "marker.color")
        colour = colours.css(colour if isinstance(colour, str) else None)
        return f'<svg width="14" height="14"><rect width="14" height="14" fill="{colour}"/></svg>'
    mode = scatters.mode(trace)
    line = f'<line x1="0" x2="28" y1="7" y2="7" {scatters.stroke(trace)}/>' if "lines" in mode else ""
    mark = scatters.marker(trace, 0.5, 7) if "markers" in mode else ""
    return f'<svg width="28" height="14">{line}{mark}</svg>'


def _scale(trace: Plain) -> str:
    low, high = heatmaps.limits(trace)
    return _gradient(heatmaps.scale(trace), low, high, inside(trace, "colorbar.title.text", ""), "cf-cells-scale")


def _marker_scale(trace: Plain) -> str:
    values, given = inside(trace, "marker.color"), inside(trace, "marker.colorscale")
    title = inside(trace, "marker.colorbar.title.text", "")
    return _gradient(colours.scale(given), min(values), max(values), title, "cf-marks-scale")


def _gradient(scale: colours.Scale, low: float, high: float, title: str, kind: str) -> str:
    stops = ",".join(f"{colours.as_css(colour)} {place:.0%}" for place, colour in scale)
    name = f"{rich(title)} " if title else ""
    ends = [formatted(end, ".3~g") for end in (low, high)]
    bar = f'<span class="cf-scale {kind}" style="background:linear-gradient(to right,{stops})"></span>'
    return f"<span>{name}{ends[0]}{bar}{ends[1]}</span>"
