"""Errors of Python about names: what is undefined, in the wrong module, misspelt, or read too early."""

import importlib
import re

import torch

from utils.checking.diagnosis.translations.raised import Raised, Rule, nearest

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
    field = _field(name, raised)
    return f"This is a field of the config: write `{field}`." if field else _misspelt(name, raised)


def _undefined_in_call(name: str, raised: Raised) -> str | None:
    if name in raised.inputs:
        return f"Nothing is called `{name}` here: use the name that the input has in the `def` line."
    kept = "cfg" if name == "cfg" else _field(name, raised)
    if kept and raised.function == "forward":
        return f"The config is kept in the object: write `self.{kept}`."
    for one in raised.inputs:
        if name in raised.shapes[one]:
            axis = list(raised.shapes[one]).index(name)
            return f"The size of the axis `{name}` needs a name first: `{name} = {one}.shape[{axis}]`."
    return _misspelt(name, raised)


def _field(name: str, raised: Raised) -> str | None:
    field = raised.settings.field_called(name)
    return f"cfg.{field}" if field else None


def _misspelt(name: str, raised: Raised) -> str | None:
    if raised.says(rf"\b{name}\(") and hasattr(torch, name) and not hasattr(torch.nn.functional, name):
        return f"Nothing is called `{name}` here; torch has one: `torch.{name}`."
    near = (
        nearest(
            name,
            [*IMPORTS, *raised.parameters, *raised.inputs],
            0.75,
        )
        if len(name) > 2
        else None
    )
    known = f"self.{near}" if near in raised.parameters else near
    if not near and name in ("x", "input", "inputs", "idx") and len(raised.inputs) == 1:
        return f"Nothing is called `{name}` here. If the input is meant: in the stub it is called `{raised.inputs[0]}`."
    if near:
        return f"Nothing is called `{name}`; the nearest name is `{known}`."
    if raised.function in ("", "<module>"):
        return None
    if not raised.says(rf"\b{name}\("):
        return f"Nothing is called `{name}` when this line runs: a line before it, in this function, must assign it."
    if raised.function != "forward":
        return f"Nothing is called `{name}` when this line runs: a function must be defined before it."
    return (
        f"If `{name}` is a method of your class, "
        f"write `self.{name}(...)`. Else nothing has that name when this "
        "line runs: a function must be defined before it."
    )


NAME_RULES: list[Rule] = [
    (
        r"AttributeError: module '(torch|torch\.nn|torch\.nn\.functional|math)' has no attribute '(\w+)'",
        module_attribute,
    ),
    (r"NameError: name '(\w+)' is not defined", undefined),
    (
        r"UnboundLocalError: cannot access local variable '(\w+)' where it is not associated with a value",
        lambda match, raised: (
            f"`{match[1]}` gets its value in this function, "
            "but not before this line reads it: assign it first, "
            "or read what you mean under another name."
        ),
    ),
]
