"""utils.learner.predictions: what is noted, which one counts, and what the card says of each."""

import re

import pytest

from judge.errors import CourseError
from tests.house.fresh_python import fresh_python
from utils.course import UNWATCHED
from utils.learner.predictions import Choice, Number, Predictions, Rows
from utils.learner.progress import predictions_line
from utils.learner.welcome import Welcome

RISE = """How many nats does it cost?
    a) less than 1
    b) 1 or more"""
COUNT = "How many are there, to within a factor of 2?"
SHARE = "Which share is it, ± 0.05?"
WHICH = "Which layers cost more than a nat? Write a line with `layer`."
LAYERS, NATS = {"layer": [0, 1, 2, 3]}, {"nats": [3.0, 0.1, 0.2, 1.5]}


USES = "It can use layer, and & | ~ between brackets."

BOTH = "Your line also selects 1 and leaves out 0, 3"


def table(**questions):
    return Predictions("tests.predictions.ch90_mini", **questions)


def chapter(**more):
    return table(
        rise=Choice(a=(lambda rise: rise < 1, "It looks small."), b=lambda rise: rise >= 1),
        count=Number(times=2, low="Few are seen.", high="Many could be."),
        share=Number(within=0.05, low="Low.", high="High."),
        which=Rows(lambda nats: nats > 1, others="All look alike.", left_out="One would do."),
        **more,
    )


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A learner's folder; somebody watches."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    for name in UNWATCHED:
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def say(state, capsys):
    """What a call prints."""

    def said(call, *arguments, **options):
        call(*arguments, **options)
        return capsys.readouterr().out

    return said


def test_until_something_is_typed_the_question_is_shown(say, state):
    assert say(chapter().predict, "rise", RISE, answer="").splitlines() == [
        "○ Nothing predicted yet",
        "  How many nats does it cost?",
        "  a) less than 1",
        "  b) 1 or more",
        '  Type a letter, a or b, between the quotes of `answer=""`, and run this cell again. It takes a moment, and '
        "nobody is graded.",
    ]
    assert list(state.iterdir()) == []


def test_a_right_one_is_noted_and_the_card_says_so(say):
    ours = chapter()
    assert say(ours.predict, "rise", RISE, answer="B)").startswith("○ Noted: b) 1 or more\n")
    assert say(ours.see, "rise", rise=1.5) == "✔ You predicted b) 1 or more: right\n  Measured: rise = 1.5.\n"
    assert predictions_line() == "1 predicted before the numbers were seen, 1 of them right"


def test_a_wrong_one_learns_why_it_tempts_and_what_the_numbers_say(say):
    ours = chapter()
    say(ours.predict, "rise", RISE, answer="a")
    assert say(ours.see, "rise", rise=1234.5).splitlines() == [
        "✘ You predicted a) less than 1; the numbers say: b) 1 or more",
        "  Measured: rise = 1,234.",
        "  Why that is tempting: It looks small.",
    ]
    assert predictions_line() == "1 predicted before the numbers were seen, 0 of them right"


def test_a_number_that_is_rounded_to_zero_has_no_minus(say):
    ours = chapter()
    say(ours.predict, "rise", RISE, answer="a")
    assert "Measured: rise = 0." in say(ours.see, "rise", rise=-0.0)


def test_an_open_one_shows_the_numbers_and_counts_nothing(say):
    ours = chapter()
    say(ours.predict, "rise", RISE)
    assert say(ours.see, "rise", rise=1.5).splitlines() == [
        "○ Nothing was predicted before the numbers were seen. They say: b) 1 or more",
        "  Measured: rise = 1.5.",
    ]
    assert predictions_line() == ""


def test_the_first_before_the_numbers_counts_and_later_ones_are_shown(say):
    ours = chapter()
    say(ours.predict, "rise", RISE, answer="a")
    assert "What counts is your first one: a) less than 1." in say(ours.predict, "rise", RISE, answer="b")
    say(ours.see, "rise", rise=1.5)
    assert "does not count" in say(ours.predict, "rise", RISE, answer="a")
    card = say(ours.see, "rise", rise=1.5)
    assert card.startswith("✘ You predicted a) less than 1; ")
    assert "  Later, before the numbers: b) 1 or more, which is right. It does not count.\n" in card
    assert "  After the numbers were seen: a) less than 1, which is not so. It does not count.\n" in card
    assert predictions_line() == "1 predicted before the numbers were seen, 0 of them right"


def test_one_made_after_the_numbers_does_not_count(say):
    ours = chapter()
    say(ours.see, "rise", rise=1.5)
    assert "You have seen the numbers already" in say(ours.predict, "rise", RISE, answer="b")
    card = say(ours.see, "rise", rise=1.5)
    assert card.startswith("○ Nothing was predicted before") and "After the numbers were seen: b) 1 or more" in card
    assert predictions_line() == ""


def test_running_the_cell_again_is_no_second_prediction(say, state):
    ours = chapter()
    first = say(ours.predict, "rise", RISE, answer="a")
    assert say(ours.predict, "rise", RISE, answer="a") == first
    assert len(list((state / "my_gpt" / "predicted").iterdir())) == 1


def test_a_new_kernel_knows_what_was_predicted(say):
    say(chapter().predict, "rise", RISE, answer="a")
    assert say(chapter().see, "rise", rise=0.5) == "✔ You predicted a): right\n  Measured: rise = 0.5.\n"
    ours = chapter()
    say(ours.predict, "rise", RISE)  # whose cell is empty again, such as in a new copy of the chapter
    assert say(ours.see, "rise", rise=0.5).startswith("✔ You predicted a) less than 1: right")


def test_progress_and_the_start_page_tell_of_them(say):
    ours = chapter()
    assert "predicted" not in str(Welcome())
    say(ours.predict, "rise", RISE, answer="a")
    line = "1 predicted before the numbers were seen, 0 of them right"
    assert line in str(Welcome()) and line in Welcome()._repr_html_()


def test_files_that_somebody_has_spoilt_stop_nothing(say, state):
    ours = chapter()
    say(ours.predict, "rise", RISE, answer="a")
    for number, text in enumerate(("", "[]", "{}", '{"at": 3}', '{"at": "2020-01-01", "what": 1}')):
        (state / "my_gpt" / "predicted" / f"ch90_mini.rise.2020010{number}").write_text(text)
    assert say(ours.see, "rise", rise=0.5).startswith("✔ You predicted a) less than 1: right")


def test_where_nothing_can_be_written_it_holds_in_this_kernel(say, state):
    (state / "my_gpt").write_text("a file is in the way")
    ours = chapter()
    assert "(It can't be stored, so a new kernel will not know it: " in say(ours.predict, "rise", RISE, answer="a")
    assert say(ours.see, "rise", rise=0.5).startswith("✔ You predicted a) less than 1: right")


@pytest.mark.parametrize(
    ("name", "question", "typed", "told"),
    [
        ("rise", RISE, "c", "`c` is none of the choices: type a or b."),
        ("count", COUNT, "many", "`many` is no number: type one such as 0.5 or 12."),
        ("which", WHICH, "layer >", "`layer >` stops with SyntaxError: invalid syntax (<string>, line 1). " + USES),
        ("which", WHICH, "nats > 1", "`nats > 1` stops with NameError: name 'nats' is not defined. " + USES),
        ("which", WHICH, "layer", "`layer` selects no rows: it has to be true or false for each of 4."),
    ],
)
def test_what_is_no_answer_is_not_noted(say, state, name, question, typed, told):
    columns = LAYERS if name == "which" else {}
    assert say(chapter().predict, name, question, answer=typed, **columns) == f"○ Not noted\n  {told}\n"
    assert list(state.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "question", "typed", "numbers", "first"),
    [
        ("count", COUNT, "6", {"count": 12}, "✔ You predicted 6 (within a factor of 2): right"),
        ("count", COUNT, "25", {"count": 12}, "✘ You predicted 25 (within a factor of 2); the numbers say: 12"),
        ("count", COUNT, "-12", {"count": 12}, "✘ You predicted -12 (within a factor of 2); the numbers say: 12"),
        ("share", SHARE, "0.44", {"share": 0.48}, "✔ You predicted 0.44 (± 0.05): right"),
        ("share", SHARE, "0.4", {"share": 0.48}, "✘ You predicted 0.4 (± 0.05); the numbers say: 0.48"),
        ("which", WHICH, "(layer == 0) | (layer == 3)", NATS, "✔ You predicted `(layer == 0) | (layer == 3)`: right"),
        (
            "which",
            WHICH,
            "layer < 1",
            NATS,
            "✘ You predicted `layer < 1`; the numbers say: 0, 3. Your line leaves out 3",
        ),
        ("which", WHICH, "layer == 1", NATS, "✘ You predicted `layer == 1`; the numbers say: 0, 3. " + BOTH),
        (
            "which",
            WHICH,
            "layer > -1",
            NATS,
            "✘ You predicted `layer > -1`; the numbers say: 0, 3. Your line also selects 1, 2",
        ),
    ],
)
def test_numbers_and_rows_are_held_against_what_was_measured(say, name, question, typed, numbers, first):
    ours = chapter()
    say(ours.predict, name, question, answer=typed, **(LAYERS if name == "which" else {}))
    card = say(ours.see, name, **numbers)
    assert card.splitlines()[0] == first
    assert ("Why that is tempting: " in card) == first.startswith("✘")


def test_numbers_come_out_of_tensors(say):
    import torch

    ours = chapter()
    say(ours.predict, "count", COUNT, answer="12")
    assert say(ours.see, "count", count=torch.tensor(12.04)).endswith("  Measured: count = 12.\n")
    columns = {name: torch.tensor(column) for name, column in LAYERS.items()}
    say(ours.predict, "which", WHICH, answer="layer % 3 == 0", **columns)
    assert say(ours.see, "which", nats=torch.tensor(NATS["nats"])).startswith("✔")


def test_rows_are_known_once_the_cell_of_the_question_has_run(say):
    say(chapter().predict, "which", WHICH, answer="layer > 2", **LAYERS)
    ours = chapter()
    assert say(ours.see, "which", **NATS).startswith("○ Not decided\n  The numbers here decide for no answer: the cell")
    say(ours.predict, "which", WHICH, **LAYERS)
    assert say(ours.see, "which", **NATS).startswith(
        "✘ You predicted `layer > 2`; the numbers say: 0, 3. Your line leaves"
    )


BROKEN = {
    "two true": (
        Choice(a=(lambda rise: rise > 0, "A."), b=(lambda rise: rise > 1, "B.")),
        "a and b true, and exactly one",
    ),
    "none true": (Choice(a=(lambda rise: rise < 0, "A."), b=(lambda rise: rise < 1, "B.")), "no choice true, and"),
    "no sentence": (Choice(a=lambda rise: rise < 0, b=(lambda rise: rise > 1, "B.")), "a is wrong, and no sentence"),
    "no such number": (
        Choice(a=(lambda rise: True, "A."), b=(lambda fall: False, "B.")),
        "a condition on rise stops with KeyError: 'fall'",
    ),
    "none of the rows": (
        Rows(lambda rise: rise > 9, others="O.", left_out="L."),
        "the rows that are due are none or all",
    ),
    "another answer": (Choice(a=(lambda rise: rise < 2, "A."), b=(lambda rise: rise >= 2, "B.")), "predicts b, and"),
}


@pytest.mark.parametrize(("kind", "told"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_question_stops_its_author_and_no_learner(kind, told, say, monkeypatch):
    """Where nobody watches it is the author's build, and raises: where, what, and what next."""
    are_rows = isinstance(kind, Rows)
    numbers = {"rise": [0.5, 1.5]} if are_rows else {"rise": 1.5}
    asked = {"answer": "row > 1", "row": [1, 2]} if are_rows else {"answer": "b"}
    ours = table(rise=kind)
    say(ours.predict, "rise", RISE, **asked)
    card = say(ours.see, "rise", **numbers)
    undecided = "○ Not decided\n  The numbers here decide for no answer: "
    assert card.startswith({"predicts b, and": "✘", "a is wrong, and no sentence": "✔"}.get(told, undecided))
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")
    ours.predict("rise", RISE, **asked)
    with pytest.raises(CourseError, match=r"^tests/predictions/ch90_mini\.py: rise: ") as caught:
        ours.see("rise", **numbers)
    assert told in str(caught.value) and re.search("mend|write|stops", str(caught.value))


def test_where_nobody_watches_nothing_is_stored_and_an_open_one_stops_nothing(state, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")
    ours = chapter()
    ours.predict("rise", RISE)
    ours.see("rise", rise=1.5)
    ours.predict("rise", RISE, answer="b")
    ours.see("rise", rise=1.5)
    assert list(state.iterdir()) == []


@pytest.mark.slow
def test_two_notebooks_predict_at_once(state):
    code = """
from tests.learner.test_predictions import RISE, chapter
for answer in "abab":
    chapter().predict("rise", RISE, answer=answer)
"""
    fresh_python(code, COURSE_STATE=str(state), COURSE_PROGRESS="")
    assert len(list((state / "my_gpt" / "predicted").iterdir())) == 4
