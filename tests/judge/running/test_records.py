"""judge.running.records: what a learner's code gives becomes plain data, however odd it is."""

import numpy as np
import pytest
import torch
from torch import nn

from judge.running.records import Array, Frame, LearnerError, Opaque, Record, Unchanged, opaque_in, plain
from judge.running.values import same
from tests.judge.running.wire_blobs import opened
from utils.config import Config


class SpecialTensor(torch.Tensor):
    pass


class Odd:
    pass


def test_plain_copies_what_it_knows():
    weight = torch.ones(2, requires_grad=True)
    given = {"a": [weight, (1, True, "x", b"y", None, 0.5, Config())], (b"a", b"b"): 0, 1: {}}
    copied = plain(given)
    assert same(copied, {"a": [weight.detach(), given["a"][1]], (b"a", b"b"): 0, 1: {}})
    copied["a"][0][0] = 5.0
    assert weight[0] == 1 and not copied["a"][0].requires_grad


TENSORS = {
    "a parameter": nn.Parameter(torch.ones(2)),
    "a subclass": torch.ones(2).as_subclass(SpecialTensor),
    "sparse": torch.ones(2).to_sparse(),
    "for another library": torch.ones(2).to_mkldnn(),
    "conjugated": torch.complex(torch.zeros(2), -torch.ones(2)).conj().imag,
    "expanded": torch.ones(1).expand(2),
}


@pytest.mark.parametrize("tensor", TENSORS.values(), ids=TENSORS.keys())
def test_every_tensor_becomes_an_ordinary_one(tensor):
    copied = plain(tensor)
    assert type(copied) is torch.Tensor and copied.tolist() == [1, 1] and copied.is_contiguous()
    assert copied.layout is torch.strided and not copied.is_neg() and copied.untyped_storage().nbytes() == 8


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", ">f4"])
def test_an_array_keeps_its_dtype_and_is_no_tensor(dtype):
    array = np.array([[1, 0, 1], [1, 1, 0]]).astype(dtype)[:, ::-1]
    array.flags.writeable = False
    copied = plain([array, array[0, 0:1].reshape(())])
    assert type(copied[0]) is Array and copied[1].tensor.shape == ()
    assert copied[0].tensor.numpy().dtype.name == array.dtype.name and (copied[0].tensor.numpy() == array).all()
    assert opaque_in(copied) is None and same(opened(plain(copied)), opened(copied))


def test_a_record_knows_what_its_tensors_take():
    x, array = torch.zeros(3), Array(torch.zeros(5, dtype=torch.float64), "NumPy")
    record = Record([x, {"a": (x, [array])}, "text"], [Unchanged(), x], {"W": x, "b": None}, [None, x], {"W": x})
    assert record.tensor_bytes == 6 * 3 * 4 + 5 * 8
    assert Record().tensor_bytes == 0


OPAQUE = [
    ("set", {1, 2}),
    ("Odd", Odd()),
    ("type", Odd),
    ("float32", np.float32(1)),
    ("int64", np.int64(1)),
    ("Size", torch.ones(2).shape),
    ("max", torch.ones(2, 2).max(dim=0)),
    ("Record", Record()),
    ("ndarray of object", np.array([None])),
    ("ndarray of complex64", np.ones(1, "complex64")),
    ("ndarray beyond the 256 MB that are read of one value", np.broadcast_to(1, (10**6, 10**6))),
    ("ndarray with more than 8 dimensions", np.ones([1] * 9)),
    ("Tensor of complex64", torch.ones(1, dtype=torch.complex64)),
    ("Tensor of uint16", torch.ones(1).to(torch.uint16)),
    ("Tensor with more than 8 dimensions", torch.ones([1] * 9)),
    ("Tensor beyond the 256 MB that are read of one value", torch.ones(1).expand(10**6, 10**6)),
    (
        "Tensor beyond the 256 MB that are read of one value",
        torch.zeros(1, 1).to_sparse().sparse_resize_((10**6, 10**6), 2, 0),
    ),
    ("Tensor beyond the 256 MB that are read of one value", torch.empty(0, 10**9)),
    ("Tensor that can't be copied, on meta", torch.ones(1, device="meta")),
    ("Tensor that can't be copied, on cpu", nn.UninitializedParameter()),
    ("list of 100000 elements, beyond the 20000 that are read of one value", list(range(100_000))),
    ("dict of 4097 keys, more than 4096", dict.fromkeys(range(4097))),
    ("dict with a float as a key", {1.0: 1}),
    ("dict with a bool as a key", {True: 1}),
    ("dict with a NoneType as a key", {None: 1}),
    ("dict with an int of more than 64 bits as a key", {2**64: 1}),
    ("dict with a tuple that holds another kind as a key", {((1,),): 1}),
    ("dict with keys beyond the 100000 characters that are read of one value", {"x" * 100_001: 1}),
    ("str beyond the 100000 characters that are read of one value", "x" * 100_001),
    ("bytes beyond the 100000 characters that are read of one value", b"x" * 100_001),
    ("int of more than 10000 bits", 2**10_000),
    ("Config with a field of another type", Config(d_model=8.0)),
]


@pytest.mark.parametrize(
    ("role", "value"),
    [
        ("lazy", (number for number in range(3))),
        ("lazy", map(int, "12")),
        ("lazy", {1: 2}.keys()),
        ("set", frozenset()),
        ("NumPy integer", np.int64(3)),
        ("function", torch.ones(1).sum),
        ("function", len),
        ("", range(3)),
        ("", np.float32(3)),
        ("", torch.nn.GELU()),
    ],
)
def test_what_the_rest_does_is_said_too(role, value):
    assert plain(value).role == role


@pytest.mark.parametrize(("name", "value"), OPAQUE)
def test_the_rest_is_named(name, value):
    is_named(name, value)


def test_a_nested_tensor_is_named():
    """Made here alone: the first one imports SymPy, which every worker would wait for while it collects."""
    jagged = torch.nested.nested_tensor([torch.ones(1), torch.ones(2)], layout=torch.jagged)
    is_named("nested Tensor of float32", jagged)


def is_named(name, value):
    assert plain(value).type == name and plain(plain(value)) == plain(value)
    assert opaque_in(plain([1, {"a": (torch.ones(1), value)}])) == name
    assert repr(plain(value)) == f"<{name}>"


def test_what_is_too_much_together_is_replaced_where_it_becomes_too_much():
    lists = plain([[0] * 15_000, [0] * 10_000, 1])
    assert lists[1:] == [Opaque("list of 10000 elements, beyond the 20000 that are read of one value"), 1]
    texts = plain(["x" * 60_000] * 2)
    assert texts[1] == Opaque("str beyond the 100000 characters that are read of one value")
    numbers = plain([2**9_999] * 1000)
    assert numbers[-1] == Opaque("int beyond the 100000 characters that are read of one value")
    tensors = plain([torch.ones(1).expand(5000, 5000)] * 3)
    assert tensors[2] == Opaque("Tensor beyond the 256 MB that are read of one value")


def test_what_is_nested_is_copied_to_a_depth_of_8():
    value: list = [1]
    for _ in range(7):
        value = [value]
    assert plain(value) == value
    assert opaque_in(plain({"a": value})) == "list nested more than 8 deep"
    assert opaque_in(plain([value, 2])) == "list nested more than 8 deep"
    value.append(value)
    assert opaque_in(plain(value)) == "list nested more than 8 deep"


def test_opaque_in_what_was_never_made_plain():
    assert opaque_in([1, {"a": {1}}]) == "set"
    assert opaque_in(Unchanged()) == "Unchanged"
    assert opaque_in([Config(), torch.ones(1), Array(torch.ones(1)), None, b""]) is None


class Text(str):
    def __getitem__(self, key):
        return 5


def test_long_texts_are_cut_when_they_are_made():
    long = Text("x" * 200_000)
    error = LearnerError(long, long, [Frame(long, 1, long, long)])
    frame = error.frames[0]
    texts = [error.type, error.message, frame.where, frame.function, frame.source, Opaque(long).type]
    texts.append(Record(printed=long).printed)
    assert [len(text) for text in texts] == [200, 100_000, 200, 200, 1000, 200, 100_000]
    assert all(type(text) is str and text.endswith("x…") for text in texts)
    assert LearnerError("E", Text("short")).message == "short"
