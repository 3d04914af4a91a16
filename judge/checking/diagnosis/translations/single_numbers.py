"""Errors of a whole tensor where one number, one yes or no is needed, and of a number where a tensor is."""

import re

import torch

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule

# The rest of a call of plain numbers.
PLAIN = re.compile(r"(?:[\d\s.,+*/_-]|math\.pi)+\)")
LARGEST_OF = r"(?<![.\w])(max|min)\("
# The first of several arguments, with its comma, where what follows is no setting.
SEVERAL = r"(?:[^(),]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+,(?!\s*(?:key|default)=)"


def single_number(_: Match, raised: Raised) -> str:
    calls = re.findall(r"\bmath\.(\w+)\(([^()]*\)?)", raised.line)
    names = list(dict.fromkeys(name for name, given in calls if not PLAIN.fullmatch(given) and hasattr(torch, name)))
    if len(names) == 1:
        return f"`math.{names[0]}` takes one number, this is a whole tensor: write `torch.{names[0]}`."
    if names:
        listed = " and ".join(f"`math.{name}`" for name in names)
        return f"{listed} take one number each, and one of them gets a whole tensor: write `torch.` for its `math.`."
    if raised.says(r"\b(?:torch\.tensor|Tensor)\("):
        return "`torch.tensor` makes a tensor of plain numbers. To put tensors together write `torch.stack([...])`."
    found = raised.says(r"\b(?:float|int)\(|\.item\(")
    if not found:
        return "One number is needed here, and this tensor holds more: make it one first, or go on with the tensor."
    takes = f"`{found[0]})` takes a tensor of one value, and this one has more"
    return f"{takes}: make it one value first, or go on with the tensor."


def one_integer(_: Match, raised: Raised) -> str:
    if raised.says(r"\[\s*:\s*\w+\s*[],]"):
        return (
            "A slice bound is one integer, and this is a whole tensor: "
            "to look up a row for each of its numbers, leave out the colon, "
            "`table[rows]`. Where the first rows are meant, "
            "the bound is the size of an axis, `x.shape[axis]`."
        )
    return (
        "A whole tensor stands where Python needs one integer, "
        "such as a slice bound, `range(...)` or the index of a list. "
        "The size of an axis is `x.shape[axis]`."
    )


def truth(_: Match, raised: Raised) -> str | None:
    if raised.says(r"torch\.einsum\(\s*[^\"'\s]"):
        return "`torch.einsum` takes the pattern first and the tensors behind it."
    if found := raised.says(r"\bnn\.(\w+Loss)\(\s*[^)\s]"):
        return f"`nn.{found[1]}` is a class: it is made first and then called, `nn.{found[1]}()(...)`."
    if raised.says(r"^(?:if|elif|while|assert)\b|\b(?:and|or|not|if)\b"):
        return (
            "`if`, `and`, `or`, `not` and `assert` need one yes or no, "
            "and a tensor gives one for each value: "
            "choose value by value with `torch.where`, "
            "or ask `.all()` or `.any()`."
        )
    if found := raised.says(rf"{LARGEST_OF}{SEVERAL}"):
        return (
            f"Python's `{found[1]}` compares its arguments, and one of them is a tensor of many values: make one "
            "number of it first, such as `.sum()` for how many are True."
        )
    if found := raised.says(LARGEST_OF):
        return f"Python's `{found[1]}` compares whole rows. Of a tensor's numbers it is `x.a{found[1]}(dim=...)`."
    return None


def number_method(match: Match, raised: Raised) -> str | None:
    kind, name = match.groups()
    if not hasattr(torch.Tensor, name) or name == "detach":
        return None
    what = "the shape of a tensor" if kind == "torch.Size" else "a plain number"
    return (
        f"`{name}` is a method of tensors, and what stands before it "
        f"here is {what}. In `x + y.{name}()` the method is applied to "
        f"`y` alone: to apply it to the sum write `(x + y).{name}()`."
        if re.search(rf"[-+] *[\w.]+\.{name}\(", raised.line)
        else f"`{name}` is a method of tensors, and what stands before it here is {what}."
    )


NUMBER_RULES: list[Rule] = [
    (r"AttributeError: '(int|float|torch\.Size)' object has no attribute '(\w+)'", number_method),
    (r"TypeError: only integer tensors of a single element can be converted to an index", one_integer),
    (r"ValueError: only one element tensors can be converted to Python scalars", single_number),
    (r"RuntimeError: a Tensor with \d+ elements cannot be converted to Scalar", single_number),
    (r"RuntimeError: Boolean value of Tensor with more than one value is ambiguous", truth),
]
