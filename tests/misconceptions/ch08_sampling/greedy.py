"""How greedy goes wrong, and right answers that look different."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.ch08_sampling import greedy


def drawn(weights: Tensor) -> int:
    """A token, as often as its weight says."""
    return int(torch.multinomial(weights, 1))


@greedy.correct
def through_max(logits):
    return logits.max(dim=-1).indices.item()


@greedy.correct
def last_of_the_sorted(logits):
    return logits.argsort()[-1].item()


@greedy.correct
def a_loop(logits):
    best = 0
    for token, logit in enumerate(logits):
        if logit > logits[best]:
            best = token
    return best


@greedy.correct
def most_probable(logits):
    return int(torch.argmax(F.softmax(logits, dim=0)))


@greedy.correct
def pythons_max(logits):
    values = logits.tolist()
    return values.index(max(values))


@greedy.correct
def numpys_argmax(logits):
    return int(np.argmax(logits.numpy()))


greedy.misconception(
    "the highest logit itself",
    "The answer is the token: the place of the highest logit, which `argmax` gives.",
    lambda logits: float(logits.max()),
    lambda logits: int(logits.max()),
    lambda logits: logits.max(),
)
greedy.misconception(
    "the highest probability",
    "`max` says how likely the best token is. `argmax` of the logits says which one it is.",
    lambda logits: float(logits.softmax(-1).max()),
    lambda logits: int(logits.softmax(-1).max()),
)
greedy.misconception(
    "the lowest logit's token",
    "Greedy takes the highest: `argmax`, or the last of `argsort()`.",
    "argmax → argmin",
    lambda logits: int(logits.argsort()[0]),
    lambda logits: int(logits.argsort(descending=True)[-1]),
)
greedy.misconception(
    "the token in a tensor",
    "A token is an int, and this is a tensor that holds one: call `int(...)` or `.item()`.",
    "int(logits.argmax()) → logits.argmax()",
    lambda logits: logits.topk(1).indices,
)
greedy.misconception(
    "the highest logit and its place together",
    "`max(dim=-1)` gives two tensors: take `.indices`, as an int.",
    lambda logits: logits.max(dim=-1),
)
greedy.misconception(
    "the token in a list",
    "A token is an int, and this is a list: `.item()`, or `int(...)`.",
    lambda logits: logits.topk(1).indices.tolist(),
)
greedy.misconception(
    "the token as NumPy's integer",
    "`np.argmax` gives NumPy's own kind of number: make a Python `int(...)` of it.",
    lambda logits: np.argmax(logits.numpy()),
)
greedy.misconception(
    "the token as a float",
    "A token is a whole number: `int(logits.argmax())`.",
    "int(logits.argmax()) → float(logits.argmax())",
)
greedy.misconception(
    "a token drawn at random",
    "Greedy leaves nothing to chance: take the token of the highest logit.",
    lambda logits: drawn(logits.softmax(-1)),
    lambda logits: int(torch.multinomial(logits.softmax(-1), 1000, replacement=True).mode().values),
)
greedy.misconception(
    "the logit farthest from 0",
    "A logit of -9 is an unlikely token, not a likely one: the highest counts, not the one farthest from 0.",
    "logits.argmax → logits.abs().argmax",
    lambda logits: int(logits.square().argsort()[-1]),
)
greedy.misconception(
    "logits rounded to whole numbers",
    "Logits that differ by less than 1 may become the same number then: compare them as they are.",
    "logits.argmax → logits.long().argmax",
    "logits.argmax → logits.round().argmax",
)
greedy.misconception(
    "0 whatever the logits are",
    "Take the `argmax` of `logits` in the order in which they came. (Once they are sorted from the highest, the best "
    "always stands at 0.)",
    lambda logits: int(logits.sort(descending=True).values.argmax()),
)
greedy.misconception(
    "the second best token",
    "The best token has the highest logit: `argmax`, or the last of `argsort()`, which stands at -1.",
    lambda logits: int(logits.argsort()[-min(2, len(logits))]),
)


@greedy.misconception(
    "the highest logit missed where all lie below 0",
    "Where all logits lie below 0 the highest of them is still the answer: begin a search with `-inf`, and cut "
    "nothing off at 0.",
)
def search_from_zero(logits):
    best, place = 0.0, 0
    for token, logit in enumerate(logits.tolist()):
        if logit > best:
            best, place = logit, token
    return place


@greedy.misconception(
    "a logit compared with an index",
    "Compare it with the best *logit*: `logits[best]`, not `best`, which is a place.",
    said_of=r"\bfor\b|\bwhile\b",
    otherwise="The answer is the place of the highest logit: `argmax`.",
)
def compared_with_the_place(logits):
    best = 0
    for token, logit in enumerate(logits.tolist()):
        if logit > best:
            best = token
    return best


greedy.misconception(
    "the place of the largest number in `argsort`",
    "`argsort` lists the tokens from the lowest logit to the highest: take its last one, or `argmax` of the logits.",
    "logits.argmax → logits.argsort().argmax",
    said_of="sort",
    otherwise="The token is the place of the highest logit in `logits` itself: `argmax`.",
)
greedy.misconception(
    "`exp` of the logits, which overflows",
    "`exp` is infinite above 88 and 0 below -104, so that many tokens tie. The order of the logits is all you need.",
    "logits.argmax → logits.exp().argmax",
    said_of=r"exp|softmax|sigmoid|\*\*|pow",
    otherwise="Logits may lie far from 0, and close to each other: compare them as they are.",
)
greedy.misconception(
    "logits changed in place",
    "The caller's logits have other numbers now: `argmax` needs them as they are.",
    lambda logits: int(logits.sub_(logits.max()).argmax()),
)
greedy.misconception(
    "the last logit left out",
    "The last logit never wins: all of them count, up to number `len(logits) - 1`, which a `range(len(logits))` "
    "reaches.",
    lambda logits: max(range(max(1, len(logits) - 1)), key=logits.tolist().__getitem__),
)
greedy.misconception(
    "the first logit left out",
    "The first logit never wins: it stands at 0 and counts like the others.",
    lambda logits: max(range(min(1, len(logits) - 1), len(logits)), key=logits.tolist().__getitem__),
)
