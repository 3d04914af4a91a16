"""The wire: a value as bytes, one safetensors blob (never pickle), strictly read since strangers write on it too.

The layout is safetensors', in its narrowest form: tensors t0, t1, ... lie one after another without a gap, and the
skeleton that they hang from is JSON in the metadata. It is laid out here and not by the library so that a digest can be
taken without copying the tensors, and stays the same with every version of the library.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from collections.abc import Callable
from typing import Any, ClassVar

from judge.running.on_demand import Tensor, torch
from judge.running.plain import (
    MAX_AREA,
    MAX_BITS,
    MAX_DIMENSIONS,
    MAX_KEYS,
    MAX_NAME,
    area,
    dtypes,
    is_length,
    require,
    unfit_key,
)
from judge.running.records import LearnerError, Record, class_called, content_of, crosses, is_tensor, misfit, unfit_leaf
from judge.running.values import is_dict, is_list, is_list_or_tuple

JsonObject = dict[str, Any]
MAX_NESTING = 13  # of a value's 8 levels, and of what is around it: a list of tuples of a name and a Record
MAX_NODES = 50_000  # of one skeleton
_NO_DIGIT = re.compile(r"[^\x00-\x7f]|\s")  # what `bytes.fromhex` would take all the same, or refuse in other words
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}  # JSON has no word for these


class Writer:
    """Writes one value; `tensors` are those met, in turn. `sort` writes dicts in the order of their keys."""

    def __init__(self, sort: bool = False):
        self.sort, self.nodes = sort, 0
        self.tensors: list[Tensor] = []

    def write(self, value: object, depth: int = 0) -> Any:
        self.nodes += 1
        kind = type(value)
        if depth > MAX_NESTING:
            raise ValueError(f"a value nested more than {MAX_NESTING} deep has no form as bytes")
        if isinstance(value, Tensor):
            return self._tensor(value)
        if is_list_or_tuple(value):
            items = [self.write(item, depth + 1) for item in value]
            return items if kind is list else {"tuple": items}
        if is_dict(value):
            return {"dict": self._entries(value, depth + 1)}
        if crosses(kind):
            return self._object(value, depth + 1)
        return self._leaf(value)

    def _leaf(self, value: object) -> Any:
        wrong = unfit_leaf(value)
        if wrong:
            raise ValueError(f"can't write {wrong}")
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        is_number = isinstance(value, float)
        return {"float": str(value)} if is_number and not math.isfinite(value) else value

    def _tensor(self, value: Tensor) -> JsonObject:
        if not is_tensor(value):
            raise ValueError(f"can't write a {value.ndim}-dimensional tensor of {value.dtype}, {value.layout}")
        self.tensors.append(value)
        return {"tensor": f"t{len(self.tensors) - 1}"}

    def _entries(self, value: dict[Any, Any], depth: int) -> list[Any]:
        unfit = next(filter(None, map(unfit_key, value)), None)
        if unfit:
            raise ValueError(f"can't write a dict with {unfit} as a key")
        if len(value) > MAX_KEYS:
            raise ValueError(f"can't write a dict of {len(value)} keys, more than {MAX_KEYS}")
        entries = [(self.write(key, depth), item) for key, item in value.items()]
        if self.sort:
            entries.sort(key=lambda entry: repr(entry[0]))
        return [[key, self.write(item, depth)] for key, item in entries]

    def _object(self, value: object, depth: int) -> JsonObject:
        content = content_of(value)
        written = {name: self.write(item, depth) for name, item in content.items()}
        wrong = misfit(type(value), content)
        if wrong:
            raise ValueError(f"can't write this: {wrong}")
        return {"object": type(value).__name__, "fields": written}


class Reader:
    """Reads one skeleton. `tensor(i)` gives the tensor i of `count`: they must be met in turn, each once."""

    def __init__(self, count: int, tensor: Callable[[int], Tensor]):
        self.count, self.tensor = count, tensor
        self.met = self.nodes = 0

    def read(self, skeleton: Any) -> Any:
        value = self._node(skeleton, 0)
        left = self.count - self.met
        require(left == 0, f"{left} of {self.count} tensors have no place in the skeleton")
        return value

    def _node(self, node: Any, depth: int) -> Any:
        self.nodes += 1
        require(self.nodes <= MAX_NODES, f"more than {MAX_NODES} values")
        require(depth <= MAX_NESTING, f"nested more than {MAX_NESTING} deep")
        if is_list(node):
            return self._items(node, depth + 1)
        if not is_dict(node):
            return _fit(node)
        form = self.forms.get(tuple(node))
        if form is None:
            raise ValueError("no known form of a value")
        return form(self, *node.values(), depth + 1)

    def _items(self, nodes: list[Any], depth: int) -> list[Any]:
        return [self._node(node, depth) for node in nodes]

    def _tensor(self, name: Any, depth: int) -> Tensor:
        is_next = name == f"t{self.met}" and self.met < self.count
        require(is_next, f"the tensor to come is t{self.met} of {self.count}, not {_short(name)}")
        self.met += 1
        return self.tensor(self.met - 1)

    def _bytes(self, digits: Any, depth: int) -> bytes:
        are_digits = type(digits) is str and not _NO_DIGIT.search(digits)
        require(are_digits, "bytes that are not written as hexadecimal digits")
        return _fit(bytes.fromhex(digits))

    def _float(self, name: Any, depth: int) -> float:
        require(type(name) is str and name in _NOT_FINITE, "no known form of a float")
        return _NOT_FINITE[name]

    def _tuple(self, items: Any, depth: int) -> tuple[Any, ...]:
        require(is_list(items), "a tuple that is not a list of values")
        return tuple(self._items(items, depth))

    def _dict(self, entries: Any, depth: int) -> dict[Any, Any]:
        is_short_list = is_list(entries) and len(entries) <= MAX_KEYS
        require(is_short_list, f"a dict that is not a list of at most {MAX_KEYS} entries")
        made: dict[Any, Any] = {}
        for entry in entries:
            is_a_pair = is_list(entry) and len(entry) == 2
            require(is_a_pair, "a dict's entry that is not a key and a value")
            key = self._key(entry[0], made, depth)
            made[key] = self._node(entry[1], depth)
        return made

    def _key(self, node: Any, made: dict[Any, Any], depth: int) -> Any:
        key = self._node(node, depth)
        unfit = unfit_key(key)
        require(not unfit, f"a dict with {unfit}")
        require(key not in made, "a dict with one key twice")
        return key

    def _object(self, name: Any, content: Any, depth: int) -> Any:
        cls = class_called(name) if type(name) is str else None
        if cls is None or not is_dict(content):
            raise ValueError(f"no object that may cross: {_short(name)}")
        made = {field[:MAX_NAME]: self._node(item, depth) for field, item in content.items()}
        wrong = misfit(cls, made)
        require(not wrong, wrong)
        return cls(**made)

    forms: ClassVar[dict[tuple[Any, ...], Callable[..., Any]]] = {
        ("tensor",): _tensor,
        ("bytes",): _bytes,
        ("float",): _float,
        ("tuple",): _tuple,
        ("dict",): _dict,
        ("object", "fields"): _object,
    }


def _fit(leaf: Any) -> Any:
    """The leaf. Raises ValueError where it is none."""
    wrong = unfit_leaf(leaf)
    require(not wrong, wrong)
    return leaf


def _short(name: Any) -> str:
    return name[:MAX_NAME] if type(name) is str else f"a {type(name).__name__}"


Part = bytes | memoryview  # of a blob
Place = tuple[int, int, "torch.dtype", list[int]]  # of a tensor in it: from where to where, and its form
MAX_BLOB = 64_000_000
MAX_HEADER = 1_000_000
_CODES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
}
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which UTF-8 can't say


def to_bytes(value: Any, limit: int = MAX_BLOB) -> bytes:
    """Write a Record, a Question, or any nest of what `plain` gives.

    A Record that is too large to be read becomes one whose error says so. Raises ValueError for any other value that is
    too large, or that has no form as bytes.
    """
    parts, nodes = _parts(value)
    too_large = _too_large(parts, nodes, limit)
    if too_large and isinstance(value, Record):
        parts, _ = _parts(Record(printed=value.printed, error=LearnerError("TooLarge", too_large)))
    elif too_large:
        raise ValueError(too_large)
    return b"".join(parts)


def from_bytes(blob: bytes, limit: int = MAX_BLOB) -> Any:
    """Read back what `to_bytes` wrote. Raises ValueError for anything else, and nothing but ValueError."""
    try:
        header, data = _split(memoryview(blob), limit)
        skeleton, tensors = _described(header, len(data))
        return Reader(len(tensors), lambda i: _tensor(data, *tensors[i])).read(_json(skeleton))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"these bytes are not a record: {error}") from None


def digest(value: Any) -> str:
    """A short name for a value: equal values have equal names.

    The order of a dict, strides, shared memory and the kind of a NaN make no difference. 0.0 and -0.0 do: the answer to
    a question may depend on it.
    """
    total = hashlib.sha256()
    for part in _parts(value, canonical=True)[0]:
        total.update(part)
    return total.hexdigest()[:16]


def _parts(value: Any, canonical: bool = False) -> tuple[list[Part], int]:
    """The blob in pieces, the tensors' own memory among them, and the number of values in it."""
    writer = Writer(sort=canonical)
    skeleton = _text(writer.write(value))
    header: JsonObject = {"__metadata__": {"skeleton": skeleton}}
    contents: list[Part] = []
    end = 0
    for i, tensor in enumerate(writer.tensors):
        begin, end = end, end + tensor.numel() * tensor.element_size()
        header[f"t{i}"] = {"dtype": _code_of(tensor.dtype), "shape": list(tensor.shape), "data_offsets": [begin, end]}
        contents.append(_memory(tensor, canonical))
    encoded = _text(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    return [len(encoded).to_bytes(8, "little"), encoded, *contents], writer.nodes


def _text(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


@functools.cache
def _code_of(dtype: torch.dtype) -> str:
    return next(code for code, name in _CODES.items() if dtypes()[name] == dtype)


def _memory(tensor: Tensor, canonical: bool) -> memoryview:
    flat = tensor.detach().cpu().resolve_neg().contiguous().reshape(-1)
    if canonical and flat.is_floating_point() and flat.sum().isnan():  # there may be NaNs, which come in many kinds
        flat = torch.where(flat.isnan(), math.nan, flat)
    return flat.view(torch.uint8).numpy().data


def _too_large(parts: list[Part], nodes: int, limit: int) -> str | None:
    header = len(parts[1])
    total = sum(map(len, parts))
    if header > MAX_HEADER or nodes > MAX_NODES:
        taken = f"{nodes} values take {header / 1e6:.1f} MB beside the tensors"
        return f"{taken}: at most {MAX_NODES} and 1 MB are read"
    return None if total <= limit else too_many_bytes(total, limit)


def too_many_bytes(total: int, limit: int) -> str:
    """The complaint about so many bytes."""
    return f"it takes {total / 1e6:.1f} MB, and at most {limit / 1e6:.1f} MB are read"


def _split(blob: memoryview, limit: int) -> tuple[JsonObject, memoryview]:
    require(8 <= len(blob) <= limit, f"{len(blob)} bytes, where 8 to {limit} can be read")
    size = int.from_bytes(blob[:8], "little")
    most = min(MAX_HEADER, len(blob) - 8)
    require(size <= most, f"a header of {size} bytes, where at most {most} can be read")
    header = _json(str(blob[8 : 8 + size], "utf-8"))
    require(is_dict(header), "the header is not a JSON object")
    return header, blob[8 + size :]


def _described(header: JsonObject, size: int) -> tuple[str, list[Place]]:
    """The skeleton, and each tensor's place, dtype and shape, once all of it holds together."""
    skeleton = _skeleton_in(header.pop("__metadata__", None))
    due = [f"t{i}" for i in range(len(header))]
    require(list(header) == due, "the tensors are not named t0, t1 and so on")
    tensors: list[Place] = []
    end = 0
    for name, entry in header.items():
        begin = end
        dtype, shape = _form_of(name, entry)
        end += math.prod(shape) * dtype.itemsize
        require(entry["data_offsets"] == [begin, end], f"{name} does not lie from {begin} to {end}, where it has to")
        tensors.append((begin, end, dtype, shape))
    require(end == size, f"{size} bytes of data, where the tensors have {end}")
    return skeleton, tensors


def _skeleton_in(metadata: Any) -> str:
    content = list(metadata.items()) if is_dict(metadata) else []
    [(name, skeleton), *others] = content or [("", None)]
    is_alone = name == "skeleton" and not others
    require(is_alone and type(skeleton) is str, "no skeleton in the metadata")
    return skeleton


def _form_of(name: str, entry: Any) -> tuple[torch.dtype, list[int]]:
    is_described = is_dict(entry) and sorted(entry) == ["data_offsets", "dtype", "shape"]
    require(is_described, f"{name} is not described by dtype, shape and data_offsets")
    return _checked(name, entry["dtype"], entry["shape"])


def _checked(name: str, code: Any, shape: Any) -> tuple[torch.dtype, list[int]]:
    require(type(code) is str and code in _CODES, f"{name} has a dtype that does not cross")
    is_short_list = is_list(shape) and len(shape) <= MAX_DIMENSIONS
    require(is_short_list, f"{name} has no shape of at most {MAX_DIMENSIONS} dimensions")
    require(all(map(is_length, shape)), f"{name} has a shape that is not of ints from 0 up")
    require(area(shape) <= MAX_AREA, f"{name} has a shape of more than {MAX_AREA} elements")
    return dtypes()[_CODES[code]], shape


def _tensor(data: memoryview, begin: int, end: int, dtype: torch.dtype, shape: list[int]) -> Tensor:
    if begin == end:
        return torch.empty(shape, dtype=dtype)
    content = bytearray(data[begin:end])  # its own memory, aligned for every dtype
    others = content.translate(None, b"\0\1") if dtype is torch.bool else b""
    require(not others, "a bool that is neither 0 nor 1")
    return torch.frombuffer(content, dtype=dtype).reshape(shape)


def _json(text: str) -> Any:
    return json.loads(text, parse_int=_int, parse_float=_finite, parse_constant=_finite, object_pairs_hook=_unique)


def _int(digits: str) -> int:
    require(len(digits) <= MAX_BITS // 3, f"an int of more than {MAX_BITS} bits")
    return int(digits)


def _finite(digits: str) -> float:
    is_finite = len(digits) <= 32 and math.isfinite(float(digits))
    require(is_finite, f"{digits[:20]} is no finite number")
    return float(digits)


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = dict(pairs)
    require(len(made) == len(pairs), "one name twice in a JSON object")
    return made
