"""Errors of Python itself: names, calls, unpacking, tuples, None, recursion."""

import importlib
import re

import torch

from utils.checking.translations.raised import ARGUMENT, FIELDS, OPERANDS, OTHER_NAMES, Raised, Rule, nearest

IMPORTS = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "Tensor": "from torch import Tensor",
    "F": "import torch.nn.functional as F",
    "einops": "import einops",
    "math": "import math",
}
NOT_USED = {"np": "NumPy", "numpy": "NumPy", "tf": "TensorFlow", "jnp": "JAX", "jax": "JAX", "keras": "Keras"}
EINOPS = ("reduce", "repeat")


def module_attribute(match: re.Match, raised: Raised) -> str | None:
    module, name = match.groups()
    if name == "rearrange" or (name in EINOPS and raised.says(r"[\"'][^\"']*->")):
        return f"`{name}` comes from einops: `einops.{name}`."
    if module != "math" and hasattr(torch.Tensor, name):
        return f"`{name}` is a method of tensors: `x.{name}(...)`."
    for other, short in ((torch.nn, "nn"), (torch.nn.functional, "F")):
        if hasattr(other, name):
            return f"`{name}` is in `{short}`: write `{short}.{name}`."
    if module.startswith("torch.nn") and hasattr(torch, name):
        return f"`{name}` is in `torch` itself: write `torch.{name}`."
    near = nearest(name, (one for one in dir(importlib.import_module(module)) if one[0] != "_"), 0.85)
    return f"`{module}` has no `{name}`; the nearest name is `{near}`." if near else None


def undefined(match: re.Match, raised: Raised) -> str | None:
    name = match[1]
    if name == "self":
        return "`self` is missing from this function's arguments: `def forward(self, ...)`."
    if name in IMPORTS:
        return f"Nothing is called `{name}` yet: run `{IMPORTS[name]}` first."
    if name in NOT_USED:
        return f"`{name}` is {NOT_USED[name]}, and the tensors here are torch's: use torch's own function, or indexing."
    if name == "device":
        return "Nothing is called `device` here. Leave out `.to(device)`: all the tensors here are on one device."
    if name in raised.parameters and raised.function in ("forward", "__init__"):
        return f"The parameter is kept in the object: write `self.{name}`."
    return (_undefined_in_init if raised.function == "__init__" else _undefined_in_call)(name, raised)


def _undefined_in_init(name: str, raised: Raised) -> str | None:
    if name in raised.inputs:
        return f"`{name}` is passed to `forward`: `__init__` knows `cfg` alone."
    field = OTHER_NAMES.get(name, name)
    return f"This is a field of the config: write `cfg.{field}`." if field in FIELDS else _misspelt(name, raised)


def _undefined_in_call(name: str, raised: Raised) -> str | None:
    if name in raised.inputs:
        return f"Nothing is called `{name}` here: use the name that the input has in the `def` line."
    field = OTHER_NAMES.get(name, name)
    if raised.function == "forward" and (name == "cfg" or field in FIELDS):
        return f"The config is kept in the object: write `self.cfg{'' if name == 'cfg' else '.' + field}`."
    for one in raised.inputs:
        if name in raised.shapes[one]:
            axis = list(raised.shapes[one]).index(name)
            return f"The size of the axis `{name}` needs a name first: `{name} = {one}.shape[{axis}]`."
    return _misspelt(name, raised)


def _misspelt(name: str, raised: Raised) -> str | None:
    if raised.says(rf"\b{name}\(") and hasattr(torch, name) and not hasattr(torch.nn.functional, name):
        return f"Nothing is called `{name}` here; torch has one: `torch.{name}`."
    near = nearest(name, [*IMPORTS, *raised.parameters, *raised.inputs], 0.75) if len(name) > 2 else None
    known = f"self.{near}" if near in raised.parameters else near
    if not near and name in ("x", "input", "inputs", "idx") and len(raised.inputs) == 1:
        return f"Nothing is called `{name}` here. If the input is meant: in the stub it is called `{raised.inputs[0]}`."
    if near:
        return f"Nothing is called `{name}`; the nearest name is `{known}`."
    if raised.function in ("", "<module>"):
        return None
    return f"Nothing is called `{name}` when this line runs: a line before it, in this function, must assign it."


def uncalled(_: re.Match, raised: Raised) -> str:
    if found := raised.says(r"(\w+)\.size\s*\["):
        return f"`size` is a method: write `{found[1]}.shape[...]`."
    named = set(re.findall(r"\.(\w+)\b(?!\s*\()", raised.line))
    methods = [name for name in named if callable(getattr(torch.Tensor, name, None))]
    if len(methods) == 1:
        return f"`{methods[0]}` is a method and was not called: it needs round brackets, `.{methods[0]}(...)`."
    return "A method was named on this line but not called: it needs round brackets."


def called(match: re.Match, raised: Raised) -> str:
    if match[1] == "torch.Size":
        return "`shape` is no method: write `x.shape[axis]`, with square brackets."
    return "What stands before the round brackets is no function. To index use square brackets, to multiply write `*`."


def unpacked(match: re.Match, raised: Raised) -> str | None:
    wanted = int(match[1])
    found = raised.says(r"^[\w, *()\[\]]+=\s*(\w+)(\.shape|\.size\(\))?\s*(?:#.*)?$")
    axes = raised.shapes.get(found[1], {}) if found else {}
    if found and not axes and found[2] and match.lastindex == 2:
        return f"The shape has {match[2]} axes, and {wanted} names stand to its left."
    if not found or not axes:
        return None
    count = len(axes) if found[2] else next(iter(axes.values()))
    if (count != int(match[2])) if match.lastindex == 2 else (count <= wanted):
        return None  # the name means something else by now
    right = f"`{', '.join(axes)} = {found[1]}.shape`"
    if not found[2]:
        return f"Unpacking a tensor gives its rows. For its sizes write {right}."
    return f"`{found[1]}` has {len(axes)} axes: {right}."


def shape_among_sizes(_: re.Match, raised: Raised) -> str | None:
    found = raised.says(r"[(,]\s*(\w+)\.(?:shape|size\(\))\s*,")
    return f"A shape among other sizes needs a star before it: `*{found[1]}.shape`." if found else None


def no_such_size(_: re.Match, raised: Raised) -> str | None:
    found = raised.says(r"\b(\w+)\.shape\[(\d)\]")
    axes = raised.shapes.get(found[1], {}) if found else {}
    if not found or not axes or int(found[2]) < len(axes):
        return None
    return f"`{found[1]}` has {len(axes)} axes, `{', '.join(axes)}`, numbered from 0."


def several(match: re.Match, raised: Raised) -> str | None:
    if found := raised.says(r"\b(var_mean|std_mean)\("):
        first = found[1].partition("_")[0]
        return f"`{found[1]}` gives two tensors: `{first}, mean = torch.{found[1]}(...)`."
    return "A tuple stands where a tensor is needed: take it apart first, `one, other = ...`."


def endless(_: re.Match, raised: Raised) -> str | None:
    names = [frame.function for frame in raised.error.frames]
    if raised.function == "__init__" and names.count("__init__") > 1:
        return "`__init__` ends up calling itself, without end: it must not make another object of its own class."
    if names.count(raised.function) > 1:
        return f"`{raised.function}` ends up calling itself, without end."
    return None


PYTHON_RULES: list[Rule] = [
    (
        r"AttributeError: module '(torch|torch\.nn|torch\.nn\.functional|math)' has no attribute '(\w+)'",
        module_attribute,
    ),
    (r"NameError: name '(\w+)' is not defined", undefined),
    (
        r"UnboundLocalError: cannot access local variable '(\w+)' where it is not associated with a value",
        lambda match, raised: (
            f"`{match[1]}` gets its value in this function, but not before this line reads it: assign it first, or "
            "read what you mean under another name."
        ),
    ),
    (
        r"TypeError: 'NoneType' object (?:is not subscriptable|is not callable|is not iterable)|"
        r"AttributeError: 'NoneType' object has no attribute '\w+'|"
        + OPERANDS
        + r"(?:'NoneType' and '.+'|'.+' and 'NoneType')",
        "Something on this line is `None`. A function without `return` gives that: look where the value comes from.",
    ),
    (r"TypeError: '(Tensor|Parameter|torch\.Size|int|float)' object is not callable", called),
    (r"TypeError: 'builtin_function_or_method' object is not subscriptable", uncalled),
    (r"AttributeError: 'builtin_function_or_method' object has no attribute '\w+'", uncalled),
    (OPERANDS + r"(?:'builtin_function_or_method' and '.+'|'.+' and 'builtin_function_or_method')", uncalled),
    (ARGUMENT + r"Tensor, not builtin_function_or_method", uncalled),
    (r"ValueError: too many values to unpack \(expected (\d{1,3})(?:, got \d+)?\)", unpacked),
    (r"ValueError: not enough values to unpack \(expected (\d{1,3}), got (\d{1,3})\)", unpacked),
    (
        OPERANDS + r"(?:'tuple' and '(?:Tensor|Parameter|float|int)'|'(?:Tensor|Parameter|float|int)' and 'tuple')",
        several,
    ),
    (r"TypeError: can only concatenate tuple \(not \"(?:Tensor|Parameter|float|int)\"\) to tuple", several),
    (ARGUMENT + r"Tensor, not tuple", several),
    (
        r"AttributeError: 'tuple' object has no attribute '(\w+)'",
        lambda match, raised: several(match, raised) if hasattr(torch.Tensor, match[1]) else None,
    ),
    (
        OPERANDS + r"(?:'torch\.return_types\.(?:max|min|median)' and .*|"
        r".* and 'torch\.return_types\.(?:max|min|median)')|"
        r"AttributeError: 'torch\.return_types\.(?:max|min|median)' object has no attribute '\w+'",
        "`max`, `min` and `median` with an axis give two tensors, values and indices: take `.values`.",
    ),
    (
        r"TypeError: \w+\(\) (?:takes 1 positional argument but \d+ were given|"
        r"received an invalid combination of arguments - got \(.*torch\.Size.*)",
        shape_among_sizes,
    ),
    (
        r"TypeError: slice indices must be integers or None or have an __index__ method",
        "A slice bound is one integer, such as `x.shape[axis]`: neither the whole `shape`, nor a float. A division "
        "that gives an integer is `//`.",
    ),
    (r"IndexError: tuple index out of range", no_such_size),
    (r"RecursionError: maximum recursion depth exceeded.*", endless),
]
