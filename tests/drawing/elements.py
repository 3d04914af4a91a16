"""What the tests of utils.drawing share: small figures, and the elements, texts and pixels of a drawing."""

import zlib
from base64 import b64decode
from html.parser import HTMLParser

import plotly.graph_objects as go

EMPTY = go.layout.Template()
WHITE_TO_BLUE = [[0, "#ffffff"], [1, "#000064"]]


def figure(*data, **layout):
    return go.Figure({"data": list(data), "layout": {"template": EMPTY, **layout}})


def bar(**trace):
    return {"type": "bar", "x": ["a", "b"], "y": [1, 2], "marker": {"color": "#123456"}} | trace


def table(z, **trace):
    return {"type": "heatmap", "z": z, "zmin": 0, "zmax": 1, "colorscale": WHITE_TO_BLUE} | trace


class Elements(HTMLParser):
    """All elements of a drawing with their attributes, and all text."""

    def __init__(self, content):
        super().__init__()
        self.found, self.opened, self.texts = [], [], []
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("br", "image", "line"):
            self.opened.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag

    def handle_data(self, data):
        if self.opened and self.opened[-1] != "style":
            self.texts.append(data)


def elements(tag, content):
    return [attributes for name, attributes in Elements(content).found if name == tag]


def words_in(content):
    return Elements(content).texts


def bars_of(content):
    return [one for one in elements("rect", content) if one.get("fill") == "#123456" and "x" in one]


def pixels(content):
    """The colours of each picture's cells, row after row; None is what can be seen through."""
    pictures = []
    for image in elements("image", content):
        raw = b64decode(image["href"].partition(",")[2])
        parts, place = {}, 8
        while place < len(raw):
            size = int.from_bytes(raw[place : place + 4], "big")
            parts[raw[place + 4 : place + 8]] = raw[place + 8 : place + 8 + size]
            place += 12 + size
        width, ground = int.from_bytes(parts[b"IHDR"][:4], "big"), parts[b"PLTE"]
        cells = zlib.decompress(parts[b"IDAT"])
        rows = [cells[start + 1 : start + 1 + width] for start in range(0, len(cells), width + 1)]
        pictures.append([[None if c == 255 else tuple(ground[3 * c : 3 * c + 3]) for c in row] for row in rows])
    return pictures
