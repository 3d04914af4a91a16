"""Errors of Python about names: what is undefined, in the wrong module, misspelt, or read too early."""

import importlib

import torch

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule, nearest
from judge.running.libraries import Library

EINOPS = ("reduce", "repeat")
OF_MATH = ("pi", "inf", "nan")
# what others call the one input
HABITS = ("x", "input", "inputs", "idx")
NO_SELF = "There is no `self` here, this is a plain function: all that it needs comes in its arguments."
SELF_IS_MISSING = "`self` is missing from this function's arguments: `def forward(self, ...)`."
NO_DEVICE = "Nothing is called `device` here. Leave out `.to(device)`: all the tensors here are on one device."


def module_attribute(match: Match, raised: Raised) -> str | None:
    module, name = match.groups()
    if _is_of_einops(name, raised):
        return f"`{name}` comes from einops: `einops.{name}`."
    if module.startswith("torch") and hasattr(torch.Tensor, name):
        return f"`{name}` is a method of tensors: `x.{name}(...)`."
    for other, short in ((torch.nn, "nn"), (torch.nn.functional, "F")):
        if raised.library.has_tensors and hasattr(other, name):
            return f"`{name}` is in `{short}`: write `{short}.{name}`."
    if module.startswith("torch.nn") and hasattr(torch, name):
        return f"`{name}` is in `torch` itself: write `torch.{name}`."
    public = [one for one in dir(importlib.import_module(module)) if one[0] != "_"]
    near = nearest(name, public, 0.85)
    if not near:
        return None
    return f"`{module}` has no `{name}`; the nearest name is `{near}`."


def _is_of_einops(name: str, raised: Raised) -> bool:
    if name == "rearrange":
        return True
    return name in EINOPS and bool(raised.says(r"[\"'][^\"']*->"))


def undefined(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if name == "self":
        return NO_SELF if raised.is_function else SELF_IS_MISSING
    library = raised.library
    if name in library.imports:
        return f"Nothing is called `{name}` yet: run `{library.imports[name]}` first."
    if name in library.foreign:
        return f"`{name}` is {library.foreign[name]}, and {library.values}: {library.advice}."
    if name == "device":
        return NO_DEVICE
    if name in raised.parameters and raised.function in ("forward", "__init__"):
        return f"The parameter is kept in the object: write `self.{name}`."
    if raised.function == "__init__":
        return _undefined_in_init(name, raised)
    return _undefined_in_call(name, raised)


def _undefined_in_init(name: str, raised: Raised) -> str | None:
    if name in raised.inputs:
        return f"`{name}` is passed to `forward`: `__init__` knows `cfg` alone."
    field = _field(name, raised)
    if field:
        return f"This is a field of the config: write `{field}`."
    return _misspelt(name, raised)


def _undefined_in_call(name: str, raised: Raised) -> str | None:
    if name in raised.inputs:
        where = "use the name that the input has in the `def` line"
        return f"Nothing is called `{name}` here: {where}."
    kept = "cfg" if name == "cfg" else _field(name, raised)
    if kept and raised.function == "forward":
        return f"The config is kept in the object: write `self.{kept}`."
    for one in raised.inputs:
        axes = list(raised.shapes[one])
        if name in axes:
            size = f"{one}.shape[{axes.index(name)}]"
            return f"The size of the axis `{name}` needs a name first: `{name} = {size}`."
    return _misspelt(name, raised)


def _field(name: str, raised: Raised) -> str | None:
    field = raised.settings.field_called(name)
    return f"cfg.{field}" if field else None


def _misspelt(name: str, raised: Raised) -> str | None:
    library = raised.library
    if name in OF_MATH:
        return f"Nothing is called `{name}` here; Python has it as `math.{name}`."
    if raised.says(rf"\b{name}\(") and _has(library, name):
        whose = library.module.partition(".")[0]
        return f"Nothing is called `{name}` here; {whose} has one: `{library.short}.{name}`."
    known_names = [*library.imports, *raised.parameters, *raised.inputs]
    # Python's own suggestion knows all that has a name here, and calls near what is not.
    known_names.append(raised.error.meant or "")
    near = nearest(name, known_names, 0.75) if len(name) > 2 else None
    known = f"self.{near}" if near in raised.parameters else near
    if near:
        return f"Nothing is called `{name}`; the nearest name is `{known}`."
    if name in HABITS and len(raised.inputs) == 1:
        meant = f"If the input is meant: in the stub it is called `{raised.inputs[0]}`."
        return f"Nothing is called `{name}` here. {meant}"
    if raised.function in ("", "<module>"):
        return None
    nothing = f"Nothing is called `{name}` when this line runs"
    if not raised.says(rf"\b{name}\("):
        return f"{nothing}: a line before it, in this function, must assign it."
    if raised.function != "forward":
        return f"{nothing}: a function must be defined before it."
    return (
        f"If `{name}` is a method of your class, "
        f"write `self.{name}(...)`. Else nothing has that name when this "
        "line runs: a function must be defined before it."
    )


def _has(library: Library, name: str) -> bool:
    """Whether the library has a function of this name, and its own place for it is clear."""
    if not library.module or hasattr(torch.nn.functional, name):
        return False
    return hasattr(importlib.import_module(library.module), name)


NAME_RULES: list[Rule] = [
    (
        r"AttributeError: module '(torch|torch\.nn|torch\.nn\.functional|math|numpy)' has no attribute '(\w+)'",
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


def config_as_number(_: Match, raised: Raised) -> str:
    text = (
        "A whole `Config` stands where a number or a tensor is needed: take one of its fields, such as `cfg.d_model`."
    )
    made = any(frame.function == "__init__" for frame in raised.error.frames)
    return text + " The one argument that your class is made with is the `Config`." * made


def config_attribute(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if raised.says(rf"\bself\.{name}\b(?!\s*=[^=])"):
        return "`self` is a `Config` here: it must come first, as in `def __init__(self, cfg)`."
    if field := raised.settings.field_called(name):
        return f"`Config` calls this `{field}`."
    if near := nearest(name, raised.fields, 0.7):
        return f"`Config` has no `{name}`; the nearest field is `{near}`."
    if raised.library.has_tensors and hasattr(torch.Tensor, name):
        return config_as_number(match, raised)
    return f"`Config` has no `{name}`. Its fields are {', '.join(f'`{one}`' for one in raised.fields)}."


# of functions of plain numbers too
CONFIG_RULES: list[Rule] = [
    (r"TypeError: 'Config' object is not subscriptable", "A field of the config is read with a dot: `cfg.d_model`."),
    (r"AttributeError: 'Config' object has no attribute '(\w+)'", config_attribute),
    (
        r"FrozenInstanceError: cannot assign to field '(\w+)'",
        "A `Config` can't be changed: keep the value under a name of your own.",
    ),
]
