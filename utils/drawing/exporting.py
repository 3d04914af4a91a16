"""A chapter as a page, by nbconvert or by JupyterLab's menu: the figures are drawn that nbconvert leaves out.

The settings in utils/learner/lab/etc, which .ci/install.py copies into the environment, name `Figures` to both.
"""

from typing import Any

import plotly.graph_objects as go
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from utils.drawing import Unsupported, drawn

FIGURE = "application/vnd.plotly.v1+json"
CONTROLS = "application/vnd.jupyter.widget-view+json"
NOT_HERE = "<p><em>Here the notebook has controls, and what they show. To see them, open it and run the cell.</em></p>"


class Figures(Preprocessor):
    """Gives each figure of plotly's, and controls whose state was not saved, a text in HTML beside its own type."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """The notebook, changed: nbconvert hands over a copy."""
        saved = nb.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
        needs_script = True  # plotly's own, once in a page
        for data in (output.get("data", {}) for cell in nb.cells for output in cell.get("outputs", ())):
            if FIGURE in data and "text/html" not in data:
                figure = go.Figure(data.pop(FIGURE))
                try:
                    data["text/html"] = drawn(figure)
                except Unsupported:  # so it is none of the course's
                    data["text/html"] = figure.to_html(full_html=False, include_plotlyjs=needs_script)
                    needs_script = False
            elif CONTROLS in data and data[CONTROLS].get("model_id") not in saved:
                del data[CONTROLS]
                data["text/html"] = NOT_HERE
        return nb, resources
