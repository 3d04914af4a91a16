"""What the items of a wrong list say by themselves, or the letters of a wrong text: all there, but something more.

Each clue is proved on the values before it is given.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from judge.checking.diagnosis.cases import proved_by
from judge.checking.diagnosis.sequences import lists_due
from judge.checking.evidence import Evidence
from judge.checking.likeness import equal
from judge.running.values import is_list, is_list_or_tuple, is_tuple

# Of fewer items, any two lists are alike by accident.
FEWEST = 3
PLAIN = (str, bytes, int)
Text = str | bytes
# How what is due would be written in another type.
WRITTEN: dict[tuple[type, type], Callable[[Any], Any]] = {
    (bytes, str): lambda due: due.decode("utf-8", errors="replace"),
    (str, bytes): str.encode,
    (int, str): str,
    (int, float): float,
}
WHITE_SPACE = {
    -1: "All but the white space is right, and some of that is missing: look for what splits or strips.",
    0: "All but the white space is right: keep that as it is.",
    1: "All but the white space is right, and there is too much of that: look for what joins or adds.",
}


@proved_by(
    case={
        'value([((b"a", b"b"), 4), ((b"c", b"d"), 2)], [(b"a", b"b"), (b"c", b"d")])': "keep `item[0]`",
        "value([[[0.5, 3], [0.2, 1]]], [[3, 1]])": "keep `item[1]`",
    },
    near=(
        'value([((b"a", b"b"), 4), ((b"c", b"e"), 2)], [(b"a", b"b"), (b"c", b"d")])',
        "value([[[0.5, 3], [0.2, 1]]], [[3, 2]])",
    ),
)
def held_with_more(evidence: Evidence) -> str | None:
    """For a list whose items are tuples or lists, in each of which what is due stands beside something else."""
    for got, want in lists_due(evidence.got, evidence.want):
        place = _place_in_each(got, want)
        if place is not None:
            return f"Each item holds what is due, and something beside it: keep `item[{place}]` alone."
    return None


def _place_in_each(got: Any, want: list[Any]) -> int | None:
    """Where in each item of one list that of the other is."""
    if not is_list(got) or len(got) != len(want):
        return None
    places = [
        {place for place, part in enumerate(item) if equal(part, due)} if is_list_or_tuple(item) else set[int]()
        for item, due in zip(got, want, strict=True)
    ]
    everywhere = set[int].intersection(*places) if places else set[int]()
    return min(everywhere, default=None)


@proved_by(
    case='value([b"he", b"the"], [(b"h", b"e"), (b"t", b"he")])',
    near=('value([b"he", b"th"], [(b"h", b"e"), (b"t", b"he")])', "value([None], [[3, 6]])"),
)
def joined_to_one(evidence: Evidence) -> str | None:
    """For a list in which each item is a tuple of texts, joined."""
    for got, want in lists_due(evidence.got, evidence.want):
        joined = [_joined(list(due)) if is_tuple(due) else None for due in want]
        if got and got == joined and None not in joined:
            return "The parts of each item are joined into one: keep them separate, in a tuple."
    return None


@proved_by(
    case={
        'value(["fox", "saw", "the"], ["the", "saw", "fox"])': "reverse order",
        (
            'value((WANT, ["pos_embed", "embed", "0_attn_out"]), (WANT, ["embed", "pos_embed", "0_attn_out"]))'
        ): "another order",
        'value([b"b", b"a", b"c"], [b"a", b"b", b"c"])': "another order",
        "value([(3, 1), (2, 0), (5, 5)], [(2, 0), (3, 1), (5, 5)])": "another order",
    },
    near=(
        'value(["fox", "saw"], ["saw", "fox"])',
        'value((WANT, ["pos", "embed", "0_attn_out"]), (WANT, ["embed", "pos_embed", "0_attn_out"]))',
        'value([b"b", b"a", b"a"], [b"a", b"b", b"c"])',
    ),
)
def in_another_order(evidence: Evidence) -> str | None:
    """For a list of the right items at other places."""
    for got, want in lists_due(evidence.got, evidence.want):
        if _are_rearranged(got, want):
            order = "in reverse order" if got == want[::-1] else "but in another order"
            return f"All that is due is here, {order}."
    return None


def _are_rearranged(got: Any, want: list[Any]) -> bool:
    if not is_list(got) or not all(map(_is_plain, (*got, *want))):
        return False
    return got != want and len({*got, *want}) >= FEWEST and Counter(got) == Counter(want)


def _is_plain(item: Any) -> bool:
    """A text, bytes or a number, or a tuple of them."""
    return isinstance(item, PLAIN) or (is_tuple(item) and all(isinstance(part, PLAIN) for part in item))


@proved_by(
    case={
        "value([[3, 7, 5]], [[3, 7, 3, 5]])": "some are due more often",
        'value(["b", "a"], ["a", "b", "a"])': "once",
    },
    near=("value([[3, 7, 7]], [[3, 7, 3, 7]])", "value([[3, 7]], [[3, 7, 5]])", "value([3], [3, 3])"),
)
def each_once(evidence: Evidence) -> str | None:
    """For a list that has each of the right items, and none twice."""
    for got, want in lists_due(evidence.got, evidence.want):
        if not is_list(got) or not all(isinstance(item, PLAIN) for item in (*got, *want)):
            continue
        if len(want) >= FEWEST and len({*got}) == len(got) < len(want) and {*got} == {*want}:
            of_a_set = " A set keeps each only once." if "set(" in evidence.code.plain else ""
            return f"Each item is here once, but some are due more often.{of_a_set}"
    return None


@proved_by(
    case={"value([3], [[3, 7, 3, 5]])": "the first item alone", 'value("b", ["a", "b"])': "the last item alone"},
    near=("value([7], [[3, 7, 5]])", "value([3], [[3]])", "value(3, 3)"),
)
def item_alone(evidence: Evidence) -> str | None:
    """For one of the items that are due, in the place of their list."""
    for got, want in lists_due(evidence.got, evidence.want):
        if isinstance(got, PLAIN) and len(want) > 1 and got in (want[0], want[-1]):
            which = "first" if got == want[0] else "last"
            return f"This is the {which} item alone, and all of them are due, in a list."
    return None


@proved_by(
    case={
        'value([["7", "3"]], [[7, 3]])': "str, where int",
        'value([("h", "\\u00e9")], [(b"h", "\\u00e9".encode())])': "str, where bytes",
    },
    near=('value([["7", "4"]], [[7, 3]])', 'value([("h", b"e")], [(b"h", b"e")])'),
)
def of_another_type(evidence: Evidence) -> str | None:
    """For numbers as text, text as bytes and their like, where the values are right."""
    got, want = (list(_leaves(value)) for value in (evidence.got, evidence.want))
    types: set[tuple[type, type]] = {(type(due), type(mine)) for mine, due in zip(got, want, strict=False)}
    for due, mine in types & WRITTEN.keys():
        if len(types) == 1 and got == [WRITTEN[due, mine](item) for item in want]:
            return f"The values are right, but of another type: {mine.__name__}, where {due.__name__} is due."
    return None


@proved_by(
    case={
        "value([[8, 4, 1], [6]], [[7, 3, 0], [5]])": "1 too large",
        "value([7, 13, 9], [17, 23, 19])": "10 too small",
    },
    near=("value([[8, 4, 1], [6]], [[7, 3, 0], [6]])", "value([7, 13], [17, 23])"),
)
def too_large_by(evidence: Evidence) -> str | None:
    """For whole numbers that are all wrong by the same."""
    got, want = (list(_leaves(value)) for value in (evidence.got, evidence.want))
    whole = {type(number) for number in (*got, *want)} == {int}
    if len(got) != len(want) or not whole or len(set(want)) < FEWEST:
        return None
    by, *others = {mine - due for mine, due in zip(got, want, strict=True)}
    if others or by == 0:
        return None
    too_much = f"Every number is {abs(by)} too {'large' if by > 0 else 'small'}"
    return f"{too_much}: from where do you count?" if abs(by) == 1 else f"{too_much}."


def _leaves(value: Any) -> Iterator[Any]:
    """The items of a list or a tuple, and of those within it."""
    if not is_list_or_tuple(value):
        yield value
        return
    for item in value:
        yield from _leaves(item)


@proved_by(
    case={
        'value(["a", "fox"], ["a", " ", "fox"])': "missing: look",
        'value("the  hen", "the hen")': "right, and there",
        'value("the\\nhen", "the hen")': "is right: keep",
    },
    near=('value(["a", "fix"], ["a", " ", "fox"])', 'value(b"the  hen", "the hen")', 'value("the\\nfox", "the hen")'),
)
def white_space(evidence: Evidence) -> str | None:
    """For a text that is right but for its white space, or a list whose items make one."""
    got, want = (_joined(value) for value in (evidence.got, evidence.want))
    if not got or not want or got == want:
        return None
    bare = _bare(got)
    if not bare or bare != _bare(want):
        return None
    longer = len(got) - len(want)
    return WHITE_SPACE[(longer > 0) - (longer < 0)]


def _joined(value: Any) -> Text | None:
    """The text that a value makes; None where it is no text."""
    items: list[Any] = value if is_list(value) else [value]
    types: set[type] = {type(item) for item in items}
    if types == {str}:
        return "".join(items)
    if types == {bytes}:
        return b"".join(items)
    return None


def _bare(text: Text) -> Text | None:
    """The text without any white space."""
    return _joined(text.split())
