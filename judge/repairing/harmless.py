"""What is known to do no harm: modules, names, types of values that never change; and what any other value holds.

A copy of such a value stands alone, and nothing that a trial does to it is seen elsewhere.
"""

import builtins
import functools
import re
import types
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

from judge.running.on_demand import Module, Tensor, generic, is_imported, ndarray, nn, np, torch

MODULES = frozenset(
    """
    torch numpy jax jaxlib math cmath einops jaxtyping
    typing types dataclasses functools itertools operator collections heapq bisect
    re regex random string statistics fractions enum abc copy contextlib textwrap reprlib
    builtins solutions
    utils.config utils.gpt utils.pieces utils.texts
    """.split()
)
ACTING_MODULES = frozenset(
    """
    torch.hub torch.serialization torch.multiprocessing torch.distributed torch.package
    torch.utils.data torch.utils.cpp_extension torch.utils.tensorboard
    torch.jit torch.onnx torch.export torch.profiler
    torch._dynamo torch._inductor numpy.ctypeslib
    """.split()
)
ACTS = frozenset(
    """
    open exec eval compile input breakpoint globals
    __import__ exit quit get_ipython
    """.split()
)
NAMES_THAT_ACT = frozenset(
    """
    os sys subprocess shutil kill rename truncate write writelines share_memory_
    save load savez savetxt loadtxt tofile fromfile from_file memmap hub distributed
    write_text write_bytes read_text read_bytes unlink rmdir mkdir system popen
    multiprocessing DataLoader ctypeslib
    __globals__ __builtins__ __subclasses__ __loader__ __spec__ f_globals f_builtins f_back tb_frame gi_frame
    """.split()
)
ATOMS = frozenset(
    [
        *(type(None), bool, int, float, complex, str, bytes, range, slice),
        *(type(...), type(NotImplemented), object, types.GenericAlias, types.UnionType),
        re.Pattern,
    ]
)
UNCHANGING = frozenset(["typing", "dataclasses", "jaxtyping", "einops", "regex"])  # modules whose objects never change
_ACTS = [getattr(builtins, name) for name in ACTS if hasattr(builtins, name)]
NOTEBOOK = "__main__"


class Refused(Exception):
    """Something that is not known to be harmless."""


def is_atom(value: object) -> bool:
    """Whether it is of a type whose values never change."""
    kind = type(value)
    is_plain = kind in ATOMS or kind in _atoms_of_libraries()
    return is_plain or issubclass(kind, generic) or root_of(kind) in UNCHANGING


def _atoms_of_libraries() -> list[type]:
    of_numpy = [np.dtype, np.ufunc] if is_imported("numpy") else []
    of_torch = [torch.dtype, torch.device, torch.Size, torch.layout] if is_imported("torch") else []
    return [*of_numpy, *of_torch]


def root_of(value: Any) -> str:
    """torch of torch.nn.functional, heapq of _heapq; "" where it says nothing."""
    return _root(_module_of(value))


def _root(module: str) -> str:
    name = module.partition(".")[0]
    return name if name == NOTEBOOK else name.lstrip("_")


def _module_of(value: Any) -> str:
    module = getattr(value, "__module__", None)
    return module if isinstance(module, str) else ""


def is_known_module(name: str) -> bool:
    """Whether all that a module of this name has may be used, but for what `NAMES_THAT_ACT` says."""
    parts = name.split(".")
    outer = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    if outer & ACTING_MODULES:
        return False
    return _root(name) in MODULES or bool(outer & MODULES)


def is_of_a_library(value: Any) -> bool:
    """Whether a function or a type is one of those modules'; what has no module is that of its owner."""
    module = _module_of(value)
    return not is_an_act(value) and (not module or is_known_module(module))


def is_an_act(value: object) -> bool:
    """Whether it is `open`, or another function that does more than compute."""
    compiles = _module_of(value) == "torch" and getattr(value, "__name__", "") == "compile"
    return compiles or any(value is act for act in _ACTS)


def is_of_the_notebook(value: Any) -> bool:
    """Whether it is a function or a class that a cell defines."""
    if isinstance(value, FunctionType):
        return value.__globals__.get("__name__") == NOTEBOOK
    return isinstance(value, type) and value.__module__ == NOTEBOOK


def may_be_read(names: Iterable[str]) -> bool:
    """Whether none of these names, of attributes too, is one by which files, processes or the network are reached.

    What leads past all names, such as `f.__globals__`, is among them.
    """
    return NAMES_THAT_ACT.isdisjoint(names)


def led_to(module: ModuleType, attributes: tuple[str, ...]) -> Any:
    """What these attributes of a module lead to: the first that is no module; None where it is not there.

    Raises Refused for a module that is not known, and for one that is not asked for what it has.
    """
    value: Any = module
    for name in attributes:
        if not isinstance(value, ModuleType):
            return value
        if not is_known_module(value.__name__):
            raise Refused
        value = getattr(value, name, None)
    if isinstance(value, ModuleType):
        raise Refused
    return value


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
    """The values that it holds; of a library's own function only the one that it was wrapped round."""
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
    held = [(name, held_value) for name, held_value in vars(value).items() if name not in OF_EVERY_CLASS]
    working = [held_value for name, held_value in held if not _only_describes(name, held_value)]
    return [*value.__bases__, type(value), *working]


def _only_describes(name: str, value: Any) -> bool:
    """__annotations__, __dataclass_fields__, but not __call__"""
    return name.startswith("__") and not callable(value) and not isinstance(value, (property, classmethod))


def _of_a_property(value: property) -> Iterable[Any]:
    return [value.fget, value.fset, value.fdel]


def _of_a_partial(value: Any) -> Iterable[Any]:
    return [value.func, *value.args, *value.keywords.values()]


def _of_what_changes(value: Any) -> Iterable[Any]:
    """The content of a list, a tensor or an object."""
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
