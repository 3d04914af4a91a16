"""Errors of text, bytes, lists, dicts and tuples: what one of these is asked for that only another can do."""

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule

KINDS = (str, bytes, list, tuple, dict, set)
NOUNS = {"str": "text", "dict_keys": "the keys of a dict", "builtin_function_or_method": "a method without brackets"}


def a(kind: str) -> str:
    """A type's name with its article: a list, an int."""
    return NOUNS.get(kind) or f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def unhashable(match: Match, _: Raised) -> str:
    if match[1] in ("slice", None):
        return "A dict has no slices: look one key up, `d[key]`."
    advice = " Make it a tuple first: `tuple(...)`." if match[1] == "list" else ""
    return f"The key of a dict, or the element of a set, can't be {a(match[1])}.{advice}"


def of_another_kind(match: Match, _: Raised) -> str | None:
    """Whose method it is that was looked for."""
    owners = [kind.__name__ for kind in KINDS if hasattr(kind, match[2])]
    if not owners or match[1] in owners or len(owners) == len(KINDS):
        return None
    known = " and ".join([", ".join(owners[:-1]), owners[-1]] if owners[1:] else owners)
    return f"`.{match[2]}` belongs to {known}, and this is {a(match[1])}."


def not_made(match: Match, raised: Raised) -> str | None:
    if not raised.says(rf"\bself\.{match[1]}\b"):
        return None
    return f"`self.{match[1]}` is read before anything has been put there: set it in `__init__`, under the same name."


def not_to_loop_over(match: Match, _: Raised) -> str:
    if match[1] == "int":
        return "One number can't be looped over: `range(n)` counts from 0 to n - 1."
    return "A method stands there without its brackets: call it, as in `text.split()`."


def joined(match: Match, _: Raised) -> str:
    wanted, found = ("str", match[2]) if match[1].startswith("str") else ("bytes", match[2])
    return f"`join` here joins {wanted}, and got {a(found)} among what it was given."


CONTAINER_RULES: list[Rule] = [
    # From Python 3.12 on a slice may be a key.
    (r"TypeError: unhashable type: '(list|dict|set|Counter|slice)'|KeyError: slice\(.*\)", unhashable),
    (
        r"AttributeError: '(str|bytes|list|tuple|dict|set|int|Counter|generator)' object has no attribute '(\w+)'",
        of_another_kind,
    ),
    (r"AttributeError: '\w+' object has no attribute '(\w+)'", not_made),
    (r"TypeError: '(int|builtin_function_or_method)' object is not iterable", not_to_loop_over),
    (
        r"TypeError: '(str|bytes|list|tuple|dict|set|Counter)' object is not callable",
        lambda match, _: (
            "Round brackets call a function, and what stands before them is "
            f"{a(match[1])}. To look an entry up write square brackets; "
            "or a variable has taken the name of a function."
        ),
    ),
    (
        r"TypeError: (list|tuple|string) indices must be integers(?: or slices)?, not '?(\w+)'?",
        lambda match, _: (
            f"Entries of {a('str' if match[1] == 'string' else match[1])} "
            "are looked up by their index, a whole number, "
            f"and here stands {a(match[2])}. A dict looks up by key."
        ),
    ),
    (r"TypeError: sequence item \d+: expected (str instance|a bytes-like object), (\w+) found", joined),
    (
        r"TypeError: sum\(\) can't sum (?:strings|bytes|bytearray) \[use (.*)\.join\(seq\) instead\]",
        lambda match, _: f"`sum` adds numbers. To put pieces together write `{match[1]}.join(...)`.",
    ),
    (
        r"TypeError: a bytes-like object is required, not '(\w+)'",
        lambda match, _: (
            f"Bytes are needed here, and this is {a(match[1])}."
            + (" `.encode()` makes bytes of text." if match[1] == "str" else "")
        ),
    ),
    (
        r"ValueError: (max|min)\(\) (?:arg is an empty sequence|iterable argument is empty)",
        lambda match, _: f"`{match[1]}` was given nothing to choose from: ask first whether anything is left.",
    ),
    (
        r"TypeError: reduce\(\) of empty (?:iterable|sequence) with no initial value",
        lambda match, _: (
            "`reduce` was given nothing, and has nothing to answer then: a third argument says what it begins with."
        ),
    ),
    (
        r"IndexError: (?:list index|index -?\d{1,15} is) out of range",
        "The index lies outside: n items have the numbers 0 to n - 1, and an empty list has none.",
    ),
    (
        r"RuntimeError: (dictionary|Set|OrderedDict).* (?:changed|mutated).* during iteration",
        lambda match, _: (
            f"A {'set' if match[1] == 'Set' else 'dict'} must stay as it is while a loop goes through it: "
            "loop over `list(...)` of it, or build a new one."
        ),
    ),
    (
        r"TypeError: (?:\w+\.)?(\w+)\(\) takes no keyword arguments",
        lambda match, _: (
            f"`{match[1]}` takes nothing by name, `name=...`: what is named here may belong to another call."
        ),
    ),
    (
        r"NameError: cannot access free variable '(\w+)' where it is not associated with a value in enclosing scope",
        lambda match, _: f"`{match[1]}` is read here before anything has been assigned to it.",
    ),
    (
        r"ValueError: too many values to unpack \(expected 2(?:, got \d+)?\)",
        "Two names stand where more values come. "
        "`enumerate(...)` and `.items()` give pairs; "
        "a list alone gives its elements, a dict alone its keys.",
    ),
]
