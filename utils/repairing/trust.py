"""Which answers may be run again and again with small changes: those that only compute."""

import ast
import builtins
import dis
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

MODULES = frozenset(
    """
    torch numpy jax math einops jaxtyping
    typing dataclasses functools itertools collections heapq
    re regex random string statistics
    utils solutions
    """.split()
)
ACTS = frozenset(
    """
    open exec eval compile input breakpoint
    __import__ exit quit get_ipython
    """.split()
)
FILES = frozenset(
    """
    os sys subprocess shutil kill rename truncate write writelines share_memory_
    save load savez savetxt loadtxt tofile fromfile memmap hub distributed
    write_text write_bytes read_text read_bytes unlink rmdir mkdir system popen
    """.split()
)
_ACTS = [getattr(builtins, name) for name in ACTS if hasattr(builtins, name)]
_OURS = {*MODULES, "builtins", "__main__"}


def only_computes(definitions: ast.Module, namespace: dict[str, Any]) -> bool:
    """False where the code, or a function of the notebook that it calls, reaches files, processes or the network."""
    imported = [name for node in ast.walk(definitions) for name in _imported(node)]
    if not all(map(_is_known_module, imported)):
        return False
    code = compile(definitions, "<answer>", "exec", dont_inherit=True)
    return all(_is_harmless(one, namespace) for one in _all_code(code, namespace))


def _imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=aliases):
            return [alias.name for alias in aliases]
        case ast.ImportFrom(module=module):
            return [module or "."]
    return []


def _is_known_module(name: str) -> bool:
    return name.partition(".")[0] in MODULES


def _all_code(code: CodeType, namespace: dict[str, Any]) -> Iterator[CodeType]:
    """The code, what is defined in it, and the notebook's own functions and classes that it reads by name."""
    waiting, seen = [code], set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        yield one
        waiting += _codes(one.co_consts)
        for name in one.co_names:
            waiting += _codes_of(namespace.get(name))


def _codes(constants: tuple[Any, ...]) -> list[CodeType]:
    return [one for one in constants if isinstance(one, CodeType)]


def _codes_of(value: Any) -> list[CodeType]:
    """The code of a function that the notebook defines, and of the methods of a class."""
    if not isinstance(value, (FunctionType, type)) or value.__module__ != "__main__":
        return []
    functions = [value, *vars(value).values()]
    return [one.__code__ for one in functions if isinstance(one, FunctionType)]


def _is_harmless(code: CodeType, namespace: dict[str, Any]) -> bool:
    if FILES & {*code.co_names}:
        return False
    return all(_step_is_harmless(step, namespace) for step in dis.get_instructions(code))


def _step_is_harmless(step: dis.Instruction, namespace: dict[str, Any]) -> bool:
    name = str(step.argval)
    if step.opname == "IMPORT_NAME":
        return _is_known_module(name)
    if step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
        return _is_known(name, namespace)
    return True


def _is_known(name: str, namespace: dict[str, Any]) -> bool:
    value = namespace.get(name, getattr(builtins, name, None))
    if isinstance(value, ModuleType):
        return _root(value.__name__) in MODULES
    if isinstance(value, (FunctionType, BuiltinFunctionType, type)):  # `from os import remove as forget` too
        return _root(value.__module__ or "builtins") in _OURS and value not in _ACTS
    return name not in ACTS


def _root(module: str) -> str:
    """heapq of _heapq, torch of torch.nn.functional"""
    name = module.partition(".")[0]
    return name if name == "__main__" else name.lstrip("_")
