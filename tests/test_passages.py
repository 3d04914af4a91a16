"""utils.passages: two dozen short texts with their sources, cut to rows of one length."""

import statistics

import pytest
import torch

from utils.passages import OverPassages, over_passages, passage_tokens, sources, texts
from utils.reference import str_tokens


def test_every_passage_names_its_source():
    assert len(sources()) == len(texts()) == 24
    assert all("Project Gutenberg" in source and "\n" not in source for source in sources())
    assert all(text and not text.startswith("#") for text in texts())


def test_rows_begin_with_the_end_of_text_token_and_read_as_the_passages():
    tokens = passage_tokens()
    assert tokens.shape == (24, 254)
    for row, text in zip(tokens, texts(), strict=True):
        assert row[0] == 0
        assert text.startswith("".join(str_tokens(row[1:])))


def test_a_measure_is_taken_of_each_passage_by_itself():
    tokens = passage_tokens()
    found = over_passages(lambda passage: passage.float().mean())
    assert torch.allclose(found.values, tokens.float().mean(dim=1))
    assert over_passages(lambda passage: torch.ones((), requires_grad=True) * passage.shape[1]).mean == 254


def test_the_mean_its_standard_error_and_how_many_agree_are_printed():
    numbers = [0.5, -0.25, 1.0, 0.75]
    found = OverPassages(torch.tensor(numbers))
    assert found.error == pytest.approx(statistics.stdev(numbers) / 2)
    assert str(found) == "0.500 ± 0.270 on 4 passages, above 0 on 3"


def test_a_control_is_subtracted_passage_by_passage():
    control = OverPassages(torch.tensor([3.0, 1.0, 2.0]))
    other = OverPassages(torch.tensor([3.5, 1.5, 2.5]))
    assert str(other - control) == "0.500 ± 0.000 on 3 passages, above 0 on 3"
