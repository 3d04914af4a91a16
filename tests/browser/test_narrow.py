"""Wide and narrow windows: nothing of ours is wider than its place, no letter of the map too small, no code cut."""

import pytest

from tests.browser.looking import cut_code, smallest_letter, too_wide

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDTHS = (1280, 1024, 700)


@pytest.fixture
def passed(layer_norm):
    """Chapter 3 with the card of a pass, which has the widest line."""
    layer_norm.stay_right()
    return layer_norm


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("which", ["start", "passed", "attention"])
def test_nothing_is_wider_than_its_place(shown, request, which, width):
    chapter = getattr(found := request.getfixturevalue(which), "notebook", found)
    chapter.ask("show")
    shown.width(width)
    assert too_wide(chapter.node) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("where", ["map_of_start", "map_of_layer_norm"])
def test_the_maps_letters_are_large_enough(shown, request, where, width):
    output = request.getfixturevalue(where)
    shown.width(width)
    assert smallest_letter(output) >= 11


@pytest.mark.parametrize("which", ["layer_norm", "attention"])
def test_no_code_is_cut(request, which):
    """In a window of the usual size each line of a given cell fits; in narrower ones JupyterLab scrolls."""
    chapter = getattr(found := request.getfixturevalue(which), "notebook", found)
    chapter.ask("show")
    assert cut_code(chapter.node) == []
