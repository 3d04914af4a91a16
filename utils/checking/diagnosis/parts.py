"""What to do where a component made of parts lacks the parameters of one: the part is missing, or has another name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

Shapes = Mapping[str, tuple[int, ...]]
Held = dict[str, tuple[int, ...]]  # a part's parameters, by their names within it
NONE: Mapping[str, str] = MappingProxyType({})


def part_advice(
    got: Shapes,
    wanted: Shapes,
    types: Mapping[str, str] = NONE,
) -> str:
    """What to do about the parts that are missing, such as `ln1`, whose parameters are `ln1.w` and `ln1.b`.

    `types` are those of attributes that have a part's name.
    """
    parts = _Parts(got, wanted, types)
    return (
        parts.of_another_type()
        or parts.misplaced()
        or parts.of_torch()
        or parts.renamed()
        or parts.each_with_a_name()
        or parts.hidden()
        or parts.lacking()
    )


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
        return _outermost(self.wanted, self.got)

    @cached_property
    def extra(self) -> list[str]:
        """The outermost parts that are there and not due."""
        return _outermost(self.got, self.wanted)

    @cached_property
    def due(self) -> list[str]:
        """All parts that are due, within others too."""
        parts = (part for name in self.wanted for part in _beginnings(name)[:-1])
        return list(dict.fromkeys(parts))

    def of_another_type(self) -> str | None:
        """Where an attribute that has the name of a part is no module."""
        for name in self.missing:
            kind = self.types.get(name)
            if kind == "type":
                made = "a part is made of it with brackets, as in `LayerNorm(cfg)`"
                return f"`self.{name}` is the class itself: {made}."
            if kind == "tuple":
                return f"`self.{name}` is a tuple: is there a comma at the end of its line?"
        return None

    def misplaced(self) -> str | None:
        """Where a part that is there holds what another one should: `mlp` the parameters of `attn`."""
        for part in _owners(self.missing):
            other = self._whose(part)
            if other is None:
                continue
            if _held(other, self.got) != _held(part, self.wanted):
                return f"`self.{part}` holds the parameters of `{other}`: make it of its own class."
            return (
                f"`self.{part}` holds the parameters of `{other}`, "
                f"and `self.{other}` those of `{part}`: "
                "make each of the other's class."
            )
        return None

    def _whose(self, part: str) -> str | None:
        """The part beside this one whose parameters it holds."""
        held, whole = _held(part, self.got), _whole(part)
        if not held:
            return None
        beside = (one for one in self.due if one != part and _whole(one) == whole)
        return next((one for one in beside if _held(one, self.wanted) == held), None)

    def of_torch(self) -> str | None:
        """Where parts are there, but with the parameters of PyTorch's modules in the place of their own."""
        torchs = [name for name in self.extra if name.endswith((".weight", ".bias"))]
        others = set(map(_whole, torchs))
        lacking = dict.fromkeys(map(_whole, self.missing))
        owners = [f"`self.{owner}`" for owner in lacking if owner in others]
        if not owners:
            return None
        return (
            f"In {' and '.join(owners)} the parameters have the names "
            "of PyTorch's own modules: "
            "put the model's own part there instead, made of `cfg`."
        )

    def renamed(self) -> str | None:
        """Where parts are there under other names."""
        found = {name: self._other_name(name) for name in self.missing}
        pairs = {name: other for name, other in found.items() if other}
        if len(pairs) < len(found) and (moves := self.moved()):
            return moves
        if not pairs or len(set(pairs.values())) < len(pairs):
            return None
        renames = [f"rename `{other}` to `{name}`" for name, other in pairs.items()]
        return f"What they hold is right: {', '.join(renames)}."

    def moved(self) -> str | None:
        """Where all parts are there, some of them inside another module, such as an `nn.ModuleDict`."""
        found: dict[str, str] = {}
        by_size = sorted(self.missing, key=lambda name: -len(_held(name, self.wanted)))
        for name in by_size:
            due = _held(name, self.wanted)
            inside = [f"{other}." for other in found.values()]
            free = [one for one in self._parts_too_many if not f"{one}.".startswith(tuple(inside))]
            alike = [one for one in free if _held(one, self.got) == due]
            if len(alike) != 1:
                return None
            found[name] = alike[0]
        moves = [f"`{found[name]}` is `self.{name}`" for name in self.missing]
        return f"What they hold is right, but not where they are, or what they are called: {', '.join(moves)}."

    @cached_property
    def _parts_too_many(self) -> list[str]:
        """All parts that are there and not due, those within others too."""
        parts = (part for name in self.got for part in _beginnings(name)[:-1])
        return [part for part in dict.fromkeys(parts) if part not in self.due]

    def _other_name(self, name: str) -> str | None:
        """The part too many that holds what this one should; of several, the one at the same place among its likes."""
        due = _held(name, self.wanted)
        rivals = [one for one in self.missing if _held(one, self.wanted) == due]
        likes = self._holding(due)
        if len(likes) != len(rivals):
            return None
        return likes[rivals.index(name)]

    def _holding(self, due: Held) -> list[str]:
        return [other for other in self.extra if _held(other, self.got) == due]

    def each_with_a_name(self) -> str | None:
        """Where the parts of a list each have a name of their own."""
        name = self.missing[0]
        numbered = [one for one in self.due if _whole(one) == name]
        if not numbered or numbered[0] != f"{name}.0":
            return None
        likes = self._holding(_held(numbered[0], self.wanted))
        if len(likes) != len(numbered):
            return None
        listed = ", ".join(f"`{one}`" for one in likes)
        return f"What they hold is right: keep {listed} in one list, `self.{name} = nn.ModuleList(...)`."

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
            how = "make as many parts as the Config says, and keep all of them"
            return f"`self.{whole}` ends before number {inner}: {how}."
        return f"`self.{whole}` has no `{inner}` of its own."


def _outermost(names: Shapes, others: Shapes) -> list[str]:
    """The shortest beginnings of dotted names that none of the others begins with: `blocks`, not `blocks.0.ln1.w`."""
    known = {beginning for other in others for beginning in _beginnings(other)}
    found: list[str] = []
    for name in names:
        unknown = [one for one in _beginnings(name) if one not in known]
        found += unknown[:1]
    return list(dict.fromkeys(found))


def _beginnings(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[:end]) for end in range(1, len(words) + 1)]


def _whole(name: str) -> str:
    """What this is a part of; "" for an outermost part."""
    return name.rpartition(".")[0]


def _owners(names: Iterable[str]) -> list[str]:
    return [whole for whole in dict.fromkeys(map(_whole, names)) if whole]


def _held(part: str, shapes: Shapes) -> Held:
    within = [name for name in shapes if f"{name}.".startswith(f"{part}.")]
    return {name.removeprefix(part): shapes[name] for name in within}
