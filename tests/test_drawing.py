"""utils.drawing: every figure of the course is drawn, its numbers are where they belong, and no text becomes markup."""

import json
import re
import zlib
from base64 import b64decode
from html.parser import HTMLParser

import plotly.graph_objects as go
import pytest

from tests.every_figure import ARGUMENTS, figures, functions
from utils.drawing import Unsupported, drawn
from utils.drawing.colours import at, ink_on, luminance, rgb, scale
from utils.drawing.text import formatted, lines

EMPTY = go.layout.Template()
WHITE_TO_BLUE = [[0, "#ffffff"], [1, "#000064"]]


def figure(*data, **layout):
    return go.Figure({"data": list(data), "layout": {"template": EMPTY, **layout}})


def bar(**trace):
    return {"type": "bar", "x": ["a", "b"], "y": [1, 2], "marker": {"color": "#123456"}} | trace


def table(z, **trace):
    return {"type": "heatmap", "z": z, "colorscale": WHITE_TO_BLUE} | trace


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


# every figure


def test_each_function_that_makes_a_figure_is_tried_here():
    assert set(functions()) == set(ARGUMENTS)


@pytest.fixture(scope="module")
def all_drawn():
    return {name: drawn(one) for name, one in figures().items()}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_it_is_drawn_with_closed_tags_a_role_and_its_words(name, all_drawn):
    found = Elements(all_drawn[name])
    assert found.opened == []
    (root,) = [attributes for _, attributes in found.found if attributes.get("role") == "img"]
    assert root["aria-label"] == figures()[name].layout.meta["words"]
    assert all("script" not in tag for tag, _ in found.found)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_it_is_the_same_every_time_and_light(name, all_drawn):
    assert drawn(figures()[name]) == all_drawn[name] and len(all_drawn[name]) < 40_000


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_word_of_a_figures_titles_and_names_is_there(name, all_drawn):
    one, text = figures()[name].to_dict(), "".join(words_in(all_drawn[name]))
    names = [one["layout"]["title"]["text"], *(trace.get("name", "") for trace in one["data"])]
    names += [axis.get("title", {}).get("text", "") for key, axis in one["layout"].items() if key[1:5] == "axis"]
    shown = {name.replace("&amp;", "&") for name in names if not name.startswith("dimension")}
    assert all(name in text for name in shown)


def test_four_heads_of_forty_words_take_less_than_a_hundred_kilobytes():
    z = [[0.123 if column <= row else 0.0 for column in range(40)] for row in range(40)]
    words = [f"word{index}" for index in range(40)]
    heads = [table(z, x=words, y=words, xaxis=f"x{n}", yaxis=f"y{n}", xgap=1) for n in ("", "2", "3", "4")]
    assert len(drawn(figure(*heads))) < 100_000


# what is not known


@pytest.mark.parametrize(
    "unknown",
    [
        figure({"type": "pie", "values": [1]}),
        figure({"type": "violin", "y": [1, 2]}),
        figure(bar(error_y={"array": [1, 1]})),
        figure(bar(marker={"color": "#123456", "pattern": {"shape": "/"}})),
        figure(bar(hovertemplate="%{fullData.name}")),
        figure(bar(texttemplate="%{y:.2s}")),
        figure(bar(marker={"color": [1, 2]})),
        figure(bar(), barmode="stack"),
        figure(bar(), polar={"hole": 0.1}),
        figure(bar(), xaxis={"rangeslider": {"visible": True}}),
        figure(bar(), xaxis={"type": "date"}),
        figure(bar(), shapes=[{"type": "circle", "x0": 0, "x1": 1, "y0": 0, "y1": 1}]),
        figure(table([[1, 2], [3]])),
        figure(table([[1, 2]], x=["a", "a"])),
        figure(table([[1, 2, 3]], x=[1, 2, 9])),
        figure({"type": "scatter", "y": [1, 2], "marker": {"symbol": "star"}}),
        figure({"type": "scatter", "y": [1, 0], "x": [1, 0]}, xaxis={"type": "log"}),
        go.Figure(go.Bar(y=[1])),  # plotly's own template decides how it looks
    ],
    ids=lambda one: one.to_json()[9:90],
)
def test_what_is_not_known_is_refused_and_never_drawn_otherwise(unknown):
    with pytest.raises(Unsupported):
        drawn(unknown)


# numbers, not pixels


def test_bars_are_as_high_as_their_numbers():
    heights = [float(one["height"]) for one in bars_of(drawn(figure(bar(y=[1, 4]))))]
    assert heights[1] == pytest.approx(4 * heights[0], rel=0.01)


def test_lying_bars_are_as_long_as_their_numbers_and_the_first_can_be_on_top():
    turned = figure(bar(orientation="h", x=[1, 4], y=["a", "b"]), yaxis={"autorange": "reversed"})
    first, second = bars_of(drawn(turned))
    assert float(second["width"][:-1]) == pytest.approx(4 * float(first["width"][:-1]), rel=0.01)
    assert float(first["y"]) < float(second["y"])


def test_bars_below_zero_hang_from_the_same_line():
    down, up = bars_of(drawn(figure(bar(y=[-1, 2]))))
    assert float(down["y"]) == pytest.approx(float(up["y"]) + float(up["height"]), abs=0.2)


def test_groups_of_bars_stand_beside_each_other():
    places = [one["x"] for one in bars_of(drawn(figure(bar(name="one"), bar(name="two"))))]
    assert len(set(places)) == 4


def test_bars_on_a_log_axis_grow_by_the_same_length_for_the_same_factor():
    lying = figure(bar(orientation="h", x=[1, 10, 100], y=["a", "b", "c"]), xaxis={"type": "log", "range": [-1, 2]})
    widths = [float(one["width"][:-1]) for one in bars_of(drawn(lying))]
    assert widths == pytest.approx([100 / 3, 200 / 3, 100], rel=0.001)


def test_cells_have_the_colours_of_the_scale_and_none_has_none():
    (cells,) = pixels(drawn(figure(table([[0, 1], [0.5, None]]), yaxis={"autorange": "reversed"})))
    assert cells == [[(255, 255, 255), (0, 0, 100)], [(128, 128, 178), None]]


def test_the_first_row_is_below_unless_the_axis_is_turned():
    turned = {"yaxis": {"autorange": "reversed"}}
    below, above = (pixels(drawn(figure(table([[0], [1]]), **how)))[0] for how in ({}, turned))
    assert below == above[::-1]


def test_values_beyond_the_scale_have_the_colour_of_its_end():
    (cells,) = pixels(drawn(figure(table([[-5, 5]], zmin=0, zmax=1))))
    assert cells == [[(255, 255, 255), (0, 0, 100)]]


def test_the_mouse_finds_each_cells_number_and_labels():
    made = drawn(
        figure(table([[1.5, 2]], x=["a", "b"], y=["<r>"], hovertemplate="%{y}, %{x}: %{z}<extra>head 0</extra>"))
    )
    (picture,) = elements("image", made)
    told = {"x": ["a", "b"], "y": ["<r>"], "t": "%{y}, %{x}: %{z} (head 0)", "z": [[1.5, 2]]}
    assert json.loads(picture["data-cells"]) == told


def test_points_lie_where_their_numbers_say():
    dots = figure({"type": "scatter", "x": [0, 1, 4], "y": [0, 1, 4], "mode": "markers"}, xaxis={"range": [0, 4]})
    circles = [one for one in elements("circle", drawn(dots))]
    assert [one["cx"] for one in circles] == ["0%", "25%", "100%"]
    down = [float(one["cy"]) for one in circles]
    assert (down[0] - down[1]) * 3 == pytest.approx(down[1] - down[2], abs=0.5)


def test_a_line_is_broken_where_a_number_is_missing():
    (path,) = elements("path", drawn(figure({"type": "scatter", "y": [1, 2, None, 3, 4], "mode": "lines"})))
    assert re.sub("[^ML]", "", path["d"]) == "MLML"


def test_a_scatters_categories_are_evenly_apart():
    shown = elements("circle", drawn(figure({"type": "scatter", "x": ["a", "b"], "y": [1, 2], "mode": "markers"})))
    assert [one["cx"] for one in shown] == ["25%", "75%"]


def test_a_log_axis_places_values_by_their_logarithm_and_notes_by_their_own():
    dots = {"type": "scatter", "x": [1, 10, 100], "y": [1, 1, 1], "mode": "markers"}
    note = {"x": 1, "y": 1, "text": "ten", "showarrow": False}
    line = {"type": "line", "x0": 10, "x1": 10, "y0": 0, "y1": 1, "yref": "paper"}
    made = drawn(figure(dots, xaxis={"type": "log", "range": [0, 2]}, annotations=[note], shapes=[line]))
    assert [one["cx"] for one in elements("circle", made)] == ["0%", "50%", "100%"]
    assert [one["x"] for one in elements("text", made)] == ["50%"]
    assert "50%" in {one["x1"] for one in elements("line", made) if "stroke" in one}


def test_ticks_are_round_numbers_within_the_range():
    shown = drawn(figure({"type": "scatter", "x": [0, 1], "y": [0, 0.37], "mode": "lines"}, yaxis={"range": [0, 0.4]}))
    ticks = re.search('class="cf-yticks".*?</div>', shown)
    assert ticks and re.findall(r">([\d.]+)<", ticks[0]) == ["0.0", "0.1", "0.2", "0.3", "0.4"]


def test_panels_wrap_and_have_their_names():
    names = [
        {"text": name, "x": x, "y": 1, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
        for name, x in (("left", 0.225), ("right", 0.775))
    ]
    axes = {"xaxis": {"domain": [0, 0.45]}, "xaxis2": {"domain": [0.55, 1]}}
    made = drawn(figure(bar(), bar(xaxis="x2", yaxis="y2"), annotations=names, **axes))
    assert re.findall('class="cf-name">(.*?)<', made) == ["left", "right"]
    assert ".cf-panels{display:flex;flex-wrap:wrap" in made and made.count('class="cf-plot"') == 2


# words


@pytest.mark.parametrize("hostile", ['<script>alert("1")</script>', '" onload="x', "<img src=x>", "a & b's"])
def test_no_text_becomes_markup(hostile):
    axes = {"xaxis": {"title": {"text": hostile}}, "yaxis": {"title": {"text": hostile}}}
    made = drawn(
        figure(
            bar(x=[hostile, "b"], name=hostile, text=[hostile, ""], customdata=[hostile, ""]),
            bar(name="two", hovertemplate="%{x}<extra>" + hostile.replace("<", "&lt;") + "</extra>"),
            title={"text": hostile},
            annotations=[{"x": 0, "y": 1, "text": hostile}],
            meta={"words": hostile},
            **axes,
        )
    )
    found = Elements(made)
    assert found.opened == [] and not {tag for tag, _ in found.found} & {"script", "img"}
    assert not any("onload" in attributes for _, attributes in found.found)
    assert found.texts.count(hostile) >= 5


def test_bold_and_line_breaks_are_kept_and_closed_in_each_line():
    assert lines("a<b>b<br>c</b>&lt;i&gt;<eot>") == ["a<b>b</b>", "<b>c</b>&lt;i&gt;&lt;eot&gt;"]


NUMBERS = {
    ("0.5", ""): 0.5,
    ("0.08", ".2f"): 0.0811,
    ("0.5", ".2~g"): 0.5,
    ("0.50", ".2g"): 0.5,
    ("0.26", ".3~g"): 0.26,
    ("1,234", ","): 1234.0,
    ("3", ".0f"): 3,
    ("12.5%", ".1%"): 0.125,
    ("name", ".2f"): "name",
}


@pytest.mark.parametrize(("shown", "spec"), NUMBERS)
def test_numbers_are_written_as_d3_writes_them(shown, spec):
    assert formatted(NUMBERS[shown, spec], spec) == shown


def test_letters_can_be_read_on_every_colour_of_a_scale():
    colours = scale([[0.0, "#b2432f"], [0.5, "#f7f7f7"], [1.0, "#2f6db2"]])
    for place in range(101):
        ground = at(colours, place / 100)
        pair = sorted((luminance(ground), luminance(rgb(ink_on(ground)))))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) > 4
