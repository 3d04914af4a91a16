"""utils.plotting.logits: bars for tokens, and the guesses of the stream, rounded and with spaces to be seen."""

from typing import Any

import plotly.graph_objects as go
import torch

from utils.plotting import STYLES
from utils.plotting.logits import lens, token_bars, visible

CHANCES = torch.tensor([[0.98765, 0.1, 0.25], [0.5, 0.30001, 0.125]], requires_grad=True)
GUESSES = [["Once", " fox", "."], [" a", " fox", "\n"]]


def traces(figure: go.Figure) -> Any:
    """What the figure draws; plotly has no types for it."""
    return figure.data


def test_spaces_and_line_breaks_can_be_seen():
    assert [visible(token) for token in (" a fox", "\n\n", "", "<|endoftext|>")] == ["·a·fox", "⏎⏎", "(empty)", "<eot>"]


def test_each_token_has_a_bar_and_each_group_a_colour():
    first, second = traces(
        token_bars({"one": torch.tensor([1.23456, -2.0]), "two": CHANCES[0, :2]}, [" a", " a"], "Bars", y_title="score")
    )
    assert (list(first.y), list(second.y)) == ([1.23, -2.0], [0.988, 0.1])
    assert [name.strip("\u200b") for name in first.x] == ["·a", "·a"] and len(set(first.x)) == 2
    assert [bar.marker.color for bar in (first, second)] == [STYLES[0][0], STYLES[1][0]]


def test_a_few_bars_carry_their_number_and_many_do_not():
    few = token_bars({"one": torch.ones(16)}, list("abcdefghijklmnop"), "Few", y_title="")
    many = token_bars({"one": torch.ones(17)}, list("abcdefghijklmnopq"), "Many", y_title="")
    assert (traces(few)[0].texttemplate, traces(many)[0].texttemplate) == ("%{y:.0f}", None)
    assert few.layout.showlegend is False


def test_a_name_that_is_a_number_stays_a_name():
    assert token_bars({"one": torch.ones(2)}, ["1", "20"], "Numbers", y_title="").layout.xaxis.type == "category"


def test_the_lens_ticks_the_guesses_that_came_true():
    figure = lens(CHANCES, GUESSES, ["start", "block 0"], ["Once", " a", " fox"], "Guesses")
    (trace,) = traces(figure)
    assert [list(row) for row in trace.z] == [[0.988, 0.1, 0.25], [0.5, 0.3, 0.125]]
    assert [list(row) for row in trace.text] == [["Once", "<b>✓ ·fox</b>", "."], ["<b>✓ ·a</b>", "<b>✓ ·fox</b>", "⏎"]]
    assert (trace.zmin, trace.zmax, figure.layout.yaxis.autorange) == (0, 1, "reversed")


def test_a_token_that_has_no_next_one_is_never_ticked():
    figure = lens(CHANCES, [["x", "y", "Once"], ["x", "y", "Once"]], ["a", "b"], ["Once", " a", " fox"], "Guesses")
    assert not any("✓" in word for row in traces(figure)[0].text for word in row)


def test_a_long_text_makes_the_lens_wide_instead_of_its_words_small():
    def drawn(pos):
        return lens(torch.ones(1, pos), [["a"] * pos], ["block 0"], ["b"] * pos, "Guesses")

    assert (drawn(6).layout.width, drawn(20).layout.width) == (None, 1540)
    assert traces(drawn(20))[0].textfont.size == 12
