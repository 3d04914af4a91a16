"""Figures in Google Colab: HTML that brings plotly.js itself and waits for it."""

import json
import re

import plotly.graph_objects as go
import plotly.io as pio
import pytest
from plotly.offline import get_plotlyjs_version

from utils.plotting.in_colab import ColabRenderer, as_html, show_figures

FIGURE = go.Figure(go.Bar(x=["</script><b>"], y=[1.5]), layout={"height": 333, "template": go.layout.Template()})


def test_a_figure_waits_for_plotly_and_keeps_its_place():
    page = as_html(FIGURE.to_dict(), "here")
    assert f'plotly.src = "https://cdn.plot.ly/plotly-{get_plotlyjs_version()}.min.js"' in page
    assert "if (place && window.Plotly) Plotly.newPlot(place, figure);" in page and "setTimeout(draw, 50)" in page
    assert '<div id="here" style="min-height:333px"></div>' in page
    assert page.count("</script>") == 1 and "<b>" not in page
    drawn = re.search(r"const figure = Object\.assign\((\{.*\}), \{config", page)
    assert drawn and json.loads(drawn[1])["data"][0]["x"] == ["</script><b>"]


def test_two_figures_have_names_of_their_own():
    first, second = ColabRenderer().to_mimebundle({"data": []}), ColabRenderer().to_mimebundle({"data": []})
    assert first.keys() == {"text/html"} and first != second


@pytest.mark.parametrize("chosen", [None, "png"])
def test_what_the_learner_chose_stays(monkeypatch, chosen):
    monkeypatch.setattr(pio.renderers, "default", pio.renderers.default)
    monkeypatch.delenv("PLOTLY_RENDERER", raising=False)
    if chosen:
        monkeypatch.setenv("PLOTLY_RENDERER", chosen)
    before = pio.renderers.default
    show_figures()
    assert pio.renderers.default == (before if chosen else "course_in_colab")
