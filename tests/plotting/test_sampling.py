"""utils.plotting.sampling: distributions side by side, how far the likeliest tokens reach, and a text below bars."""

from typing import Any

import plotly.graph_objects as go
import pytest
import torch

from utils.plotting.sampling import reach, reshaped, side_by_side

PEAKED, FLAT = torch.tensor([0.05, 0.9, 0.03, 0.02]), torch.full((100,), 0.01)


def drawn(figure: go.Figure) -> Any:
    """What the figure draws; plotly has no types for it."""
    return figure.data


def test_bars_side_by_side_carry_two_digits_above_them_and_leave_the_legend_no_width():
    figure = side_by_side({"cold": PEAKED, "warm": PEAKED}, ["a", "b", "c", "d"], "Two settings")
    assert [bar.name for bar in drawn(figure)] == ["cold", "warm"]
    assert {(bar.texttemplate, bar.textposition, bar.cliponaxis) for bar in drawn(figure)} == {
        ("%{y:.2f}", "outside", False)
    }
    assert figure.layout.legend.orientation == "h"


def test_a_curve_says_what_the_likeliest_hold_and_a_circle_where_they_reach_p():
    curve, circle, _, second = drawn(reach({"peaked": PEAKED, "flat": FLAT}, "Reach", k=2, p=0.92))
    assert (list(curve.x), list(curve.y)) == ([1, 2, 3, 4], [0.9, 0.95, 0.98, 1.0])
    assert (list(circle.x), list(circle.y), list(circle.text)) == ([2], [0.95], ["2"])
    assert list(second.x) == [pytest.approx(92, abs=1)]


def test_a_long_curve_keeps_few_points_its_first_and_its_last():
    curve, _ = drawn(reach({"flat": torch.full((5000,), 1 / 5000)}, "Reach", k=40, p=0.9))
    assert len(curve.x) <= 60 and (curve.x[0], curve.x[-1]) == (1, 5000)


def test_k_and_p_have_their_lines():
    figure = reach({"peaked": PEAKED}, "Reach", k=2, p=0.92)
    assert [(line.x0, line.y0) for line in figure.layout.shapes] == [(2, 0), (0, 0.92)]
    assert [note.text for note in figure.layout.annotations] == ["k = 2", "p = 0.92"]
    assert figure.layout.annotations[0].x == pytest.approx(0.301)  # on a log axis: the logarithm
    assert list(figure.layout.xaxis.range) == pytest.approx([-0.15, 0.702], abs=1e-3)


def test_the_text_stands_below_the_bars_in_lines_with_its_breaks_to_be_seen():
    bars = {"before": PEAKED, "after": PEAKED}
    short = reshaped(bars, ["a", "b", "c", "d"], "Lab", text="one & two\n<|endoftext|>")
    long = reshaped(bars, ["a", "b", "c", "d"], "Lab", text="word " * 60)
    assert short.layout.annotations[0].text == "one &amp; two ⏎ &lt;eot&gt;"
    assert long.layout.annotations[0].text.count("<br>") == 3
    assert long.layout.height - short.layout.height == 3 * 19
    assert [bar.name for bar in drawn(short)] == ["before", "after"]
    assert {bar.texttemplate for bar in drawn(short)} == {None}
