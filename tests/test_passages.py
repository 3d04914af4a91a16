"""utils.passages: two dozen short texts with their sources, cut to rows of one length."""

from utils.passages import passage_tokens, sources, texts
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
