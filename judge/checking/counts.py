"""How often each index was drawn, and whether two counts can be draws from one distribution."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from judge.checking.likeness import FALSE_ALARMS
from judge.running.on_demand import Float, Tensor, torch

# Draws that `check_draws` takes by default, and the most of one question that a cause must stand: more take seconds.
MOST_DRAWS = 2000


def are_indices(outputs: Sequence[Any], size: int | None = None) -> bool:
    """Whether all are ints from 0, below `size` where there is one."""
    return all(is_index(output, size) for output in outputs)


def indices_in(outputs: Sequence[Any]) -> list[int]:
    """The outputs, where all are indices; none of them otherwise."""
    return list(outputs) if are_indices(outputs) else []


def is_index(value: Any, size: int | None = None) -> bool:
    """Whether this is an int from 0, below `size` where there is one."""
    if type(value) is not int or value < 0:
        return False
    return size is None or value < size


def counts_of(outputs: Sequence[int], size: int) -> Float[Tensor, " d_vocab"]:
    """How often each index stands there."""
    return torch.bincount(torch.tensor(outputs), minlength=size).double()


def limit_of(size: int, false_alarms: float = FALSE_ALARMS) -> float:
    """The surprise that an index may have, of so many.

    By Chernoff, P(n · KL(share ‖ p) ≥ t) ≤ 2 exp(-t) for each index, exactly and for every n (Hoeffding 1963,
    theorem 1).
    """
    return math.log(2 * size) - math.log(false_alarms)  # no float holds some sizes


def divergence(share: Tensor, p: Tensor) -> Tensor:
    """KL(share ‖ p) of a coin for each index, in nats; infinite where what can't be was drawn."""
    drawn = torch.xlogy(share, share / p).nan_to_num(0.0)
    others = torch.xlogy(1 - share, (1 - share) / (1 - p)).nan_to_num(0.0)
    impossible = ((p <= 0) & (share > 0)) | ((p >= 1) & (share < 1))
    return torch.where(impossible, math.inf, drawn + others)


def surprises(counts: Tensor, p: Tensor) -> Tensor:
    """How surprising each index's count would be in draws from p."""
    total = counts.sum()
    return total * divergence(counts / total, p)


GROUP = 25  # draws, whose share of a half of all indices is compared with chance


def regularity(outputs: Sequence[int], p: Tensor) -> tuple[float, float]:
    """How surprisingly alike, or unlike, neighbouring draws are: how far their groups vary, of what is due, and how
    surprising that is.

    The indices are split into two halves, about as likely as each other; in each group of `GROUP` draws one half comes
    as often as a binomial says. For the sum S of the squared distances from its mean, over all groups, Chernoff bounds
    both tails exactly: P(S ≤ s) ≤ exp(λs) · E[exp(-λX²)]^groups for every λ > 0, and the other tail likewise.
    """
    order = p.argsort(descending=True)
    half = int((p[order].cumsum(0) - 0.5).abs().argmin()) + 1
    q, n_groups = float(p[order[:half]].sum()), len(outputs) // GROUP
    if not n_groups or not 0.1 < q < 0.9:
        return 1.0, 0.0
    in_half = torch.isin(torch.tensor(outputs[: n_groups * GROUP]), order[:half])
    seen = in_half.view(n_groups, GROUP).sum(dim=1).double()
    count = torch.arange(GROUP + 1, dtype=torch.double)
    total = torch.tensor(float(GROUP), dtype=torch.double)
    ways = torch.lgamma(total + 1) - torch.lgamma(count + 1) - torch.lgamma(total - count + 1)
    chances = ways + count * math.log(q) + (total - count) * math.log(1 - q)
    due = GROUP * q * (1 - q)
    squares, summed = (count - GROUP * q) ** 2 / due, float(((seen - GROUP * q) ** 2).sum() / due)
    sizes = torch.logspace(-3, 2, 200, dtype=torch.double)
    factors = torch.cat([-sizes, sizes])  # below 0 for what varies less than is due
    bounds = factors * summed - n_groups * (chances + factors[:, None] * squares).logsumexp(dim=1)
    return summed / n_groups, max(0.0, float(bounds.max()))


def surprise_of_both(counts: Tensor, others: Tensor) -> float:
    """How surprising it would be that both are draws from one distribution."""
    pooled = (counts + others) / (counts.sum() + others.sum())
    both = surprises(counts, pooled) + surprises(others, pooled)
    return float(both.max())


def same_draws(outputs: Sequence[int], others: Sequence[int], false_alarms: float = FALSE_ALARMS) -> bool:
    """Whether both can be draws from one distribution."""
    size = max(*outputs, *others) + 1
    # The indices that came: a table of all up to a wild one might not fit into memory.
    seen = sorted({*outputs, *others})
    counts, other_counts = (_counts_of_some(draws, seen) for draws in (outputs, others))
    return surprise_of_both(counts, other_counts) <= limit_of(size, false_alarms)


def _counts_of_some(outputs: Sequence[int], indices: Sequence[int]) -> Float[Tensor, " index"]:
    counted = Counter(outputs)
    return torch.tensor([counted[index] for index in indices], dtype=torch.double)
