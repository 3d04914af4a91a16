"""Attention as arcs over the text: whom each head reads, and what is expected next without it."""

from collections.abc import Callable, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from utils.pictures.picture import Picture, as_bytes, visible

MOST = 60  # tokens: more are more than can be looked at, and the bytes grow with the square
Likeliest = Sequence[tuple[str, float]]  # tokens and their probabilities, the likeliest first
Head = tuple[int, int]  # its layer, and its index there


def arcs(
    patterns: Float[Tensor, "layer head_index query_pos key_pos"],
    tokens: Sequence[str],
    predict: Callable[[list[Head]], Likeliest],
    *,
    layer: int,
    off: str = "its z replaced by its mean",
) -> Picture:
    """A picture of whom each position of a text reads, and of the next token with each single head off.

    `patterns` are weights from 0 to 1, `tokens` the text's. `predict` gives the likeliest tokens after the last one,
    with probabilities from 0 to 1, when these heads are off; it is asked once for none, and once for each head.
    `layer` is shown first; `off` says in words how a head is switched off.
    Raises ValueError for no tokens, for more than 60, for patterns of another length, and for a layer that is none.
    """
    _check(patterns, tokens, layer)
    layers, heads, pos, _ = patterns.shape
    rows, columns = torch.tril_indices(pos, pos)
    all_on = _rounded(predict([]))
    without = {(one, head): _rounded(predict([(one, head)])) for one in range(layers) for head in range(heads)}
    data = {
        "tokens": list(tokens),
        "layers": layers,
        "heads": heads,
        "layer": layer,
        "off": off,
        "patterns": as_bytes(patterns[..., rows, columns]),
        "next": all_on,
        "without": list(without.values()),
    }
    words = [
        f"Attention as arcs over a text of {pos} tokens,",
        f"here in layer {layer} from the last one, {_named(tokens[-1])}:",
        _reads(patterns[layer, :, -1], tokens),
        f"The likeliest next token is {_with_chance(all_on)}.",
        _costs(all_on[0][0], without, off),
    ]
    return Picture("arcs", data, " ".join(words))


def _check(patterns: Tensor, tokens: Sequence[str], layer: int) -> None:
    layers, _, pos, _ = patterns.shape
    given = len(tokens)
    if not 1 <= given <= MOST:
        message = f"The picture takes a text of 1 to {MOST} tokens, this one has {given}."
        raise ValueError(message)
    if given != pos:
        raise ValueError(f"There are {given} tokens, and patterns of {pos}.")
    if not 0 <= layer < layers:
        raise ValueError(f"There is no layer {layer}: they are 0 to {layers - 1}.")


def _rounded(likeliest: Likeliest) -> list[tuple[str, float]]:
    return [(token, round(float(chance), 3)) for token, chance in likeliest]


def _named(token: str) -> str:
    return f"“{visible(token)}”"


def _with_chance(likeliest: Likeliest) -> str:
    token, chance = likeliest[0]
    return f"{_named(token)} ({chance:.3f})"


def _reads(weights: Float[Tensor, "head_index key_pos"], tokens: Sequence[str]) -> str:
    each = []
    for head, row in enumerate(weights):
        key = int(row.argmax())
        weight = round(float(row[key]) * 255) / 255  # as it is stored
        read = f"{_named(tokens[key])} (position {key})"
        each.append(f"head {head} reads {read} most, {weight:.2f}")
    return "; ".join(each) + "."


def _costs(token: str, without: Mapping[Head, Likeliest], off: str) -> str:
    """Without which head this token loses most, and what is expected then."""
    left = {head: dict(found).get(token, 0.0) for head, found in without.items()}
    head = min(left, key=lambda one: left[one])
    name = "{}.{}".format(*head)
    return f"With head {name} off ({off}) it is {_with_chance(without[head])}."
