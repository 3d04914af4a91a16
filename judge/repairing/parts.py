"""What a value holds: that a copy of it stands alone, and nothing that a trial does to it is seen elsewhere."""

import functools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple

from judge.repairing.harmless import NOTEBOOK, Refused, is_atom, is_known_module, is_of_a_library, is_of_the_notebook
from judge.running.on_demand import Module, Tensor, is_imported, ndarray, nn, np, torch

MAPPINGS = frozenset([dict, OrderedDict, defaultdict, Counter, MappingProxyType])
SEQUENCES = frozenset([list, set, deque])
FROZEN = frozenset([tuple, frozenset])
DESCRIPTORS = (
    ClassMethodDescriptorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
OF_EVERY_CLASS = frozenset(["__dict__", "__weakref__", "_abc_impl"])
LRU_CACHE = type(functools.lru_cache(lambda: None))


class Part(NamedTuple):
    """A value that another one holds; where a function, a class or a method does, no copy can take its place."""

    value: Any
    is_held: bool


def parts_of(value: Any, is_held: bool) -> list[Part]:
    """What has to be harmless for this value to be so. Raises Refused for one that is not of a known type."""
    for is_one, parts in _KINDS:
        if is_one(value):
            return [Part(part, is_held or _holds_for_good(value)) for part in parts(value)]
    if is_held:
        raise Refused
    return [Part(part, False) for part in _of_what_changes(value)]


def _holds_for_good(value: Any) -> bool:
    return not isinstance(value, (tuple, frozenset, MethodType, functools.partial))


def _of_a_function(value: FunctionType) -> Iterable[Any]:
    """What it holds; of a library's own function only what it was wrapped round."""
    cells = [cell.cell_contents for cell in value.__closure__ or () if not _is_empty(cell)]
    if is_of_the_notebook(value):
        defaults = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        return [*cells, *defaults, *vars(value).values()]
    if not is_of_a_library_code(value):
        raise Refused
    wrapped = [*cells, *vars(value).values()]
    return [one for one in wrapped if _may_be_the_notebooks(one)]


def _may_be_the_notebooks(value: Any) -> bool:
    """Whether it is something called that no library has made for itself."""
    if isinstance(value, MethodType):
        return not is_of_a_library(type(value.__self__))
    return isinstance(value, (FunctionType, type, functools.partial))


def is_of_a_library_code(value: FunctionType) -> bool:
    """Whether the code is a library's: what it says of itself is what it was wrapped round."""
    return is_known_module(str(value.__globals__.get("__name__")))


def _is_empty(cell: Any) -> bool:
    try:
        return cell.cell_contents is cell
    except ValueError:
        return True


def _of_a_builtin(value: Any) -> Iterable[Any]:
    owner = value.__self__
    if owner is None or isinstance(owner, ModuleType):
        return _of_a_library(value)
    return [owner]


def _of_a_library(value: Any) -> Iterable[Any]:
    if not is_of_a_library(value):
        raise Refused
    return []


def _of_a_class(value: type) -> Iterable[Any]:
    if not is_of_the_notebook(value):
        return _of_a_library(value)
    held = [(name, one) for name, one in vars(value).items() if name not in OF_EVERY_CLASS]
    working = [one for name, one in held if not _only_describes(name, one)]
    return [*value.__bases__, type(value), *working]


def _only_describes(name: str, value: Any) -> bool:
    """__annotations__, __dataclass_fields__, but not __call__"""
    return name.startswith("__") and not callable(value) and not isinstance(value, (property, classmethod))


def _of_a_property(value: property) -> Iterable[Any]:
    return [value.fget, value.fset, value.fdel]


def _of_a_partial(value: Any) -> Iterable[Any]:
    return [value.func, *value.args, *value.keywords.values()]


def _of_what_changes(value: Any) -> Iterable[Any]:
    """What a list, a tensor or an object holds."""
    kind = type(value)
    if kind in MAPPINGS:
        factory = getattr(value, "default_factory", None)
        return [*value.keys(), *value.values(), factory]
    if kind in SEQUENCES:
        return value
    if is_imported("torch") and kind in (torch.Tensor, nn.Parameter, nn.Buffer):
        return _of_a_tensor(value)
    if is_imported("numpy") and kind is np.ndarray:
        return _of_an_array(value)
    return _of_an_object(value)


def _of_a_tensor(value: Tensor) -> Iterable[Any]:
    if value.is_shared() or value.layout != torch.strided or not value.is_leaf:
        raise Refused
    return [value.grad, *vars(value).values()]


def _of_an_array(value: Any) -> Iterable[Any]:
    """Of a view, what it looks into: that may be a file."""
    if value.dtype.hasobject:
        raise Refused
    return [] if value.base is None else [value.base]


def _of_an_object(value: Any) -> Iterable[Any]:
    kind = type(value)
    is_theirs = kind.__module__ == NOTEBOOK
    is_known = issubclass(kind, Module) or hasattr(kind, "__dataclass_fields__")
    if not (is_theirs or (is_known and is_of_a_library(kind))):
        raise Refused
    items = value if isinstance(value, (list, tuple, set, frozenset)) else ()
    pairs = [*value.keys(), *value.values()] if isinstance(value, dict) else ()
    return [kind, *vars(value).values(), *items, *pairs]


def elements_in(value: Any) -> int:
    """How many numbers it holds itself."""
    if isinstance(value, Tensor):
        with torch.DisableTorchFunctionSubclass():  # a subclass of theirs is not to be run
            return value.numel()
    return value.size if isinstance(value, ndarray) else 0


def _is_of(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _is_wrapped_by_numpy(value: Any) -> bool:
    """Whether it is of the two types in which NumPy wraps its functions."""
    return is_imported("numpy") and isinstance(value, (type(np.sum), type(np.random.default_rng)))


_KINDS: list[tuple[Callable[[Any], bool], Callable[[Any], Iterable[Any]]]] = [
    (is_atom, lambda value: []),
    (lambda value: type(value) in FROZEN, lambda value: value),
    (_is_of(FunctionType), _of_a_function),
    (_is_of(BuiltinFunctionType), _of_a_builtin),
    (_is_wrapped_by_numpy, _of_a_library),
    (_is_of(MethodType), lambda value: [value.__func__, value.__self__]),
    (_is_of(*DESCRIPTORS), lambda value: [value.__objclass__]),
    (_is_of(staticmethod, classmethod), lambda value: [value.__func__]),
    (_is_of(property), _of_a_property),
    (_is_of(functools.cached_property), lambda value: [value.func]),
    (_is_of(functools.partial), _of_a_partial),
    (_is_of(LRU_CACHE), lambda value: [value.__wrapped__]),
    (_is_of(type), _of_a_class),
]
