"""judge.checking.comparing: what is said of two values that differ, and that nothing is said of two that agree."""

import math

import pytest
import torch

from judge.checking.comparing import value_difference
from judge.checking.showing import written
from judge.checking.tensors import shape_difference
from judge.checking.wording import at, in_code, number, short, sized
from judge.running.records import Array, Opaque

SIZES = [("batch", 2), ("pos", 5), ("d_model", 8)]
NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("value", "said"),
    [
        *[(0.0, "0.0000"), (2.5, "2.5000"), (-0.001, "-0.0010"), (0.00099, "0.00099"), (9999.5, "9999.5000")],
        *[(1e4, "1e+04"), (-1e-05, "-1e-05"), (NAN, "NaN"), (INF, "inf"), (-INF, "-inf"), (17, "17"), (True, "True")],
    ],
)
def test_numbers_are_short(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("\u0301", r"'\u0301'"),  # on nothing
        (["\u0301a", {"e\u0301": 1}], r"['\u0301a', {'e\u0301': 1}]"),  # "é" is one character
        ("e\u0323\u0301", r"'e\u0323\u0301'"),
        ("か\u3099", r"'か\u3099'"),
        ("❤\ufe0f", r"'❤\ufe0f'"),
        ("\u200b\u00ad", r"'\u200b\xad'"),
        ("été लोमड़ी ثعلب が 🦊", "'été लोमड़ी ثعلب が 🦊'"),
        (b"e\xcc\x81", r"b'e\xcc\x81'"),
    ],
)
def test_marks_that_look_like_something_else_are_written_as_escapes(value, said):
    assert in_code(value) == short(value) == written(value).text == said


def test_places_carry_axis_names_when_they_fit():
    assert at([0, 3], ["batch", "pos"]) == "batch 0, pos 3"
    assert at([0, 3], ["batch"]) == at([0, 3], ["axis 0", "axis 1"]) == at([0, 3], ["...", "pos"]) == "[0, 3]"
    assert sized([2, 5], ["batch", "pos"]) == "[batch 2, pos 5]" and sized([2, 5], ["axis 0", "axis 1"]) == "[2, 5]"


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((2, 8, 5), "the axes are in another order: batch d_model pos"),
        ((8, 5, 2), "the axes are in another order: d_model pos batch"),
        ((2, 5), "missing: d_model"),
        ((8,), "missing: batch, pos"),
        ((), "missing: batch, pos, d_model"),
        ((2, 7), "1 axis too few"),
        ((7,), "2 axes too few"),
        ((2, 6, 8), "pos is 6, not 5"),
        ((1, 5, 1), "batch is 1, not 2; d_model is 1, not 8"),
        ((1, 2, 5, 8), "1 axis too many"),
        ((1, 1, 2, 5, 8), "2 axes too many"),
        ((10, 8), "batch and pos are merged into one axis of 2 × 5 = 10"),
        ((2, 40), "pos and d_model are merged into one axis of 5 × 8 = 40"),
    ],
)
def test_a_wrong_shape_is_explained(shape, said):
    difference = shape_difference(torch.zeros(shape), SIZES)
    assert difference.lines == (f"got shape {list(shape)}, expected [batch 2, pos 5, d_model 8]", said)
    assert difference.error_over_tolerance == INF


def test_equal_sizes_are_never_mixed_up_by_name():
    """With two axes of one size nobody can tell which came first, so nothing is claimed."""
    assert (
        shape_difference(torch.zeros(5, 2, 2), [("a", 2), ("b", 2), ("c", 5)]).lines[1]
        == "a is 5, not 2; c is 2, not 5"
    )
    assert shape_difference(torch.zeros(1, 8), [("batch", 1), ("pos", 1), ("d_model", 8)]).lines[1] == "1 axis too few"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "the result is None"),
        (1.5, "the result is of type float, not a tensor"),
        (Opaque("Size"), "the result is of type Size, not a tensor"),
        (Array(torch.zeros(2)), "the result is of type ndarray, not a tensor"),
        (Opaque("Tensor of quint8"), "the result is a Tensor of quint8, where an ordinary tensor is expected"),
        (torch.zeros(2).double(), "the result is float64, expected float32"),
    ],
)
def test_another_kind_of_value_is_named(value, said):
    assert value_difference(value, torch.zeros(2), ["pos"], 1e-5).lines == (said,)


WANT = torch.arange(1.0, 13.0).view(3, 4)


def changed(*changes):
    got = WANT.clone()
    for index, value in changes:
        got[index] = value
    return got


# got: all lines that are said; WANT is 1 to 12 in rows of four, allowed 1e-5 times 12
VALUES = {
    "one value": (
        changed(((1, 2), 7.5)),
        "1 of 12 values differs, at pos 1, d_model 2: got 7.5000, expected 7.0000",
        "the largest difference is 0.5000; 0.00012 is allowed",
    ),
    "two values": (
        changed(((1, 2), 7.5), ((1, 3), 8.5)),
        "2 of 12 values differ, most at pos 1, d_model 2: got 7.5000, expected 7.0000",
        "the largest difference is 0.5000; 0.00012 is allowed",
        "all of them at pos 1 and d_model 2, 3; elsewhere the values are right",
    ),
    "one row": (
        changed((2, 0.0)),
        "4 of 12 values differ, most at pos 2, d_model 3: got 0.0000, expected 12.0000",
        "the largest difference is 12.0000; 0.00012 is allowed",
        "all of them at pos 2; elsewhere the values are right",
    ),
    "a factor": (
        WANT * -2,
        "12 of 12 values differ, most at pos 2, d_model 3: got -24.0000, expected 12.0000",
        "the largest difference is 36.0000; 0.00012 is allowed",
        "every value is the expected one times -2.0000",
    ),
    "an offset": (
        WANT + 0.001,
        "12 of 12 values differ, most at pos 0, d_model 0: got 1.0010, expected 1.0000",
        "the largest difference is 0.0010; 0.00012 is allowed",
        "every value is the expected one plus 0.0010",
    ),
    "no pattern": (
        WANT.flip(1),
        "12 of 12 values differ, most at pos 0, d_model 0: got 4.0000, expected 1.0000",
        "the largest difference is 3.0000; 0.00012 is allowed",
    ),
    "zeros are no factor": (
        WANT * 0,
        "12 of 12 values differ, most at pos 2, d_model 3: got 0.0000, expected 12.0000",
        "the largest difference is 12.0000; 0.00012 is allowed",
    ),
    "NaN": (changed((slice(None), NAN)), "12 of 12 values are NaN, the first at pos 0, d_model 0: expected 1.0000"),
    "NaN, infinite and wrong": (
        changed(((0, 1), NAN), ((1, 1), INF), ((2, 1), -INF), ((2, 2), 5.0)),
        "1 of 12 values is NaN, at pos 0, d_model 1: expected 2.0000",
        "2 of 12 values are infinite, the first at pos 1, d_model 1: expected 6.0000",
        "1 of 12 values differs, at pos 2, d_model 2: got 5.0000, expected 11.0000",
        "the largest difference is 6.0000; 0.00012 is allowed",
        "all of them at d_model 1, 2; elsewhere the values are right",
    ),
}


@pytest.mark.parametrize("case", VALUES.values(), ids=VALUES.keys())
def test_wrong_values_are_counted_placed_and_explained(case):
    got, *said = case
    difference = value_difference(got, WANT, ["pos", "d_model"], 1e-5)
    assert [*difference.lines, *difference.more] == said


def test_what_should_be_infinite_or_nan_and_is_not():
    want = torch.tensor([1.0, -INF, NAN, INF])
    assert value_difference(want.clone(), want, ["pos"], 1e-5) is None
    got = torch.tensor([1.0, -3.4e38, 0.0, -INF])
    difference = value_difference(got, want, ["pos"], 1e-5)
    assert difference.lines == ("3 of 4 values differ, most at pos 1: got -3.4e+38, expected -inf",)
    assert difference.more == ("all of them at pos 1, 2, 3",)  # and no "by up to inf"; most are wrong


def test_a_single_number_that_is_none_has_no_place():
    for odd, name in ((NAN, "NaN"), (INF, "infinite")):
        (said,) = value_difference(torch.tensor(odd), torch.tensor(1.5), [], 1e-5).lines
        assert said == f"the result is {name}, expected 1.5000"


def test_numbers_that_look_alike_get_more_digits():
    difference = value_difference(torch.tensor([1.00002]), torch.ones(1), ["pos"], 1e-5)
    assert difference.lines == ("at pos 0: got 1.00002003, expected 1",)
    assert difference.more == ("the largest difference is 2e-05; 1e-05 is allowed",)


def test_whole_numbers_are_exact_and_a_single_number_has_no_place():
    tokens = torch.tensor([50256, 300_000])
    difference = value_difference(tokens + torch.tensor([0, 1]), tokens, ["pos"], 1e-5)
    assert difference.lines == ("1 of 2 values differs, at pos 1: got 300001, expected 300000",)
    assert difference.more == ()  # the one place is told already
    both = value_difference(tokens + 1, tokens, ["pos"], 1e-5)
    assert both.lines == ("2 of 2 values differ, the first at pos 0: got 50257, expected 50256",)
    assert value_difference(torch.tensor(2.5), torch.tensor(2.0), [], 1e-5).lines[0] == "got 2.5000, expected 2.0000"
    mask = torch.tensor([True, False])
    assert value_difference(mask, mask.clone(), ["pos"], 1e-5) is None
    assert value_difference(~mask, mask, ["pos"], 1e-5).lines == (
        "2 of 2 values differ, the first at pos 0: got False, expected True",
    )


def test_among_equal_errors_the_first_is_shown_whatever_the_rounding():
    got = WANT + 0.5
    got[2, 1] += 1e-6
    assert (
        value_difference(got, WANT, ["pos", "d_model"], 1e-5)
        .lines[0]
        .startswith("12 of 12 values differ, most at pos 0, d_model 0: ")
    )


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (124_438_272, "got 124,438,272, expected 124,439,808 (1,536 less)"),
        (248_879_616, "got 248,879,616, expected 124,439,808 (124,439,808 more, twice as much)"),
        (373_319_424, "got 373,319,424, expected 124,439,808 (248,879,616 more, 3 times as much)"),
        (62_219_904, "got 62,219,904, expected 124,439,808 (62,219,904 less, 50 % of what is expected)"),
    ],
)
def test_of_large_counts_the_ratio_is_told_where_it_tells_something(got, said):
    assert value_difference(got, 124_439_808, [], 0.0).lines == (said,)


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        (3072, 36_864, "got 3,072, expected 36,864"),
        (0, 36_864, "got 0, expected 36,864"),
        (36_864, -1, "got 36,864, expected -1"),
        (0.0, 45_684_800.0, "got 0, expected 45,684,800"),
        (0.5, 45_684_800.0, "got 0.5, expected 45,684,800"),
        (232_265.6, 232.2656, "got 232,265.6, expected 232.2656"),
        (36_864.0, 36_864, "got 36,864.0 (float), expected 36,864 (int)"),
        (None, 36_864, "the result is None, expected 36,864"),
        (3072, 9999, "got 3072, expected 9999"),
        (3072.5, 9999.0, "got 3072.5, expected 9999"),
        (36_864, 2**4000, f"got 36864, expected {str(2**4000)[:97]}..."),
        (float("inf"), 36_864.0, "got inf, expected 36,864"),
    ],
)
def test_where_one_of_two_numbers_is_large_both_are_written_with_commas(got, want, said):
    assert value_difference(got, want, [], 0.0).lines == (said,)
