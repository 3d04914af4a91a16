"""Sphinx's settings for the site, and mathematics as MathML, which every browser draws by itself."""

import re
from pathlib import Path
from typing import Any

from docutils.nodes import Element, SkipNode
from latex2mathml.converter import convert

PICTURES = Path(__file__).parents[1] / "pictures"

project = html_title = "GPT from scratch"
language = "en"
extensions = ["myst_nb"]
html_theme = "furo"
exclude_patterns = ["_static"]  # the notebooks in it are for taking along
html_css_files = [
    "picture.css",
    *sorted(style.name for style in PICTURES.glob("*.css") if style.name != "picture.css"),
    "course.css",
]
html_js_files = ["page.js"]
html_favicon = "static/favicon.svg"
html_use_index = html_domain_indices = False
html_theme_options = {"top_of_page_buttons": []}
html_show_sphinx = html_show_copyright = html_copy_source = html_show_sourcelink = False
html_math_renderer = "mathml"
pygments_dark_style = "github-dark"
nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js: dict[str, Any] = {}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3


def mathml(node: Element, display: str) -> str:
    """The formula as MathML, its words as names: beside an <mtext> an operator would stand without its spaces.

    Within a text the converter takes TeX's \\_ for two characters.
    """
    latex = re.sub(r"\\text\{[^{}]*\}", lambda text: text[0].replace(r"\_", "_"), node.astext())
    converted = convert(latex, display=display)
    return converted.replace("<mtext>", '<mi mathvariant="normal">').replace("</mtext>", "</mi>")


def inline_math(writer: Any, node: Element) -> None:
    """Within a line."""
    writer.body.append(mathml(node, "inline"))
    raise SkipNode


def display_math(writer: Any, node: Element) -> None:
    """A formula of its own."""
    writer.body.append(f'<div class="math">{mathml(node, "block")}</div>')
    raise SkipNode


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline_math, None), (display_math, None))
