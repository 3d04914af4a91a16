"""Tensor in, plotly Figure out; the caller decides where it is shown."""

from utils.plotting.basic import bars, heatmap, lines, path
from utils.plotting.style import STYLES, round_for_show

__all__ = ["STYLES", "bars", "heatmap", "lines", "path", "round_for_show"]
