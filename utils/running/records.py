"""What comes back when a learner's code is run: a plain `Record`, and its form as bytes (safetensors, never pickle)."""

import hashlib
import json
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from utils.config import Config


@dataclass(frozen=True)
class Frame:
    """One of the learner's own lines on the way to an error."""

    where: str
    line: int
    function: str
    source: str


@dataclass(frozen=True)
class LearnerError:
    """An exception that left the learner's code; `frames` are theirs alone, innermost last."""

    type: str
    message: str
    frames: list[Frame] = field(default_factory=list)

    @property
    def not_implemented(self) -> bool:
        """True for the stub: the learner's own line raises it. PyTorch raises it too, for a dtype that it can't do."""
        if self.type != "NotImplementedError" or not self.frames:
            return False
        source = self.frames[-1].source  # empty where Python can't look it up
        return not source or "raise" in source

    @property
    def in_the_call(self) -> bool:
        """True when no line of the learner's was reached: the arguments did not fit the signature."""
        return self.type == "TypeError" and not self.frames


@dataclass(frozen=True)
class Opaque:
    """A value that is neither a tensor nor plain data: its type's name stands for it."""

    type: str

    def __repr__(self) -> str:
        return f"<{self.type}>"


@dataclass(frozen=True)
class Array:
    """A NumPy array's content."""

    tensor: Tensor


@dataclass(frozen=True)
class Unchanged:
    """Stands in inputs_after for an input that holds what it held before the call."""


@dataclass(frozen=True)
class Question:
    drive: str
    args: tuple = ()
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Record:
    """All that a test may know of one run.

    `outputs` holds one value per call; `inputs_after` the last call's arguments once it returned; `grads` and
    `input_grads` are filled when a cotangent was given; `parameters` holds initial values when no weights were given.
    """

    outputs: list[Any] = field(default_factory=list)
    inputs_after: list[Any] = field(default_factory=list)
    grads: dict[str, Tensor | None] = field(default_factory=dict)
    input_grads: list[Tensor | None] = field(default_factory=list)
    parameters: dict[str, Tensor] = field(default_factory=dict)
    printed: str = ""
    error: LearnerError | None = None

    @property
    def output(self) -> Any:
        """The first call's result."""
        return self.outputs[0]


_PLAIN = (bool, int, float, str, type(None))
_DATACLASSES = {cls.__name__: cls for cls in (Record, LearnerError, Frame, Opaque, Array, Unchanged, Question, Config)}


def plain(value: Any) -> Any:
    """Copy a value into tensors and plain data (detached, on the CPU); anything else becomes `Opaque`."""
    if isinstance(value, Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, np.ndarray):
        return Array(torch.from_numpy(value.copy()))
    if isinstance(value, bytes) or type(value) in _PLAIN:
        return value
    if type(value) in (list, tuple):
        return type(value)(plain(item) for item in value)
    if type(value) is dict and all(isinstance(key, str) for key in value):
        return {key: plain(item) for key, item in value.items()}
    return Opaque(type(value).__qualname__)


def to_bytes(value: Any) -> bytes:
    """Write a Record, or any nest of tensors and plain data, as one safetensors blob."""
    tensors: dict[str, Tensor] = {}
    skeleton = _to_json(value, tensors)
    return save(tensors, metadata={"skeleton": json.dumps(skeleton)})


def from_bytes(blob: bytes) -> Any:
    """Read back what `to_bytes` wrote. Raises ValueError for anything else."""
    try:
        header_size = int.from_bytes(blob[:8], "little")
        skeleton = json.loads(json.loads(blob[8 : 8 + header_size])["__metadata__"]["skeleton"])
        return _from_json(skeleton, load(blob))
    except Exception as error:
        raise ValueError(f"these bytes are not a record: {type(error).__name__}: {error}") from None


def digest(value: Any) -> str:
    """A short name for a value: equal values, equal names."""
    return hashlib.sha256(to_bytes(value)).hexdigest()[:16]


def _to_json(value: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(value, Tensor):
        name = f"t{len(tensors)}"
        tensors[name] = value.detach().cpu().clone(memory_format=torch.contiguous_format)
        return {"tensor": name}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, tuple):
        return {"tuple": [_to_json(item, tensors) for item in value]}
    if isinstance(value, list):
        return [_to_json(item, tensors) for item in value]
    if isinstance(value, dict):
        return {"dict": [[key, _to_json(item, tensors)] for key, item in value.items()]}
    if type(value).__name__ in _DATACLASSES:
        content = {f.name: _to_json(getattr(value, f.name), tensors) for f in fields(value)}
        return {"object": type(value).__name__, "fields": content}
    return value


def _from_json(value: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(value, list):
        return [_from_json(item, tensors) for item in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensors[value["tensor"]]
    if "bytes" in value:
        return bytes.fromhex(value["bytes"])
    if "tuple" in value:
        return tuple(_from_json(item, tensors) for item in value["tuple"])
    if "dict" in value:
        return {key: _from_json(item, tensors) for key, item in value["dict"]}
    content = {key: _from_json(item, tensors) for key, item in value["fields"].items()}
    return _DATACLASSES[value["object"]](**content)


def opaque_in(value):
    if isinstance(value, Opaque):
        return value.type
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return next(filter(None, map(opaque_in, items)), None)
