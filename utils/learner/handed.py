"""What a course hands to the engine for its learners: a map of what they build, and a package made of what passed.

The course says it with `hand_over`, in the module STANDARD. That is imported where a page or a pass first needs it:
a notebook's first cell does not wait for it.
"""

import importlib
import importlib.util
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

STANDARD = "utils.handed_over"  # by its name: the engine imports nothing of the course
NO_MAP = SimpleNamespace(words="", _repr_html_=lambda: "")


@dataclass(frozen=True)
class HandedOver:
    """What a course has for its learners."""

    # Of whether each exercise has passed, those that are next, and whether scripts may be in it, makes what has `words`
    # and is HTML in a notebook.
    draw_map: Callable[[Mapping[str, bool], Collection[str], bool], Any] = lambda passed, following, scripts: NO_MAP
    # Makes my_gpt/ a package of what is kept there.
    write_package: Callable[[], Any] = lambda: None


_handed: list[HandedOver] = []


def hand_over(what: HandedOver) -> None:
    """Let the engine have this from here on."""
    _handed[:] = [what]


def handed_over() -> HandedOver:
    """What the course has handed over last; nothing where it has nothing to hand over."""
    if not _handed and importlib.util.find_spec(STANDARD):
        importlib.import_module(STANDARD)
    return _handed[0] if _handed else HandedOver()
