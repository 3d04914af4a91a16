"""Errors in making a component: a Config for a number, `super().__init__()`, parameters, arguments of its methods."""

import torch
from torch import nn

from judge.checking.diagnosis.translations.names import CONFIG_RULES, config_as_number
from judge.checking.diagnosis.translations.raised import ARGUMENT, OPERANDS, Match, Raised, Rule, nearest


def own_attribute(match: Match, raised: Raised) -> str | None:
    owner, name = match.groups()
    if not raised.says(rf"\bself\.{name}\b(?!\s*=[^=])"):
        return None
    if owner == "Tensor":
        return "`self` is a tensor here: it must come first, as in `def forward(self, ...)`."
    if name == "cfg":
        return "Nothing has been assigned to `self.cfg`: write `self.cfg = cfg` in `__init__`."
    if field := raised.settings.field_called(name):
        return f"This is a field of the config: `{'' if raised.function == '__init__' else 'self.'}cfg.{field}`."
    if name in raised.inputs and raised.function == "forward":
        return f"`{name}` is passed to the call, not kept in `self`: write `{name}`."
    if name in raised.parameters:
        return f"Nothing has been assigned to `self.{name}` yet: write `self.{name} = nn.Parameter(...)` in `__init__`."
    return _no_such_parameter(name, raised)


def _no_such_parameter(name: str, raised: Raised) -> str | None:
    if near := nearest(name, raised.parameters):
        return f"`self` has no `{name}`; the nearest parameter is `{near}`."
    if raised.says(rf"\bself\.{name}\(") and hasattr(torch.Tensor, name):
        return f"`{name}` is a method of tensors, not of `self`: `x.{name}(...)`."
    if raised.says(rf"\bself\.{name}\("):
        return f"Nothing is called `self.{name}`. A function of the notebook is called without `self`: `{name}(...)`."
    known = " and ".join(f"`self.{one}`" for one in raised.parameters)
    if not known:
        return None
    are = "parameter here is" if len(raised.parameters) == 1 else "parameters here are"
    return f"Nothing has been assigned to `self.{name}`. The {are} {known}."


def tensor_attribute(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if raised.says(rf"\bself\.{name}\b"):
        return None
    methods = [one for one in dir(torch.Tensor) if not one.startswith("_") and not one.endswith("_")]
    near = OTHER_METHODS.get(name) or nearest(name, methods, 0.8)
    return f"Tensors have no `{name}`; what they have is `{near}`." if near else None


def forward_arguments(match: Match, raised: Raised) -> str | None:
    if raised.error.frames or not raised.inputs:
        return None
    passed = " and ".join(f"`{name}`" for name in raised.inputs)
    return f"The call passes {passed} and nothing else: `def forward({', '.join(['self', *raised.inputs])})`."


def init_arguments(match: Match, raised: Raised) -> str | None:
    if raised.says(r"super\(\)\.__init__\([^)]"):
        return "`nn.Module` takes nothing: `super().__init__()`, with empty brackets."
    if raised.error.frames:
        return None
    return f"It is made as `{match[1]}(cfg)`: write `def __init__(self, cfg)` and take every size from `cfg`."


def layer_arguments(match: Match, raised: Raised) -> str | None:
    layer = match[1]
    if not raised.says(rf"\b{layer}\("):
        return None
    takes = {
        "Embedding": "two sizes, the number of rows and their length. It makes a table of its own",
        "Linear": "two sizes, that of the axis that goes in and that of the one that comes out",
        "LayerNorm": "the size of the axis that is normalised",
    }
    return f"`nn.{layer}` takes {takes[layer]}."


def assigned(match: Match, raised: Raised) -> str:
    name = match[1]
    if raised.function == "__init__":
        return f"`self.{name}` is a parameter already: wrap the new tensor too, `self.{name} = nn.Parameter(...)`."
    return f"`self.{name}` is a parameter, which training changes: give this result a name without `self`."


def fixed_size(match: Match, raised: Raised) -> str:
    name, got, wanted = match.groups()
    return (
        f"`{name}` is made with shape [{got}] where [{wanted}] is due: "
        "take each size from `cfg`, which changes from one question to "
        "the next, and write none out as a number."
    )


def module_as_tensor(match: Match, raised: Raised) -> str | None:
    names = [name for name in match.groups() if name and isinstance(getattr(nn, name, None), type)]
    if not names or not issubclass(getattr(nn, names[0]), nn.Module):
        return None
    made = f"nn.{names[0]}(...)"
    return f"`{made}` makes a module, no tensor: its settings stand in these brackets, the tensor in a second pair."


def layer_of_a_tensor(match: Match, raised: Raised) -> str | None:
    name = match[1]
    layer = getattr(nn, name, None)
    if not isinstance(layer, type) or not raised.says(rf"\bnn\.{name}\(\s*[a-z]"):
        return None
    return (
        f"`nn.{name}` is the class of a layer, and its brackets take settings. The layer is called: `nn.{name}()(x)`."
    )


OTHER_METHODS = {"variance": "var", "average": "mean", "stddev": "std", "astype": "to"}

MODULE_RULES: list[Rule] = [
    (
        r"TypeError: (\w+)\.__init__\(\) takes (?:from 1 to )?\d positional arguments? but \d were given",
        layer_of_a_tensor,
    ),
    (
        OPERANDS + r"(?:'function' and '\w+'|'\w+' and 'function')",
        "A function stands where what it gives is meant: call it, with round brackets behind its name.",
    ),
    (r"AttributeError: 'Tensor' object has no attribute '(\w+)'", tensor_attribute),
    (
        r'NotImplementedError: Module \[\w+\] is missing the required "forward" function',
        "Python finds no method `forward` in the class: "
        "look at its spelling, and whether its `def` is indented as far "
        "as that of `__init__`, no further.",
    ),
    (
        r"TypeError: called with a Config it gives \w+, which is no nn\.Module",
        "Derive the class from `nn.Module`, "
        "as in `class Name(nn.Module):`, and begin `__init__` with "
        "`super().__init__()`.",
    ),
    (
        r"AttributeError: '(?:int|float|tuple)' object has no attribute 'detach'",
        lambda match, raised: (
            "`nn.Parameter` wraps a tensor: make one of that size first, such as `torch.ones(cfg.d_model)`."
            if raised.says(r"\bParameter\(")
            else None
        ),
    ),
    (
        r"RuntimeError: the weights do not fit: `([\w.]{1,60})` has shape \[([\d, ]*)\], the weight \[([\d, ]*)\]",
        fixed_size,
    ),
    (
        r"RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
        "A parameter holds floats, and this tensor holds integers: leave out the `dtype`, or write `1.0` for `1`.",
    ),
    (OPERANDS + r"(?:'Config' and '.+'|'.+' and 'Config')", config_as_number),
    (OPERANDS + r"(?:'(\w+)' and '(?:Tensor|Parameter)'|'(?:Tensor|Parameter)' and '(\w+)')", module_as_tensor),
    (ARGUMENT + r"Tensor, not (\w+)", module_as_tensor),
    (ARGUMENT + r".*(?:not|type) Config(?: at pos \d+)?", config_as_number),
    (r"TypeError: \w+\(\): argument '\w+' failed to unpack .*but got Config\"", config_as_number),
    (r"TypeError: 'Config' object (?:cannot be interpreted as an integer|is not iterable)", config_as_number),
    (r"TypeError: must be real number, not Config", config_as_number),
    *CONFIG_RULES,
    (
        r"AttributeError: cannot assign (?:parameters|module|buffer) before Module\.__init__\(\) call",
        "`super().__init__()` is missing: it is the first line of `__init__`.",
    ),
    (
        r"TypeError: (?:list|tuple|generator) is not a Module subclass",
        "Modules are due here, and one of them is a whole list: "
        "`nn.ModuleList(layers)`, without brackets of its own around "
        "it, or `nn.Sequential(*layers)`, with a star.",
    ),
    (
        r"AttributeError: '\w+' object has no attribute '_(?:backward_hooks|parameters|modules|buffers)'",
        "`super().__init__()` is missing: it is the first line of `__init__`.",
    ),
    (
        r"TypeError: descriptor '__init__' of 'super' object needs an argument",
        "`super` needs brackets of its own: `super().__init__()`.",
    ),
    (r"TypeError: cannot assign 'torch\.\w+' as parameter '(\w+)' \(torch\.nn\.Parameter or None expected\)", assigned),
    (
        r"TypeError: \w+\.forward\(\) (?:takes \d+ positional arguments? but \d+ were given|missing \d+ .*)",
        forward_arguments,
    ),
    (
        r"TypeError: (Embedding|Linear|LayerNorm)\.__init__\(\) missing \d+ required positional arguments?: .*",
        layer_arguments,
    ),
    (r"TypeError: (\w+)\.__init__\(\) (?:takes 1 positional argument but 2 were given|missing \d+ .*)", init_arguments),
    (r"AttributeError: '(\w+)' object has no attribute '(\w+)'", own_attribute),
]


CALL_IT = "A module stands where a tensor is meant: call it on one, as in `self.embed(tokens)`."
CALL_THE_PART = (
    "A class is called on a tensor, as in `Embed(tokens)`, "
    "and makes a new part. The part that `__init__` made is in the "
    "object: `self.embed(tokens)`."
)
MAKE_EACH = "A module can't be multiplied: make each one anew, in a loop or a comprehension over `range(cfg.n_layers)`."
SHORTER = (
    "The `nn.ModuleList` has no module number {}. "
    "It holds as many as the Config says, numbered from 0; "
    "a loop such as `for block in self.blocks` needs no numbers."
)


def missing_part(match: Match, raised: Raised) -> str | None:
    """`self.ln1` before it is there, `Attention(self.ln1)`, or a module in the place of what it answers."""
    owner, name = match.groups()
    parts, functions = parts_of(raised), [frame.function for frame in raised.error.frames]
    making = "__init__" in functions
    if not parts or owner == "Config":
        return None
    if owner == "Tensor":
        elsewhere = making or not raised.says(rf"\.{name}\b")
        in_a_call = name in raised.fields and functions[:1] == ["forward"] and elsewhere
        return CALL_THE_PART if in_a_call else None
    if name in raised.fields and making:
        return "A part is made of the whole `Config`, as in `LayerNorm(cfg)`."
    if raised.says(rf"\bself\.{name}\b"):
        if name in parts and making:
            return f"`self.{name}` is not there yet: a part is made of the `Config`, as in `LayerNorm(cfg)`."
        if name in parts:
            return f"Nothing has been assigned to `self.{name}`: make this part in `__init__`."
        near = nearest(name, parts)
        return f"`self` has no `{name}`; the nearest part is `{near}`." if near else None
    return CALL_IT if hasattr(torch.Tensor, name) else None


def parts_of(raised: Raised) -> list[str]:
    """The parts whose parameters the component has: `ln1` of `ln1.w`."""
    return list(dict.fromkeys(name.partition(".")[0] for name in raised.shapes if "." in name))


def part_without_self(match: Match, raised: Raised) -> str | None:
    name = match[1]
    return f"The part is kept in the object: write `self.{name}`." if name in parts_of(raised) else None


def several_for_one(match: Match, raised: Raised) -> str | None:
    if not parts_of(raised) or not raised.error.frames:
        return None
    passed = int(match[2]) - 1
    return f"`{match[1]}` is called on one thing, what it reads, and here {passed} stand in its brackets."


def keyword(match: Match, raised: Raised) -> str | None:
    if not parts_of(raised) or not raised.error.frames:
        return None
    return f"`{match[1]}` is called on what it reads, and nothing else: leave out `{match[2]}=`."


def module_for_tensor(match: Match, raised: Raised) -> str | None:
    return CALL_IT if parts_of(raised) and match[1] not in ("Config", "NoneType") else None


def called_on_nothing(match: Match, raised: Raised) -> str | None:
    if not parts_of(raised) or not raised.error.frames:
        return None
    return f"A part is called here with nothing in its brackets: it needs `{match[1]}`."


def config_for_module(_: Match, raised: Raised) -> str | None:
    return "A part is made by its class, of the `Config`: `LayerNorm(cfg)`." if parts_of(raised) else None


def looped_over(match: Match, raised: Raised) -> str | None:
    if not parts_of(raised) or not raised.says(r"\bfor\b"):
        return None
    if match[1] == "int":
        return "A number can't be gone through: `range(cfg.n_layers)` gives so many turns."
    return "A loop goes through what holds several, such as the `nn.ModuleList` `self.blocks`; this is one module."


def class_for_module(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if not parts_of(raised) or not raised.says(rf"\b{name}\b(?!\s*\()"):
        return None
    return f"`{name}` is the class itself: a module is made of it with brackets, `{name}(cfg)`."


def part_of_sizes(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if not parts_of(raised) or not raised.says(rf"\b{name}\([^)]*cfg\."):
        return None
    return f"A part is made of the whole `Config`: `{name}(cfg)`."


PART_RULES: list[Rule] = [
    (r"TypeError: (\w+)\.__init__\(\) takes 2 positional arguments but \d were given", part_of_sizes),
    (r"NameError: name '(\w+)' is not defined", part_without_self),
    (r"TypeError: (\w+)\.forward\(\) takes 2 positional arguments but (\d{1,2}) were given", several_for_one),
    (r"TypeError: (\w+)\.forward\(\) got an unexpected keyword argument '(\w+)'", keyword),
    (r"AttributeError: '(\w+)' object has no attribute '(\w+)'", missing_part),
    (r"IndexError: only integers, slices \(`:`\), .* are valid indices \(got (\w+)\)", module_for_tensor),
    (r"RuntimeError: Could not infer dtype of (\w+)", module_for_tensor),
    (ARGUMENT + r"Tensor, not ([A-Z]\w+)", module_for_tensor),
    (r"TypeError: \w+\.forward\(\) missing 1 required positional argument: '(\w+)'", called_on_nothing),
    (
        r"TypeError: 'Config' object is not callable|TypeError: utils\.config\.Config is not a Module subclass",
        config_for_module,
    ),
    (r"TypeError: (?:\w+\.)*(\w+) is not a Module subclass", class_for_module),
    (
        r'NotImplementedError: Module \[Module(?:List|Dict)\] is missing the required "forward" function',
        "An `nn.ModuleList` only holds modules and can't be called "
        "itself: call them one after the other, "
        "in a loop such as `for block in self.blocks`.",
    ),
    (
        r"TypeError: unsupported operand type\(s\) for \*: '\w+' and 'int'",
        lambda _, raised: MAKE_EACH if parts_of(raised) and raised.says(r"\bModuleList\(") else None,
    ),
    (
        r"IndexError: index (-?\d{1,15}) is out of range",
        lambda match, raised: SHORTER.format(match[1]) if parts_of(raised) else None,
    ),
    (r"TypeError: '(\w+)' object is not iterable", looped_over),
]


def settings(_: Match, raised: Raised) -> str | None:
    found = raised.says(r"\b(?!self\b)(\w+)\.config\b")
    return f"What `{found[1]}` is made of is called `cfg` here: `{found[1]}.cfg`." if found else None


def size_of_an_input(match: Match, raised: Raised) -> str | None:
    """For a size that is read from a part, where an input has an axis of that name."""
    name = match[1]
    if raised.says(rf"\bself\.{name}\b"):
        return None
    for one, axes in raised.of_inputs.items():
        if name in axes:
            return f"`{name}` is not kept there. It is the size of an axis: `{one}.shape[{list(axes).index(name)}]`."
    return None


HABIT_RULES: list[Rule] = [
    (
        r"AttributeError: 'Tensor' object has no attribute 'logits'",
        "What stands before `.logits` is a tensor already, and holds no other: leave `.logits` out "
        "(`logit` is another function).",
    ),
    (r"AttributeError: '\w+' object has no attribute 'config'", settings),
    (r"AttributeError: '\w+' object has no attribute '(\w+)'", size_of_an_input),
    (
        r"RuntimeError: bincount only supports 1-d non-negative integral inputs\.",
        "`bincount` counts whole numbers from 0 on, along the one axis of its input. A text with a batch axis has two: "
        "`text[0]` is its only row.",
    ),
]
