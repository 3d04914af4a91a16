"""utils.plotting: figures are returned, never shown, and hold numbers that are the same on every machine."""

from typing import Any

import plotly.graph_objects as go
import plotly.io
import pytest
import torch

from utils.plotting import bars, heatmap, lines, path, round_for_show

VALUES = torch.tensor([[1.23456, -0.000123456], [97.8949, 0.0]], requires_grad=True)
ROUNDED = [[1.23, -0.000123], [97.9, 0.0]]
NAMES = ["the", "the"]


@pytest.fixture(autouse=True)
def _never_shown(monkeypatch):
    def fail(*arguments, **options):
        raise AssertionError("the figure was shown")

    monkeypatch.setattr(plotly.io, "show", fail)
    monkeypatch.setattr(go.Figure, "show", fail)
    monkeypatch.setattr(go.Figure, "_ipython_display_", fail)


def traces(figure: go.Figure) -> Any:
    """What the figure draws; plotly has no types for it."""
    return figure.data


@pytest.mark.parametrize(
    ("value", "shown"), [(97.8949, 97.9), (0.012345, 0.0123), (-1234.5, -1230.0), (0.0, 0.0), (2e-9 / 3, 6.67e-10)]
)
def test_numbers_have_three_significant_digits(value, shown):
    assert round_for_show(value) == shown


def test_a_heatmap_has_its_rows_from_the_top_and_zero_in_white():
    figure = heatmap(VALUES, ["a", "b"], NAMES, "A table", show_values=True, row_title="row")
    (trace,) = traces(figure)
    assert [list(row) for row in trace.z] == ROUNDED
    assert (trace.zmin, trace.zmax, trace.texttemplate) == (-97.9, 97.9, "%{z}")
    assert (figure.layout.yaxis.autorange, figure.layout.yaxis.title.text) == ("reversed", "row")
    assert traces(heatmap(VALUES, ["a", "b"], NAMES, "A table"))[0].texttemplate is None


def test_bars_are_grouped_by_step():
    figure = bars({"before": VALUES[0], "after": VALUES[1]}, "Steps")
    assert [(bar.name, list(bar.x), list(bar.y)) for bar in traces(figure)] == [
        ("dimension 0", ["before", "after"], [1.23, 97.9]),
        ("dimension 1", ["before", "after"], [-0.000123, 0.0]),
    ]


def test_buttons_swap_the_lines_values_and_the_axis_title():
    figure = lines(VALUES, NAMES, ["a", "b"], "Lines", y_title="length", instead=("after", VALUES * 2, "angle"))
    assert [list(line.y) for line in traces(figure)] == ROUNDED
    (menu,) = figure.layout.updatemenus
    before, after = menu.buttons
    assert (before.label, after.label) == ("before", "after")
    assert before.args[0]["y"] == ROUNDED and before.args[1] == {"yaxis.title.text": "length"}
    assert after.args[0]["y"] == [[2.47, -0.000247], [196.0, 0.0]] and after.args[1] == {"yaxis.title.text": "angle"}
    assert not lines(VALUES, NAMES, ["a", "b"], "Lines", y_title="length").layout.updatemenus


def test_thirty_lines_are_thirty_ways_of_drawing():
    figure = lines(torch.zeros(30, 2), [str(index) for index in range(30)], ["a", "b"], "Lines", y_title="norm")
    styles = [(line.line.color, line.line.dash, line.marker.symbol, line.marker.color) for line in traces(figure)]
    assert len(set(styles)) == 30
    assert len({style[0] for style in styles[:8]}) == 8 and {style[1] for style in styles[:8]} == {"solid"}


def test_a_path_joins_its_points_in_order_and_names_those_asked_for():
    points = torch.tensor([[0.123456, 1.0], [2.0, -3.14159], [4.0, 5.0]], requires_grad=True)
    figure = path(points, ["0", "1", "2"], "Path", x_title="x", y_title="y", color_title="position", labelled=[0, 2])
    (trace,) = traces(figure)
    assert (list(trace.x), list(trace.y)) == ([0.123, 2.0, 4.0], [1.0, -3.14, 5.0])
    assert list(trace.customdata) == ["0", "1", "2"]
    assert [(label.text, label.x, label.y) for label in figure.layout.annotations] == [
        ("0", 0.123, 1.0),
        ("2", 4.0, 5.0),
    ]
    assert list(trace.marker.color) == [0, 1, 2] and trace.marker.colorbar.title.text == "position"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("x", "y")


def test_equal_labels_are_kept_apart_but_look_alike():
    for labels in (
        traces(heatmap(VALUES, NAMES, NAMES, ""))[0].x,
        traces(heatmap(VALUES, NAMES, NAMES, ""))[0].y,
        [line.name for line in traces(lines(VALUES, NAMES, ["a", "b"], "", y_title=""))],
    ):
        assert len(set(labels)) == 2 and {label.strip("\u200b") for label in labels} == {"the"}


def test_a_figure_is_the_same_every_time_and_needs_no_template():
    first, second = (str(bars({"before": VALUES[0]}, "Steps").to_json()) for _ in range(2))
    assert type(bars({"before": VALUES[0]}, "Steps")) is go.Figure
    assert first == second and len(first) < 2000
