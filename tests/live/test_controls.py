"""utils.controls: the figure follows its controls, and stands alone where outputs are stored."""

import re

import ipywidgets
import plotly.graph_objects as go
import pytest

from utils.controls import button, explore, menu, number, slider, text_box


@pytest.fixture
def live(monkeypatch):
    """What a learner's notebook displays."""
    shown = []
    monkeypatch.delenv("COURSE_WIDGETS")
    for module in ("IPython.display", "utils.live.controls"):
        monkeypatch.setattr(f"{module}.display", shown.append)
    return shown


def title(text, size=1, kind="a"):
    if not text:
        raise ValueError("type `a word`")
    return figure(f"{text} {size} {kind}")


def figure(words, **trace):
    plain = {"type": "bar", "x": ["a"], "y": [1], "marker": {"color": "#123456"}} | trace
    return go.Figure({"data": [plain], "layout": {"title": {"text": words}, "template": go.layout.Template()}})


def boxes(shown):
    return next(one for one in shown if isinstance(one, ipywidgets.VBox)).children


def controls_of(shown):
    return {one.description: one for one in boxes(shown) if getattr(one, "description", "")}


def page(shown, place=0):
    """The HTML of the figure, or with 1 of what the button made."""
    return (
        [one for one in boxes(shown) if isinstance(one, ipywidgets.VBox)][place].children[-2 + place].children[0].value
    )


def written(shown):
    return re.findall('<div class="cf-title">(.*?)</div>', page_of(shown))


def page_of(shown):
    return next(one for one in boxes(shown) if isinstance(one, ipywidgets.VBox)).children[0].value


def test_where_outputs_are_stored_the_first_figure_stands_alone():
    assert explore(title, text=text_box("fox"), size=slider(1, 5, 3)).layout.title.text == "fox 3 a"


def test_every_move_of_a_control_draws_the_figure_anew_in_its_place(live):
    assert explore(title, text=text_box("fox"), size=slider(1, 5, 3), kind=menu(["a", "b"])) is None
    controls = controls_of(live)
    seen = [written(live)]
    for name, value in (("text", "owl"), ("size", 5), ("kind", "b")):
        controls[name].value = value
        seen.append(written(live))
    assert seen == [["fox 3 a"], ["owl 3 a"], ["owl 5 a"], ["owl 5 b"]]
    assert len(live) == 1  # nothing is displayed a second time


def test_a_stored_notebook_does_not_hold_the_figure_as_text(monkeypatch, live):
    lengths = []
    monkeypatch.setattr("utils.live.controls.display", lambda box: lengths.append(len(repr(box))))
    explore(title, text=text_box("fox"))
    assert lengths[0] < 2000


def test_a_slider_draws_while_it_is_dragged_and_a_text_when_it_is_done(live):
    explore(title, text=text_box("fox"), size=slider(1, 5, 3))
    controls = controls_of(live)
    assert (controls["size"].continuous_update, controls["text"].continuous_update) == (True, False)


def test_what_can_not_be_drawn_is_said_in_the_figures_place(live):
    explore(title, text=text_box("fox"))
    controls_of(live)["text"].value = ""
    assert "type <code>a word</code>" in page_of(live) and not written(live)
    controls_of(live)["text"].value = "owl"
    assert written(live) == ["owl 1 a"] and "type" not in page_of(live).partition("</style>")[2]


def test_what_is_not_drawn_here_is_shown_by_plotly_and_goes_again(live):
    def pie_or_bar(kind):
        return figure("bar") if kind == "bar" else go.Figure(go.Pie(values=[1]))

    explore(pie_or_bar, kind=menu(["pie", "bar"]))
    assert [type(one) for one in live] == [ipywidgets.VBox, go.Figure] and page_of(live) == ""
    controls_of(live)["kind"].value = "bar"
    assert written(live) == ["bar"] and len(live) == 2


def test_another_error_is_not_swallowed(live):
    def broken(size):
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):  # in a notebook IPython shows it below the controls
        explore(broken, size=slider(1, 5, 3))


def test_what_is_printed_stands_below_the_figure(live):
    def talking(size):
        print("size <", size)
        return figure("said")

    explore(talking, size=slider(1, 5, 3))
    assert page_of(live).endswith("size &lt; 3\n</pre>")


def test_whole_numbers_slide_in_whole_steps_and_others_in_fiftieths():
    assert (slider(0, 5, 2).kind, slider(0.0, 2.0, 1.0).settings["step"]) == ("IntSlider", 0.04)
    assert (number(0, 767, 312).kind, number(0.0, 1.0, 0.5).kind) == ("BoundedIntText", "BoundedFloatText")
    assert menu(range(4)).start == 0 and menu("ab", "b").start == "b"


def test_the_labels_of_all_controls_take_the_same_room(live):
    explore(title, text=text_box("fox"), size=slider(1, 5, 3))
    assert len({one.style.description_width for one in controls_of(live).values()}) == 1


class Worker:
    """What a button does: it counts, and may do something in the midst of its work."""

    def __init__(self):
        self.calls, self.meanwhile = [], lambda: None

    def __call__(self, size):
        self.calls.append(size)
        self.meanwhile()
        return [figure(f"made {size}"), "a <text>"]


@pytest.fixture
def work(live):
    worker = Worker()
    explore(lambda size: figure(f"drawn {size}"), then=button("Draw 400 times", worker), size=slider(1, 5, 3))
    return worker


def parts(shown):
    """The button, what is said of it, and the place of what it made."""
    pressed, state, place = boxes(shown)[2].children
    return pressed, state, place


def told(shown):
    return re.sub("<style.*?</style>|<[^>]*>", "", parts(shown)[1].value)


def test_the_work_of_a_button_is_done_when_it_is_pressed(live, work):
    controls_of(live)["size"].value = 4
    assert work.calls == [] and written(live) == ["drawn 4"]
    parts(live)[0].click()
    assert work.calls == [4] and "made 4" in parts(live)[2].children[0].value
    assert "a &lt;text&gt;" in parts(live)[2].children[0].value and told(live) == "Made with size 4."


def test_a_control_that_moves_marks_the_result_as_of_other_settings(live, work):
    parts(live)[0].click()
    controls_of(live)["size"].value = 4
    assert told(live) == "Made with size 3. The controls have moved since; “Draw 400 times” makes it anew."
    assert "course-stale" in parts(live)[2]._dom_classes
    controls_of(live)["size"].value = 3
    assert told(live) == "Made with size 3." and "course-stale" not in parts(live)[2]._dom_classes


def test_while_it_works_the_button_says_so_and_a_second_press_does_nothing(live, work):
    seen = []

    def again():
        seen.append(
            (
                parts(live)[0].description,
                told(live),
                "'aria-disabled',true" in parts(live)[1].value.replace("&#x27;", "'"),
            )
        )
        parts(live)[0].click()

    work.meanwhile = again
    parts(live)[0].click()
    assert seen == [("Draw 400 times: running ...", "Running with size 3 ...", True)]
    assert work.calls == [3] and parts(live)[0].description == "Draw 400 times"
    parts(live)[0].click()
    assert work.calls == [3, 3]


def test_where_outputs_are_stored_both_are_shown_one_after_the_other(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    assert explore(lambda size: figure("drawn"), then=button("Go", Worker()), size=slider(1, 5, 3)) is None
    assert [one.layout.title.text for one in shown] == ["drawn", "made 3"] and capsys.readouterr().out == "a <text>\n"
