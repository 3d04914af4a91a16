"""utils.plotting.stream: rows, columns, groups and rounded numbers of the figures of chapter 1."""

from typing import Any

import plotly.graph_objects as go
import pytest
import torch

from utils.plotting import STYLES
from utils.plotting.stream import grouped_bars, writes_by_position

VALUES = torch.tensor([[1.23456, 2.0, -3.0], [97.8949, 0.0, 5.0]], requires_grad=True)


def traces(figure: go.Figure) -> Any:
    """What the figure draws; plotly has no types for it."""
    return figure.data


def test_writes_have_a_row_for_each_component_and_a_column_for_each_token():
    figure = writes_by_position(VALUES, ["embed", "0_attn_out"], ["the", " fox", "the"], "Who writes")
    (trace,) = traces(figure)
    assert [list(row) for row in trace.z] == [[1.23, 2.0, -3.0], [97.9, 0.0, 5.0]]
    assert list(trace.y) == ["embed", "0_attn_out"] and len(set(trace.x)) == 3
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("written by", "token")
    assert figure.layout.title.text == "Who writes"


def test_where_nothing_is_negative_the_scale_starts_at_white():
    (trace,) = traces(writes_by_position(VALUES.abs(), ["a", "b"], list("xyz"), ""))
    assert (trace.zmin, trace.zmax, len(trace.colorscale)) == (0, 97.9, 2)
    assert traces(writes_by_position(VALUES, ["a", "b"], list("xyz"), ""))[0].zmin == -97.9


def test_more_components_make_a_higher_figure():
    heights = [writes_by_position(torch.ones(n, 1), list("abcdefgh")[:n], ["x"], "").layout.height for n in (2, 8)]
    assert heights[0] < heights[1]


def test_no_tokens_are_refused_in_words_for_whoever_typed_them():
    with pytest.raises(ValueError, match="type a text of at least one word"):
        writes_by_position(torch.ones(2, 0), ["a", "b"], [], "")


def test_groups_of_bars_have_a_colour_each_and_rounded_numbers():
    first, second = traces(grouped_bars({"total": VALUES[0], "direct": VALUES[1]}, ["a", "b", "c"], "", y_title="nats"))
    assert (first.name, list(first.x), list(first.y)) == ("total", ["a", "b", "c"], [1.23, 2.0, -3.0])
    assert first.textposition == "outside"
    assert (list(second.y), second.marker.color) == ([97.9, 0.0, 5.0], STYLES[1][0])


def test_a_level_is_drawn_across_only_where_one_is_given():
    plain = grouped_bars({"loss": VALUES[0]}, ["a", "b", "c"], "Loss", y_title="nats")
    assert not plain.layout.shapes and plain.layout.showlegend is False
    assert plain.layout.xaxis.type == "category"
    levelled = grouped_bars({"loss": VALUES[0]}, ["a", "b", "c"], "", y_title="nats", level=8.32, level_name="chance")
    assert levelled.layout.shapes[0].y0 == 8.32 and levelled.layout.annotations[0].text == "chance"
    assert traces(levelled)[0].textposition == "inside"


def test_more_groups_than_styles_are_refused():
    with pytest.raises(ValueError):
        grouped_bars({str(n): VALUES[0] for n in range(len(STYLES) + 1)}, ["a", "b", "c"], "", y_title="")
