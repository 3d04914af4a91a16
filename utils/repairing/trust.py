"""Which answers may be run again and again with small changes: those that only compute."""

import ast
import builtins
import dis
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

MODULES = {"torch", "numpy", "math", "einops", "jaxtyping", "typing", "dataclasses", "functools", "itertools"}
MODULES |= {"collections", "heapq", "re", "regex", "random", "string", "statistics", "utils", "solutions", "jax"}
ACTS = {"open", "exec", "eval", "compile", "input", "breakpoint", "__import__", "exit", "quit", "get_ipython"}
_ACTS = [getattr(builtins, name) for name in ACTS if hasattr(builtins, name)]
FILES = {"os", "sys", "subprocess", "shutil", "kill", "rename", "truncate", "write", "writelines", "share_memory_"}
FILES |= {"save", "load", "savez", "savetxt", "loadtxt", "tofile", "fromfile", "memmap", "hub", "distributed"}
FILES |= {"write_text", "write_bytes", "read_text", "read_bytes", "unlink", "rmdir", "mkdir", "system", "popen"}


def only_computes(definitions: ast.Module, namespace: dict[str, Any]) -> bool:
    """False where the code, or a function of the notebook that it calls, reaches files, processes or the network."""
    if any(_from_elsewhere(node) for node in ast.walk(definitions)):
        return False
    code = compile(definitions, "<answer>", "exec", dont_inherit=True)
    return all(_is_harmless(one, namespace) for one in _all_code(code, namespace))


def _from_elsewhere(node: ast.AST) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
    return any(name.partition(".")[0] not in MODULES for name in names)


def _all_code(code: CodeType, namespace: dict[str, Any]) -> Iterator[CodeType]:
    """The code, what is defined in it, and the notebook's own functions and classes that it reads by name."""
    waiting, seen = [code], set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        yield one
        waiting += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
        for name in one.co_names:
            waiting += _codes_of(namespace.get(name))


def _codes_of(value: Any) -> list[CodeType]:
    if isinstance(value, FunctionType):
        return [value.__code__] if value.__module__ == "__main__" else []
    if isinstance(value, type) and value.__module__ == "__main__":
        return [one.__code__ for one in vars(value).values() if isinstance(one, FunctionType)]
    return []


def _is_harmless(code: CodeType, namespace: dict[str, Any]) -> bool:
    if FILES & {*code.co_names}:
        return False
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME" and str(step.argval).partition(".")[0] not in MODULES:
            return False
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and not _is_known(str(step.argval), namespace):
            return False
    return True


def _is_known(name: str, namespace: dict[str, Any]) -> bool:
    value = namespace.get(name, getattr(builtins, name, None))
    if isinstance(value, ModuleType):
        return _root(value.__name__) in MODULES
    if isinstance(value, (FunctionType, BuiltinFunctionType, type)):  # `from os import remove as forget` too
        return _root(value.__module__ or "builtins") in {*MODULES, "builtins", "__main__"} and value not in _ACTS
    return name not in ACTS


def _root(module: str) -> str:
    """heapq of _heapq, torch of torch.nn.functional"""
    name = module.partition(".")[0]
    return name if name == "__main__" else name.lstrip("_")
