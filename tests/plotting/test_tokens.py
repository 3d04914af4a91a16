"""utils.plotting.tokens: a text as boxes, and the likeliest next tokens at each position."""

from typing import Any

import plotly.graph_objects as go
import pytest

from utils.plotting.tokens import cut_text, expected_next, shown


def drawn(figure: go.Figure) -> Any:
    """The one thing that the figure draws; plotly has no types for it."""
    (trace,) = figure.data
    return trace


def test_a_token_is_shown_with_its_spaces_and_what_is_no_character():
    assert shown(b" the") == "·the"
    assert shown(b"a\n\t") == "a↵→"
    assert shown("été".encode()) == "été"
    assert shown(b"\xc3") == "<C3>"
    assert shown(b"a\xf0\x9f") == "a<F0><9F>"
    assert shown(b"\x01") == "<01>"
    assert shown("\u200b".encode()) == "<E2><80><8B>"


def test_each_token_is_a_box_as_wide_as_its_text_beside_the_last():
    trace = drawn(cut_text({"cut": [b"the", b" ", b"hen"]}, "A text"))
    assert list(trace.text) == ["the", "·", "hen"]
    assert (list(trace.base), list(trace.x), list(trace.y)) == ([0, 3, 4], [3, 1, 3], [0, 0, 0])


def test_a_long_text_goes_on_in_the_next_row_and_each_name_stands_at_its_first():
    figure = cut_text({"one": [b"abcd", b"ef", b"gh"], "two": [b"x"]}, "Texts", width=6)
    assert list(drawn(figure).y) == [0, 0, 1, 2]
    assert list(figure.layout.yaxis.tickvals) == [0, 2] and list(figure.layout.yaxis.ticktext) == ["one", "two"]


def test_neighbours_differ_in_colour_and_every_box_has_a_frame():
    trace = drawn(cut_text({"": [b"a", b"b", b"c", b"d", b"e"]}, ""))
    assert all(one != other for one, other in zip(trace.marker.color, trace.marker.color[1:], strict=False))
    assert trace.marker.line.width == 1


def test_an_empty_text_is_refused_in_words_for_whoever_typed_it():
    with pytest.raises(ValueError, match="type a text of at least one letter"):
        cut_text({"": []}, "Nothing")


def test_what_plotly_would_read_as_markup_stays_text():
    assert drawn(cut_text({"": [b"<b>", b"&"]}, "")).text == ("&lt;b&gt;", "&amp;")


READ = [b"<|endoftext|>", b"Once", b" upon"]
BEST = [[(b"Once", 0.5678), (b"The", 0.1)], [(b" a", 0.9), (b" upon", 0.05)], [(b" a", 0.93), (b" the", 0.001234)]]


def test_each_position_is_a_row_with_its_likeliest_tokens():
    trace = drawn(expected_next(READ, BEST, "Next"))
    assert [list(row) for row in trace.z] == [[0.57, 0.1], [0.9, 0.05], [0.93, 0.0012]]
    assert list(trace.text[0]) == ["Once<br>0.57", "The<br>0.10"]
    assert list(trace.y) == ["0: &lt;eot&gt;", "1: Once", "2: ·upon"]
    assert list(trace.x) == ["likeliest", "number 2"]


def test_what_did_follow_has_a_frame():
    frames = expected_next(READ, BEST, "Next").layout.shapes
    assert [(round(one.x0), round(one.y0)) for one in frames] == [(0, 0), (1, 1)]


def test_a_long_text_shows_its_last_positions_under_their_own_numbers():
    figure = expected_next(READ, BEST, "Next", last=2)
    assert list(drawn(figure).y) == ["1: Once", "2: ·upon"]
    assert len(figure.layout.shapes) == 1
