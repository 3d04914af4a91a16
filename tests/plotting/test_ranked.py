"""utils.plotting.ranked: lying bars with their names and numbers, on a plain axis or a log axis."""

from typing import Any

import plotly.graph_objects as go
import torch

from utils.plotting.ranked import ranked


def bar(figure: go.Figure) -> Any:
    """The one trace; plotly has no types for it."""
    return figure.data[0]


def test_the_first_name_is_on_top_and_each_bar_carries_its_number():
    figure = ranked({"greedy": 1.3649, "four beams": torch.tensor(0.5)}, "Cost", x_title="nats")
    assert (list(bar(figure).x), list(bar(figure).y)) == ([1.4, 0.5], ["greedy", "four beams"])
    assert list(bar(figure).text) == ["1.4", "0.5"] and bar(figure).orientation == "h"
    assert figure.layout.yaxis.autorange == "reversed" and figure.layout.xaxis.title.text == "nats"


def test_more_digits_are_kept_where_asked_for():
    assert list(bar(ranked({"greedy": 1.3649}, "Cost", x_title="nats", digits=3)).x) == [1.36]


def test_small_and_large_share_a_log_axis():
    figure = ranked({"quiet": 0.000012, "loud": 19.7}, "Mistakes", x_title="nats", log_x=True)
    assert figure.layout.xaxis.type == "log" and list(bar(figure).text) == ["0.000012", "20"]


def test_a_level_is_a_line_with_its_name():
    figure = ranked({"5.2": 0.05, "5.3": 0.8}, "Heads", x_title="", level=0.86, level_name="all heads")
    assert [(line.x0, line.x1, line.yref) for line in figure.layout.shapes] == [(0.86, 0.86, "paper")]
    assert [note.text for note in figure.layout.annotations] == ["all heads"]
    on_log_axis = ranked({"quiet": 0.1, "loud": 10.0}, "Mistakes", x_title="", level=1.0, log_x=True)
    assert (on_log_axis.layout.shapes[0].x0, on_log_axis.layout.annotations[0].x) == (1.0, 0.0)
    assert not ranked({"5.2": 0.05}, "Heads", x_title="").layout.shapes


def test_the_figure_grows_with_its_names():
    few, many = (ranked(dict.fromkeys(map(str, range(n)), 1.0), "Any", x_title="").layout.height for n in (2, 12))
    assert many - few == 260
