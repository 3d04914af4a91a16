"""utils.plotting.training: curves over the steps of a run."""

import pytest

from utils.plotting.training import loss_curves


@pytest.mark.parametrize(
    ("others", "side"),
    [
        ({}, "bottom"),
        ({"above": [([20, 40], [3.9, 2.1])]}, "top"),
        ({"below": [([20, 40], [1.0, 1.9])]}, "bottom"),
        ({"above, but long ago": [([5, 10], [2.3, 2.1])]}, "bottom"),
        ({"above": [([20, 40], [2.2, 2.1])], "below": [([20, 40], [1.8, 1.9])]}, "bottom"),
    ],
)
def test_the_name_of_a_level_is_out_of_the_curves_way(others, side):
    """Which side of the name is at the line: it stands above the line, unless curves run there and not below."""
    figure = loss_curves({"falls": [([10, 40], [4.0, 0.0])]} | others, "Runs", level=2.0, level_name="chance")
    (name,) = figure.layout.annotations
    assert (name.text, name.y, name.yanchor) == ("chance", 2.0, side)
