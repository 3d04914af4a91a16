"""utils.drawing: numbers are where they belong, in heights of bars, colours of cells and places of points."""

import json
import re

import pytest

from tests.drawing.elements import bar, bars_of, elements, figure, pixels, table, words_in
from utils.drawing import drawn


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
    (cells,) = pixels(drawn(figure(table([[-5, 5]]))))
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


def test_numbers_written_as_texts_are_names_where_the_axis_is_one_of_categories():
    by_name = {"xaxis": {"type": "category"}}
    points = {"type": "scatter", "x": ["128", "1024"], "y": [1, 2], "mode": "markers"}
    made = drawn(figure(points, **by_name))
    assert [one["cx"] for one in elements("circle", made)] == ["25%", "75%"]
    assert {"128", "1024"} <= set(words_in(made))
    first, second = bars_of(drawn(figure(bar(x=["0.1", "5.3"]), **by_name)))
    assert first["width"] == second["width"] == "40%" and (first["x"], second["x"]) == ("5%", "55%")


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
