"""utils.learner.predictions: what is noted, which one counts, and what the card says of each."""

import math
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
JOINED = "Join two conditions with & or |, each in brackets: (layer > 1) & (layer < 3)."

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
        ("count", COUNT, "nan", "`nan` is no number: type one such as 0.5 or 12."),
        ("count", COUNT, "inf", "`inf` is no number: type one such as 0.5 or 12."),
        ("share", SHARE, "0,5", "`0,5`: write a decimal point, as in 0.5."),
        ("share", SHARE, "1,2,3", "`1,2,3`: write a decimal point, as in 0.5."),
        ("which", WHICH, "layer >", "`layer >` stops with SyntaxError: invalid syntax (<string>, line 1). " + USES),
        ("which", WHICH, "nats > 1", "`nats > 1` stops with NameError: name 'nats' is not defined. " + USES),
        ("which", WHICH, "layer", "`layer` selects no rows: it has to be true or false for each of 4."),
        ("which", WHICH, "layer > 9", "`layer > 9` selects none of the 4 rows. " + USES),
        ("which", WHICH, "layer >= 0", "`layer >= 0` selects all of the 4 rows. " + USES),
        ("which", WHICH, "1 < layer < 3", "`1 < layer < 3`: " + JOINED),
        ("which", WHICH, "layer > 1 and layer < 3", "`layer > 1 and layer < 3`: " + JOINED),
        ("which", WHICH, "layer > 1 & layer < 3", "`layer > 1 & layer < 3`: " + JOINED),
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
            "layer < 3",
            NATS,
            "✘ You predicted `layer < 3`; the numbers say: 0, 3. Your line also selects 1, 2 and leaves out 3",
        ),
        ("share", SHARE, "0.8", {"share": 0.75}, "✔ You predicted 0.8 (± 0.05): right"),
        ("share", SHARE, "0.8", {"share": 0.74996}, "✔ You predicted 0.8 (± 0.05): right"),  # which is shown as 0.75
        ("count", COUNT, "12,000", {"count": 6000.2}, "✔ You predicted 12,000 (within a factor of 2): right"),
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
    assert say(ours.see, "which", **NATS) == (
        "○ The question's cell has not run in this kernel\n"
        "  Run the cell with predict('which', ...), and then this one. What you predicted is kept.\n"
    )
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
    "no such number": (
        Choice(a=(lambda rise: True, "A."), b=(lambda fall: False, "B.")),
        "a condition reads fall, and `see` hands over rise; use",
    ),
    "none of the rows": (
        Rows(lambda rise: rise > 9, others="O.", left_out="L."),
        "0 of 2 rows are due; some have to be, and some not: mend",
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
    undecided = "○ Not decided\n  No answer fits the numbers here. The chapter's own decide: "
    assert card.startswith({"predicts b, and": "✘"}.get(told, undecided))
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")
    ours.predict("rise", RISE, **asked)
    with pytest.raises(CourseError, match=r"^tests/predictions/ch90_mini\.py: rise: ") as caught:
        ours.see("rise", **numbers)
    assert told in str(caught.value) and re.search("[mM]end|write|stops|use", str(caught.value))


def test_an_answer_of_the_authors_that_is_none_stops_the_build(state, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")
    with pytest.raises(CourseError, match=r"which: its answer= can't be read\. `layr > 1` stops with Name"):
        chapter().predict("which", WHICH, answer="layr > 1", **LAYERS)


@pytest.mark.parametrize(
    ("name", "numbers", "told"),
    [
        ("rise", {"rise": math.nan}, "`rise` is NaN, or holds one"),
        ("share", {"share": math.inf}, "`share` is inf; hand over a finite number"),
        ("share", {"share": None}, "`share` is None; hand over a finite number"),
        ("count", {"count": 0}, "`count` is 0, and no number is within a factor of that"),
        ("which", {"nats": [1, math.nan, 0, 2]}, "`nats` is NaN, or holds one"),
        ("which", {"nats": [1, 2]}, "`due` gives 2 values for 4 rows"),
    ],
)
def test_numbers_that_decide_nothing_are_named(say, name, numbers, told):
    ours = chapter()
    say(ours.predict, name, {"rise": RISE}.get(name, WHICH), **LAYERS)
    assert told in say(ours.see, name, **numbers)


def test_an_answer_to_an_older_question_counts_no_more(say):
    """The course was updated, and the choice has gone."""
    say(table(rise=Choice(a=(lambda rise: False, "A."), c=lambda rise: True)).predict, "rise", RISE, answer="c")
    ours = chapter()
    assert "Noted: b) 1 or more\n  The card below" in say(ours.predict, "rise", RISE, answer="b")
    card = say(ours.see, "rise", rise=1.5)
    assert card.startswith("✔ You predicted b) 1 or more: right\n")
    assert "  Your earlier answer, `c`, is no answer to the question as it is now, and does not count.\n" in card


def test_the_same_answer_in_other_letters_is_no_second_one(say, state):
    ours = chapter()
    say(ours.predict, "rise", RISE, answer="B)")
    assert "What counts" not in say(ours.predict, "rise", RISE, answer=" b ")
    assert len(list((state / "my_gpt" / "predicted").iterdir())) == 1


def test_nothing_typed_changes_the_chapters_data_or_runs_for_ever(say):
    import torch

    layers = torch.arange(4)
    say(chapter().predict, "which", WHICH, answer="layer.fill(3) or layer > 2", layer=layers)
    assert layers.tolist() == [0, 1, 2, 3]
    card = say(chapter().predict, "which", WHICH, answer="[0 for _ in iter(int, 1)]", **LAYERS)
    assert card.startswith("○ Not noted\n  `[0 for _ in iter(int, 1)]` takes longer than 5 seconds. It can use layer")


def test_a_choice_may_take_two_lines(say):
    question = RISE.replace("less than 1", "less than 1,\n        as long as it is small")
    assert say(chapter().predict, "rise", question, answer="a").startswith(
        "○ Noted: a) less than 1, as long as it is small\n"
    )


def test_columns_and_numbers_may_be_called_name(say):
    ours = table(which=Rows(lambda name: name > 1, others="O.", left_out="L."))
    say(ours.predict, "which", WHICH, answer="name == 'b'", name=["a", "b"])
    assert say(ours.see, "which", name=[1, 2]).startswith("✔")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: table(rise=(Number(low="", high=""),)), "rise is of type tuple: write Choice"),
        (lambda: Choice(a=("It looks small.", lambda rise: True)), "a is .condition, why it tempts., a function"),
    ],
)
def test_a_table_of_something_else_is_refused(wrong, told):
    with pytest.raises(TypeError, match=told):
        wrong()


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
