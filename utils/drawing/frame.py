"""The frame of a panel: its two axes, its height, and places in it, percent across and pixels down.

A drawing is as wide as the page lets it, and its letters keep their size. So what lies across is a share of the width,
which only the browser knows, and what lies down is in pixels.
"""

from dataclasses import dataclass

from utils.drawing.axes import Axis

STEP = 20  # pixels: widths at which something is hidden are rounded up to these


@dataclass(frozen=True)
class Frame:
    """Where values are in a panel."""

    x: Axis
    y: Axis
    height: float

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


def _stepped(width: float) -> int:
    return int(-(-width // STEP) * STEP)
