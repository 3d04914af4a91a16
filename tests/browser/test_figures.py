"""Figures: they are there, tell their values, follow a slider, and are no white slabs in a dark theme."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import brightest_share, faint_letters, figure, put_on, told_under_the_mouse, until_it_moves

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LIMIT = 5000  # ms; benchmarks/controls.py measures exactly


def test_a_figure_is_drawn(lines):
    size = figure(lines).bounding_box()
    assert size and size["width"] > 400 and size["height"] > 200


def test_a_figure_tells_its_values_under_the_mouse(lines):
    assert any(letter.isdigit() for letter in told_under_the_mouse(lines))


def test_a_slider_moves_its_figure(shown, patterns, record_property):
    slider = patterns.get_by_role("slider").first
    slider.scroll_into_view_if_needed()
    slider.focus()
    took = [until_it_moves(patterns, key) for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowLeft")]
    print(f"chapter 4's slider: {', '.join(f'{one:.0f}' for one in took)} ms from the key to the new figure")
    record_property("chapter 4's slider, ms", took)
    assert max(took) < LIMIT


@pytest.mark.parametrize("which", ["lines", "patterns"])
def test_a_figure_has_a_text_alternative(request, which):
    output = request.getfixturevalue(which)
    pictures = output.get_by_role("img").and_(output.page.locator(":not([role=img] *)"))  # parts of one need none
    expect(pictures.first).to_be_visible()
    for picture in pictures.all():
        assert len(picture.get_attribute("aria-label") or picture.get_attribute("alt") or "") > 20


@pytest.mark.parametrize("theme", ["Dark"])
@pytest.mark.parametrize("which", ["lines", "patterns", "map_of_start", "map_of_layer_norm"])
def test_a_figure_is_no_white_slab_on_a_dark_page(shown, request, which, theme):
    output = request.getfixturevalue(which)
    put_on(shown, theme)
    assert brightest_share(figure(output)) < 0.25


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("which", ["lines", "patterns"])
def test_a_figures_letters_can_be_read(shown, request, which, theme):
    output = request.getfixturevalue(which)
    put_on(shown, theme)
    assert faint_letters(output) == []
