"""utils.controls: the figure is drawn anew when a control moves, and stands alone where outputs are stored."""

import ipywidgets
import plotly.graph_objects as go
import pytest

from utils.controls import explore, menu, slider, text_box


@pytest.fixture
def live(monkeypatch):
    """What a learner's notebook displays."""
    shown = []
    monkeypatch.delenv("COURSE_PROGRESS")
    monkeypatch.setattr("IPython.display.display", shown.append)
    return shown


def title(text, size=1, kind="a"):
    if not text:
        raise ValueError("type a word")
    return go.Figure(layout={"title": f"{text} {size} {kind}"})


def titles(shown):
    return [one.layout.title.text for one in shown if isinstance(one, go.Figure)]


def controls_of(shown):
    box = next(one for one in shown if isinstance(one, ipywidgets.VBox))
    return {control.description: control for control in box.children[0].children}


def test_where_outputs_are_stored_the_first_figure_stands_alone():
    assert explore(title, text=text_box("fox"), size=slider(1, 5, 3)).layout.title.text == "fox 3 a"


def test_every_move_of_a_control_draws_the_figure_anew(live):
    assert explore(title, text=text_box("fox"), size=slider(1, 5, 3), kind=menu(["a", "b"])) is None
    controls = controls_of(live)
    controls["text"].value, controls["size"].value, controls["kind"].value = "owl", 5, "b"
    assert titles(live) == ["fox 3 a", "owl 3 a", "owl 5 a", "owl 5 b"]


def test_what_can_not_be_drawn_is_said_in_a_line(live):
    explore(title, text=text_box("fox"))
    controls_of(live)["text"].value = ""
    assert titles(live) == ["fox 1 a"] and live[-1].data == "type a word"


def test_whole_numbers_slide_in_whole_steps_and_others_in_fiftieths():
    assert (slider(0, 5, 2).kind, slider(0.0, 2.0, 1.0).settings["step"]) == ("IntSlider", 0.04)
    assert menu(range(4)).start == 0 and menu("ab", "b").start == "b"
