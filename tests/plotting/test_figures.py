"""utils.plotting: figures are returned, never shown, and hold numbers that are the same on every machine."""

from typing import Any

import plotly.graph_objects as go
import plotly.io
import pytest
import torch

from utils.plotting import STYLES, bars, heatmap, lines, path, round_for_show

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
    assert (trace.zmin, trace.zmax, trace.texttemplate) == (-97.9, 97.9, "%{z:.1f}")
    assert (figure.layout.yaxis.autorange, figure.layout.yaxis.title.text) == ("reversed", "row")
    assert traces(heatmap(VALUES, ["a", "b"], NAMES, "A table"))[0].texttemplate is None


def test_bars_are_grouped_by_step():
    figure = bars({"before": VALUES[0], "after": VALUES[1]}, "Steps")
    assert [(bar.name, list(bar.x), list(bar.y)) for bar in traces(figure)] == [
        ("dimension 0", ["before", "after"], [1.23, 97.9]),
        ("dimension 1", ["before", "after"], [-0.000123, 0.0]),
    ]


def grouped(**settings) -> go.Figure:
    groups = {"first": torch.tensor([[1.234567, 153.4791]]), "others": torch.tensor([[1.0, 2.0], [3.0, 4.0]])}
    return lines(groups, ["the", " fox", " fox"], ["a", "b"], "Lines", y_title="norm", **settings)


def test_each_group_of_lines_has_one_style_and_one_entry_in_the_legend():
    first, *others = traces(grouped())
    assert (first.line.color, first.marker.symbol) == STYLES[0]
    assert {(line.line.color, line.marker.symbol) for line in others} == {STYLES[1]}
    assert [line.showlegend for line in (first, *others)] == [True, True, False]
    assert [line.name for line in (first, *others)] == ["first", "others", "others"]


def test_lines_are_rounded_and_named_under_the_mouse():
    first, second, _ = traces(grouped())
    assert list(first.y) == [1.23, 153.0]
    assert list(traces(grouped(digits=4))[0].y) == [1.235, 153.5]
    assert " fox" in second.hovertemplate and "others" in second.hovertemplate


def test_ends_are_written_at_the_last_point_only():
    texts = [line.text for line in traces(grouped(ends=["0.02", "", "0.08"]))]
    assert texts == [("", "0.02"), ("", ""), ("", "0.08")]
    assert traces(grouped())[0].text is None


def test_a_logarithmic_axis_is_asked_for():
    assert grouped(log_y=True).layout.yaxis.type == "log"
    assert (grouped().layout.yaxis.type, grouped().layout.yaxis.rangemode) == (None, "tozero")


def test_more_groups_than_styles_are_refused():
    groups = {str(number): torch.ones(1, 2) for number in range(len(STYLES) + 1)}
    with pytest.raises(ValueError):
        lines(groups, list(groups), ["a", "b"], "", y_title="")


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
    for labels in (traces(heatmap(VALUES, NAMES, NAMES, ""))[0].x, traces(heatmap(VALUES, NAMES, NAMES, ""))[0].y):
        assert len(set(labels)) == 2 and {label.strip("\u200b") for label in labels} == {"the"}


def test_a_figure_is_the_same_every_time_and_needs_no_template():
    first, second = (str(bars({"before": VALUES[0]}, "Steps").to_json()) for _ in range(2))
    assert type(bars({"before": VALUES[0]}, "Steps")) is go.Figure
    assert first == second and len(first) < 2000
