"""judge.checking.comparing: words, numbers, lists and dicts, and whatever they hold, with the path to what differs."""

import math

import pytest
import torch

from judge.checking import Exercise, check_agrees
from judge.checking.comparing import value_difference
from judge.running.records import Array, Opaque
from tests.judge.checking.tiny import judged_by_check

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        (5, 6, ("got 5, expected 6",)),
        (5, 5.0, ("got 5 (int), expected 5.0 (float)",)),
        (True, 1, ("got True (bool), expected 1 (int)",)),
        (None, "a", ("the result is None, expected 'a'",)),
        (Opaque("int64"), 3, ("got <int64> (int64), expected 3 (int)",)),
        ("abd", "abc", ("they first differ at index 2: got 'd', expected 'c'",)),
        ([1], [1, 2], ("yours ends too early: 2 is missing at index 1 (got 1 item, expected 2)",)),
        ([1, 2], [1], ("yours goes on too long: 2 at index 1 is not expected (got 2 items, expected 1)",)),
        ("abd", "abce", ("they first differ at index 2: got 'd', expected 'c' (got 3 characters, expected 4)",)),
        ("", "ab", ("yours is empty: expected 2 characters, beginning with 'a'",)),
        (b"ab", b"ac", ("they first differ at index 1: got b'b', expected b'c'",)),
        (b"", b"a", ("yours is empty: expected 1 byte, b'a'",)),
        ([], [(b"h", b"e")], ("yours is empty: expected 1 item, (b'h', b'e')",)),
        ([7, 8, 9], [], ("yours should be empty: got 3 items, beginning with 7",)),
        ({"a": []}, {"a": [1, 2]}, ("at key 'a': yours is empty: expected 2 items, beginning with 1",)),
        ([[], [1.0]], [[3], [1.0]], ("at index 0: yours is empty: expected 1 item, 3",)),
        ([b"a", 3], [b"a", 2], ("they first differ at index 1: got 3, expected 2",)),
        ([()], [[]], ("they first differ at index 0: got (), expected []",)),
        ([1.0, NAN], [1.0, NAN], None),
        ({"a": [1]}, {"a": [1]}, None),
        ([0.5], [0.5, 1.0], ("got 1 item, expected 2",)),
        ({"a": 1, "c": 2}, {"a": 1, "b": 2}, ("missing keys: 'b'", "unexpected keys: 'c'")),
        ({"a": 1, "b": 3}, {"a": 1, "b": 2}, ("at key 'b': got 3, expected 2",)),
    ],
)
def test_plain_values(got, want, said):
    difference = value_difference(got, want, [], 1e-5)
    assert (difference and difference.lines) == said


@pytest.mark.parametrize(
    ("got", "want", "agree"),
    [
        (1.0 + 1e-6, 1.0, True),
        (1.0 + 1e-4, 1.0, False),
        (1e6 + 1.0, 1e6, True),  # a float's tolerance is relative
        (1e-9, 1.1e-9, False),  # at any size
        (1e-13, 0.0, True),
        (NAN, NAN, True),
        (NAN, 1.0, False),
        (INF, INF, True),
        (1e300, INF, False),
    ],
)
def test_floats_use_the_tolerance(got, want, agree):
    for nest in (lambda value: value, lambda value: [value], lambda value: {"a": (value, 1)}):
        assert (value_difference(nest(got), nest(want), [], 1e-5) is None) == agree
    difference = value_difference(got, want, [], 1e-5)
    assert agree or difference.error_over_tolerance > 1


def test_the_path_into_a_nest_is_named():
    want = [torch.zeros(2), (torch.zeros(2, 3), 0.5), {"w": torch.zeros(2)}]
    got = [torch.zeros(2), (torch.zeros(2, 3), 0.5), {"w": torch.tensor([0.0, 1.0])}]
    assert value_difference(got, want, ["pos"], 1e-5).lines[:2] == (
        "at index 2, key 'w': 1 of 2 values differs, at pos 1: got 1.0000, expected 0.0000",
    )
    got = [torch.zeros(2), (torch.zeros(2, 4), 0.5), want[2]]
    assert value_difference(got, want, [], 1e-5).lines == (
        "at [1][0]: got shape [2, 4], expected [2, 3]",
        "axis 1 is 4, not 3",
    )
    got = (torch.zeros(2), (torch.zeros(2, 3), 0.75), want[2])
    tensors = [torch.rand(3, 3), torch.rand(3, 3)]
    assert "\n" not in value_difference(tensors, "ab", [], 1e-5).lines[0]
    assert value_difference(list(got), want, [], 1e-5).lines == ("at [1][1]: got 0.75, expected 0.5",)
    assert value_difference(got, want, [], 1e-5).lines[0].endswith("(list)")


def test_an_author_names_the_items():
    beams = ("the best beam", "the second beam"), ("its score", "its text")
    want = [(0.5, torch.ones(2)), (0.25, torch.ones(2)), (0.125, torch.ones(2))]
    for index, said in enumerate(("the best beam", "the second beam", "index 2")):
        got = [(0.0, text) if place == index else (score, text) for place, (score, text) in enumerate(want)]
        (line,) = value_difference(got, want, [], 1e-5, beams).lines
        assert line == f"at {said}, its score: got 0, expected {want[index][0]:g}"
    assert value_difference([1, 2], [1, 3], [], 0.0, ("step",)).lines == (
        "they first differ at step 1: got 2, expected 3",
    )
    assert value_difference([[1.0], [2.0]], [[1.0], [3.0]], [], 0.0, ("step",)).lines == (
        "at step 1, index 0: got 2, expected 3",
    )


def test_what_was_observed_is_at_no_place():
    notes = ({"share": "the share that is kept", "anew": "whether each call draws anew"},)
    want = {"share": 0.7, "anew": True}
    assert value_difference({"share": 0.3, "anew": True}, want, [], 1e-5, notes).lines == (
        "at the share that is kept: got 0.3, expected 0.7",
    )
    assert value_difference({"share": 0.7, "anew": False}, want, [], 1e-5, notes).lines == (
        "whether each call draws anew: got False, expected True",
    )


def test_arrays_are_values():
    want = Array(torch.ones(2))
    assert value_difference(Array(torch.ones(2)), want, ["pos"], 1e-5) is None
    assert value_difference(Array(torch.ones(2).double()), want, ["pos"], 1e-5).lines == (
        "the result is float64, expected float32",
    )
    assert value_difference(Array(torch.zeros(2)), want, ["pos"], 1e-5).lines[0] == (
        "2 of 2 values differ, most at pos 0: got 0.0000, expected 1.0000"
    )
    assert value_difference(torch.ones(2), want, ["pos"], 1e-5).lines == (
        "the result is of type Tensor, not a NumPy array",
    )


def test_long_values_are_cut_but_what_differs_is_shown():
    got, want = list(range(200)), list(range(200))
    got[150] = -1
    difference = value_difference(got, want, [], 0.0)
    assert all(len(line) < 115 and line.endswith("...") for line in difference.more)
    assert difference.lines == ("they first differ at index 150: got -1, expected 150",)


def both_ends(items):
    """The reference solution."""
    return min(items), max(items)


ENDS = Exercise(inputs={"items": ""}, solution=__name__)
ENDS.test(lambda both_ends: None)


def test_what_a_function_returns_is_counted_and_not_indexed():
    def said(component):
        return judged_by_check(check_agrees, component, [3, 1, 2], exercise=ENDS).failure.details

    assert said(lambda items: (1, 2)) == ("they first differ at the second returned value: got 2, expected 3",)
    assert said(lambda items: (0, 3)) == ("they first differ at the first returned value: got 0, expected 1",)
