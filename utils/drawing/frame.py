"""The frame of a panel: its two axes, its height, and places in it, percent across and pixels down.

A drawing is as wide as the page lets it, and its letters keep their size. So what lies across is a share of the width,
which only the browser knows, and what lies down is in pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from utils.drawing.axes import Axis

STEP = 20  # pixels: widths at which something is hidden are rounded up to these


@dataclass(frozen=True)
class Frame:
    """Where values are in a panel."""

    x: Axis
    y: Axis
    height: float

    def across(self, value: Any) -> str:
        """How far from the left a value of x is."""
        return percent(self.x.at(value))

    def down(self, value: Any) -> float:
        """How many pixels below the top a value of y is."""
        return self.drop(self.y.at(value))

    def drop(self, share: float) -> float:
        """Pixels below the top for a share of the axis from below."""
        return round((1 - share) * self.height, 1)


def percent(share: float) -> str:
    """A share as CSS and SVG write it."""
    return f"{100 * share:.4g}%"


def not_below(width: float) -> str:
    """The class of what is hidden where the panel is narrower than so many pixels."""
    return f"cf-n{_stepped(width)}"


def upright_below(width: float) -> str:
    """The class of labels that stand upright where the panel is narrower than so many pixels."""
    return f"cf-u{_stepped(width)}"


def title(text: str) -> str:
    """What is said of an element under the mouse."""
    return f"<title>{text}</title>"


def text_at(x: str, y: float, lines: Sequence[str], attributes: str = "") -> str:
    """Lines of text in SVG, the middle of them at y."""
    first = y - 7.5 * (len(lines) - 1)
    if len(lines) == 1:
        return f'<text x="{x}" y="{first:g}"{attributes}>{in_svg(lines[0])}</text>'
    parts = [f'<tspan x="{x}" y="{first + 15 * index:g}">{in_svg(line)}</tspan>' for index, line in enumerate(lines)]
    return f"<text{attributes}>{''.join(parts)}</text>"


def in_svg(line: str) -> str:
    """A line of HTML as SVG has it: bold and italic by tspans."""
    for tag, style in (("b", 'font-weight="700"'), ("i", 'font-style="italic"')):
        line = line.replace(f"<{tag}>", f"<tspan {style}>").replace(f"</{tag}>", "</tspan>")
    return line


def _stepped(width: float) -> int:
    return int(-(-width // STEP) * STEP)
