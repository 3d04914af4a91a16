"""Errors of Python about a Config: a field that it calls otherwise, or has not; one that is read or set wrongly."""

import torch

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule, nearest


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
