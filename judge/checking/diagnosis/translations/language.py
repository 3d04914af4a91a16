"""Errors of Python itself: calls, unpacking, tuples, None, recursion."""

import re

import torch

from judge.checking.diagnosis.translations.raised import ARGUMENT, OPERANDS, Match, Raised, Rule


def uncalled(_: Match, raised: Raised) -> str:
    if found := raised.says(r"(\w+)\.size\s*\["):
        return f"`size` is a method: write `{found[1]}.shape[...]`."
    if raised.says(r"\.index\s*\["):
        return (
            "`index` is a method of tuples and lists, not called here. "
            "What `topk`, `sort` and `max` found stands in `.indices`."
        )
    named = set(re.findall(r"\.(\w+)\b(?!\s*\()", raised.line))
    methods = [name for name in named if callable(getattr(torch.Tensor, name, None))]
    if len(methods) == 1:
        return f"`{methods[0]}` is a method and was not called: it needs round brackets, `.{methods[0]}(...)`."
    return "A method was named on this line but not called: it needs round brackets."


def called(match: Match, raised: Raised) -> str:
    if match[1] == "torch.Size":
        return "`shape` is no method: write `x.shape[axis]`, with square brackets."
    if match[1] == "Parameter":
        return (
            "What stands before the round brackets is a parameter, no function. To look rows up in it use square "
            "brackets; a product of matrices is `x @ parameter`."
        )
    return "What stands before the round brackets is no function. To index use square brackets, to multiply write `*`."


def unpacked(match: Match, raised: Raised) -> str | None:
    wanted = int(match[1])
    found = raised.says(r"^[\w, *()\[\]]+=\s*(\w+)(\.shape|\.size\(\))?\s*(?:#.*)?$")
    axes = raised.shapes.get(found[1], {}) if found else {}
    if found and not axes and found[2] and match.lastindex == 2:
        return f"The shape has {match[2]} axes, and {wanted} names stand to its left."
    if not found or not axes:
        return None
    count = len(axes) if found[2] else next(iter(axes.values()))
    if (count != int(match[2])) if match.lastindex == 2 else (count <= wanted):
        return None  # the name means something else by now
    # They have no names, since the input may have any number of them.
    if any(" " in axis for axis in axes):
        return f"`{found[1]}` may have any number of axes, here {len(axes)}: don't take its shape apart."
    names = f"({next(iter(axes))},)" if len(axes) == 1 else ", ".join(axes)
    right = f"`{names} = {found[1]}.shape`"
    if not found[2]:
        return f"Unpacking a tensor gives its rows. For its sizes write {right}."
    return f"`{found[1]}` has {len(axes)} {'axes' if len(axes) > 1 else 'axis'}: {right}."


def shape_among_sizes(_: Match, raised: Raised) -> str | None:
    found = raised.says(r"[(,]\s*(\w+)\.(?:shape|size\(\))\s*,")
    return f"A shape among other sizes needs a star before it: `*{found[1]}.shape`." if found else None


def no_such_size(_: Match, raised: Raised) -> str | None:
    found = raised.says(r"\b(\w+)\.shape\[(\d)\]")
    axes = raised.shapes.get(found[1], {}) if found else {}
    if not found or not axes or int(found[2]) < len(axes):
        return None
    if any(" " in axis for axis in axes):
        return f"`{found[1]}` may have any number of axes, here {len(axes)}: count on none of them."
    if len(axes) == 1:
        return f"`{found[1]}` has one axis, `{next(iter(axes))}`: its number is 0."
    return f"`{found[1]}` has {len(axes)} axes, `{', '.join(axes)}`, numbered from 0."


def several(match: Match, raised: Raised) -> str | None:
    if found := raised.says(r"\b(var_mean|std_mean)\("):
        first = found[1].partition("_")[0]
        return f"`{found[1]}` gives two tensors: `{first}, mean = torch.{found[1]}(...)`."
    return "A tuple stands where a tensor is needed: take it apart first, `one, other = ...`."


def endless(_: Match, raised: Raised) -> str | None:
    names = [frame.function for frame in raised.error.frames]
    if raised.function == "__init__" and names.count("__init__") > 1:
        return "`__init__` ends up calling itself, without end: it must not make another object of its own class."
    if names.count(raised.function) > 1:
        return f"`{raised.function}` ends up calling itself, without end."
    return None


def no_gradient(match: Match, raised: Raised) -> str | None:
    if not raised.says(rf"\.grad\.{match[1]}\b"):
        return None
    return (
        "A parameter's `.grad` is `None` until `backward` has brought it a gradient: look first, and leave out those "
        "that have none, `if parameter.grad is not None:`."
    )


def own_assert(_: Match, raised: Raised) -> str | None:
    if not raised.line.lstrip().startswith("assert "):
        return None
    return "That is an `assert` in the code itself, and this input must work: what it demands is too much, or wrong."


PYTHON_RULES: list[Rule] = [
    (r"AssertionError: .*", own_assert),
    (r"AttributeError: 'NoneType' object has no attribute '(\w+)'", no_gradient),
    (
        r"TypeError: 'NoneType' object (?:is not subscriptable|is not callable|is not iterable)|"
        r"AttributeError: 'NoneType' object has no attribute '\w+'|"
        + OPERANDS
        + r"(?:'NoneType' and '.+'|'.+' and 'NoneType')",
        "Something on this line is `None`. A function without `return` gives that, and so do a list's `.sort()` and "
        "`.append()`: look where the value comes from.",
    ),
    (r"TypeError: '(Tensor|Parameter|torch\.Size|int|float)' object is not callable", called),
    (r"TypeError: 'builtin_function_or_method' object is not subscriptable", uncalled),
    (r"AttributeError: 'builtin_function_or_method' object has no attribute '\w+'", uncalled),
    (OPERANDS + r"(?:'builtin_function_or_method' and '.+'|'.+' and 'builtin_function_or_method')", uncalled),
    (r"TypeError: bad operand type for unary .: 'builtin_function_or_method'", uncalled),
    (ARGUMENT + r"Tensor, not builtin_function_or_method", uncalled),
    (
        r"TypeError: object of type 'builtin_function_or_method' has no len\(\)",
        "What is measured here is a method that was not called: where it was named, it needs round brackets, `.log()`.",
    ),
    (
        r"TypeError: (?:iteration over|len\(\) of) a 0-d tensor",
        "A tensor without axes holds one number: "
        "it has no rows to loop over and no length. "
        "Work on the tensor as a whole.",
    ),
    (r"ValueError: too many values to unpack \(expected (\d{1,3})(?:, got \d+)?\)", unpacked),
    (r"ValueError: not enough values to unpack \(expected (\d{1,3}), got (\d{1,3})\)", unpacked),
    (
        OPERANDS + r"(?:'tuple' and '(?:Tensor|Parameter|float|int)'|'(?:Tensor|Parameter|float|int)' and 'tuple')",
        several,
    ),
    (r"TypeError: can only concatenate tuple \(not \"(?:Tensor|Parameter|float|int)\"\) to tuple", several),
    (ARGUMENT + r"Tensor, not tuple", several),
    (
        r"AttributeError: 'tuple' object has no attribute '(\w+)'",
        lambda match, raised: several(match, raised) if hasattr(torch.Tensor, match[1]) else None,
    ),
    (
        OPERANDS + r"(?:'torch\.return_types\.(?:max|min|median)' and .*|"
        r".* and 'torch\.return_types\.(?:max|min|median)')|"
        r"AttributeError: 'torch\.return_types\.(?:max|min|median)' object has no attribute '\w+'",
        "`max`, `min` and `median` with an axis give two tensors: take the one that you mean, `.values` or `.indices`.",
    ),
    (
        r"AttributeError: 'torch\.return_types\.(topk|sort|kthvalue)' object has no attribute '\w+'",
        lambda match, _: f"`{match[1]}` gives two tensors, values and indices: `values, indices = x.{match[1]}(...)`.",
    ),
    (
        r"TypeError: (?:int|float)\(\) argument must be .*, not 'torch\.return_types\.(\w+)'",
        lambda match, _: f"`{match[1]}` gives two tensors here, values and indices: take one, `.values` or `.indices`.",
    ),
    (
        r"TypeError: \w+\(\) (?:takes 1 positional argument but \d+ were given|"
        r"received an invalid combination of arguments - got \(.*torch\.Size.*)",
        shape_among_sizes,
    ),
    (
        r"TypeError: slice indices must be integers or None or have an __index__ method",
        "A slice bound is one integer, such as `x.shape[axis]`: "
        "neither the whole `shape`, nor a float. "
        "A division that gives an integer is `//`.",
    ),
    (r"IndexError: tuple index out of range", no_such_size),
    (r"RecursionError: maximum recursion depth exceeded.*", endless),
]


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
