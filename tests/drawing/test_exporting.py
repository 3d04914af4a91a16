"""A chapter as a page: with the settings that are installed, nbconvert leaves no figure out."""

import json

import plotly.graph_objects as go
import plotly.io as pio
import pytest
import torch
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output
from traitlets.config import Config

from utils.course import ROOT
from utils.drawing.exporting import CONTROLS, NOT_HERE
from utils.plotting import lines

ETC = ROOT / "utils" / "learner" / "lab" / "etc"
SETTINGS = [ETC / "jupyter_nbconvert_config.json", ETC / "jupyter_server_config.d" / "gpt_from_scratch.json"]


def shown_by_plotly(figure):
    return pio.renderers["plotly_mimetype"].to_mimebundle(figure.to_dict())


def exported(*shown, settings=SETTINGS[0], **metadata):
    cell = new_code_cell("figure", outputs=[new_output("display_data", data=data) for data in shown])
    config = Config(json.loads(settings.read_text(encoding="utf-8")))
    page, _ = HTMLExporter(config=config).from_notebook_node(new_notebook(cells=[cell], metadata=metadata))
    return page


@pytest.mark.parametrize("settings", SETTINGS, ids=["nbconvert", "JupyterLab's menu"])
def test_a_figure_is_drawn(settings):
    figure = lines({"a": torch.tensor([[1.0, 2.0]])}, ["a"], ["x", "y"], "one-of-a-kind", x_title="", y_title="")
    page = exported(shown_by_plotly(figure), settings=settings)
    assert "one-of-a-kind" in page and 'class="cf"' in page and "Plotly.newPlot" not in page


def test_what_is_not_drawn_here_is_shown_by_plotly_whose_script_comes_once():
    figures = [go.Figure(go.Scatter3d(x=[1], y=[2], z=[3], name=name)) for name in ("one-of-a-kind", "another")]
    page = exported(*map(shown_by_plotly, figures))
    assert "one-of-a-kind" in page and "another" in page and page.count("Plotly.newPlot(") >= 2
    assert page.count("* plotly.js v") == 1


def test_a_figure_that_has_html_of_its_own_keeps_it():
    page = exported(shown_by_plotly(go.Figure()) | {"text/html": "<b>its own</b>"})
    assert "<b>its own</b>" in page and 'class="cf"' not in page


def test_controls_say_why_they_are_missing_unless_they_were_saved():
    controls = {CONTROLS: {"model_id": "m", "version_major": 2, "version_minor": 0}, "text/plain": "VBox()"}
    assert NOT_HERE in exported(controls)
    state = {"m": {"model_name": "VBoxModel", "model_module": "@jupyter-widgets/controls", "state": {}}}
    saved = {"application/vnd.jupyter.widget-state+json": {"version_major": 2, "version_minor": 0, "state": state}}
    assert NOT_HERE not in exported(controls, widgets=saved)
