"""What counts as the stored output: rounding on another processor, and no more than that."""

import pytest
import torch

from grader.nbval_items import FIGURE, as_stored, data_as_stored, picture_as_stored, text_as_stored
from utils.pictures.picture import Picture, as_bytes

BYTES = torch.arange(64) / 255


@pytest.mark.parametrize(
    ("value", "stored", "same"),
    [
        (0.123, 0.124, True),
        (0.123, 0.125, False),
        (9.99, 10.0, True),
        (1.0, -1.0, False),
        (2e-7, 0.0, True),
        (0.005, 0.006, True),
        (0.005, 0.0061, False),
        ({"z": [[1.0, 2.0]]}, {"z": [[1.0, 2.01]]}, True),
        ({"z": [[1.0, 2.0]]}, {"z": [[1.0, 2.0, 3.0]]}, False),
        ({"z": [1.0]}, {"y": [1.0]}, False),
        ({"words": "from 0.123 at 7"}, {"words": "from 0.124 at 7"}, True),
        ({"words": "from 0.123 at 7"}, {"words": "from 0.123 at 8"}, False),
    ],
)
def test_what_counts_as_the_stored_figure(value, stored, same):
    assert (as_stored(value, stored) == stored) is same


def picture(words="Head 0 reads 0.52 of 31 tokens.", bytes=BYTES, module="pairs", **data):
    whole = {"patterns": as_bytes(bytes), "layer": 5, "next": [["w", 0.967], ["u", 0.007]], "tokens": ["<", "daughter"]}
    return Picture(module, whole | data, words)


def changed(by, at=7):
    moved = BYTES.clone()
    moved[at] += by / 255
    return moved


ALIKE = {
    "the same": {},
    "a byte one up": {"bytes": changed(1)},
    "two bytes one down": {"bytes": changed(-1) + changed(-1, 60) - BYTES},
    "a decimal of the words": {"words": "Head 0 reads 0.53 of 31 tokens."},
    "a decimal of the data": {"next": [["w", 0.968], ["u", 0.007]]},
    "a zero at the end": {"next": [["w", 0.967], ["u", 0.008]], "words": "Head 0 reads 0.51 of 31 tokens."},
}
OTHER = {
    "a byte two up": {"bytes": changed(2)},
    "a byte five down": {"bytes": changed(-5, 40)},
    "more bytes": {"bytes": torch.arange(65) / 255},
    "another decimal of the words": {"words": "Head 0 reads 0.57 of 31 tokens."},
    "another whole number of the words": {"words": "Head 0 reads 0.52 of 32 tokens."},
    "other words": {"words": "Head 1 reads 0.52 of 31 tokens."},
    "fewer words": {"words": "Head 0 reads 0.52"},
    "another decimal of the data": {"next": [["w", 0.962], ["u", 0.007]]},
    "another whole number of the data": {"layer": 4},
    "another token": {"tokens": ["<", "daughtes"]},
    "fewer tokens": {"tokens": ["<"]},
    "more data": {"title": ""},
    "another script": {"module": "arcs"},
}


@pytest.mark.parametrize("change", ALIKE.values(), ids=ALIKE)
def test_a_picture_may_be_rounded_otherwise(change):
    stored, found = picture()._repr_html_(), picture(**change)._repr_html_()
    assert picture_as_stored(found, stored) == stored


@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER)
def test_nothing_else_of_a_picture_may_change(change):
    stored, found = picture()._repr_html_(), picture(**change)._repr_html_()
    assert picture_as_stored(found, stored) == found != stored


@pytest.mark.parametrize(
    "old, new", [("max-width: 1000px", "max-width: 1001px"), ("1.2em", "1.3em"), ("</div>", "</p>")]
)
def test_neither_may_its_style_and_what_is_around_it(old, new):
    stored = picture()._repr_html_()
    found = stored.replace(old, new)
    assert picture_as_stored(found, stored) == found != stored


def outputs(picture):
    return {"text/html": picture._repr_html_(), "text/plain": repr(picture)}


def test_its_plain_words_are_those_that_are_stored():
    stored = outputs(picture())
    assert data_as_stored(outputs(picture(**ALIKE["a decimal of the words"])), stored) == stored
    other = outputs(picture(**OTHER["other words"]))
    assert data_as_stored(other, stored) == other


@pytest.mark.parametrize(
    ("text", "stored", "same"),
    [
        ("a chain 7%, 9%, 12 %\n", "a chain 6%, 10%, 11 %\n", True),
        ("after 2: 2e-06, 8e-09", "after 2: 2e-06, 9e-09", True),
        ("unseen = -2.58e-05.", "unseen = -2.59e-05.", True),
        ("6.24 nats", "6.25 nats", True),
        ("1.111 nats", "1.113 nats", True),
        ("6.24 nats", "6.34 nats", False),
        ("6.24 nats", "6.24 bits", False),
        ("-2.58e-05", "-2.58e-04", False),
        ("8%", "6%", False),
        ("[3, 6, 4]", "[3, 6, 5]", False),
        ("version 1.2.3", "version 1.2.4", False),
        ("layer_5", "layer_6", False),
        ("0.52 and more", "0.52", False),
    ],
)
def test_a_rounded_number_of_a_text_may_be_one_apart(text, stored, same):
    assert (text_as_stored(text, stored) == stored) is same
    found = {"text/html": f"<p>{text}</p>", "text/plain": text}
    assert (data_as_stored(found, {"text/html": f"<p>{stored}</p>", "text/plain": stored}) != found) is same


def test_other_outputs_stay_as_they_are():
    found = {"text/html": "<p>0.52</p>", "text/plain": "0.52"}
    assert data_as_stored(found, outputs(picture())) == found
    assert data_as_stored(outputs(picture()), found) == outputs(picture())
    assert data_as_stored({FIGURE: {"y": [0.123]}}, {FIGURE: {"y": [0.124]}}) == {FIGURE: {"y": [0.124]}}
