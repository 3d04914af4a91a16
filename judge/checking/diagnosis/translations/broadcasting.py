"""What torch's error about two tensors that do not line up means: an axis that went, or one that needs room."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised

STATISTIC = r"\b(?:mean|mu|sigma|avg|var|variance|std|sum|norm)\b"
BIAS = r"self\.(\w+).*[+] *self\.(\w+)(?![\w.\[(])"
PRINT_BOTH = "Axes are lined up from the last one, and only size 1 is stretched: print both shapes first."


def broadcast(match: Match, raised: Raised) -> str:
    one, other, dim = match.groups()
    clash = f"At dimension {dim} one tensor has size {raised.sized(one)} and the other {raised.sized(other)}."
    if _axis_dropped(raised, int(dim), {int(one), int(other)}) and _statistic_without_keepdim(raised.line):
        return (
            f"{clash} A mean, sum or variance without `keepdim=True` loses "
            "its axis, and those that are left no longer line up: "
            "pass `keepdim=True` where it is taken, "
            "or in einops write `1` in the axis's place."
        )
    return f"{clash} {_room_in_a_bias(match, raised) or PRINT_BOTH}"


def _room_in_a_bias(match: Match, raised: Raised) -> str | None:
    """For `x @ self.W_Q + self.b_Q`, where an axis that both of these have meets one of the input's."""
    line = raised.says(BIAS)
    one, other, dim = match.groups()
    met = {raised.axis(size) or "" for size in (one, other)}
    if not line or "" in met:
        return None
    weight, bias = (list(raised.of_parameters.get(name, {})) for name in line.groups())
    # Further in front it is the product itself that fails.
    in_the_sum = int(dim) >= len(weight) - 1
    for own in met & {*weight} & {*bias[:-1]} if in_the_sum else ():
        (of_input,) = met - {own}
        room = ", ".join([*[":"] * (bias.index(own) + 1), "None"])
        return (
            f"`self.{line[2]}` is [{' '.join(bias)}], and its `{own}` meets `{of_input}`: "
            f"with `self.{line[2]}[{room}]` it has an axis of size 1 there, which is stretched."
        )
    return None


def _axis_dropped(raised: Raised, dim: int, clash: set[int]) -> bool:
    """Whether an input meets itself with one axis gone at exactly this dimension, with these sizes."""
    shapes = [list(axes.values()) for axes in raised.of_inputs.values()]
    return any(_first_clash(whole, axis) == (dim, clash) for whole in shapes for axis in range(len(whole)))


def _first_clash(whole: list[int], axis: int) -> tuple[int, set[int]] | None:
    left = whole[:axis] + whole[axis + 1 :]
    for back in range(1, len(left) + 1):
        sizes = {whole[-back], left[-back]}
        if len(sizes) == 2 and 1 not in sizes:
            return len(whole) - back, sizes
    return None


def _statistic_without_keepdim(line: str) -> bool:
    value = re.sub(r"^[\w, ]+=(?!=)", "", line)
    calls = re.findall(STATISTIC + r"(\([^()]*(?:\([^()]*\)[^()]*)*\)|)", value)
    return any("keepdim" not in arguments and arguments != "()" for arguments in calls)
