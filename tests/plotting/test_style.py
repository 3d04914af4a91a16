"""Figures in every theme and for every eye: colours hold, numbers are even, and each figure is told in words."""

import itertools
import math

import pytest
import torch

from tests.plotting.every_figure import ARGUMENTS, figure_of
from utils.drawing.colours import contrast, rgb
from utils.live import in_page
from utils.plotting import style
from utils.plotting.style import BLACK, INK, LEGEND_LINE, PALE, STYLES, ZERO, decimals, distinct, scale_of
from utils.plotting.words import described

PAGES = ("#ffffff", "#111111")
COLOURS = [colour for colour, _ in STYLES]
# Machado, Oliveira and Fernandes 2009, severity 1: what the colour-blind see, in linear RGB.
EYES = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
# Ottosson 2020: from linear RGB to cones, and from their cube roots to OKLab.
TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)


def times(matrix, vector):
    return [sum(entry * part for entry, part in zip(row, vector, strict=True)) for row in matrix]


def seen(colour, eyes):
    """The colour in OKLab, as those eyes see it."""
    linear = [(part / 255 / 12.92) if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in rgb(colour)]
    kept = [min(max(part, 0.0), 1.0) for part in times(EYES[eyes], linear)]
    return times(TO_LAB, [part ** (1 / 3) for part in times(TO_CONES, kept)])


def apart(one, other, eyes):
    return 100 * math.dist(seen(one, eyes), seen(other, eyes))


@pytest.mark.parametrize("page", PAGES)
def test_ink_lines_and_bars_hold_on_light_and_dark_pages(page):
    assert contrast(rgb(INK), rgb(page)) >= 4
    assert all(contrast(rgb(colour), rgb(page)) >= 3 for colour in (*COLOURS, ZERO))


@pytest.mark.parametrize("eyes", EYES)
def test_no_two_colours_are_one_to_any_eye(eyes):
    assert all(apart(one, other, eyes) > 9 for one, other in itertools.combinations(COLOURS, 2))


def test_the_blue_and_the_purple_that_were_one_to_the_colour_blind_are_found_by_that_measure():
    assert apart("#3b6fb6", "#7b4fa3", "deuteranopia") < 4


def test_words_in_cells_can_be_read_on_every_colour_behind_them():
    assert all(contrast(rgb(BLACK), rgb(colour)) >= 4.5 for _, colour in PALE)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_figure_can_be_seen_through_and_its_lines_differ_by_more_than_colour(name):
    one = figure_of(name).to_dict()
    assert one["layout"]["paper_bgcolor"] == one["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"
    lines = [trace for trace in one["data"] if trace["type"] == "scatter" and len(trace["y"]) > 1 and "name" in trace]
    styles = {(trace["line"].get("dash"), trace["marker"]["symbol"] if "marker" in trace else "") for trace in lines}
    assert len(styles) == len({trace["name"] for trace in lines})


SPECS = [([0.0811, 0.26], ".3f"), ([1.0, 2.0], ".0f"), ([0.2, 1.0], ".1f"), ([1 / 3, 8], ".2f"), ([97.89, 0], ".1f")]


@pytest.mark.parametrize(("values", "spec"), [*SPECS, ([], ".0f")])
def test_the_numbers_of_a_figure_have_the_same_decimals(values, spec):
    assert decimals(values) == spec


def test_a_scale_has_two_signs_only_where_the_numbers_have():
    both, one = scale_of(torch.tensor([-1.0, 3.0])), scale_of(torch.tensor([0.0, 3.0]))
    assert (both["zmin"], both["zmax"], len(both["colorscale"])) == (-3.0, 3.0, 3)
    assert (one["zmin"], one["zmax"], len(one["colorscale"])) == (0.0, 3.0, 2)
    assert scale_of(torch.zeros(2))["zmax"] == 1.0


def test_numbers_above_bars_have_room():
    assert style.room_for_numbers([0.0, 2.0]) == [0.0, 2.2] and style.room_for_numbers([-1.0, 1.0], upright=True) == [
        -1.56,
        1.56,
    ]


def test_the_end_of_a_text_is_short_and_no_label_is_markup():
    assert distinct(["<|endoftext|>", "<b>", "<b>"]) == ["&lt;eot&gt;", "&lt;b&gt;", "&lt;b&gt;\u200b"]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_figure_is_told_in_words_that_stand_alone(name):
    one = figure_of(name)
    words = one.layout.meta["words"]
    assert words.startswith(one.layout.title.text) and words.endswith(".") and len(words) > 40
    assert "\u200b" not in words and "\n" not in words and "&lt;" not in words and "endoftext" not in words


def test_words_say_how_far_numbers_reach_and_where_the_largest_is():
    axes = {"xaxis": {"title": {"text": "key"}}, "yaxis": {"title": {"text": "query"}}}
    table = {"type": "heatmap", "z": [[0.0, 0.1], [0.93, 0.2]], "x": ["a", "b"], "y": ["·the", "·toad"]}
    told = "Who reads. Heatmap of 2 rows and 2 columns, values 0 to 0.93; largest: query ·toad, key a."
    assert described("Who reads", [table], axes) == told
    bars = {"type": "bar", "x": list("abcdefgh"), "y": [8, 7, 6, 5, 4, 3, 2, 1], "name": "it"}
    assert described("", [bars], {}) == "Bars. it: a 8, b 7, c 6, d 5, e 4, f 3, and 2 more from 1 to 8."
    assert described("None", [], {}) == "None. An empty figure."


def test_a_long_title_is_broken_and_has_room():
    from utils.plotting import bars

    short, long = (bars({"a": torch.ones(1)}, "word " * count) for count in (3, 20))
    assert long.layout.title.text.count("<br>") == 1 and long.layout.height == short.layout.height + 20
    assert long.layout.margin.t == short.layout.margin.t + 20


def test_the_pages_kit_gives_plotlys_pictures_a_role_and_words_and_the_pages_ink():
    for needed in ("'role','img'", "aria-label", "img.alt", "meta.words", "--jp-content-font-color1", ".modebar"):
        assert needed in in_page.HTML
    assert in_page.HTML.count("<script>") == in_page.HTML.count("</script>") == 1


def test_a_legend_that_is_long_in_a_narrow_window_has_room_above_the_figure():
    short, long = (
        ["one", "two", "three"],
        ["the tale, merges of the tale", "the passage, merges of the tale", "the books"],
    )
    assert [style.legend_rows(names) for names in (short, long, [])] == [1, 3, 0]

    def layout(names):
        drawn = [{"type": "bar", "name": name, "x": ["a"], "y": [1]} for name in names]
        return style.finish({"data": drawn}, "Bars", 300, legend=True).layout

    few, many = layout(short), layout(long)
    assert many.margin.t - few.margin.t == many.height - few.height == LEGEND_LINE
