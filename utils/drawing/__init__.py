"""Plotly's figures drawn by ourselves, as HTML and SVG: quick enough to follow a control while it moves.

Plotly takes a fifth of a second and more for a new figure, in Python and in the browser. `drawn` makes one text of a
figure's plain data, and the page shows it in its next frame. It knows what the course's figures use; for anything else
it raises `Unsupported`, and plotly shows the figure.
"""

from utils.drawing.known import Unsupported
from utils.drawing.page import drawn

__all__ = ["Unsupported", "drawn"]
