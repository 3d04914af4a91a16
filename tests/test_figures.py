"""utils.figures: few colours for many lines, numbers that are the same on every machine, names under the mouse."""

import pytest
import torch

from utils.figures import STYLES, line_groups

GROUPS = {"first": torch.tensor([[1.234567, 153.4791]]), "others": torch.tensor([[1.0, 2.0], [3.0, 4.0]])}
NAMES = ["the", " fox", " fox"]


def drawn(**settings):
    return line_groups(GROUPS, NAMES, ["a", "b"], "norms", y_title="norm", **settings)


def test_each_group_has_one_style_and_one_entry_in_the_legend():
    first, *others = drawn().data
    assert (first.line.color, first.marker.symbol) == STYLES[0]
    assert {(line.line.color, line.marker.symbol) for line in others} == {STYLES[1]}
    assert [line.showlegend for line in (first, *others)] == [True, True, False]
    assert [line.name for line in (first, *others)] == ["first", "others", "others"]


def test_values_keep_the_digits_asked_for_and_hover_names_the_line():
    assert drawn().data[0].y == (1.235, 153.5)
    assert drawn(digits=2).data[0].y == (1.2, 150.0)
    assert " fox" in drawn().data[1].hovertemplate and "others" in drawn().data[1].hovertemplate


def test_ends_are_written_at_the_last_point_only():
    assert [line.text for line in drawn(ends=["0.02", "", "0.08"]).data] == [("", "0.02"), ("", ""), ("", "0.08")]
    assert drawn().data[0].text is None


def test_a_logarithmic_axis_is_asked_for():
    assert drawn(log_y=True).layout.yaxis.type == "log"
    assert drawn().layout.yaxis.type is None


def test_more_groups_than_styles_are_refused():
    groups = {str(number): torch.ones(1, 2) for number in range(len(STYLES) + 1)}
    with pytest.raises(ValueError):
        line_groups(groups, list(groups), ["a", "b"], "", y_title="")
