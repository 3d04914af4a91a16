"""utils.checking.diagnosis, numbers and forms: each clue is given where it is proved, and not where it nearly is."""

import pytest
import torch

from utils.checking.diagnosis.forms import form_clue
from utils.checking.diagnosis.numbers import LAZY, value_clue
from utils.running.records import Opaque

SIZES = [("batch", 2), ("pos", 5), ("d_model", 8)]
WANT = torch.arange(80.0).mul(0.7).sin().view(2, 5, 8) * 3
SAME_ROWS = WANT[:1].expand(2, -1, -1)


def emptied(where):
    got = WANT.clone()
    got[:, where] = 0
    return got


FORMS = {
    "axes": (WANT.transpose(1, 2), "bring them into the order batch pos d_model"),
    "copies": (torch.cat([WANT, WANT], dim=1), "Along pos the right numbers come 2 times, and once is due here"),
    "copies of one": (WANT[:1].expand(3, -1, -1), None),
    "too long": (torch.cat([WANT, WANT[:, :2] + 1], dim=1), "The first 5 along pos are right, followed by 2 too many"),
    "the first position left out": (WANT[:, 1:], "some are left out: pos 0."),
    "the last dimension left out": (WANT[..., :-1], "some are left out: d_model 7."),
    "an axis too many": (WANT.unsqueeze(2), "an axis of size 1 too many"),
    "one sentence": (WANT[0], "the right numbers for batch 0 alone"),
    "one sentence with its axis": (WANT[1:], "the right numbers for batch 1 alone"),
    "one position": (WANT[:, -1], "the right numbers for pos 4 alone"),
    "another position's shape": (WANT[:, 0] + 1, None),
    "merged": (WANT.flatten(0, 1), "but axes are merged: `.view(batch, pos, -1)`"),
    "cut wrongly": (WANT.view(5, 2, 8), "cut into the wrong axes: `.view(batch, pos, -1)`"),
    "cut wrongly, other numbers": (WANT.view(5, 2, 8) + 1, None),
    "numbers in lists": ([[[0.5]]], "Leave out `.tolist()`"),
    "in a tuple": ((WANT, None), "not a tuple that holds it: is there a comma after it?"),
    "in a dict": ({"logits": WANT, "loss": None}, "Return the tensor alone, not a dict that holds it."),
    "other numbers in a dict": ({"logits": WANT + 1}, None),
    "a layer": (Opaque("GELU"), "`nn.GELU(...)` makes a layer"),
    "a method": (Opaque("builtin_function_or_method"), "round brackets behind it"),
    "something else": (Opaque("Config"), None),
    "a function of nn, which is no layer": (Opaque("init"), None),
}


@pytest.mark.parametrize(("got", "said"), FORMS.values(), ids=FORMS)
def test_a_wrong_form(got, said):
    clue = form_clue(got, WANT, SIZES)
    assert (said in clue) if said else clue is None


@pytest.mark.parametrize(
    ("got", "want", "told"),
    [
        (Opaque("generator"), [b"a"], LAZY),
        ([1, Opaque("map")], [1, [0, 2]], LAZY),
        ([1, Opaque("map")], [1, "a"], None),
        (Opaque("MyTokens"), [b"a"], None),
        ([[0, 1]], [[0, 2]], None),
        ((b"a", b"b"), [b"a", b"b"], "a tuple holds them: make a list"),
        ([(0, 1)], [[0, 1]], "a tuple holds them: make a list"),
        ([(0, 1)], [[0, 2]], None),
        ("the fox", ["the", "fox"], "without `join`"),
        (b"a|b", [b"a", b"b"], "without `join`"),
        (["a b"], ["a"], None),
        (Opaque("set"), [b"a"], "A set keeps each item once"),
        ([Opaque("int64")], [3], "no `int`"),
        ((WANT, ["embed", "pos"]), (WANT, ["embed", "pos_embed"]), "spell each as the chapter does"),
        ((WANT + 1, ["embed", "pos"]), (WANT, ["embed", "pos_embed"]), None),
        ((WANT, ["embed"]), (WANT, ["embed", "pos_embed"]), None),
        ((WANT, "embed pos"), (WANT, ["embed", "pos"]), "without `join`"),
    ],
)
def test_what_is_no_list_yet(got, want, told):
    clue = value_clue(got, want, [])
    assert (told in clue) if told else clue is None


def test_merged_axes_without_names():
    sizes = [(f"axis {axis}", size) for axis, size in enumerate(WANT.shape)]
    assert form_clue(WANT.flatten(0, 1), WANT, sizes).endswith("but axes are merged: the shape is [2, 5, 8].")


def test_where_all_sentences_are_alike_none_of_them_is_named():
    assert form_clue(SAME_ROWS[0], SAME_ROWS, SIZES) is None


def test_what_is_nearly_right_is_no_clamp():
    want = torch.cat([torch.arange(16.0), 16 + 1e-4 * torch.arange(4)]).view(2, 5, 2)
    assert value_clue(want * (1 - 3e-5), want, [("batch", 2), ("pos", 5), ("pair", 2)]) is None
    assert "is there a clamp" in value_clue(want.clamp(max=12), want, [("batch", 2), ("pos", 5), ("pair", 2)])


VALUES = {
    "a factor": (WANT / 5, "Every number is 1/pos times"),
    "a half": (WANT / 2, None),
    "moved": (WANT.flip(1), "[batch 0, pos 0] has the one of [batch 0, pos 4]"),
    "never written": (emptied(3), "All is 0 at pos 3"),
    "never written, and more": (emptied(3) * 1.1, None),
    "float16": (WANT.half().float(), "remove `.half()`"),
    "bfloat16": (WANT.bfloat16().float(), "remove `.bfloat16()`"),
    "few digits": (WANT + 1e-3, None),
    "a ReLU": (WANT.relu(), "is there a ReLU?"),
    "a clamp": (WANT.clamp(max=2), "The numbers stop at 2, and"),
    "a clamp from both sides": (WANT.clamp(-2, 2), "The numbers stop at -2 and 2, and"),
    "a clamp from below": (WANT.clamp(min=-2), "The numbers stop at -2, and"),
    "a root of what is negative": (WANT.sqrt(), "NaN comes from the root or the logarithm of a negative number"),
    "a division by 0": (WANT / torch.zeros(8), "NaN comes from"),  # one number here is 0
    "infinite": (torch.where(WANT > 2, torch.inf, WANT), "An infinite number comes from a division by 0"),
    "one number too small": (torch.where(WANT == WANT.max(), WANT - 1e-3, WANT), None),
}


@pytest.mark.parametrize(("got", "said"), VALUES.values(), ids=VALUES)
def test_wrong_numbers(got, said):
    clue = value_clue(got, WANT, SIZES)
    assert (said in clue) if said else clue is None


def test_a_factor_is_a_number_where_the_axes_have_no_names():
    want = WANT[0, 0, :3]
    assert value_clue(want * 3, want, [("...", 3)]) == "Every number is 3 times what it should be."
    assert value_clue(WANT / 5, WANT, [(f"axis {axis}", size) for axis, size in enumerate(WANT.shape)]).startswith(
        "Every number is 1/5 times"
    )


def test_two_numbers_between_others_prove_no_clamp():
    want = torch.tensor([1 / 6, 4 / 6, 1 / 6])  # drawn to the middle, as by a scale, they stop at two limits as well
    assert value_clue(torch.tensor([0.2366, 0.5268, 0.2366]), want, [("...", 3)]) is None
    assert value_clue(torch.tensor([0.2366, 0.6667, 0.2366]), want, [("...", 3)]) is None


def test_what_hardly_changes_a_number_is_no_clamp():
    want = torch.tensor([0.1, 1.1, 2.1, 3.1, 4.1, 4.10001, 4.10002])
    assert value_clue(want.clamp(max=4.1), want, [("...", 7)]) is None
