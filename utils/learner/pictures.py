"""A `Picture` as SVG: what is expected, what came, and where they differ, side by side.

Colours let the page shine through, and words have its own colour, so that it reads on light and dark pages.
"""

import html
import math

from judge.checking.verdict import Picture, Rows

CELL, HIGH = 38, 22  # pixels
LEFT, TOP, GAP = 22, 50, 22
OF_SMALL = 6.2  # pixels of a small letter
POSITIVE, NEGATIVE, WRONG = "59,130,246", "217,119,6", "219,75,63"
MARK = "#db4b3f"
SMALL = 'font-size="10"'


def as_svg(picture: Picture) -> str:
    """Three panels; the first wrong place has a frame in each of them."""
    n_rows, n_columns = len(picture.want), len(picture.want[0])
    wide = n_columns * CELL + LEFT
    panels = (
        _panel("expected", _valued(picture.want), picture),
        _panel("yours", _valued(picture.got), picture),
        _panel("difference", _differing(picture), picture),
    )
    placed: list[str] = []
    for index, panel in enumerate(panels):
        left = index * (wide + GAP)
        placed.append(f'<g transform="translate({left},0)">{panel}</g>')
    axes = f"{picture.rows} ↓  {picture.columns} →"
    said = f"{picture.of}:  {axes}" if picture.of else axes
    placed.append(_text(LEFT, 12, said, f'{SMALL} text-anchor="start"'))
    width = max(3 * wide + 2 * GAP, math.ceil(LEFT + len(said) * OF_SMALL))
    height = TOP + n_rows * HIGH + 4
    words = html.escape(picture.in_words, quote=True)
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'style="max-width:100%;height:auto;margin:.3em 0" font-size="11" font-family="monospace" '
        f'fill="currentColor" text-anchor="middle">{"".join(placed)}</svg>'
    )


Cell = tuple[str, str]  # what stands in it, and its colour


def _panel(title: str, cells: list[list[Cell]], picture: Picture) -> str:
    n_columns = len(cells[0])
    middle = LEFT + n_columns * CELL / 2
    parts = [_text(middle, 31, title, 'font-weight="bold"')]
    for index in range(n_columns):
        x = LEFT + (index + 0.5) * CELL
        parts.append(_text(x, TOP - 4, str(index), SMALL))
    for index, row in enumerate(cells):
        y = TOP + (index + 0.65) * HIGH
        parts.append(_text(LEFT - 10, y, str(index), SMALL))
        parts += [_cell(index, column, cell) for column, cell in enumerate(row)]
    row, column = picture.first
    frame = f'fill="none" stroke="{MARK}" stroke-width="2.5"'
    return "".join([*parts, f"<rect {_box(row, column)} {frame}/>"])


def _cell(row: int, column: int, cell: Cell) -> str:
    said, colour = cell
    box = f'<rect {_box(row, column)} fill="{colour}" stroke="rgba(128,128,128,.35)"/>'
    x = LEFT + (column + 0.5) * CELL
    y = TOP + (row + 0.65) * HIGH
    return box + _text(x, y, said)


def _box(row: int, column: int) -> str:
    x = LEFT + column * CELL
    y = TOP + row * HIGH
    return f'x="{x}" y="{y}" width="{CELL}" height="{HIGH}"'


def _text(x: float, y: float, said: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" {more}>{html.escape(said)}</text>'


def _valued(rows: Rows) -> list[list[Cell]]:
    """Numbers above 0 in one colour, those below in another, the fuller the larger they are."""
    finite = [abs(value) for row in rows for value in row if math.isfinite(value)]
    largest = max(finite, default=0.0) or 1.0
    return [[(short(value), _shade(value / largest)) for value in row] for row in rows]


def _differing(picture: Picture) -> list[list[Cell]]:
    """Where the two differ, by how much; elsewhere a dot."""
    cells: list[list[Cell]] = []
    for got, want, wrong in zip(picture.got, picture.want, picture.wrong, strict=True):
        cells.append(list(map(_difference, got, want, wrong)))
    return cells


def _difference(got: float, want: float, wrong: bool) -> Cell:
    if not wrong:
        return "·", "none"
    return short(got - want), f"rgba({WRONG},.4)"


def _shade(share: float) -> str:
    if not math.isfinite(share):
        return "rgba(128,128,128,.3)"
    colour = POSITIVE if share > 0 else NEGATIVE
    return f"rgba({colour},{0.5 * min(abs(share), 1.0):.2f})"


def short(value: float) -> str:
    """A number in five characters."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    if value == 0:
        return "0"
    size = abs(value)
    if not 0.005 <= size < 1e4:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.2f}" if size < 9.995 else f"{value:.0f}"
