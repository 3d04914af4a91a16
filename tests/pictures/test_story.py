"""A story being written: what may be drawn is what chapter 8's functions may draw, and the stored texts are right."""

import itertools

import pytest
import torch

import solutions.ch08_sampling as chapter
from tests.pictures import in_the_browser
from utils.pictures.story import NAMED, story

WORDS = ["<|endoftext|>", *(f" word{i}" for i in range(1, 300))]
START = torch.tensor([0, 8])


def scores(tokens):
    """Random logits of a text's own; the likeliest are far ahead after an odd token."""
    dice = torch.Generator().manual_seed(int((tokens * torch.arange(1, len(tokens) + 1)).sum()))
    return torch.randn(len(WORDS), generator=dice) * (1 + 2 * (tokens[-1] % 2))


@pytest.fixture(scope="module")
def told():
    return story(scores, WORDS, START, texts=30, greedy=6)


def test_the_same_twice_and_small(told):
    assert told._repr_html_() == story(scores, WORDS, START, texts=30, greedy=6)._repr_html_()
    assert len(told._repr_html_()) < 60_000


def test_the_texts_are_greedys_and_then_those_drawn_most_often(told):
    tree, words = told.data["tree"], told.data["words"]
    assert len(tree["parents"]) == len(tree["taken"]) == 30
    assert all(parent < at for at, parent in enumerate(tree["parents"]))
    tokens = START
    for at in range(1, 7):
        tokens = torch.cat([tokens, scores(tokens).argmax()[None]])
        assert tree["parents"][at] == at - 1
        assert words[tree["taken"][at]] == WORDS[tokens[-1]]
    kept = (scores(START) / 0.8).softmax(-1).sort(descending=True)
    first = [words[token] for token, parent in zip(tree["taken"], tree["parents"], strict=True) if parent == 0]
    assert set(first) == {WORDS[token] for token in kept.indices[: len(first)].tolist()}


def test_it_says_what_would_be_seen(told):
    chances = (scores(START) / 0.8).softmax(-1).sort(descending=True)
    n_kept = int((chances.values.cumsum(-1) - chances.values < 0.9).sum())
    best = float(chances.values[0] / chances.values[:n_kept].sum())
    assert f"After ' word8', at temperature 0.8, the nucleus of 0.9 leaves {n_kept} of 300 tokens" in repr(told)
    assert f"The likeliest: {WORDS[chances.indices[0]]!r} {best:.3f}" in repr(told)
    tokens = START
    for _ in range(7):
        tokens = torch.cat([tokens, scores(tokens).argmax()[None]])
    way = "".join(WORDS[token] for token in tokens[2:].tolist())
    assert f"Always the likeliest: '{way}" in repr(told)


def test_errors_say_what_to_give():
    with pytest.raises(ValueError, match="no beginning: give at least one token"):
        story(scores, WORDS, START[:0])
    with pytest.raises(ValueError, match="2 words for 300 logits"):
        story(scores, WORDS[:2], START)


def of_the_chapter(monkeypatch, logits, temperature, top_k, top_p):
    """The probabilities of what sample_next_token may draw, the likeliest first: softmax of what it draws from."""
    handed = []
    monkeypatch.setattr(chapter, "sample_basic", lambda some: handed.append(some) or 0)
    chapter.sample_next_token(torch.tensor([0]), logits, temperature, min(top_k, len(logits)), top_p)
    return handed[0].softmax(-1).sort(descending=True).values if handed else torch.tensor([1.0])


CANDIDATES = """async (asked) => {
  const { candidates, rankedBy } = await import("/pictures/sampling.mjs");
  return asked.map(([logits, temperature, top_k, top_p]) => {
    const ranked = rankedBy(logits);
    return [Array.from(candidates(ranked, { temperature, top_k, top_p })), Array.from(ranked.tokens)];
  });
}"""


def many_logits():
    dice = torch.Generator().manual_seed(0)
    ties = torch.tensor([1.0, 2.0, 2.0, 0.0, 2.0, 1.0])
    random = [torch.randn(size, generator=dice) * spread for size in (1, 5, 300) for spread in (0.1, 3, 30)]
    return [ties, torch.zeros(4), torch.tensor([1e4, -1e4, 0.0]), *random]


@in_the_browser
def test_what_may_be_drawn_is_what_the_chapters_functions_draw_from(show, monkeypatch):
    """Ties, extreme temperatures, more than the vocabulary, a nucleus of all."""
    cuts = [(0, 0.0), (1, 0.0), (3, 0.0), (10_000, 0.0), (0, 1e-6), (0, 0.5), (0, 0.9), (0, 1.0)]
    settings = [(t, *cut) for t, cut in itertools.product((0.0, 1e-3, 0.3, 1.0, 2.0, 1e3), cuts)]
    asked = [(logits.double(), *one) for logits in many_logits() for one in settings]
    found = show.blank().evaluate(CANDIDATES, [[logits.tolist(), *one] for logits, *one in asked])
    for (logits, *one), (got, tokens) in zip(asked, found, strict=True):
        want = of_the_chapter(monkeypatch, logits, *one)
        lengths_may_differ = want[len(got) :].sum() + sum(got[len(want) :])  # what rounding lets in or leaves out
        assert float(lengths_may_differ) < 1e-9, one
        n = min(len(got), len(want))
        torch.testing.assert_close(torch.tensor(got[:n], dtype=torch.double), want[:n].double())
        ranked = logits[tokens]
        assert torch.equal(ranked, logits.sort(descending=True).values)


@in_the_browser
def test_both_cuts_at_once_are_an_error_as_in_the_chapter(show):
    with pytest.raises(Exception, match="Both top_k and top_p are given: choose one of the two"):
        show.blank().evaluate(CANDIDATES, [[[1, 2], 1, 1, 0.5]])


STORED = """async ([data, texts]) => {
  const { storedIn } = await import("/pictures/sampling.mjs");
  return texts.map((text) => {
    const found = storedIn(data.tree, text, data.d_vocab);
    return found && [Array.from(found.tokens), Array.from(found.logits), [...found.goesOn]];
  });
}"""


@in_the_browser
def test_what_is_stored_is_what_the_model_said(show, told):
    tree, words = told.data["tree"], told.data["words"]
    path = tree["taken"][1:4]
    found = show.blank().evaluate(STORED, [told.data, [[], path, [*path, 10**6]]])
    assert found[2] is None
    tokens = torch.cat([START, torch.tensor([WORDS.index(words[token]) for token in path])])
    for text, (named, logits, _goes_on) in zip((START, tokens), found[:2], strict=True):
        want, order = scores(text).double().sort(descending=True, stable=True)
        assert [words[token] for token in named[:NAMED]] == [WORDS[token] for token in order[:NAMED].tolist()]
        assert set(named[NAMED:]) == {-1}
        got = torch.tensor(logits, dtype=torch.double) + want[0]
        assert (got - want)[:NAMED].abs().max() <= 5.01e-4
        for temperature, share in itertools.product((0.5, 1, 2), (0.5, 0.9)):
            kept = [int(((x / temperature).softmax(-1).cumsum(-1) < share).sum()) + 1 for x in (got, want)]
            assert abs(kept[0] - kept[1]) <= 0.02 * kept[1]
    assert words[found[0][2][0]] in [words[token] for token in tree["taken"][1:]]
