"""Elements of HTML and SVG as text."""

import html
from typing import Any

LINE = 15  # pixels from a line in a cell to the next


def tag(name: str, *content: str, **attributes: Any) -> str:
    """An element with its content, which is markup already; closed at once where there is none.

    Attributes are texts, which are escaped, or numbers; one that is None is left out. `text_anchor` and `class_` stand
    for text-anchor and class.
    """
    opened = name + "".join(map(_attribute, attributes.items()))
    if not content:
        return f"<{opened}/>"
    return f"<{opened}>{''.join(content)}</{name}>"


def _attribute(given: tuple[str, Any]) -> str:
    key, value = given
    if value is None:
        return ""
    key = key.removesuffix("_").replace("_", "-")
    shown = html.escape(value) if isinstance(value, str) else f"{value:g}"
    return f' {key}="{shown}"'


def div(kind: str, *content: str, **attributes: Any) -> str:
    """A block of a class, which HTML has to see closed though it is empty."""
    return tag("div", "", *content, class_=kind, **attributes)


def title(text: str) -> str:
    """What is said of an element under the mouse."""
    return tag("title", html.escape(text))


def text_in_cell(x: str, y: float, lines: list[str], fill: str) -> str:
    """Lines of text in SVG, the middle of them at y."""
    first = y - LINE / 2 * (len(lines) - 1)
    if len(lines) == 1:
        return tag("text", in_svg(lines[0]), x=x, y=first, fill=fill)
    spans = (tag("tspan", in_svg(line), x=x, y=first + LINE * index) for index, line in enumerate(lines))
    return tag("text", *spans, fill=fill)


def in_svg(line: str) -> str:
    """A line of HTML as SVG has it: bold and italic by tspans."""
    bold = line.replace("<b>", '<tspan font-weight="700">')
    slanted = bold.replace("<i>", '<tspan font-style="italic">')
    return slanted.replace("</b>", "</tspan>").replace("</i>", "</tspan>")
