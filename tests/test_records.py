"""utils.running.records: whatever a run brings back survives the way through bytes, and nothing else gets in."""

import math
import pickle

import numpy as np
import pytest
import torch
from safetensors.torch import save

from utils.checking.measuring import equal
from utils.running.records import Frame, LearnerError, Opaque, Record, digest, from_bytes, plain, to_bytes

VALUES = {
    "none": None,
    "bools are no ints": [True, 1, False, 0],
    "ints are no floats": (1, 1.0, -(2**70)),
    "floats that JSON has no word for": [math.nan, math.inf, -math.inf, 1e-320, 0.1 + 0.2],
    "text": ["", "✘ \n \x00 \ud800 🦊", '{"tensor": "t0"}'],
    "bytes": [b"", bytes(range(256)), (b"a", b"b")],
    "nested": {"a": [(1, [2, {"b": ()}]), {}], "tensor": "t0", "dict": [], "object": 1},
    "keys that are numbers": {0: "a", -1: "b"},
    "tensors of every kind": [
        torch.arange(3),
        torch.tensor([True, False]),
        torch.rand(2, 3).half(),
        torch.rand(2).double(),
    ],
    "odd numbers in tensors": torch.tensor([math.nan, math.inf, -math.inf, -0.0]),
    "empty tensors": [torch.empty(0), torch.empty(2, 0, 3), torch.empty(0, dtype=torch.int64)],
    "a number in a tensor": torch.tensor(1.5),
    "tensors that are not contiguous": [torch.rand(3, 4).T, torch.rand(4, 6)[::2, 1::3], torch.rand(1).expand(5)],
    "one tensor twice": [torch.arange(4.0)] * 2,
    "a record": Record(
        outputs=[torch.rand(2), None],
        inputs_after=[torch.arange(2), 0.5],
        grads={"w": torch.rand(2), "b": None},
        input_grads=[None],
        parameters={"w": torch.ones(1)},
        printed="hello\n",
        error=LearnerError("ValueError", "no", [Frame("your cell", 1, "forward", "raise")]),
    ),
    "what is not plain": Opaque("ndarray"),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_round_trip(value):
    back = from_bytes(to_bytes(value))
    if isinstance(value, Record):
        assert type(back) is Record
        back, value = vars(back), vars(value)
    assert equal(back, value), back


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_the_same_bytes_and_the_same_name_every_time(value):
    assert to_bytes(from_bytes(to_bytes(value))) == to_bytes(value)
    assert digest(from_bytes(to_bytes(value))) == digest(value)


def test_unequal_values_have_unequal_names():
    alike = [
        1,
        1.0,
        True,
        "1",
        b"1",
        [1],
        (1,),
        {"1": 1},
        torch.tensor(1),
        torch.tensor([1]),
        torch.tensor(1.0),
        "t0",
    ]
    assert len({digest(value) for value in [*alike, *VALUES.values()]}) == len(alike) + len(VALUES)
    assert digest(torch.arange(6).view(2, 3).T) == digest(torch.arange(6).view(2, 3).T.contiguous())


class Evil:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


def blob(skeleton):
    return save({"t0": torch.ones(1)}, metadata={"skeleton": skeleton})


OTHER_BYTES = {
    "nothing": b"",
    "a few": b"abc",
    "a large size": b"\xff" * 8 + b"{}",
    "a pickle": pickle.dumps(Evil()),
    "safetensors without a skeleton": save({"t0": torch.ones(1)}),
    "cut short": to_bytes(torch.rand(10))[:-4],
    "no JSON": blob("{'a'"),
    "a tensor that is not there": blob('{"tensor": "t1"}'),
    "another class": blob('{"object": "Config", "fields": {"d_model": 8}}'),
    "another field": blob('{"object": "Opaque", "fields": {"kind": "x"}}'),
    "no known form": blob('{"what": 1}'),
    "too deep": blob("[" * 100_000 + "]" * 100_000),
}


@pytest.mark.parametrize("other", OTHER_BYTES.values(), ids=OTHER_BYTES.keys())
def test_other_bytes_are_refused(other):
    with pytest.raises(ValueError, match="these bytes are not a record: "):
        from_bytes(other)


def test_what_has_no_form_is_refused_when_written():
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        to_bytes({"a": {1, 2}})


def test_plain_copies_what_it_knows_and_names_the_rest():
    weight = torch.ones(2, requires_grad=True)
    given = {"a": [weight, (1, True, "x", b"y", None, 0.5)]}
    copied = plain(given)
    assert equal(copied, {"a": [weight.detach(), (1, True, "x", b"y", None, 0.5)]}) and copied["a"] is not given["a"]
    copied["a"][0][0] = 5.0
    assert weight[0] == 1 and not copied["a"][0].requires_grad
    strange = (np.float64(1), np.ones(2), weight.shape, {1: 2}, {1, 2}, weight.max(dim=0), Evil(), object)
    names = ("float64", "ndarray", "Size", "dict", "set", "max", "Evil", "type")
    assert plain(list(strange)) == [Opaque(name) for name in names]
    assert repr(plain(Evil())) == "<Evil>"
