"""What stands in the place of a list, a tuple or a number: what only becomes one, or holds the same in another form."""

import ast
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from judge.checking.code import Code
from judge.checking.diagnosis.cases import proved_by
from judge.checking.evidence import Evidence
from judge.checking.likeness import alike, alike_stacked, equal
from judge.running.on_demand import Module, Tensor, nn, torch
from judge.running.records import Arguments, Array, Opaque, Values
from judge.running.values import is_list, is_tuple

Typed = Callable[[Any, Tensor], str | None]
Clue = Callable[[Evidence], str | None]
NUMBERS = {int, float}


def instead_of_a_tensor(*types: type) -> Callable[[Typed], Clue]:
    """A clue that takes an answer of one of these types, and the tensor that is due."""

    def decorate(clue: Typed) -> Clue:
        @functools.wraps(clue)
        def guarded(evidence: Evidence) -> str | None:
            fits = isinstance(evidence.got, types) and isinstance(evidence.want, Tensor)
            return clue(evidence.got, evidence.want) if fits else None

        return guarded

    return decorate


@proved_by(case={"form(Array(WANT))": "NumPy"}, near='form(Opaque("ndarray of complex64"))')
@instead_of_a_tensor(Array)
def an_array(got: Array, want: Tensor) -> str:
    """For an array."""
    return f"Stay in torch: return a tensor, not a {got.of} array."


@proved_by(
    case={
        'form(Opaque("builtin_function_or_method", "function"))': "function itself",
        'form(Opaque("GELU"))': "`nn.GELU(...)` makes",
    },
    near=('form(Opaque("builtin_function_or_method"))', 'form(Opaque("init"))'),
)
@instead_of_a_tensor(Opaque)
def uncalled(got: Opaque, want: Tensor) -> str | None:
    """For a layer or a function, where what it gives is due."""
    if got.role == "function":
        return "What is returned is a function itself: put round brackets behind it, to call it."
    layer = getattr(nn, got.type, None)
    if not isinstance(layer, type) or not issubclass(layer, Module):
        return None
    return f"`nn.{got.type}(...)` makes a layer, and only the layer gives a tensor, called in its turn: `layer(x)`."


@proved_by(
    case='value(Opaque("builtin_function_or_method", "function"), "ab")',
    near=('value(Opaque("function", "function"), "ab")', 'value("ab", "ab")'),
)
def method_itself(evidence: Evidence) -> str | None:
    """For a method of one of Python's types in the place of what it gives."""
    if not isinstance(evidence.got, Opaque) or evidence.got.type != "builtin_function_or_method":
        return None
    return "What is returned is a method itself: put round brackets behind it, to call it."


@proved_by(
    case={"form((WANT,))": "a tuple that", "form((WANT, None))": "tuple of 2"},
    near=("form((WANT + 1,))", "form((WANT + 1, None))"),
)
@instead_of_a_tensor(tuple, list)
def among_others(got: Sequence[Any], want: Tensor) -> str | None:
    """For a tuple or a list that holds the right tensor."""
    name = type(got).__name__
    if not _holds(got, want):
        return None
    if len(got) > 1:
        return f"Return the tensor alone, not a {name} of {len(got)} in which it is one."
    return f"Return the tensor alone, not a {name} that holds it: is there a comma after it?"


@proved_by(
    case={"value((3,), 3)": "a comma behind it", "value([0.5, 2.5], 3.0)": "`sum(...)`"},
    near=("value((4,), 3)", "value([0.5, 2.0], 3.0)", "value([True, True], 2)"),
)
def number_in_a_list(evidence: Evidence) -> str | None:
    """For a tuple or a list that holds the right number, or the parts of it."""
    got, want = evidence.got, evidence.want
    if type(want) not in NUMBERS or not (is_list(got) or is_tuple(got)) or {*map(type, got)} - NUMBERS:
        return None
    if is_tuple(got) and [*got] == [want]:
        return "Return the number alone, not a tuple that holds it: a comma behind it makes one."
    if not got or not math.isclose(sum(got), want, rel_tol=1e-6):
        return None
    return f"The numbers in the {type(got).__name__} add up to the right one: return their sum, `sum(...)`."


@proved_by(case='form({"logits": WANT, "loss": None})', near='form({"logits": WANT + 1})')
@instead_of_a_tensor(dict)
def in_a_dict(got: dict[Any, Any], want: Tensor) -> str | None:
    """For a dict that holds the right tensor."""
    if not _holds(got.values(), want):
        return None
    return "Return the tensor alone, not a dict that holds it."


def _holds(items: Iterable[Any], want: Tensor) -> bool:
    tensors = [item for item in items if isinstance(item, Tensor)]
    return any(alike(item, want) for item in tensors)


@proved_by(case={"form(list(WANT))": "The list"}, near="form(list(WANT + 1))")
@instead_of_a_tensor(tuple, list)
def one_by_one(got: Sequence[Any], want: Tensor) -> str | None:
    """For a tuple or a list of tensors that make the right one, stacked."""
    tensors = [item for item in got if isinstance(item, Tensor)]
    if len(tensors) < len(got) or not alike_stacked(tensors, want):
        return None
    return f"The {type(got).__name__} holds the right tensors: `torch.stack` makes one tensor of them."


@proved_by(case="form([[[0.5]]])", near="form(([0.5],))")
@instead_of_a_tensor(list)
def plain_list(got: Values, want: Tensor) -> str | None:
    """For a list of numbers."""
    if any(isinstance(item, Tensor) for item in got):
        return None
    return "Return the tensor itself: a list holds no gradient. Leave out `.tolist()`, or what builds the list."


@proved_by(case={"form((WANT + 1, None))": "tuple of 2"}, near="form((WANT, None))")
@instead_of_a_tensor(tuple, dict)
def several(got: Values | dict[Any, Any], want: Tensor) -> str:
    """For a tuple or a dict in which not even the right tensor is."""
    return f"One tensor is due: return it alone, not a {type(got).__name__} of {len(got)}."


BUILT = "build a list from the start, or make one of it by `.tolist()`"
# What stands in a list's place, by the role that a value plays (`Opaque.role`).
INSTEAD_OF_A_LIST = {
    "lazy": (
        "What `map`, `.keys()` or a comprehension in round brackets gives "
        "is not a list yet: put `list(...)` around it, "
        "or write the comprehension in square brackets."
    ),
    "set": "A set keeps each item once and has no order: what is due here is a list.",
}
# Where the test itself calls the function that yields, nothing can be put around the call.
YIELDED = (
    "A function with `yield` gives no list, nor does a comprehension in round brackets: "
    "collect the items in a list, and return that."
)
# What is said where one of these stands in a list's place.
NO_LISTS: list[tuple[type | tuple[type, ...], str]] = [
    (
        (str, bytes),
        "A list is due here, and this is one piece of text: return the list itself, without `join` or `str(...)`.",
    ),
    (dict, "A list is due here, and this is a dict: `list(...)` of it has its keys alone."),
    (Tensor, f"A list is due here, and this is a tensor: {BUILT}."),
    (Array, f"A list is due here, and this is an array: {BUILT}."),
]


@proved_by(
    case={
        'value(Opaque("generator", "lazy"), [b"a"])': "function with",
        'replace(value(Opaque("generator", "lazy"), [b"a"]), component=yields)': "function with",
        'replace(value(Opaque("map", "lazy"), [b"a"]), component=yields)': "`map`, `.keys()`",
        'replace(value(Opaque("generator", "lazy"), [b"a"]), component=in_round_brackets)': "`map`, `.keys()`",
        'value([1, Opaque("map", "lazy")], [1, [0, 2]])': "`map`, `.keys()`",
        'value((b"a", b"b"), [b"a", b"b"])': "or `list(...)`",
        "value([(0, 1)], [[0, 1]])": "or `list(...)`",
        'value("the fox", ["the", "fox"])': "text: return",
        'value((WANT, "embed pos"), (WANT, ["embed", "pos"]))': "text: return",
        'value({(b"h", b"e"): 256}, [(b"h", b"e")])': "dict: `list(...)`",
        "value(torch.tensor([3, 1]), [3, 1])": "tensor: build",
        "value([Array(torch.tensor([3, 1]))], [[3, 1]])": "array: build",
        'value(Opaque("set", "set"), [b"a"])': "set keeps each",
        'value([Opaque("int64", "NumPy integer")], [3])': "NumPy's whole",
    },
    near=(
        'value(Opaque("MyTokens"), [b"a"])',
        'value([1, Opaque("map", "lazy")], [1, "a"])',
        'value((b"a", b"c"), [b"a", b"b"])',
        "value([(0, 1)], [[0, 2]])",
        'value(["the fox"], ["the", "fox"])',
        'value((WANT + 1, "embed pos"), (WANT, ["embed", "pos"]))',
        'value({(b"h", b"e"): 256}, {(b"h", b"e"): 0})',
        'value(torch.tensor([3, 1]), "3 1")',
        'value([Array(torch.tensor([3, 1]))], ["3 1"])',
        'value(Opaque("set", "set"), "a")',
        'value([Opaque("int of more than 10000 bits")], [3])',
    ),
)
def no_list(evidence: Evidence) -> str | None:
    """For what stands where a list is due: the answer, an item of it, or the one wrong part of a tuple."""
    for got, want in lists_due(evidence.got, evidence.want):
        if found := _in_the_place_of(got, want):
            return YIELDED if _may_be_yielded(got, evidence.code) else found
    return None


@proved_by(
    case={
        "value(torch.tensor([3]), 3)": "an int",
        "value(torch.tensor(9.5), 3)": "holds another",
        "value(torch.tensor(3.0), 3)": "an int",
        "value(torch.tensor([0, 1, 0]), 3.0)": "a float … 3",
    },
    near=("value(torch.tensor([3, 1]), 3)", "value([0, 1, 0], 3.0)"),
)
def number_in_a_tensor(evidence: Evidence) -> str | None:
    """For a tensor where a plain number is due."""
    got, want = evidence.got, evidence.want
    if not isinstance(got, Tensor) or type(want) not in (int, float):
        return None
    name = type(want).__name__
    due = f"A plain number is due, {'an' if name == 'int' else 'a'} {name}"
    if got.numel() != 1:
        return f"{due}, and this is a tensor of {got.numel()} values."
    other = "" if alike(got.double(), torch.full_like(got, want, dtype=torch.double)) else " It holds another, though."
    return f"{due}, and this is a tensor that holds one: `{name}(...)` takes it out.{other}"


def lists_due(got: Any, want: Any) -> Iterator[tuple[Any, Values]]:
    """The lists that are due with what came in their places, and those within them."""
    if is_tuple(want):
        wrong = _wrong_parts(got, want)
        got, want = wrong[0] if len(wrong) == 1 else (None, None)
    if not is_list(want):
        return
    yield got, want
    if is_list(got) and len(got) == len(want):
        for one, other in zip(got, want, strict=True):
            if is_list(other):
                yield from lists_due(one, other)


def _in_the_place_of(got: Any, want: Values) -> str | None:
    if is_tuple(got) and equal(list(got), want):
        return "The values are right, but a tuple holds them: make a list, with square brackets or `list(...)`."
    for types, said in NO_LISTS:
        if isinstance(got, types):
            return said
    if isinstance(got, Opaque):
        return INSTEAD_OF_A_LIST.get(got.role)
    if is_list(got) and len(got) == len(want):
        numpys = any(isinstance(item, Opaque) and item.role == "NumPy integer" for item in got)
        return "NumPy's whole numbers are no `int`: convert each, `int(...)`, or leave NumPy out." if numpys else None
    return None


def _may_be_yielded(got: Any, code: Code) -> bool:
    """Whether it is a generator, and a function with `yield` may have made it."""
    if not isinstance(got, Opaque) or got.type != "generator":
        return False
    nodes = (node for tree in code.trees for node in ast.walk(tree))
    return not code.trees or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)


@proved_by(
    case='value((WANT, ["embed", "pos"]), (WANT, ["embed", "pos_embed"]))',
    near=(
        'value((WANT + 1, ["embed", "pos"]), (WANT, ["embed", "pos_embed"]))',
        'value((WANT, ["embed"]), (WANT, ["embed", "pos_embed"]))',
    ),
)
def other_words(evidence: Evidence) -> str | None:
    """For a list of words in a tuple, in which some are others than those that are due, where all else is right."""
    if not is_tuple(evidence.want):
        return None
    wrong = _wrong_parts(evidence.got, evidence.want)
    if len(wrong) != 1 or not all(map(_are_words, wrong[0])):
        return None
    got, want = wrong[0]
    if len(got) != len(want):
        return None
    return "All else is right, and so is how many words there are: spell each as the chapter does, to the letter."


def _wrong_parts(got: Any, want: Arguments) -> list[tuple[Any, Any]]:
    """The parts of a tuple that are wrong, each with what is due; none where the tuples are no match."""
    if not is_tuple(got) or len(got) != len(want):
        return []
    return [(one, other) for one, other in zip(got, want, strict=True) if not _agree(one, other)]


def _agree(got: Any, want: Any) -> bool:
    if isinstance(got, Tensor) and isinstance(want, Tensor):
        return alike(got, want)
    return equal(got, want)


def _are_words(value: Any) -> bool:
    return is_list(value) and all(isinstance(word, str) for word in value)
