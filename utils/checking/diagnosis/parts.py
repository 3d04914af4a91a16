"""What to do where a component made of parts lacks the parameters of one: the part is missing, or has another name."""

from collections.abc import Mapping
from types import MappingProxyType

Shapes = Mapping[str, tuple[int, ...]]
NONE: Mapping[str, str] = MappingProxyType({})


def part_advice(got: Shapes, wanted: Shapes, types: Mapping[str, str] = NONE) -> str:
    """What to do about the parts that are missing, such as `ln1`, whose parameters are `ln1.w` and `ln1.b`.

    `types` are those of attributes that have a part's name.
    """
    missing, extra = _outermost(wanted, got), _outermost(got, wanted)
    return (
        _of_another_type(missing, types)
        or _misplaced(missing, got, wanted)
        or _of_torch(missing, extra)
        or _renamed(missing, extra, got, wanted)
        or _in_no_list(missing[0], extra, got, wanted)
        or _lacking(missing[0])
    )


def surplus_advice(got: Shapes, wanted: Shapes) -> str | None:
    """What to do where lists such as `blocks` are longer than they should be, and all else is right."""
    numbered = [name.rpartition(".") for name in _outermost(got, wanted)]
    if not numbered or not all(_goes_on(whole, last, wanted) for whole, _, last in numbered):
        return None
    whole, _, last = numbered[-1]
    return f"`self.{whole}` goes on to number {last}: make as many parts as the Config says."


def _goes_on(whole: str, last: str, wanted: Shapes) -> bool:
    return last.isdigit() and f"{whole}.0" in _all_parts(wanted)


def _of_another_type(missing: list[str], types: Mapping[str, str]) -> str | None:
    """Where an attribute that has the name of a part is no module."""
    for name in missing:
        if types.get(name) == "type":
            return f"`self.{name}` is the class itself: a part is made of it with brackets, as in `LayerNorm(cfg)`."
        if types.get(name) == "tuple":
            return f"`self.{name}` is a tuple: is there a comma at the end of its line?"
    return None


def _misplaced(missing: list[str], got: Shapes, wanted: Shapes) -> str | None:
    """Where a part that is there holds what another one should: `mlp` the parameters of `attn`."""
    for owner in dict.fromkeys(name.rpartition(".")[0] for name in missing if "." in name):
        held = _held(owner, got)
        others = [other for other in _beside(owner, wanted) if held and _held(other, wanted) == held]
        if not others:
            continue
        other = others[0]
        if _held(other, got) != _held(owner, wanted):
            return f"`self.{owner}` holds the parameters of `{other}`: make it of its own class."
        return (
            f"`self.{owner}` holds the parameters of `{other}`, "
            f"and `self.{other}` those of `{owner}`: "
            "make each of the other's class."
        )
    return None


def _beside(part: str, wanted: Shapes) -> list[str]:
    """The other parts of what this is a part of."""
    whole = part.rpartition(".")[0]
    return [one for one in _all_parts(wanted) if one != part and one.rpartition(".")[0] == whole]


def _all_parts(wanted: Shapes) -> dict[str, None]:
    return dict.fromkeys(part for name in wanted for part in _beginnings(name)[:-1])


def _of_torch(missing: list[str], extra: list[str]) -> str | None:
    """Where parts are there, but with the parameters of PyTorch's modules in the place of their own."""
    lacking = dict.fromkeys(name.rpartition(".")[0] for name in missing)
    others = {name.rpartition(".")[0] for name in extra if name.endswith((".weight", ".bias"))}
    owners = " and ".join(f"`self.{owner}`" for owner in lacking if owner in others)
    if not owners:
        return None
    return (
        f"In {owners} the parameters have the names of PyTorch's own modules: "
        "put the model's own part there instead, made of `cfg`."
    )


def _renamed(
    missing: list[str],
    extra: list[str],
    got: Shapes,
    wanted: Shapes,
) -> str | None:
    """Where parts are there under other names."""
    found = {name: _alike(name, extra, got, wanted) for name in missing}
    pairs = {name: other for name, other in found.items() if other}
    if not pairs or len(set(pairs.values())) < len(pairs):
        return None
    renames = ", ".join(f"rename `{other}` to `{name}`" for name, other in pairs.items())
    return f"What they hold is right: {renames}."


def _alike(name: str, extra: list[str], got: Shapes, wanted: Shapes) -> str | None:
    """The part too many that holds what this one should; of several, the one at the same place among its likes."""
    due = _held(name, wanted)
    likes = [other for other in extra if _held(other, got) == due]
    rivals = [other for other in _outermost(wanted, got) if _held(other, wanted) == due]
    return likes[rivals.index(name)] if len(likes) == len(rivals) else None


def _in_no_list(name: str, extra: list[str], got: Shapes, wanted: Shapes) -> str | None:
    """Where the parts of a list each have a name of their own, or stand in a list that torch does not look into."""
    if numbered := _numbered(name, extra, got, wanted):
        listed = ", ".join(f"`{one}`" for one in numbered)
        return f"What they hold is right: keep {listed} in one list, `self.{name} = nn.ModuleList(...)`."
    hidden = next((one for one in wanted if one.startswith(f"{name}.0.")), None)
    if hidden is None:
        return None
    return (
        f"`{hidden}` belongs to a module inside this one. "
        "torch finds it where that module is assigned to an attribute, "
        "or stands in an `nn.ModuleList`; a plain list hides it."
    )


def _numbered(name: str, extra: list[str], got: Shapes, wanted: Shapes) -> list[str]:
    """The parts too many that hold what the parts of this list should, each under a name of its own."""
    place = name.count(".") + 1
    inner = dict.fromkeys(one.split(".")[place] for one in wanted if one.startswith(f"{name}."))
    parts = [f"{name}.{one}" for one in inner]
    if not parts or not parts[0].endswith(".0"):
        return []
    likes = [other for other in extra if _held(other, got) == _held(parts[0], wanted)]
    return likes if len(likes) == len(parts) else []


def _lacking(name: str) -> str:
    whole, dot, inner = name.rpartition(".")
    if not dot:
        return f"A part is a module that is assigned in `__init__` under exactly this name: `self.{name} = ...`."
    if inner.isdigit():
        return (
            f"`self.{whole}` ends before number {inner}: make as many parts as the Config says, and keep all of them."
        )
    return f"`self.{whole}` has no `{inner}` of its own."


def _outermost(names: Shapes, others: Shapes) -> list[str]:
    """The shortest beginnings of dotted names that none of the others begins with: `blocks`, not `blocks.0.ln1.w`."""
    known = {beginning for other in others for beginning in _beginnings(other)}
    found = (next((one for one in _beginnings(name) if one not in known), None) for name in names)
    return list(dict.fromkeys(name for name in found if name))


def _beginnings(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[:end]) for end in range(1, len(words) + 1)]


def _held(part: str, shapes: Shapes) -> dict[str, tuple[int, ...]]:
    """The shapes of a part's parameters, by their names within it."""
    return {name.removeprefix(part): shape for name, shape in shapes.items() if f"{name}.".startswith(f"{part}.")}
