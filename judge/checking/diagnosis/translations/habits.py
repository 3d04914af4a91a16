"""Names that other libraries' models have, and sizes that a part does not keep."""

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule


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
