"""A story being written: the candidates of the next token, and what follows the likeliest texts."""

import heapq
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from utils.pictures.picture import Picture

Scores = Callable[[Int[Tensor, " pos"]], Float[Tensor, " d_vocab"]]
NAMED, REST = 40, 64  # of each text: tokens that are stored by name, and logits out of all the others
LOWEST = 65.0  # how far below the highest a logit is stored, in thousandths: what is further off is never drawn


@dataclass
class _Text:
    """A text and the logits that follow it; `parent` is the number of the text without its last token."""

    tokens: Int[Tensor, " pos"]
    logits: Float[Tensor, " d_vocab"]
    parent: int = -1
    children: dict[int, int] = field(default_factory=dict)  # token -> the number of the text with it


def story(
    scores: Scores,
    words: list[str],
    tokens: Int[Tensor, " pos"],
    *,
    temperature: float = 0.8,
    top_p: float = 0.9,
    texts: int = 90,
    greedy: int = 24,
    n_ctx: int = 256,
) -> Picture:
    """What may come after `tokens`, and then after that: bars that temperature, top-k and top-p reshape.

    `scores` gives the logits that follow a text; `words` is each token of the vocabulary as text. The dials start at
    this temperature and this nucleus. Stored are the first `greedy` texts on the way of the likeliest token, and then,
    up to `texts` in all, those that draws with these settings come by most often.
    Raises ValueError for an empty text, or where words and logits differ in number.
    """
    if not len(tokens):
        raise ValueError("the story has no beginning: give at least one token, such as <|endoftext|>")
    found = [_Text(tokens, scores(tokens))]
    if len(found[0].logits) != len(words):
        raise ValueError(f"{len(words)} words for {len(found[0].logits)} logits: give the text of every token")
    _follow_greedy(found, scores, min(greedy, texts - 1))
    _follow_draws(found, scores, temperature, top_p, texts)
    data = {
        "d_vocab": len(words),
        "n_ctx": n_ctx,
        "settings": {"temperature": temperature, "top_k": 0, "top_p": top_p},
        **_stored(found, words),
    }
    return Picture("story", data, _in_words(found, words, temperature, top_p))


def _add(found: list[_Text], scores: Scores, parent: int, token: int) -> int:
    """The number of the text with this token added."""
    if token not in found[parent].children:
        longer = torch.cat([found[parent].tokens, torch.tensor([token])])
        found[parent].children[token] = len(found)
        found.append(_Text(longer, scores(longer), parent))
    return found[parent].children[token]


def _follow_greedy(found: list[_Text], scores: Scores, steps: int) -> None:
    at = 0
    for _ in range(steps):
        at = _add(found, scores, at, int(found[at].logits.argmax()))


def _follow_draws(found: list[_Text], scores: Scores, temperature: float, top_p: float, most: int) -> None:
    """The text that is come by most often of those that are not there yet, again and again."""
    waiting: list[tuple[float, int, int]] = []  # minus how often it is come by, its parent, its last token
    often, at = 1.0, 0
    while True:
        for share, token in _nucleus(found[at].logits, temperature, top_p)[:NAMED]:
            heapq.heappush(waiting, (-often * share, at, token))
        if not waiting:
            return
        minus, parent, token = heapq.heappop(waiting)
        is_new = token not in found[parent].children
        if is_new and len(found) >= most:
            return
        often = -minus
        at = _add(found, scores, parent, token)


def _nucleus(logits: Float[Tensor, " d_vocab"], temperature: float, top_p: float) -> list[tuple[float, int]]:
    """The probabilities of the tokens that may be drawn, and the tokens, the likeliest first."""
    ranked, tokens = (logits.double() / temperature).sort(descending=True, stable=True)
    chances = ranked.softmax(-1)
    kept = int((chances.cumsum(-1) - chances < top_p).sum())
    shares = chances[:kept] / chances[:kept].sum()
    return list(zip(shares.tolist(), tokens[:kept].tolist(), strict=True))


def _stored(found: list[_Text], words: list[str]) -> dict[str, Any]:
    """What story.mjs reads: `words` of the tokens that are named, which are numbered anew, and `tree`."""
    d_vocab = len(words)
    named = min(NAMED, d_vocab)
    ranks = np.unique(np.geomspace(named, d_vocab, REST).round().astype(int)) - 1
    number: dict[int, int] = {}
    start = [number.setdefault(token, len(number)) for token in found[0].tokens.tolist()]
    rows = []
    for text in found:
        ranked, tokens = text.logits.double().sort(descending=True, stable=True)
        below = (1000 * (ranked[0] - ranked).clamp(0, LOWEST)).round().numpy()
        likeliest = [number.setdefault(token, len(number)) for token in tokens[:named].tolist()]
        rows.append([*likeliest, *below[:named], *below[ranks]])
    taken = [number[int(text.tokens[-1])] for text in found]
    return {
        "tokens": start,
        "words": [words[token] for token in number],
        "tree": {
            "parents": [text.parent for text in found],
            "taken": taken,
            "named": named,
            "ranks": ranks.tolist(),
            "packed": b64encode(np.array(rows).astype("<u2").tobytes()).decode(),
        },
    }


def _in_words(found: list[_Text], words: list[str], temperature: float, top_p: float) -> str:
    first = found[0]
    left = _nucleus(first.logits, temperature, top_p)
    told = "".join(words[token] for token in first.tokens[1:].tolist())
    likeliest = ", ".join(f"{words[token]!r} {share:.3f}" for share, token in left[:5])
    return (
        f"Where scripts run, a story is written here, token by token. After {told!r}, at temperature {temperature:g}, "
        f"the nucleus of {top_p:g} leaves {len(left):,} of {len(words):,} tokens to draw from. "
        f"The likeliest: {likeliest}. Always the likeliest: {_greedy_way(found, words)!r}."
    )


def _greedy_way(found: list[_Text], words: list[str]) -> str:
    """As far as it is stored."""
    at, taken = 0, []
    while True:
        token = int(found[at].logits.argmax())
        taken.append(words[token])
        if token not in found[at].children:
            return "".join(taken)
        at = found[at].children[token]
