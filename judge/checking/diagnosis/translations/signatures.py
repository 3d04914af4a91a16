"""Calls that do not fit the `def` of what they call, mostly a helper of the learner's own."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule

# How Python names a function: those inside another one, and those of a class, with where they stand.
CALLED = r"TypeError: (?:\w+\.<locals>\.)*(?:(?P<owner>\w+)\.)?(?P<name>\w+|<lambda>)\(\) "


def _signature(match: Match, raised: Raised) -> str | None:
    """How the `def` begins; None where the learner's line does not have its bare name."""
    owner, name = match["owner"], match["name"]
    if name == "<lambda>":
        return "`lambda ...`" if raised.line else None
    if name == "forward":
        return f"`def forward(...)` of `{owner}`" if raised.line else None
    made = name == "__init__"
    before = r"\." if owner and not made else r"(?<![\w.])"
    if not raised.says(rf"{before}{owner if made else name}\b"):
        return None
    return f"`def {name}(...)`" + (f" of `{owner}`" if made else "")


def too_many(match: Match, raised: Raised) -> str | None:
    if match["owner"] and match["name"] not in ("__init__", "forward") and not raised.error.frames:
        return _without_self(match)
    signature = _signature(match, raised)
    if not signature:
        return None
    taken = f"{'at most ' if match['least'] else ''}{match['most']} value{'' if match['most'] == '1' else 's'}"
    one_more = match["owner"] and int(match["given"]) == int(match["most"]) + 1
    perhaps = ", perhaps `self`, since a method is given its object first" if one_more else ""
    return (
        f"{signature} takes {taken} and is passed {match['given']}: "
        f"either the call passes too many, or a name is missing there{perhaps}."
    )


def _without_self(match: Match) -> str | None:
    """Of a method that is called by the test, with as much as it should."""
    if int(match["given"]) != int(match["most"]) + 1:
        return None
    return f"Is `self` missing in `def {match['name']}(...)`? A method is given its object first."


def too_few(match: Match, raised: Raised) -> str | None:
    signature = _signature(match, raised)
    if not signature:
        return None
    names = re.sub(r"'(\w+)'", r"`\1`", match["names"])
    if match["by_name"]:
        return f"{signature} has a star in it: what stands behind that is passed by name, here {names}."
    return (
        f"{signature} is passed too little: values go to its names in order, and nothing is left for {names}. "
        "Compare the two from left to right."
    )


def unknown_name(match: Match, raised: Raised) -> str | None:
    signature, keyword = _signature(match, raised), match["keyword"]
    if not signature:
        return None
    if not raised.says(rf"\b{keyword}\s*=") and (spread := raised.says(r"\*\*\w+")):
        return f"`{spread[0]}` passes `{keyword}` by name: {signature} has to take it, or all of them by `{spread[0]}`."
    return (
        f"`{keyword}` is passed by name, and {signature} has no such name: "
        "it is called otherwise there, or not taken at all."
    )


def twice(match: Match, raised: Raised) -> str | None:
    signature = _signature(match, raised)
    if not signature:
        return None
    return (
        f"`{match['keyword']}` is passed twice, by its place and by its name: values without a name go to the names of "
        f"{signature} in order."
    )


SIGNATURE_RULES: list[Rule] = [
    (
        CALLED + r"takes (?P<least>from \d+ to )?(?P<most>\d{1,3}) positional arguments? but (?P<given>\d{1,3}) "
        r"(?:positional arguments? .*)?(?:was|were) given",
        too_many,
    ),
    (CALLED + r"missing \d+ required (?:positional|(?P<by_name>keyword-only)) arguments?: (?P<names>'\w+'.*)", too_few),
    (CALLED + r"got an unexpected keyword argument '(?P<keyword>\w+)'.*", unknown_name),
    (CALLED + r"got multiple values for argument '(?P<keyword>\w+)'", twice),
]
