"""What the counts of draws say by themselves of where they come from.

Each clue takes evidence with the counts in `got` and the probability of each index in `want`.
"""

import functools
import math
from collections.abc import Callable

from judge.checking.counts import limit_of, surprises
from judge.checking.diagnosis.cases import proved_by
from judge.checking.diagnosis.numbers import of_finite_numbers
from judge.checking.evidence import Evidence
from judge.checking.likeness import ANOTHER_WAY, CLUE
from judge.checking.tensors import indices
from judge.running.on_demand import Float, Tensor, torch

ENOUGH = 1000  # draws: of fewer, several distributions fit
# The powers that are tried, from the first to the second, so many: temperatures from 5 down to a quarter.
POWERS = (0.2, 4.0, 191)
# How far from 1 a power must lie: those that fit right draws lie nearer.
CLEARLY = 0.05
# The probability that must be missing before indices count as left out, and not as rare.
NOTICED = 0.01
# What makes random numbers begin anew.
SEEDING = ("manual_seed", "default_rng", "RandomState", "seed", "fork_rng", "set_rng_state")
Shares = Callable[[Tensor, Tensor], str | None]


def of_many_draws(clue: Shares) -> Callable[[Evidence], str | None]:
    """A clue that takes many counts, and the probabilities of three indices or more."""

    @functools.wraps(clue)
    def guarded(evidence: Evidence) -> str | None:
        counts, want = evidence.got, evidence.want
        return clue(counts, want) if _say_much(counts, want) else None

    return guarded


def _say_much(counts: Tensor, want: Tensor) -> bool:
    if counts.count_nonzero() == 1:
        return False
    return _are_many(counts, want)


def _are_many(counts: Tensor, want: Tensor) -> bool:
    return bool(counts.sum() >= ENOUGH) and bool(want.count_nonzero() >= 3)


@proved_by(
    case={
        "draws(torch.eye(7)[3])": "likeliest. Is",
        "draws(torch.eye(7)[5])": "If something",
        "draws(torch.eye(7)[5]).of(of_x(), seeding)": "same: `manual_seed`",
        "draws(torch.eye(7)[3]).of(of_x(), seeding)": "likeliest: `manual_seed`",
    },
    near="draws(torch.eye(7)[5], torch.eye(7)[3])",
)
def always_the_same(evidence: Evidence) -> str | None:
    """For one index alone, where others are due."""
    counts, want = evidence.got, evidence.want
    if counts.count_nonzero() != 1 or want.count_nonzero() == 1:
        return None
    which = "the likeliest" if counts.argmax() == want.argmax() else "the same"
    seeding = next(filter(evidence.code.words.__contains__, SEEDING), None)
    if seeding:
        return (
            f"Every one of these calls gave {which}: `{seeding}` stands inside the function, "
            "so each call draws with the same random numbers. Leave it out."
        )
    if which == "the likeliest":
        return (
            "Every one of these calls gave the likeliest. "
            "Is there an `argmax`, a temperature near 0, "
            "or the most frequent of many draws? "
            "Is all but the likeliest cut off? Or, if one is drawn, "
            "is a seed set, or a generator made, inside the function?"
        )
    return (
        "Every one of these calls gave the same. "
        "If something is drawn, is a seed set, or a generator made, "
        "inside the function? Then every call draws with the same "
        "random numbers."
    )


@proved_by(
    case={"draws(P**2)": "0.50 besides", "draws(P**0.5)": "2.00 besides"}, near=("draws(P)", "draws(P**2, times=200)")
)
@of_many_draws
def another_power(counts: Tensor, want: Tensor) -> str | None:
    """For draws from a power of the probabilities, as another temperature makes them."""
    power = power_of(counts, want)
    if power is None:
        return None
    shape = "more peaked" if power > 1 else "flatter"
    return (
        f"These are the shares of a distribution that is {shape}, "
        f"as if the logits were divided by {1 / power:.2f} besides. "
        "Look for a temperature that is missing or should not be there, "
        "for probabilities that are changed once more, or, "
        "where noise is added, for another noise than Gumbel's, -log(-log(u))."
    )


def power_of(counts: Float[Tensor, " d_vocab"], want: Float[Tensor, " d_vocab"]) -> float | None:
    """The power of the probabilities that the counts come from; None where it is 1, or there is none."""
    if not _are_many(counts, want) or _has_impossible(counts, want):
        return None
    possible = want > 0
    powers = torch.linspace(*POWERS, dtype=torch.double)
    logits = torch.where(possible, want, 1.0).log() * powers[:, None]
    tried = logits.masked_fill(~possible, -math.inf).log_softmax(-1)
    likelihoods = (counts * tried.masked_fill(~possible, 0.0)).sum(-1)
    power = float(powers[likelihoods.argmax()])
    # At an end, a power further out would fit better.
    at_an_end = not powers[0] < power < powers[-1]
    if at_an_end or abs(power - 1) < CLEARLY:
        return None
    return power if _fits(counts, want**power) else None


@proved_by(
    case={
        "draws(P * (torch.arange(7) != 1))": "drawn: index … 1",
        "draws(P * (P > 0.06))": "least likely",
        "draws(P * (torch.arange(7) % 3 != 1))": "Never drawn: 1",
    },
    near=("draws((P + 0.1) * (torch.arange(7) != 1))", "draws(torch.ones(7))"),
)
@of_many_draws
def left_out(counts: Tensor, want: Tensor) -> str | None:
    """For indices that never come, where the others keep their proportions."""
    lost = (counts == 0) & (want > 0)
    if float(want[lost].sum()) < NOTICED or _has_impossible(counts, want):
        return None
    if not _fits(counts, want * ~lost):
        return None
    listed = list(map(str, indices(lost.nonzero().flatten())))
    if len(listed) == 1:
        return f"Never drawn: index {listed[0]}. The others keep their proportions: where is it left out?"
    least = bool(want[lost].max() < want[counts > 0].min())
    names = f"the {len(listed)} least likely" if least else ", ".join(listed)
    return f"Never drawn: {names}. The others keep their proportions: where are they left out?"


@proved_by(case={"draws(P.roll(1))": "the one before", "draws(P.roll(-1))": "the next should"}, near="draws(P.roll(2))")
@of_many_draws
def one_beside(counts: Tensor, want: Tensor) -> str | None:
    """For each index drawn as often as its neighbour should be.

    Looks at all but the two ends, where what lies beyond the last index went somewhere.
    """
    for step, words in ((1, "one before it should: the answer is 1 too high"), (-1, "next should: it is 1 too low")):
        inside, due = counts[1:-1], want.roll(step)[1:-1]
        enough = inside.sum() >= ENOUGH / 2 and due.sum() > 0
        if enough and _fits(inside, due):
            return f"Each index comes as often as the {words}."
    return None


@proved_by(
    case={"draws((torch.arange(7) < 3) / 3.0, P * (P > 0.04))": "3"},
    near="draws((torch.arange(7) < 6) / 6.0, P * (P > 0.04))",
)
def places_in_a_list(evidence: Evidence) -> str | None:
    """For the first few indices alone, no more of them than should come, where others are due."""
    counts, want = evidence.got, evidence.want
    drawn, due = indices(counts.nonzero().flatten()), indices(want.nonzero().flatten())
    first = list(range(len(drawn)))
    if drawn != first or not 2 <= len(drawn) <= len(due) < len(want) or set(drawn) <= set(due):
        return None
    return (
        f"None but the first {len(drawn)} indices are drawn, and others are due: are these places in a list that was "
        "sorted or cut, and what stands there was not looked up?"
    )


@proved_by(case="draws(P.sort().values)", near="draws(EVEN.flip(0), EVEN / 9)")
@of_many_draws
def rearranged(counts: Tensor, want: Tensor) -> str | None:
    """For the right shares at the wrong indices."""
    shares, due = counts.sort().values, want.sort().values
    # Even shares are right at any index.
    even = _fits(shares, due > 0)
    if even or _fits(counts, want) or not _fits(shares, due):
        return None
    return "These are the right shares, at the wrong indices: how does the place that was drawn become a token?"


def _has_impossible(counts: Tensor, want: Tensor) -> bool:
    return bool((counts[want <= 0] > 0).any())


def _fits(counts: Tensor, p: Tensor) -> bool:
    return float(surprises(counts, p / p.sum()).max()) <= limit_of(len(p), CLUE)


# Numbers that add up to 1: of two, both would by accident sooner.
FEWEST = 3


@proved_by(
    case={
        "value(WANT.softmax(-1))": "d_model the numbers",
        "value(WANT.softmax(1), WANT.softmax(2))": "along d_model",
        "value(WANT.log_softmax(-1))": "numbers adds",
    },
    near=(
        "value(2 * WANT.softmax(-1))",
        "value(WANT.softmax(1) + 1e-3, WANT.softmax(2))",
        "value(WANT.log_softmax(-1), (WANT * 2).log_softmax(-1))",
    ),
)
@of_finite_numbers
def adds_up_to_1(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """For probabilities, or their logarithms, where scores are due, or probabilities along another axis."""
    if axis := _axis_of(got, want, evidence):
        if due := _axis_of(want, got, evidence):
            return f"Along {axis} the numbers add up to 1, and along {due} they should."
        return f"Along {axis} the numbers add up to 1, and should not: is there a softmax?"
    if axis := _axis_of(got.exp(), want.exp(), evidence):
        return f"Along {axis} the `exp` of the numbers adds up to 1, and should not: is there a log_softmax?"
    return None


def _axis_of(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """The first axis along which `got` are probabilities, and `want` are not."""
    sizes = enumerate(evidence.sizes)
    return next(
        (name for axis, (name, size) in sizes if size >= FEWEST and _are_shares(got, axis) > _are_shares(want, axis)),
        None,
    )


def _are_shares(numbers: Tensor, axis: int) -> bool:
    near_1 = (numbers.sum(dim=axis) - 1).abs() <= ANOTHER_WAY
    return bool((numbers >= 0).all() and near_1.all())
