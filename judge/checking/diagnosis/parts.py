"""What to do where a component made of parts lacks the parameters of one: the part is missing, or has another name."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from judge.checking.diagnosis.dotted import Held, Shapes, beginnings, held_by, outermost, owners, whole_of
from judge.checking.wording import listed

# A weight and a bias.
MOST_OF_TORCHS = 2


@dataclass(frozen=True)
class Torchs:
    """Parameters that there are and that are due, and the parts that are missing and too many."""

    got: Shapes
    wanted: Shapes
    missing: list[str]
    too_many: list[str]

    @cached_property
    def _in_place(self) -> list[str]:
        """The parts that are there, with the parameters of PyTorch's modules in the place of their own."""
        lacking = dict.fromkeys(map(whole_of, self.missing))
        own = [part for part in lacking if part and not _is_torchs(held_by(part, self.wanted))]
        return [part for part in own if _is_torchs(held_by(part, self.got))]

    @cached_property
    def not_there(self) -> list[str]:
        """The parts that are missing, and have nothing in their place."""
        return [name for name in self.missing if whole_of(name) not in self._in_place]

    def inside(self) -> str | None:
        """Where parts are there, and are modules of PyTorch."""
        if not self._in_place:
            return None
        return (
            f"In {' and '.join(f'`self.{part}`' for part in self._in_place)} the parameters have the names "
            "of PyTorch's own modules: "
            "put the model's own part there instead, made of `cfg`."
        )

    def instead(self) -> str | None:
        """Where modules of PyTorch under other names stand in for parts."""
        replaced = [f"`{other}` by `self.{name}`" for name, other in self.stand_ins]
        if not replaced:
            return None
        return f"Replace what is PyTorch's by the model's own, made of `cfg`: {', '.join(replaced)}."

    @cached_property
    def stand_ins(self) -> list[tuple[str, str]]:
        """Parts that are missing, and modules of PyTorch of their size; of several, those in the same order."""
        likes, rivals = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
        for other in self.too_many:
            if _is_torchs(found := held_by(other, self.got)):
                likes[_largest(found)].append(other)
        for name in self.not_there:
            if len(due := held_by(name, self.wanted)) <= MOST_OF_TORCHS:
                rivals[_largest(due)].append(name)
        alike = [size for size, names in rivals.items() if len(names) == len(likes[size])]
        pairs = chain.from_iterable(zip(rivals[size], likes[size], strict=True) for size in alike)
        return sorted(pairs, key=lambda pair: self.missing.index(pair[0]))


def _is_torchs(held: Held) -> bool:
    """Whether all parameters have the names that PyTorch's modules give them."""
    return bool(held) and all(name.endswith((".weight", ".bias")) for name in held)


def _largest(held: Held) -> int:
    """How many numbers the largest parameter has: a table, or a matrix either way round."""
    return max(map(math.prod, held.values()))


# What is said of an attribute that has a part's name, by its type.
OF_A_TYPE = {
    "type": "`self.{name}` is the class itself: a part is made of it with brackets, as in `LayerNorm(cfg)`.",
    "tuple": "`self.{name}` is a tuple: is there a comma at the end of its line?",
}
NONE: Mapping[str, str] = MappingProxyType({})


def part_advice(got: Shapes, wanted: Shapes, types: Mapping[str, str] = NONE) -> str:
    """What to do about the parts that are missing, such as `ln1`, whose parameters are `ln1.w` and `ln1.b`.

    `types` are those of attributes that have a part's name.
    """
    parts = _Parts(got, wanted, types)
    return parts.of_another_type() or parts.misplaced() or parts.named_otherwise() or parts.hidden() or parts.lacking()


def surplus_advice(got: Shapes, wanted: Shapes) -> str | None:
    """What to do where lists such as `blocks` are longer than they should be, and all else is right."""
    parts = _Parts(got, wanted, NONE)
    too_many = [name.rpartition(".") for name in parts.extra]
    for whole, _, number in too_many:
        in_a_list = number.isdigit() and f"{whole}.0" in parts.due
        if not in_a_list:
            return None
    if not too_many:
        return None
    whole, _, last = too_many[-1]
    return f"`self.{whole}` goes on to number {last}: make as many parts as the Config says."


@dataclass(frozen=True)
class _Parts:
    """The parameters that there are, and those that are due, by dotted names."""

    got: Shapes
    wanted: Shapes
    types: Mapping[str, str]

    @cached_property
    def missing(self) -> list[str]:
        """The outermost parts that are due and not there."""
        return outermost(self.wanted, self.got)

    @cached_property
    def extra(self) -> list[str]:
        """The outermost parts that are there and not due."""
        return outermost(self.got, self.wanted)

    @cached_property
    def due(self) -> list[str]:
        """All parts that are due, within others too."""
        parts = (part for name in self.wanted for part in beginnings(name)[:-1])
        return list(dict.fromkeys(parts))

    def of_another_type(self) -> str | None:
        """Where an attribute that has the name of a part is no module."""
        for name in self.missing:
            said = OF_A_TYPE.get(self.types.get(name, ""))
            if said:
                return said.format(name=name)
        return None

    def misplaced(self) -> str | None:
        """Where a part that is there holds what another one should: `mlp` the parameters of `attn`."""
        for part in owners(self.missing):
            other = self._whose(part)
            if other is None:
                continue
            if held_by(other, self.got) != held_by(part, self.wanted):
                return f"`self.{part}` holds the parameters of `{other}`: make it of its own class."
            return (
                f"`self.{part}` holds the parameters of `{other}`, "
                f"and `self.{other}` those of `{part}`: "
                "make each of the other's class."
            )
        return None

    def _whose(self, part: str) -> str | None:
        """The part beside this one whose parameters it holds."""
        held, whole = held_by(part, self.got), whole_of(part)
        if not held:
            return None
        beside = (name for name in self.due if name != part and whole_of(name) == whole)
        return next((name for name in beside if held_by(name, self.wanted) == held), None)

    def named_otherwise(self) -> str | None:
        """Where parts are there under other names, or modules of PyTorch in their places: all that is to be done."""
        said = (self._torchs.inside(), self.moved() or self.renamed(), self._torchs.instead(), self.shared())
        return " ".join(filter(None, said)) or None

    @cached_property
    def _torchs(self) -> Torchs:
        return Torchs(self.got, self.wanted, self.missing, self._parts_too_many)

    def renamed(self) -> str | None:
        """Where parts are there under other names."""
        found = {name: self._other_name(name) for name in self._torchs.not_there}
        pairs = {name: other for name, other in found.items() if other}
        renames = [f"rename `{other}` to `{name}`" for name, other in pairs.items()]
        to_do = renames if len(set(pairs.values())) == len(pairs) else []
        to_do += filter(None, map(self._each_with_a_name, self._torchs.not_there))
        return f"What they hold is right: {', '.join(to_do)}." if to_do else None

    def shared(self) -> str | None:
        """Where one part stands for several of its kind."""
        for name in self._torchs.not_there:
            rivals, likes = self._rivals(name), self._holding(held_by(name, self.wanted))
            if len(rivals) > 1 and len(likes) == 1:
                several = listed(f"self.{rival}" for rival in rivals)
                return f"{several} are parts of their own, and only `{likes[0]}` is there for them: make each anew."
        return None

    def moved(self) -> str | None:
        """Where parts are there, some of them inside another module, such as an `nn.ModuleDict`."""
        found: dict[str, str] = {}
        replaced = [name for name, _ in self._torchs.stand_ins]
        due = [name for name in self._torchs.not_there if name not in replaced]
        for name in sorted(due, key=lambda name: -len(held_by(name, self.wanted))):
            inside = [f"{other}." for rival, other in found.items() if rival not in self._rivals(name)]
            free = [part for part in self._parts_too_many if not f"{part}.".startswith(tuple(inside))]
            alike = [part for part in free if held_by(part, self.got) == held_by(name, self.wanted)]
            if len(alike) == len(self._rivals(name)):
                found[name] = alike[self._rivals(name).index(name)]
        if not any("." in other for other in found.values()):
            return None
        moves = [f"`{found[name]}` is `self.{name}`" for name in due if name in found]
        return f"What they hold is right, but not where they are, or what they are called: {', '.join(moves)}."

    @cached_property
    def _parts_too_many(self) -> list[str]:
        """All parts that are there and not due, those within others too."""
        parts = (part for name in self.got for part in beginnings(name)[:-1])
        return [part for part in dict.fromkeys(parts) if part not in self.due]

    def _other_name(self, name: str) -> str | None:
        """The part too many that holds what this one should; of several, the one at the same place among its likes."""
        rivals, likes = self._rivals(name), self._holding(held_by(name, self.wanted))
        return likes[rivals.index(name)] if len(likes) == len(rivals) else None

    def _rivals(self, name: str) -> list[str]:
        """The parts that are missing too, and hold the same, this one among them."""
        return [other for other in self.missing if held_by(other, self.wanted) == held_by(name, self.wanted)]

    def _holding(self, due: Held) -> list[str]:
        return [other for other in self.extra if held_by(other, self.got) == due]

    def _each_with_a_name(self, name: str) -> str | None:
        """Where the parts of a list each have a name of their own."""
        numbered = [part for part in self.due if whole_of(part) == name]
        if not numbered or numbered[0] != f"{name}.0":
            return None
        likes = self._holding(held_by(numbered[0], self.wanted))
        if len(likes) != len(numbered):
            return None
        return f"keep {', '.join(f'`{like}`' for like in likes)} in one list, `self.{name} = nn.ModuleList(...)`"

    def hidden(self) -> str | None:
        """Where the parts of a list may stand in one that torch does not look into."""
        first = f"{self.missing[0]}.0."
        for name in self.wanted:
            if name.startswith(first):
                return (
                    f"`{name}` belongs to a module inside this one. "
                    "torch finds it where that module is assigned to an attribute, "
                    "or stands in an `nn.ModuleList`; a plain list or dict hides it."
                )
        return None

    def lacking(self) -> str:
        """Where nothing else is known of the first part that is missing."""
        name = self.missing[0]
        whole, dot, inner = name.rpartition(".")
        if not dot:
            how = "is a module that is assigned in `__init__` under exactly this name"
            return f"A part {how}: `self.{name} = ...`."
        if inner.isdigit():
            how = "make as many parts as the Config says, each one anew, and keep all of them"
            return f"`self.{whole}` has no number {inner} of its own: {how}."  # it ends, or repeats another
        return f"`self.{whole}` has no `{inner}` of its own."
