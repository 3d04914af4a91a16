"""utils.plotting.attention: one square for each head, rounded, the first query on top."""

from typing import Any

import torch

from utils.plotting.attention import patterns

PATTERN = torch.tensor([[[1.0, 0.0], [0.123456, 0.876544]], [[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [1e-12, 1.0]]])


def squares(**options) -> tuple[Any, Any]:
    figure = patterns(PATTERN, ["the", "the"], "Patterns", **options)
    return figure, figure.data


def test_each_head_has_a_square_with_rounded_numbers():
    figure, drawn = squares()
    assert [[list(row) for row in square.z] for square in drawn] == [
        [[1.0, 0.0], [0.123, 0.877]],
        [[1.0, 0.0], [0.5, 0.5]],
        [[1.0, 0.0], [0.0, 1.0]],
    ]
    assert [note.text for note in figure.layout.annotations] == ["head 0", "head 1", "head 2"]


def test_all_squares_share_one_scale_from_0_to_1_which_is_shown_once():
    _, drawn = squares()
    assert {(square.zmin, square.zmax) for square in drawn} == {(0.0, 1.0)}
    assert [square.showscale for square in drawn] == [True, False, False]


def test_the_first_query_is_on_top_and_equal_words_stay_apart():
    figure, drawn = squares(names=["2.0", "2.1", "5.2"])
    assert figure.layout.yaxis.autorange == figure.layout.yaxis3.autorange == "reversed"
    assert len(set(drawn[0].x)) == 2 and [word.strip("\u200b") for word in drawn[0].y] == ["the", "the"]
    assert "query %{y}, key %{x}" in drawn[2].hovertemplate and "5.2" in drawn[2].hovertemplate


def test_numbers_are_written_into_the_squares_on_request():
    assert {square.texttemplate for square in squares(show_values=True)[1]} == {"%{z:.3f}"}
    assert {square.texttemplate for square in squares()[1]} == {None}
