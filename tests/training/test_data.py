"""What the reference model is trained on: the tokenizer, the row of tokens, the rows rewritten to teach copying."""

from itertools import pairwise

import torch

from tests.training.test_training import TEXT
from training.data import END_OF_TEXT, encode_file, hold_out, repeat_passages, shuffle_phrases, train_tokenizer
from utils.course import ROOT


def test_repeat_passages_says_a_passage_over_and_over():
    tokens = torch.arange(64 * 40).view(64, 40)
    before = tokens.clone()
    repeated = repeat_passages(tokens, 1.0, torch.Generator().manual_seed(0))
    assert tokens.equal(before)
    shuffled = 0
    for row, original in zip(repeated, tokens, strict=True):
        length = int((row[1:] == row[0]).nonzero()[0]) + 1
        assert 8 <= length < 20
        assert row.equal(row[:length].repeat(6)[:40])
        assert row[:length].sort().values.equal(original[:length])
        shuffled += not row[:length].equal(original[:length])
    assert 16 < shuffled < 48


def test_repeat_passages_leaves_the_other_rows_alone():
    tokens = torch.arange(400 * 40).view(400, 40)
    generator = torch.Generator().manual_seed(0)
    assert repeat_passages(tokens, 0.0, generator).equal(tokens)
    changed = (repeat_passages(tokens, 0.25, generator) != tokens).any(dim=1)
    assert 60 < changed.sum() < 140


def test_shuffle_phrases_says_short_phrases_in_random_order():
    tokens = torch.arange(64 * 240).view(64, 240)
    before = tokens.clone()
    rewritten = shuffle_phrases(tokens, 1.0, torch.Generator().manual_seed(0))
    assert tokens.equal(before) and rewritten.shape == tokens.shape
    counts = [len(set(row)) for row in rewritten.tolist()]
    assert 8 <= min(counts) < 15 and 40 < max(counts) <= 72  # 4 to 24 phrases of 2 or 3 tokens
    for row, original in zip(rewritten.tolist(), tokens.tolist(), strict=True):
        assert set(row) <= set(original)
        followers = [len({b for a, b in pairwise(row) if a == token}) for token in set(row)]
        assert 1 in followers and max(followers) > 1  # a token inside a phrase, and one at the end of one
    first = rewritten[:, 0, None]
    even, odd = ((rewritten[:, start::2] == first).any(dim=1) for start in (0, 1))
    assert (even & odd).sum() > 48  # no place means anything


def test_shuffle_phrases_leaves_the_other_rows_alone():
    tokens = torch.arange(400 * 40).view(400, 40)
    changed = (shuffle_phrases(tokens, 0.25, torch.Generator().manual_seed(0)) != tokens).any(dim=1)
    assert 60 < changed.sum() < 140


def test_the_tokenizer_round_trips_every_byte():
    tokenizer = train_tokenizer(TEXT, 300)
    assert tokenizer.get_vocab_size() <= 300 and tokenizer.token_to_id(END_OF_TEXT) == 0
    for text in (TEXT, "  two  spaces\t\r\n\n", "Ünïcödé ☃ 漢字 🦊 \x00\x7f", " leading"):
        assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


def test_encode_file_puts_the_end_of_text_first(tmp_path):
    (tmp_path / "tale.txt").write_text(TEXT, encoding="utf-8")
    tokenizer = train_tokenizer(TEXT, 300)
    row = encode_file(tokenizer, tmp_path / "tale.txt")
    assert row.dtype == torch.int16 and (row == 0).sum() == 3
    assert tokenizer.decode(row.tolist(), skip_special_tokens=False) == END_OF_TEXT + TEXT


def test_hold_out_cuts_the_last_part_at_a_line(tmp_path):
    text = "".join(f"line {i} of a café\n" for i in range(200))
    (tmp_path / "whole.txt").write_text(text, encoding="utf-8")
    train_file, valid_file = hold_out(tmp_path / "whole.txt", tmp_path)
    parts = [file.read_text(encoding="utf-8") for file in (train_file, valid_file)]
    assert "".join(parts) == text and parts[0].endswith("\n")
    assert 0.05 <= len(parts[1]) / len(text) < 0.06


def test_corpus_md_lists_the_books():
    tales = ROOT / "training" / "corpus.md"
    rows = [line for line in tales.read_text(encoding="utf-8").splitlines() if "gutenberg.org/ebooks/" in line]
    documents, held_out = (sum(int(row.split(" | ")[column].rstrip(" |")) for row in rows) for column in (4, 5))
    assert (len(rows), documents, held_out) == (73, 2016, 99)
