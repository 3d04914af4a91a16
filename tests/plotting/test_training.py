"""utils.plotting.training: curves over the steps of a run."""

import pytest
import torch

from utils.plotting.style import STYLES
from utils.plotting.training import descents, loss_curves


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


def test_descents_stand_in_order_over_the_lines_of_equal_height():
    """Each way has a colour and all its steps; the lines below them have one entry in the legend."""
    ways = {"plain": torch.tensor([[1.0, 2.0], [0.0, 1.0]]), "other": torch.tensor([[1.0, 2.0], [0.5, 1.5]])}
    level_lines = [torch.tensor([[0.0, 2.0], [1.0, 0.0]]), torch.tensor([[0.0, 1.0], [0.5, 0.0]])]
    figure = descents(ways, level_lines, "Down", x_title="x", y_title="y")
    high, low, plain, other = figure.data
    assert (list(high.x), list(low.y)) == ([0.0, 1.0], [1.0, 0.0])
    assert [line.showlegend for line in (high, low)] == [True, False]
    assert (list(plain.x), list(plain.y)) == ([1.0, 0.0], [2.0, 1.0])
    assert [plain.line.color, other.line.color] == [STYLES[0][0], STYLES[1][0]]
    with pytest.raises(ValueError):
        descents({str(n): ways["plain"] for n in range(5)}, level_lines, "Five", x_title="x", y_title="y")
