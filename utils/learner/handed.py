"""What a course hands to the engine for its learners: a map of what they build, and a package made of what passed.

The course says it with `hand_over`, in the module STANDARD. That is imported where a page or a pass first needs it:
a notebook's first cell does not wait for it.
"""

import importlib
import importlib.util
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

STANDARD = "utils.handed_over"  # by its name: the engine imports nothing of the course


class Map(Protocol):
    """A drawing for the start page: HTML in a notebook, words elsewhere."""

    @property
    def words(self) -> str: ...

    def _repr_html_(self) -> str: ...


@dataclass(frozen=True)
class NoMap:
    """Shows nothing: for a course that has no map."""

    words: str = ""

    def _repr_html_(self) -> str:
        return ""


def no_map(passed: Mapping[str, bool], following: Collection[str]) -> Map:
    """The map of a course that has none."""
    return NoMap()


def no_package() -> None:
    """What passed stays as it is kept."""


@dataclass(frozen=True)
class HandedOver:
    """What a course has for its learners."""

    draw_map: Callable[[Mapping[str, bool], Collection[str]], Map] = no_map  # of what has passed, and what is next
    write_package: Callable[[], Any] = no_package  # makes my_gpt/ one of what is kept there


_handed: list[HandedOver] = []


def hand_over(what: HandedOver) -> None:
    """Let the engine have this from here on."""
    _handed[:] = [what]


def handed_over() -> HandedOver:
    """What the course has handed over last; nothing where it has nothing to hand over."""
    is_told = bool(_handed)
    if not is_told and importlib.util.find_spec(STANDARD):
        importlib.import_module(STANDARD)
    return _handed[0] if _handed else HandedOver()
