"""Deals a search out: among forked children where that is safe, else all of it is done here."""

import contextlib
import io
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from utils.repairing.repair import Repair, as_repair
from utils.running.ambient import undisturbed
from utils.running.children import can_fork, in_children, nothing, processors

WORK = 12.0  # seconds of all processors together: what is this slow is given up
LESS_WORK = 8.0  # the same for each look after the first
BY_THE_CLOCK = 60.0  # seconds: however busy the machine is, a search comes to an end
MOST_CHILDREN = 4  # among which the candidates are dealt out

Step = tuple[float, int]  # how far an edit leaves the answer from right, and the edit's place among all


@dataclass
class Looked:
    """What a search has found: repairs with their places among all that were to be tried, and steps towards one."""

    found: list[tuple[int, Repair]] = field(default_factory=list[tuple[int, Repair]])
    steps: list[Step] = field(default_factory=list[Step])

    @property
    def repair(self) -> Repair | None:
        """The first of what was found."""
        first = min(self.found, key=lambda one: one[0], default=None)
        return first and first[1]


@dataclass(frozen=True)
class Share:
    """The part of a search that is done in one process: every so manieth candidate."""

    number: int
    of: int
    work: float  # seconds of all processors together
    meanwhile: Callable[[], None] = nothing
    worked: float = field(default_factory=time.process_time)
    began: float = field(default_factory=time.monotonic)

    def places(self, n_candidates: int) -> range:
        """Those of the candidates that are its own."""
        return range(self.number, n_candidates, self.of)

    def goes_on(self) -> bool:
        """False where it has taken far too long, which is not to be: how many are tried is what ends it."""
        self.meanwhile()
        is_over = time.process_time() - self.worked > self.work / self.of
        return not is_over and time.monotonic() - self.began < BY_THE_CLOCK


def dealt_out(
    search: Callable[[Share], Looked],
    meanwhile: Callable[[], None],
    work: float,
) -> Looked:
    """What all shares of the search find together in so many seconds of work. `meanwhile` is called now and then."""
    return _in_children(search, meanwhile, work) if can_fork() else _here(search, meanwhile, work)


def _in_children(
    search: Callable[[Share], Looked],
    meanwhile: Callable[[], None],
    work: float,
) -> Looked:
    shares = min(processors(), MOST_CHILDREN)
    works = [partial(_as_plain, search, number, shares, work) for number in range(shares)]
    answers = in_children(works, BY_THE_CLOCK, shares, work=work / shares, meanwhile=meanwhile)
    found = chain.from_iterable(one["found"] for one in filter(None, answers))
    steps = chain.from_iterable(one["steps"] for one in filter(None, answers))
    return Looked(
        [(place, as_repair(told)) for place, told in found],
        [(far, place) for far, place in steps],
    )


def _as_plain(
    search: Callable[[Share], Looked],
    number: int,
    shares: int,
    work: float,
) -> dict[str, Any]:
    """What one child finds, as JSON can say it."""
    return asdict(search(Share(number, shares, work)))


def _here(
    search: Callable[[Share], Looked],
    meanwhile: Callable[[], None],
    work: float,
) -> Looked:
    """One after another, in this process: nothing that is printed, warned of or set is to stay."""
    with undisturbed(fresh=False), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        return search(Share(0, 1, work, meanwhile))
