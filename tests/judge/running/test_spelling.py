"""judge.running.spelling: the name that is meant; each cutoff where it is needed, and a word that it keeps apart."""

import pytest
import torch

from judge.running.spelling import CERTAIN, IN_CODE, OF_METHODS, OF_SETTINGS, is_slip, nearest

PARTS = ["embed", "pos_embed", "blocks", "ln_final", "unembed"]
FIELDS = ["d_model", "d_head", "d_mlp", "n_heads", "n_ctx", "n_layers", "d_vocab", "layer_norm_eps"]
TORCH = [name for name in dir(torch) if name[0] != "_"]
METHODS = [name for name in dir(torch.Tensor) if not name.startswith("_") and not name.endswith("_")]


@pytest.mark.parametrize(
    ("word", "name", "known", "alike"),
    [
        ("embedding", "embed", PARTS, {}),
        ("head", None, PARTS, {}),
        ("n_context", "n_ctx", FIELDS, {"alike": OF_SETTINGS}),
        ("n_embd", None, FIELDS, {"alike": OF_SETTINGS}),
        ("meen", "mean", ["mean", "residual"], {"alike": IN_CODE}),
        ("result", None, ["mean", "residual"], {"alike": IN_CODE}),
        ("mutmul", "matmul", METHODS, {"alike": OF_METHODS}),
        ("prob", None, METHODS, {"alike": OF_METHODS}),
        ("softmx", "softmax", TORCH, {"alike": CERTAIN}),
        ("normalise", None, TORCH, {"alike": CERTAIN}),
        ("d_modle", "d_model", FIELDS, {"alike": CERTAIN}),
        ("d_out", None, FIELDS, {"alike": CERTAIN}),
    ],
)
def test_as_much_alike_as_the_place_asks_for(word, name, known, alike):
    assert nearest(word, known, **alike) == name


@pytest.mark.parametrize(("word", "name"), [("tahn", "tanh"), ("taanh", "tanh"), ("TANH", "tanh"), ("taan", "tan")])
def test_letters_in_another_order_are_nearer_than_one_letter_less(word, name):
    assert nearest(word, ["tan", "tanh", "atanh", "sinh"], IN_CODE) == name


def test_capital_letters_decide_between_names_that_are_equally_alike():
    known = ["W_Q", "w_q", "W_V"]
    assert (nearest("W_q", ["W_Q", "W_V"]), nearest("w_qq", known), nearest("W_QQ", known)) == ("W_Q", "w_q", "W_Q")


def test_of_two_that_are_equally_alike_none_is_named_unless_it_is_a_guess():
    assert nearest("zero", ["zeros", "zero_"]) is None
    assert nearest("zero", ["zeros", "zero_"], guess=True) == "zeros"


@pytest.mark.parametrize("word", ["vocb", "voocab", "vcoab", "Vocab", "vocabs", "ocab"])
def test_a_letter_too_many_too_few_or_elsewhere_is_a_slip(word):
    assert is_slip(word, "vocab") and is_slip("vocab", word)


@pytest.mark.parametrize(
    ("word", "name"),
    [("q_proj", "k_proj"), ("norm2", "norm"), ("encoder", "decoder"), ("itos", "stoi"), ("vcb", "vocab"), ("", "ab")],
)
def test_what_may_tell_two_names_apart_is_none(word, name):
    assert not is_slip(word, name) and not is_slip(name, word)


def test_nothing_is_like_no_name_or_one_without_end():
    assert nearest("a", []) is nearest("", ["a"]) is nearest("", [], guess=True) is None
    assert nearest("ab" * 40, ["ab" * 40]) is None
