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
from typing import Any

from judge.running.on_demand import Tensor, torch
from judge.running.plain import MAX_AREA, MAX_BITS, MAX_DIMENSIONS, area, dtypes, is_length, require
from judge.running.records import LearnerError, Record
from judge.running.skeleton import MAX_NODES, JsonObject, Reader, Writer
from judge.running.values import is_dict, is_list

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
    """What is said of so many bytes."""
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
