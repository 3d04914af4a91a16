"""utils.plotting.neurons: curves, rankings and coloured texts say what they were given, rounded."""

from typing import Any

import plotly.graph_objects as go
import torch

from utils.plotting.neurons import coloured_text, curves, ranking

VALUES = torch.tensor([0.0, 1.23456, -0.17])


def traces(figure: go.Figure) -> Any:
    """What the figure draws; plotly has no types for it."""
    return figure.data


def test_each_curve_has_a_colour_and_a_dash_of_its_own():
    figure = curves(torch.tensor([1.0, 2.0, 4.0]), {"a": VALUES, "b": -VALUES}, "Two", y_title="y", log_x=True)
    assert [trace.name for trace in traces(figure)] == ["a", "b"]
    assert list(traces(figure)[0].y) == [0.0, 1.23, -0.17]
    assert (
        len({trace.line.color for trace in traces(figure)}) == len({trace.line.dash for trace in traces(figure)}) == 2
    )
    assert list(figure.layout["xaxis"].tickvals) == [1.0, 2.0, 4.0]


def test_a_ranking_keeps_equal_labels_apart_and_begins_on_top():
    figure = ranking([" the", " the", "."], VALUES, "Most", x_title="post")
    assert len(set(traces(figure)[0].y)) == 3
    assert figure.layout["yaxis"].autorange == "reversed"


def test_a_coloured_text_fills_its_last_row_with_nothing():
    figure = coloured_text(["<|endoftext|>", " a", "\n"], VALUES, "A text", columns=2)
    drawn = traces(figure)[0]
    assert [list(row) for row in drawn.text] == [["&lt;eot&gt;", "·a"], ["<b>↵</b>", ""]]
    assert [list(row) for row in drawn.z] == [[0.0, 1.23], [-0.17, None]]
    assert (drawn.zmin, drawn.zmax) == (-1.23, 1.23)


def test_a_text_without_colour_can_be_drawn():
    assert traces(coloured_text(["a"], torch.zeros(1), "White"))[0].zmax == 1.0
    assert traces(coloured_text(["a"], VALUES[1:2], "Set", limit=5.0))[0].zmax == 5.0
