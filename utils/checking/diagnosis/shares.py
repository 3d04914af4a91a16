"""How often each index was drawn: whether two counts can be draws from one distribution, and what a count says."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from utils.running.records import Question

FALSE_ALARMS = 1e-6  # how often two draws of one distribution are taken for different ones, at most
MOST_DRAWS = 2000  # that `check_draws` takes by default, and that a cause must stand: more would take seconds
FEW = 150  # draws, for a first look
ENOUGH = 1000  # draws, for a clue
FITS = 1e-2  # how often a distribution that is the right explanation would not be found to fit
POWERS = torch.linspace(0.2, 4.0, 191, dtype=torch.double)  # of the probabilities, that are tried
CLEARLY = 0.05  # how far from 1 a power must lie


def limit_of(size: int, false_alarms: float = FALSE_ALARMS) -> float:
    """The surprise that an index may have, of so many."""
    return math.log(2 * size / false_alarms)


def briefly(question: Question) -> Question:
    """The question, with few draws where it asks for many: for a first look, which need not be as sure as a test."""
    many = question.options.get("times", 1) > FEW
    return replace(question, options=question.options | {"times": FEW}) if many else question


def are_indices(outputs: Sequence[Any], size: int | None = None) -> bool:
    """Whether all are ints from 0, below `size` where there is one."""
    return all(type(one) is int and 0 <= one < (size or one + 1) for one in outputs)


def counts_of(outputs: Sequence[int], size: int) -> Float[Tensor, " d_vocab"]:
    """How often each index stands there."""
    return torch.bincount(torch.tensor(outputs), minlength=size).double()


def divergence(share: Tensor, p: Tensor) -> Tensor:
    """KL(share ‖ p) of a coin for each index, in nats; infinite where what can't be was drawn."""
    drawn = torch.xlogy(share, share / p).nan_to_num(0.0)
    others = torch.xlogy(1 - share, (1 - share) / (1 - p)).nan_to_num(0.0)
    impossible = ((p <= 0) & (share > 0)) | ((p >= 1) & (share < 1))
    return torch.where(impossible, math.inf, drawn + others)


def surprise_of_both(counts: Tensor, others: Tensor) -> float:
    """How surprising it would be that both are draws from one distribution."""
    pooled = (counts + others) / (counts.sum() + others.sum())
    both = [one.sum() * divergence(one / one.sum(), pooled) for one in (counts, others)]
    return float(sum(both, torch.zeros(())).max())


def same_draws(outputs: Sequence[int], others: Sequence[int], false_alarms: float = FALSE_ALARMS) -> bool:
    """Whether both can be draws from one distribution."""
    size = max(*outputs, *others) + 1
    return surprise_of_both(counts_of(outputs, size), counts_of(others, size)) <= limit_of(size, false_alarms)


def share_clue(counts: Float[Tensor, " d_vocab"], want: Float[Tensor, " d_vocab"]) -> str | None:
    """What the counts say by themselves of where they come from; None where that is nothing."""
    if want.count_nonzero() == 1:
        return None
    if counts.count_nonzero() == 1 and counts.argmax() == want.argmax():
        return (
            "Every one of these calls gave the likeliest. Is there an `argmax`, a temperature near 0, or the most "
            "frequent of many draws? Or, if one is drawn, is a seed set, or a generator made, inside the function?"
        )
    if counts.count_nonzero() == 1:
        return (
            "Every one of these calls gave the same. If something is drawn, is a seed set, or a generator made, inside "
            "the function? Then every call draws with the same random numbers."
        )
    if counts.sum() < ENOUGH or want.count_nonzero() < 3:
        return None
    return _power(counts, want) or _left_out(counts, want) or _beside(counts, want) or _rearranged(counts, want)


def _fits(counts: Tensor, p: Tensor) -> bool:
    surprise = counts.sum() * divergence(counts / counts.sum(), p / p.sum())
    return float(surprise.max()) <= math.log(2 * len(p) / FITS)


def power_of(counts: Float[Tensor, " d_vocab"], want: Float[Tensor, " d_vocab"]) -> float | None:
    """The power of the probabilities that the counts come from; None where it is 1, or there is none."""
    if counts.sum() < ENOUGH or want.count_nonzero() < 3 or bool((counts[want <= 0] > 0).any()):
        return None
    tried = torch.where(want > 0, want, 1.0).log() * POWERS[:, None]
    tried = tried.masked_fill(want <= 0, -math.inf).log_softmax(-1)
    power = float(POWERS[(counts * tried.masked_fill(want <= 0, 0.0)).sum(-1).argmax()])
    if abs(power - 1) < CLEARLY or not POWERS[0] < power < POWERS[-1] or not _fits(counts, want**power):
        return None
    return power


def _power(counts: Tensor, want: Tensor) -> str | None:
    power = power_of(counts, want)
    if power is None:
        return None
    shape = "more peaked" if power > 1 else "flatter"
    return (
        f"These are the shares of a distribution that is {shape}, as if the logits were divided by {1 / power:.2f} "
        "besides. Look for a temperature that is missing or should not be there, for probabilities that are changed "
        "once more, or, where noise is added, for another noise than Gumbel's."
    )


def _left_out(counts: Tensor, want: Tensor) -> str | None:
    lost = (counts == 0) & (want > 0)
    if float(want[lost].sum()) < 0.01 or bool((counts[want <= 0] > 0).any()) or not _fits(counts, want * ~lost):
        return None
    listed, one = [str(index) for index in lost.nonzero().flatten().tolist()], int(lost.sum()) == 1
    least = not one and bool(want[lost].max() < want[counts > 0].min())
    names = f"index {listed[0]}" if one else f"the {len(listed)} least likely" if least else ", ".join(listed)
    return f"Never drawn: {names}. The others keep their proportions: where {'is it' if one else 'are they'} left out?"


def _beside(counts: Tensor, want: Tensor) -> str | None:
    """Looks at all but the two ends, where what lies beyond the last index went somewhere."""
    for step, words in ((1, "one before it should: the answer is 1 too high"), (-1, "next should: it is 1 too low")):
        inside, due = counts[1:-1], want.roll(step)[1:-1]
        if inside.sum() >= ENOUGH / 2 and due.sum() > 0 and _fits(inside, due):
            return f"Each index comes as often as the {words}."
    return None


def _rearranged(counts: Tensor, want: Tensor) -> str | None:
    shares, due = counts.sort().values, want.sort().values
    if _fits(counts, want) or not _fits(shares, due) or _fits(shares, due > 0):  # even ones are right anywhere
        return None
    return "These are the right shares, at the wrong indices: how does the place that was drawn become a token?"
