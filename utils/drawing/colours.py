"""Colours: a place on a colour scale, the letters that can be read on a colour, and what may stand in an attribute."""

import functools
import re
from bisect import bisect_left
from collections.abc import Sequence
from operator import itemgetter

from utils.drawing.known import Unsupported

Rgb = tuple[int, int, int]
Scale = tuple[tuple[float, Rgb], ...]

DARK, LIGHT = "#111111", "#ffffff"
_PLAIN = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+|rgba?\([\d., %]+\)")
_HEX = re.compile("#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")


def css(colour: str) -> str:
    """A colour as it may stand in an attribute; `currentColor` is the page's own ink."""
    if not _PLAIN.fullmatch(colour):
        raise Unsupported(f"the colour {colour!r}")
    return colour


def rgb(colour: str) -> Rgb:
    """The three parts of #rrggbb."""
    found = _HEX.fullmatch(colour)
    if not found:
        raise Unsupported(f"the colour {colour!r} of a scale")
    red, green, blue = (int(part, 16) for part in found.groups())
    return red, green, blue


def scale(given: Sequence[Sequence]) -> Scale:
    """A colour scale as plotly has it: pairs of a place from 0 to 1 and a colour."""
    return tuple((float(place), rgb(colour)) for place, colour in given)


def at(colours: Scale, place: float) -> Rgb:
    """The colour at a place of the scale; beyond its ends, that of the end."""
    last = len(colours) - 1
    upper = bisect_left(colours, place, 1, last, key=itemgetter(0))
    (low, first), (high, second) = colours[upper - 1 : upper + 1]
    share = (min(max(place, low), high) - low) / (high - low)
    pairs = zip(first, second, strict=True)
    red, green, blue = (round(a + (b - a) * share) for a, b in pairs)
    return red, green, blue


@functools.cache
def palette(colours: Scale, size: int) -> tuple[Rgb, ...]:
    """So many colours, evenly from one end of the scale to the other."""
    return tuple(at(colours, index / (size - 1)) for index in range(size))


def ink_on(ground: Rgb) -> str:
    """Dark letters or white ones, whichever can be read better on that ground."""
    return max((DARK, LIGHT), key=lambda ink: contrast(rgb(ink), ground))


def contrast(one: Rgb, other: Rgb) -> float:
    """How well one colour can be read on another, from 1 to 21. Source: WCAG 2.2, contrast ratio."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@functools.cache
def luminance(colour: Rgb) -> float:
    """The relative luminance of WCAG 2.2, from 0 for black to 1 for white."""
    red, green, blue = map(_linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: int) -> float:
    share = part / 255
    return share / 12.92 if part <= 10 else ((share + 0.055) / 1.055) ** 2.4


def as_css(colour: Rgb) -> str:
    """The colour as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
