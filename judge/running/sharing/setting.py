"""A setting that all code shares, and all that it shares of one library."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class Setting(NamedTuple):
    """Something that all code shares, such as torch's default dtype."""

    read: Callable[[], Any]
    set: Callable[[Any], object]


@dataclass(frozen=True)
class Computing:
    """A setting that changes what other code computes: how a fresh process has it, and what a card says of it."""

    setting: Setting
    fresh: Any
    name: str
    instead: str


class Change(NamedTuple):
    """What code has made of a setting."""

    of: Computing
    before: Any
    after: Any


class Shared(NamedTuple):
    """What all code shares of one library."""

    computing: tuple[Computing, ...]
    silent: tuple[Setting, ...]  # what changes no result, or can't be told of
    drawing: Setting  # how far the random numbers are
    seed: Callable[[int], object]  # lets them begin anew
