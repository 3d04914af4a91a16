"""The first ✘ of a test is where to look: a mistake in one part fails under that part's line."""

import pytest
import torch

from judge.checking.judging import judge
from judge.checking.oracle import solution_of
from judge.checking.wording import Key, path_in_words
from tests.ch08_sampling import attending
from tests.ch09_training import dropout as dropping
from tests.ch09_training import training
from tests.ch11_dialects import fused, numpy_gpt

PLAIN = "of a block that writes nothing: "
EQUAL = "attention: with equal scores, "
MEETING = "attention: each query meets each key, "
GPTS = {  # a change of gpt2_numpy, and how the line begins
    "eps": ("variance + 1e-5", "variance + 1e-6", "LayerNorm: eps"),
    "no final LayerNorm": ('layer_norm(resid, **params["ln_f"])', "resid", PLAIN),
    "no positions": (' + params["wpe"][: len(input_ids)]', "", PLAIN),
    "no mask": ("np.where(np.tri(pos, dtype=bool), scores, -np.inf)", "scores", EQUAL),
    "values for keys": ("q, k, v = parts", "q, v, k = parts", EQUAL),
    "attention without its LayerNorm": ('layer_norm(resid, **block["ln_1"])', "resid", EQUAL),
    "keys for queries": ("q, k, v = parts", "k, q, v = parts", MEETING),
    "no scale": ("/ math.sqrt(q.shape[-1])", "/ 1.0", MEETING),
    "the MLP without its LayerNorm": ('layer_norm(resid, **block["ln_2"])', "resid", "MLP: one block"),
}
ATTEND = "F.scaled_dot_product_attention(q, k, v, is_causal=True)"
ATTENTIONS = {  # a change of CausalSelfAttention
    "no scale": (ATTEND, ATTEND[:-1] + ", scale=1.0)", "scores at other sizes of `d_head`"),
    "keys read backwards": (ATTEND, ATTEND.replace("k,", "k.flip(-1),"), "scores at other sizes of `d_head`"),
    "keys for queries": (ATTEND, ATTEND.replace("q, k", "k, q"), "scores: each query meets each key"),
    "no mask": (ATTEND, ATTEND.replace("True", "False"), "mask: with equal scores"),
    "values for keys": (ATTEND, ATTEND.replace("k, v", "v, k"), "values: one position alone"),
}


def first_line(exercise, component):
    return judge(exercise, (component,), 0, diagnosing=False).failure.line


@pytest.mark.parametrize(("before", "after", "begins"), GPTS.values(), ids=GPTS)
def test_a_mistake_in_gpt2_numpy_fails_under_its_part(before, after, begins):
    assert first_line(numpy_gpt, numpy_gpt.changed(before, after)).startswith(begins)


@pytest.mark.parametrize(("before", "after", "begins"), ATTENTIONS.values(), ids=ATTENTIONS)
def test_a_mistake_in_fused_attention_fails_under_its_part(before, after, begins):
    assert first_line(fused, fused.changed(before, after)).startswith(begins)


@pytest.mark.slow
def test_of_a_wrong_share_of_zeros_nothing_is_said_about_neighbours():
    def dropout(x, p, training=True, generator=None):
        if not training or p in (0, 1):
            return x * (1 - p) if training else x
        return x * (torch.rand(x.shape, generator=generator) >= 0.8 * p) / (1 - p)

    said = judge(dropping, (dropout,), 0).failure.details[0]
    assert said.startswith("what share of the numbers is kept: got 0.7")


def test_of_what_is_returned_the_part_is_named():
    def keys_and_values_swapped(*given, **options):
        z, keys, values = solution_of(attending)(*given, **options)
        return z, values, keys

    assert judge(attending, (keys_and_values_swapped,), 0).failure.details[0].startswith("at the returned keys: ")
    assert path_in_words((Key("returned"), 2, Key("loss")), training.places) == "the history, number 2, its loss"
