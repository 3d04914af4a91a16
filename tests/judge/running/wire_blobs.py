"""Blobs for the tests of judge.running.wire: values of every kind, and layouts that `to_bytes` would never write."""

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any

import torch

from judge.running.records import Array, Frame, LearnerError, Opaque, Question, Record, Unchanged
from utils.config import Config

VALUES = {
    "none": None,
    "bools are no ints": [True, 1, False, 0],
    "ints are no floats": (1, 1.0, -(2**70), 2**9999),
    "floats that JSON has no word for": [math.nan, math.inf, -math.inf, -0.0, 1e-320, 1e300, 0.1 + 0.2],
    "text": ["", "✘ \n \x00 \ud800 🦊", '{"tensor": "t0"}'],
    "bytes": [b"", bytes(range(256)), (b"a", b"b")],
    "nested": {"a": [(1, [2, {"b": ()}]), {}], "tensor": "t0", "dict": [], "object": 1},
    "keys of every kind": {0: "a", -1: "b", b"a": 1, (b"a", b"b"): 0, ("x", 1): torch.ones(1), "": None},
    "a dict's order": {"b": 1, "a": 2},
    "tensors of every kind": [
        torch.arange(3),
        torch.tensor([True, False]),
        torch.rand(3).bfloat16(),
        torch.rand(2, 3).half(),
        torch.rand(2).double(),
        *[torch.tensor([-1, 7]).to(dtype) for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32)],
    ],
    "odd numbers in tensors": torch.tensor([math.nan, math.inf, -math.inf, -0.0]),
    "empty tensors": [torch.empty(0), torch.empty(2, 0, 3), torch.empty(0, dtype=torch.int64)],
    "numbers in tensors": [torch.tensor(1.5), torch.rand([1] * 8)],
    "tensors that are not contiguous": [torch.rand(3, 4).T, torch.rand(4, 6)[::2, 1::3], torch.rand(1).expand(5)],
    "one tensor twice": [torch.arange(4.0)] * 2,
    "arrays": [Array(torch.rand(2).double()), Array(torch.tensor(1))],
    "what is not plain": Opaque("set"),
    "a record": Record(
        outputs=[torch.rand(2), None, Opaque("set"), [Array(torch.ones(1))]],
        inputs_after=[torch.arange(2), 0.5, Unchanged()],
        grads={"w": torch.rand(2), "b": None},
        input_grads=[None, torch.rand(2)],
        parameters={"w": torch.ones(1)},
        printed="hello\n",
    ),
    "an error": Record(error=LearnerError("ValueError", "no", [Frame("your cell", 1, "forward", "raise")], ["E"])),
    "a question": Question(
        "component",
        (Config(d_model=8), {"w": torch.rand(2)}, torch.arange(3)),
        {"before": [(1,)], "p": math.inf},
        2**62,
    ),
    "many of them": [("name", Question("function")), ("another", Record([1]))],
}


def opened(value: Any) -> Any:
    """The same nest with each dataclass as its type and its fields, so that `same` can compare it."""
    if is_dataclass(value):
        return type(value).__name__, {f.name: opened(getattr(value, f.name)) for f in fields(value)}
    if type(value) in (list, tuple):
        return type(value)([opened(item) for item in value])
    return {key: opened(item) for key, item in value.items()} if type(value) is dict else value


def laid_out(header: Any, data: bytes = b"") -> bytes:
    """A blob with this header, whatever it says; text is taken as it is."""
    encoded = (header if isinstance(header, str) else json.dumps(header)).encode()
    return len(encoded).to_bytes(8, "little") + encoded + data


def hung(skeleton: Any, *tensors: dict, data: bytes = b"") -> bytes:
    """A blob with this skeleton and these descriptions of t0, t1, ..."""
    text = skeleton if isinstance(skeleton, str) else json.dumps(skeleton)
    named = {f"t{index}": tensor for index, tensor in enumerate(tensors)}
    return laid_out({"__metadata__": {"skeleton": text}, **named}, data)


def described(shape: Any, begin: Any, end: Any, dtype: Any = "F32") -> dict:
    """A tensor's entry in the header."""
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def thing(name: Any, **content: Any) -> dict:
    """A dataclass's node in a skeleton."""
    return {"object": name, "fields": content}


def record(**content: Any) -> dict:
    """A Record's node, empty but for these fields."""
    empty: dict = {"outputs": [], "inputs_after": [], "grads": {"dict": []}, "input_grads": []}
    return thing("Record", **(empty | {"parameters": {"dict": []}, "printed": "", "error": None} | content))


def keys_of_one_hash(count: int) -> list[tuple[int, int]]:
    """Pairs that CPython gives one hash, found by running its tuple hash backwards: a dict of them costs their square.

    Source: CPython Objects/tupleobject.c, tuple_hash(). Elsewhere they are ordinary keys.
    """
    size, p1, p2, p5 = 2**64, 11400714785074694791, 14029467366897019727, 2870177450012600261
    keys, first, last = [], 0, 12345678901234567 * pow(p1, -1, size) % size
    while len(keys) < count:
        first += 1
        after_first = (p5 + first * p2) % size
        after_first = (after_first << 31 | after_first >> 33) * p1 % size
        second = ((last << 33 | last >> 31) - after_first) * pow(p2, -1, size) % size
        second -= size if second >= size // 2 else 0
        if abs(second) < 2**61 - 1:  # an int that is its own hash
            keys.append((first, second))
    return keys
