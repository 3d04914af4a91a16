"""utils.passages: two sets of short texts with their sources, cut to rows of one length."""

import statistics

import pytest
import torch

from utils.passages import OverPassages, over_passages, passage_tokens, sources, texts
from utils.reference import str_tokens


def test_every_passage_names_its_source():
    assert len(sources()) == len(texts()) == 48
    assert all("Project Gutenberg" in source and "\n" not in source for source in sources())
    assert all(text and not text.startswith("#") for text in texts())


def test_no_two_passages_share_a_sentence():
    sentences = [sentence for text in texts() for sentence in set(text.split(". ")) if len(sentence) > 30]
    assert len(sentences) == len(set(sentences)) > 250


def test_rows_begin_with_the_end_of_text_token_and_a_line_break_and_read_as_the_passages():
    tokens = passage_tokens()
    assert tokens.shape == (48, 255)
    for row, text in zip(tokens, texts(), strict=True):
        assert str_tokens(row[:2]) == ["<|endoftext|>", "\n"]
        assert text.startswith("".join(str_tokens(row[2:])))


def test_a_measure_is_taken_of_each_passage_by_itself():
    tokens = passage_tokens()
    found = over_passages(lambda passage: passage.float().mean())
    assert torch.allclose(found.values, tokens.float().mean(dim=1))
    assert over_passages(lambda passage: torch.ones((), requires_grad=True) * passage.shape[1]).mean == 255


def test_both_means_their_standard_errors_and_how_many_agree_are_printed():
    first, second = [0.5, -0.25, 1.0, 0.75], [0.25, 0.5, 0.0, 1.0]
    found = OverPassages(torch.tensor(first + second))
    assert found.mean == pytest.approx(statistics.mean(first + second))
    assert found.error == pytest.approx(statistics.stdev(first + second) / 8**0.5)
    assert str(found) == "0.500 ± 0.270 and 0.438 ± 0.213 on 4 + 4 passages, above 0 on 6"


@pytest.mark.parametrize(("apart", "agree"), [(0.0, True), (1.0, True), (-1.0, True), (1.5, False), (-1.5, False)])
def test_two_sets_disagree_when_their_means_are_further_apart_than_three_standard_errors(apart: float, agree: bool):
    first = torch.tensor([0.5, -0.25, 1.0, 0.75])  # standard error 0.27, so three of the difference's are 1.15
    found = OverPassages(torch.cat([first, first.flip(0) + apart]))
    assert found.agree == agree
    assert str(found).endswith("; the two sets disagree") != agree


def test_a_control_is_subtracted_passage_by_passage():
    control = OverPassages(torch.tensor([3.0, 1.0, 2.0, 4.0]))
    other = OverPassages(torch.tensor([3.5, 1.5, 2.5, 4.5]))
    assert str(other - control) == "0.500 ± 0.000 and 0.500 ± 0.000 on 2 + 2 passages, above 0 on 4"
