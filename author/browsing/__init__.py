"""The course in a real browser: `lab()` starts JupyterLab as `make lab` does, and shows it in Chromium.

    with lab() as shown:
        chapter = shown.open("chapters/ch03_layernorm.ipynb")
        chapter.run(0)
        chapter.type_into(chapter.defining("LayerNorm"), "class LayerNorm: ...")

The browser tests, the pictures of the README and the measurements of controls look at the course through this.
"""

from author.browsing.chrome import NoBrowser, chromium, find_chromium
from author.browsing.jupyterlab import Lab, lab
from author.browsing.notebook import Notebook

__all__ = ["Lab", "NoBrowser", "Notebook", "chromium", "find_chromium", "lab"]
