"""Figures in Google Colab: HTML that draws as soon as plotly.js has come and its place is on the page.

plotly's own HTML for Colab asks for plotly.js in one script and uses it in the next. Below a control Colab runs both at
once, and the second finds nothing: "Plotly is not defined" (colabtools issue 5889). A script there can also run before
what it draws into is part of the page.
"""

import os
from typing import Any
from uuid import uuid4

import plotly.io as pio
from plotly.io.base_renderers import MimetypeRenderer
from plotly.offline import get_plotlyjs_version

NAME = "course_in_colab"
HEIGHT = 450  # pixels, which plotly takes where a figure has none
PAGE = """\
<div id="{name}" style="min-height:{height}px"></div>
<script>
(() => {{
  const figure = Object.assign({figure}, {{config: {{responsive: true}}}});
  let looks = 1200;  // a minute of them
  const draw = () => {{
    const place = document.getElementById("{name}");
    if (place && window.Plotly) Plotly.newPlot(place, figure);
    else if (looks-- > 0) setTimeout(draw, 50);
  }};
  if (!window.Plotly) {{
    const plotly = document.createElement("script");
    plotly.src = "{source}";
    plotly.onerror = () => document.getElementById("{name}")?.append("The figure needs {source}, which did not come.");
    document.head.append(plotly);
  }}
  draw();
}})();
</script>
"""


class ColabRenderer(MimetypeRenderer):
    """A figure as HTML that loads the plotly.js of this plotly."""

    def to_mimebundle(self, fig_dict: dict[str, Any]) -> dict[str, str]:
        return {"text/html": as_html(fig_dict)}


def as_html(figure: dict[str, Any], name: str | None = None) -> str:
    """The figure's HTML; `name` is the id of its element, drawn at random without one."""
    return PAGE.format(
        name=name or f"figure-{uuid4()}",
        height=figure.get("layout", {}).get("height") or HEIGHT,
        figure=str(pio.to_json(figure, validate=False)).replace("<", "\\u003c"),
        source=f"https://cdn.plot.ly/plotly-{get_plotlyjs_version()}.min.js",
    )


def show_figures() -> None:
    """From now on this kernel's figures are shown so; what the learner has chosen, PLOTLY_RENDERER, stays."""
    pio.renderers[NAME] = ColabRenderer()
    if "PLOTLY_RENDERER" not in os.environ:
        pio.renderers.default = NAME
