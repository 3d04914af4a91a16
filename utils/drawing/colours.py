"""Colours: a place on a colour scale, the letters that can be read on a colour, and what may stand in an attribute."""

import functools
import itertools
import re
from collections.abc import Sequence

from utils.drawing.known import Unsupported

Rgb = tuple[int, int, int]
Scale = tuple[tuple[float, Rgb], ...]

DARK, LIGHT = "#111111", "#ffffff"
_PLAIN = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+|rgba?\([\d., %]+\)")


def css(colour: str | None) -> str:
    """A colour as it may stand in an attribute; none is the page's own ink."""
    if colour is None:
        return "currentColor"
    if not _PLAIN.fullmatch(colour):
        raise Unsupported(f"the colour {colour!r}")
    return colour


def rgb(colour: str) -> Rgb:
    """The three parts of #rrggbb, of #rgb or of rgb(r, g, b)."""
    if re.fullmatch(r"#[0-9a-fA-F]{3}", colour):
        colour = "#" + "".join(2 * digit for digit in colour[1:])
    if re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
    if found := re.fullmatch(r"rgb\((\d+), ?(\d+), ?(\d+)\)", colour):
        return int(found[1]), int(found[2]), int(found[3])
    raise Unsupported(f"the colour {colour!r} of a scale")


def scale(given: Sequence[Sequence] | str) -> Scale:
    """A colour scale as plotly takes it, a name or pairs of a place from 0 to 1 and a colour."""
    if isinstance(given, str):
        from plotly.colors import get_colorscale

        given = get_colorscale(given)
    return tuple((float(place), rgb(colour)) for place, colour in given)


def at(colours: Scale, place: float) -> Rgb:
    """The colour at a place of the scale; beyond its ends, that of the end."""
    place = min(max(place, 0.0), 1.0)
    for (low, first), (high, second) in itertools.pairwise(colours):
        if place <= high:
            share = (place - low) / (high - low) if high > low else 1.0
            red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
            return red, green, blue
    return colours[-1][1]


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
    red, green, blue = ((one / 3294.6) if one <= 10 else ((one / 255 + 0.055) / 1.055) ** 2.4 for one in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def as_css(colour: Rgb) -> str:
    """The colour as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
