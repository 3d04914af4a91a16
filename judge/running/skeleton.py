"""A value's form in JSON: its skeleton, from which tensors hang by their names, written and strictly read."""

import math
import re
from collections.abc import Callable
from typing import Any, ClassVar

from judge.running.fields import class_called, content_of, crosses, is_tensor, misfit, unfit_leaf
from judge.running.on_demand import Tensor
from judge.running.plain import MAX_KEYS, MAX_NAME, require, unfit_key
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
