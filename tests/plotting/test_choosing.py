"""utils.plotting.choosing: bars before and after, and a line behind the tokens that may be drawn."""

import torch

from utils.plotting.choosing import cut_off

BEFORE, AFTER = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.8, 0.2, 0.0])


def test_each_token_has_a_bar_before_and_one_after():
    figure = cut_off(BEFORE, AFTER, ["a", " b", "c"], "2 of 9 tokens may be drawn", kept=2)
    assert [(bar.name, list(bar.y)) for bar in figure.data] == [
        ("the model", [0.5, 0.3, 0.2]),
        ("reshaped and cut", [0.8, 0.2, 0.0]),
    ]
    assert list(figure.data[0].x) == ["a", "·b", "c"]
    assert figure.layout.title.text == "2 of 9 tokens may be drawn"


def test_a_line_stands_behind_the_last_token_that_is_kept():
    figure = cut_off(BEFORE, AFTER, ["a", "b", "c"], "Any", kept=2)
    assert [line.x0 for line in figure.layout.shapes] == [1.5]
    assert [note.text for note in figure.layout.annotations] == ["cut off →"]


def test_there_is_no_line_where_all_that_are_shown_are_kept():
    assert not cut_off(BEFORE, AFTER, ["a", "b", "c"], "Any", kept=3).layout.shapes
