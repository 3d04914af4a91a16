"""Words that all checks share: numbers, places with axis names, types, and `Difference`, which a check has to say."""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from judge.running.kinds.kind import Named, Places
from judge.running.plain import ARRAYS
from judge.running.records import Array, Opaque
from judge.running.values import is_dict, is_list_or_tuple

WHERE = "(where)"  # stands in a sentence for the path's words
CLAUSES = ("what ", "whether ")  # words of an author's for what was observed, which is at no place
UNNAMED = "axis "  # what an axis without a name begins with, before its number


@dataclass(frozen=True)
class Difference:
    """What to say about two values that differ: the plain sentence, what stands in the fold, and how far they are.

    `path` leads into a nest to what differs: indices and keys, the outermost first.
    """

    lines: tuple[str, ...]
    error_over_tolerance: float = math.inf
    more: tuple[str, ...] = ()
    path: tuple[Any, ...] = ()

    def under(self, *headings: str) -> "Difference":
        """The difference with these lines before it."""
        return replace(self, lines=(*headings, *self.lines))

    def within(self, step: Any) -> "Difference":
        """The difference, of an item of what was compared."""
        return replace(self, path=(step, *self.path))

    def placed(self, places: Places) -> "Difference":
        """The difference, with the path in words before the sentence."""
        if not self.path:
            return self
        first, *rest = self.lines
        where = path_in_words(self.path, places)
        if WHERE in first:
            said = first.replace(WHERE, where, 1)
        elif first.startswith("at "):
            said = f"at {where}, {first[3:]}"
        elif where.startswith(CLAUSES):
            said = f"{where}: {first}"
        else:
            said = f"at {where}: {first}"
        return replace(self, lines=(said, *rest), path=())


def number(value: float) -> str:
    """A number as a card shows it: four decimals, or the exponent form where these would say nothing."""
    if isinstance(value, int):
        return str(value)
    if value != value or math.isinf(value):
        return {"nan": "NaN"}.get(str(value), str(value))
    return f"{value:.4f}" if value == 0.0 or 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def told_apart(got: float, want: float) -> tuple[str, str]:
    """Two unequal numbers with as many digits as it takes to see that they are."""
    short = number(got), number(want)
    return short if short[0] != short[1] else (f"{got:.9g}", f"{want:.9g}")


def listed(names: Iterable[str]) -> str:
    """Names of code in a sentence: `w`, `b` and `eps`."""
    *others, last = (f"`{name}`" for name in names)
    return f"{', '.join(others)} and {last}" if others else last


def at(index: list[int], axes: list[str]) -> str:
    """A place in a tensor, by the names of its axes where these are known: `batch 0, pos 3`, else `[0, 3]`."""
    if len(axes) != len(index) or not are_names(axes):
        return str(index)
    return _named(index, axes)


def sized(sizes: list[int], axes: list[str]) -> str:
    """A shape, by the names of its axes where these are known: `[batch 2, pos 5]`, else `[2, 5]`."""
    if len(axes) != len(sizes) or not are_names(axes):
        return str(sizes)
    return f"[{_named(sizes, axes)}]"


def spelled_out(axes: list[str], ndim: int) -> list[str]:
    """The names of so many axes, with numbers in the place of "..."; the names as they are where they can't fit."""
    n_further = ndim - len(axes) + 1
    if "..." not in axes or n_further < 0:
        return axes
    first = axes.index("...")
    further = [f"{UNNAMED}{first + index}" for index in range(n_further)]
    return [*axes[:first], *further, *axes[first + 1 :]]


def are_names(axes: list[str]) -> bool:
    """Whether axes are known by more than their numbers."""
    return not any(name.startswith((UNNAMED, "...")) for name in axes)


def _named(numbers: list[int], axes: list[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in zip(axes, numbers, strict=True))


def path_in_words(path: tuple[Any, ...], places: Places = ()) -> str:
    """Where in a nest that is: `step 2, its loss` by the author's words, else `index 1`, `[0][1]`, `key 'w'`."""
    pairs = zip(path, places, strict=False)
    named = [_named_step(step, place) for step, place in pairs]
    rest = path[len(named) :]
    if len(rest) > 1 and all(isinstance(step, int) for step in rest):
        brackets = (f"[{step}]" for step in rest)
        return ", ".join([*named, "".join(brackets)])
    return ", ".join([*named, *map(_step, rest)])


def _step(step: Any) -> str:
    return f"index {step}" if isinstance(step, int) else step.words


def _named_step(step: Any, place: Named) -> str:
    if not isinstance(step, int):
        return _keyed(step, place)
    if isinstance(place, str):
        return f"{place} {step}"
    if isinstance(place, Mapping):
        return _step(step)
    return place[step] if step < len(place) else _step(step)


def _keyed(step: "Key", place: Named) -> str:
    names: Mapping[Any, str] = place if isinstance(place, Mapping) else {}
    return names.get(step.key, step.words)


@dataclass(frozen=True)
class Key:
    """A step into a dict."""

    key: Any

    @property
    def words(self) -> str:
        return f"key {short(self.key)}"


def count(amount: int, one: str, many: str) -> str:
    """1 axis, 2 axes."""
    return f"{amount} {one if amount == 1 else many}"


def kind(value: Any) -> str:
    """A value's type, as the learner knows it."""
    if isinstance(value, Array):
        return ARRAYS[value.of]
    return value.type if isinstance(value, Opaque) else type(value).__name__


def short(value: Any, most: int = 100) -> str:
    """A value as Python writes it, on one line, cut where it is long."""
    seen = _beginning(value, iter(range(most)))
    text = re.sub(r"\n\s*", " ", in_code(seen))
    return text if len(text) <= most else text[: most - 3] + "..."


def in_code(value: Any) -> str:
    """A value as Python writes it, and an accent by its escape where it stands on no letter or could be part of one.

    "e\\u0301" looks like "é", which is one character.
    """
    text = repr(value)
    if text.isascii():
        return text
    letters: list[str] = []  # each with the marks on it
    for character in text:
        if letters and unicodedata.category(character)[0] == "M":
            letters[-1] += character
        else:
            letters.append(character)
    return "".join(map(_told_from_others, letters))


def _told_from_others(letter: str) -> str:
    if letter[0].isalpha() and unicodedata.is_normalized("NFC", letter):
        return letter
    return letter[0] + letter[1:].encode("unicode_escape").decode()


def _beginning(value: Any, room: Iterator[int]) -> Any:
    """A nest without the items that are not seen where each takes a character: writing a tensor takes time."""
    if is_dict(value):
        return {key: _beginning(item, room) for _, (key, item) in zip(room, value.items(), strict=False)}
    if is_list_or_tuple(value):
        return type(value)(_beginning(item, room) for _, item in zip(room, value, strict=False))
    return value
