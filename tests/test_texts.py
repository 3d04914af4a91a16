"""utils.texts: what a learner typed becomes tokens or advice, and what is printed fits the page."""

import pytest
import torch

from utils.reference import encode, reference
from utils.texts import typed, wrapped


def test_a_text_becomes_its_tokens():
    assert torch.equal(typed("a fox found a key"), encode("a fox found a key"))


def test_nothing_typed_says_what_to_type():
    with pytest.raises(ValueError, match=r"^There is nothing to show yet: type a text of at least one word\.$"):
        typed("")


def test_a_text_may_be_as_long_as_the_model_reads_and_no_longer():
    most = reference().cfg.n_ctx
    assert typed("a" + " a" * (most - 2)).shape == (1, most)
    with pytest.raises(ValueError, match=r"^Type a shorter text: this one has 256 tokens, and 255 is the most\.$"):
        typed("a" + " a" * (most - 1))


def test_a_cell_may_ask_for_less():
    assert typed("a fox", most=3).shape == (1, 3)
    with pytest.raises(ValueError, match="this one has 3 tokens, and 2 is the most"):
        typed("a fox saw", most=3)


def test_long_lines_are_broken_between_words_and_line_breaks_stay():
    text = "one two three\n\nfour"
    assert wrapped(text, 8) == "one two\nthree\n\nfour"
    assert all(len(line) <= 78 for line in wrapped("a goose " * 40).splitlines())
