"""utils.plotting.embeddings: bars in the order given, typed words in a colour of their own, the line of chance."""

import torch

from utils.plotting.embeddings import nearest

COSINES = torch.tensor([0.7345, 0.7212, -0.1])


def drawn(tokens, asked, title=""):
    return nearest(COSINES, tokens, torch.tensor(asked), title, level=0.2377, level_name="chance")


def test_typed_words_and_others_are_two_groups_in_one_order():
    figure = drawn([" king", " queen", "king"], [True, False, True], "Like king")
    typed, others = figure.data
    assert (list(typed.y), list(typed.x)) == (["␣king", "king"], [0.73, -0.1])
    assert (list(others.y), list(others.x)) == (["␣queen"], [0.72])
    assert list(figure.layout.yaxis.categoryarray) == ["king", "␣queen", "␣king"]  # plotly counts from below
    assert typed.marker.color != others.marker.color and figure.layout.title.text == "Like king"


def test_the_line_of_chance_is_rounded_and_named_and_negative_bars_fit():
    figure = drawn(["a", "b", "c"], [False] * 3)
    (line,) = figure.layout.shapes
    assert (line.x0, line.name, line.showlegend) == (0.24, "chance", True)
    assert figure.layout.xaxis.range[0] == -0.1


def test_two_tokens_that_read_alike_stay_apart():
    typed, others = drawn(["\ufffd", "\ufffd", "a"], [False] * 3).data
    assert len(typed.y) == 0 and len(set(others.y)) == 3
