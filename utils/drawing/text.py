"""Words in a drawing: plotly's few tags as HTML, everything else escaped; numbers by d3's formats; templates filled."""

import html
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from utils.drawing.known import Unsupported

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


_TAG = re.compile(r"(</?(?:b|i)>|<br ?/?>)")
_BREAK = re.compile(r"<br ?/?>")
_FIELD = re.compile(r"%\{([^}]*)\}")
_FORMAT = re.compile(r"(\+?)(,?)(?:\.(\d+))?(~?)([gfd%]?)")
LETTER = 0.56  # how wide a letter is on average, as a share of the font's size


def lines(text: str) -> list[str]:
    """The lines of a text as HTML: bold and italic stay, as in plotly; other tags are letters like all others."""
    done, opened = [""], list[str]()
    for piece in _TAG.split(str(text)):
        if piece.startswith("<br"):
            done[-1] += _closing(opened)
            done.append("".join(map("<{}>".format, opened)))
        elif piece in ("<b>", "<i>"):
            opened.append(piece[1])
            done[-1] += piece
        elif piece in ("</b>", "</i>"):
            if opened[-1:] == [piece[2]]:
                opened.pop()
                done[-1] += piece
        else:
            done[-1] += html.escape(html.unescape(piece))
    done[-1] += _closing(opened)
    return done


def _closing(opened: list[str]) -> str:
    return "".join(map("</{}>".format, reversed(opened)))


def rich(text: str) -> str:
    """The text as HTML, its lines parted by <br>."""
    return "<br>".join(lines(text))


def bare(text: str) -> str:
    """The text without tags, its lines parted by spaces: for labels that can't have any."""
    in_one_line = _BREAK.sub(" ", str(text))
    return html.unescape(_TAG.sub("", in_one_line))


def width_of(text: str, size: float = 12) -> float:
    """About how many pixels the longest line of a text takes."""
    parted = map(bare, _BREAK.split(str(text)))
    return max(sum(map(_units_of, line)) for line in parted) * size * LETTER


def _units_of(letter: str) -> int:
    """How many letters wide it is: some of East Asia take the room of two, what can't be seen takes none."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 2
    return int(letter.isprintable())


def formatted(value: Any, spec: str = "") -> str:
    """A value by one of d3's formats, such as `.2f`, `.3~g` or `,`; as it is without one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    found = _FORMAT.fullmatch(spec)
    if not found:
        raise Unsupported(f"the format {spec!r}")
    sign, comma, digits, trim, kind = found.groups()
    if not kind and digits is None:
        return format(value, f"{sign}{comma}.12g")
    if kind == "d":
        return format(round(value), f"{sign}{comma}d")
    kind, places = kind or "g", digits or "6"
    always = "#" if kind == "g" else ""  # Python's g drops zeros at the end, d3's only with ~
    shown = format(value, f"{sign}{always}{comma}.{places}{kind}")
    return _trimmed(shown) if trim or shown.endswith(".") else shown


def _trimmed(number: str) -> str:
    if "." not in number or "e" in number:
        return number
    return number.rstrip("0").rstrip(".")


def fields_of(template: str) -> set[str]:
    """What stands in the braces of a template such as `%{x}: %{y:.2f}`."""
    return set(_FIELD.findall(template))


def filled(template: str, values: Mapping[str, Any]) -> str:
    """The template with its values, still with plotly's tags."""

    def field(found: re.Match) -> str:
        name, _, spec = found[1].partition(":")
        if values.get(name) is None:
            raise Unsupported(f"the field {found[0]!r}")
        return formatted(values[name], spec)

    return _FIELD.sub(field, template)


def said(template: str, values: Mapping[str, Any]) -> str:
    """What is shown under the mouse: the template filled; its <extra> part stands behind the rest."""
    return bare(filled(spoken(template), values))


def spoken(template: str) -> str:
    """A template for the mouse in one line: its <extra> part stands in brackets behind the rest."""
    main, _, extra = template.partition("<extra>")
    name = extra.replace("</extra>", "")
    return f"{main} ({name})" if name else main


def each_of(values: Any, index: int) -> Any:
    """One of several values; a single one is that of all."""
    return values[index] if isinstance(values, list | tuple) else values
