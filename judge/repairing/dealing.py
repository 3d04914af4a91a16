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

from judge.repairing.repair import Repair
from judge.running.ambient import undisturbed
from judge.running.children import can_fork, in_children, nothing, processors

WORK = 12.0  # seconds of all processors together: what is this slow is given up
BY_THE_CLOCK = 60.0  # seconds: however busy the machine is, a search comes to an end
MOST_CHILDREN = 4  # among which the candidates are dealt out

Found = tuple[int, Repair]  # a repair, behind its place among all that were to be tried


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


def first_of(search: Callable[[Share], list[Found]], meanwhile: Callable[[], None]) -> Repair | None:
    """The first of what all shares of the search find; `meanwhile` is called now and then."""
    found = _in_children(search, meanwhile) if can_fork() else _here(search, meanwhile)
    first = min(found, key=lambda one: one[0], default=None)
    return first and first[1]


def _in_children(search: Callable[[Share], list[Found]], meanwhile: Callable[[], None]) -> list[Found]:
    shares = min(processors(), MOST_CHILDREN)
    works = [partial(_as_plain, search, number, shares) for number in range(shares)]
    answers = in_children(works, BY_THE_CLOCK, shares, work=WORK / shares, meanwhile=meanwhile)
    return [(place, Repair(**told)) for place, told in chain.from_iterable(filter(None, answers))]


def _as_plain(search: Callable[[Share], list[Found]], number: int, shares: int) -> list[tuple[int, dict[str, Any]]]:
    """What one child finds, as JSON can say it."""
    return [(place, asdict(repair)) for place, repair in search(Share(number, shares, WORK))]


def _here(search: Callable[[Share], list[Found]], meanwhile: Callable[[], None]) -> list[Found]:
    """One after another, in this process: nothing that is printed, warned of or set is to stay."""
    with undisturbed(fresh=False), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        return search(Share(0, 1, WORK, meanwhile))
