"""utils.drawing: every figure of the course is drawn, what is not known is refused, and no text becomes markup."""

import plotly.graph_objects as go
import pytest

from tests.drawing.elements import Elements, bar, figure, table, words_in
from tests.plotting.every_figure import ARGUMENTS, figure_of, functions
from utils.drawing import Unsupported, drawn
from utils.drawing.colours import at, contrast, ink_on, rgb, scale
from utils.drawing.text import formatted, lines


def test_each_function_that_makes_a_figure_is_tried_here():
    assert set(functions()) == set(ARGUMENTS)


@pytest.fixture(scope="module")
def all_drawn():
    return {name: drawn(figure_of(name)) for name in ARGUMENTS}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_it_is_drawn_with_closed_tags_a_role_and_its_words(name, all_drawn):
    found = Elements(all_drawn[name])
    assert found.opened == []
    (root,) = [attributes for _, attributes in found.found if attributes.get("role") == "img"]
    assert root["aria-label"] == figure_of(name).layout.meta["words"]
    assert all("script" not in tag for tag, _ in found.found)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_it_is_the_same_every_time_and_light(name, all_drawn):
    assert drawn(figure_of(name)) == all_drawn[name] and len(all_drawn[name]) < 40_000


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_word_of_a_figures_titles_and_names_is_there(name, all_drawn):
    one, text = figure_of(name).to_dict(), "".join(words_in(all_drawn[name]))
    names = [one["layout"]["title"]["text"], *(trace.get("name", "") for trace in one["data"])]
    names += [axis.get("title", {}).get("text", "") for key, axis in one["layout"].items() if key[1:5] == "axis"]
    shown = {name.replace("&amp;", "&") for name in names if not name.startswith("dimension")}
    assert all(name in text for name in shown)


def test_four_heads_of_forty_words_take_less_than_a_hundred_kilobytes():
    z = [[0.123 if column <= row else 0.0 for column in range(40)] for row in range(40)]
    words = [f"word{index}" for index in range(40)]
    heads = [table(z, x=words, y=words, xaxis=f"x{n}", yaxis=f"y{n}", xgap=1) for n in ("", "2", "3", "4")]
    assert len(drawn(figure(*heads))) < 100_000


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
        figure(bar(marker={"opacity": 0.5})),  # plotly's colours, which are not known here
        figure(bar(text=["a", "b"])),  # plotly looks where there is room for it
        figure(bar(), xaxis={"tickformat": ".2f"}),
        figure(bar(), barmode="stack"),
        figure(bar(), polar={"hole": 0.1}),
        figure(bar(), xaxis={"rangeslider": {"visible": True}}),
        figure(bar(), xaxis={"type": "date"}),
        figure(bar(), shapes=[{"type": "circle", "x0": 0, "x1": 1, "y0": 0, "y1": 1}]),
        figure(table([[1, 2], [3]])),
        figure({"type": "heatmap", "z": [[1, 2]]}),
        figure(table([[1, 2]], hovertemplate="%{z:.1f}")),
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


@pytest.mark.parametrize("hostile", ['<script>alert("1")</script>', '" onload="x', "<img src=x>", "a & b's"])
def test_no_text_becomes_markup(hostile):
    axes = {"xaxis": {"title": {"text": hostile}}, "yaxis": {"title": {"text": hostile}}}
    made = drawn(
        figure(
            bar(x=[hostile, "b"], name=hostile, text=[hostile, ""], textposition="outside", customdata=[hostile, ""]),
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


def test_words_beside_the_last_point_have_the_room_that_they_need():
    line = {"type": "scatter", "y": [1, 2], "mode": "lines+text", "textposition": "middle right"}
    usual, wide = (drawn(figure(line | {"text": ["", words]})) for words in ("0.1", "eps outside"))
    assert "padding-right" not in usual
    assert 'style="padding-right:82px"' in wide


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
        assert contrast(ground, rgb(ink_on(ground))) > 4


def test_contrast_is_wcags():
    white = rgb("#ffffff")
    assert contrast(white, rgb("#000000")) == contrast(rgb("#000000"), white) == pytest.approx(21)
    assert contrast(white, rgb("#767676")) == pytest.approx(4.54, abs=0.005)
    assert contrast(rgb("#ff0000"), white) == pytest.approx(4.0, abs=0.005)
