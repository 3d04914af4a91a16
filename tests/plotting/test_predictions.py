"""utils.plotting.predictions: a bar for each token, rounded, with spaces and line ends to be seen."""

import pytest
import torch

from utils.plotting.predictions import next_tokens


def test_each_token_is_a_bar_with_its_probability():
    figure = next_tokens(torch.tensor([0.6123, 0.2, 0.00123]), [" there", "there", "\n"], "Next")
    (bar,) = figure.data
    assert list(bar.y) == ["·there", "there", "⏎"] and list(bar.x) == [0.61, 0.2, 0.0012]
    assert (figure.layout.yaxis.autorange, figure.layout.title.text) == ("reversed", "Next")


def test_two_tokens_that_read_alike_stay_apart():
    (bar,) = next_tokens(torch.tensor([0.5, 0.5]), ["\ufffd", "\ufffd"], "Next").data
    assert len(set(bar.y)) == 2


def test_small_probabilities_fill_the_figure_and_large_ones_keep_room_for_their_number():
    def right_end(probability):
        return next_tokens(torch.tensor([probability, 0.001]), ["a", "b"], "Next").layout.xaxis.range[1]

    assert (right_end(0.04), right_end(1.0)) == (pytest.approx(0.05), 1.05)
