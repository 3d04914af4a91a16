"""Errors in putting parts together: made of something else than the Config, used before they are made, never called."""

import torch

from judge.checking.diagnosis.translations.raised import ARGUMENT, Match, Raised, Rule, nearest

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
