"""What is known to do no harm: modules, names, and types of values that never change."""

import builtins
import re
import types
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

from judge.running.on_demand import generic, is_imported, np, torch

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
