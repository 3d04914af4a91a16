"""utils.learner.cards: a small matrix that is wrong, drawn for both themes, and told in words."""

import math
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
import torch

from judge.checking.diagnosis.example import LARGEST, picture_of
from judge.checking.evidence import Evidence
from judge.checking.tensors import number_difference
from judge.checking.verdict import Failure, Verdict
from tests.ch04_attention import test_apply_causal_mask as judge_mask
from tests.ch04_attention import test_softmax as judge_softmax
from utils.learner.cards import as_html, as_svg, short

SIZES = [("batch", 2), ("query", 2), ("key", 3)]
WANT = torch.arange(12.0).view(2, 2, 3)


def evidence(got, want=WANT, sizes=SIZES, about="value"):
    return Evidence(about, got, want, sizes)


def changed(*changes):
    got = WANT.clone()
    for index, value in changes:
        got[index] = value
    return got


def test_the_first_wrong_matrix_is_shown_with_its_first_wrong_place():
    picture = picture_of(evidence(changed(((1, 0, 2), -math.inf), ((1, 1, 0), 0.5))))
    assert (picture.of, picture.rows, picture.columns, picture.first) == ("batch 1", "query", "key", (0, 2))
    assert picture.want == ((6.0, 7.0, 8.0), (9.0, 10.0, 11.0)) and picture.got[0][2] == -math.inf
    assert picture.wrong == ((False, False, True), (True, False, False))
    assert picture.in_words == (
        "The 2 × 3 matrix of batch 1, expected and yours: 2 of 6 differ, the first at query 0, key 2: "
        "expected 8.0000, yours is -inf."
    )
    plain = picture_of(evidence(torch.eye(3) + 1, torch.eye(3), [("axis 0", 3), ("axis 1", 3)]))
    assert (plain.of, plain.rows, plain.columns) == ("", "row", "column")


def test_the_matrix_is_that_of_the_place_that_the_card_names():
    got = changed(((0, 1, 1), 5.5), ((1, 1, 2), 90.0))
    (said,) = number_difference(got, WANT, ["batch", "query", "key"], 1e-5).lines
    assert said.startswith("2 of 12 values differ, most at batch 1, query 1, key 2: ")
    assert picture_of(evidence(got)).of == "batch 1"


@pytest.mark.parametrize(
    "none",
    [
        evidence(WANT.clone()),  # nothing is wrong
        evidence(WANT[0]),  # another form
        evidence(WANT + 1, about="form"),
        evidence(torch.ones(3), torch.zeros(3), [("pos", 3)]),
        evidence(torch.ones(1, 3), torch.zeros(1, 3), [("pos", 1), ("d", 3)]),
        evidence(torch.ones(2, LARGEST + 1), torch.zeros(2, LARGEST + 1), [("pos", 2), ("d", LARGEST + 1)]),
        evidence([1], [2], []),
    ],
)
def test_what_is_no_small_matrix_has_no_picture(none):
    assert picture_of(none) is None


def test_a_picture_is_svg_with_its_words_and_one_frame_a_panel():
    picture = picture_of(evidence(changed(((0, 1, 1), math.nan), ((0, 1, 2), 1e6))))
    page = as_svg(picture)
    root = ElementTree.fromstring(page)
    assert root.get("role") == "img" and root.get("aria-label") == picture.in_words
    words = [text.text for text in root.iter("text")]
    assert [words.count(one) for one in ("expected", "yours", "difference", "NaN", "1e6", "·")] == [1, 1, 1, 2, 2, 4]
    frames = [one for one in root.iter("rect") if one.get("stroke-width")]
    assert len(frames) == 3 and len({(one.get("x"), one.get("y")) for one in frames}) == 1
    width = float(root.get("width"))
    assert all(float(one.get("x")) + float(one.get("width")) <= width for one in root.iter("rect"))


def test_a_picture_has_no_colour_of_paper_or_of_ink():
    """Words have the page's own colour; what lies under them is half transparent, so that they can be read."""
    page = as_svg(picture_of(evidence(WANT + 1)))
    root = ElementTree.fromstring(page)
    assert root.get("fill") == "currentColor" and not any(text.get("fill") for text in root.iter("text"))
    shares = [float(share) for share in re.findall(r'fill="rgba\([\d,]+,([\d.]+)\)"', page)]
    assert shares and max(shares) <= 0.5


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (1.0, "1.00"), (-9.994, "-9.99"), (-99.5, "-100"), (12345.0, "1e4"), (-0.001, "-1e-3")],
)
def test_numbers_fit_into_their_cells(value, said):
    assert short(value) == said and len(said) <= 5


class Closed(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.open = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.slow
def test_the_card_of_a_mask_shows_it_and_that_of_a_long_row_does_not():
    def hiding_itself(attn_scores):
        future = torch.ones(attn_scores.shape[-2:]).triu(0).bool()
        return attn_scores.masked_fill(future, -math.inf)

    page = as_html(judge_mask.exercise.judge(hiding_itself))
    assert page.count("<svg") == 1 and "query_pos ↓  key_pos →" in page and Closed(page).open == []
    assert "<svg" not in as_html(judge_softmax.exercise.judge(lambda x, dim=-1: x.softmax(dim) * 1.1))
    assert "<svg" not in as_html(Verdict("Scale", failure=Failure("agrees", ("no",))))
