"""What to do where a component made of parts lacks the parameters of one: the part is missing, or has another name."""

from collections.abc import Mapping
from types import MappingProxyType

KEEP = (
    "`{}` belongs to a module inside this one. torch finds it where that module is assigned to an attribute, "
    "or stands in an `nn.ModuleList`; a plain list hides it."
)
IN_A_LIST = "What they hold is right: keep {} in one list, `self.{} = nn.ModuleList(...)`."
TORCHS_OWN = (
    "In {} the parameters have the names of PyTorch's own modules: put the model's own part there instead, "
    "made of `cfg`."
)
SWAPPED = "`self.{0}` holds the parameters of `{1}`, and `self.{1}` those of `{0}`: make each of the other's class."
OF_ANOTHER = "`self.{}` holds the parameters of `{}`: make it of its own class."
THE_CLASS = "`self.{0}` is the class itself: a part is made of it with brackets, as in `LayerNorm(cfg)`."
WITH_A_COMMA = "`self.{}` is a tuple: is there a comma at the end of its line?"
SURPLUS = "`self.{}` goes on to number {}: make as many parts as the Config says."
TOO_FEW = "`self.{}` ends before number {}: make as many parts as the Config says, and keep all of them."
Shapes = Mapping[str, tuple[int, ...]]


def part_advice(got: Shapes, wanted: Shapes, types: Mapping[str, str] = MappingProxyType({})) -> str:
    """What to do about the parts that are missing, such as `ln1`, whose parameters are `ln1.w` and `ln1.b`.

    `types` are those of attributes that have a part's name.
    """
    missing, extra = _outermost(wanted, got), _outermost(got, wanted)
    if other := _of_another_type(missing, types) or _misplaced(missing, got, wanted):
        return other
    if owners := _of_torch(missing, extra):
        return TORCHS_OWN.format(" and ".join(f"`self.{owner}`" for owner in owners))
    renamed = {name: _alike(name, extra, got, wanted) for name in missing}
    pairs = {name: other for name, other in renamed.items() if other}
    if pairs and len(set(pairs.values())) == len(pairs):
        return "What they hold is right: " + ", ".join(f"rename `{pairs[name]}` to `{name}`" for name in pairs) + "."
    first = missing[0]
    if numbered := _numbered(first, extra, got, wanted):
        return IN_A_LIST.format(", ".join(f"`{name}`" for name in numbered), first)
    if hidden := next((name for name in wanted if name.startswith(f"{first}.0.")), None):
        return KEEP.format(hidden)
    if "." in first:
        whole, _, inner = first.rpartition(".")
        if inner.isdigit():
            return TOO_FEW.format(whole, inner)
        return f"`self.{whole}` has no `{inner}` of its own."
    return f"A part is a module that is assigned in `__init__` under exactly this name: `self.{first} = ...`."


def surplus_advice(got: Shapes, wanted: Shapes) -> str | None:
    """What to do where lists such as `blocks` are longer than they should be, and all else is right."""
    numbered = [name.rpartition(".") for name in _outermost(got, wanted)]
    if not numbered or not all(last.isdigit() and f"{whole}.0" in _all_parts(wanted) for whole, _, last in numbered):
        return None
    whole, _, last = numbered[-1]
    return SURPLUS.format(whole, last)


def _of_another_type(missing: list[str], types: Mapping[str, str]) -> str | None:
    """What to do where an attribute that has the name of a part is no module."""
    said = {"type": THE_CLASS, "tuple": WITH_A_COMMA}
    return next((said[types[name]].format(name) for name in missing if types.get(name) in said), None)


def _misplaced(missing: list[str], got: Shapes, wanted: Shapes) -> str | None:
    """Whether a part that is there holds what another one should: `mlp` the parameters of `attn`."""
    for owner in dict.fromkeys(name.rpartition(".")[0] for name in missing if "." in name):
        whole = owner.rpartition(".")[0]
        others = [one for one in _all_parts(wanted) if one != owner and one.rpartition(".")[0] == whole]
        held = _held(owner, got)
        other = next((one for one in others if held and _held(one, wanted) == held), None)
        if other:
            swapped = _held(other, got) == _held(owner, wanted)
            return (SWAPPED if swapped else OF_ANOTHER).format(owner, other)
    return None


def _all_parts(wanted: Shapes) -> dict[str, None]:
    return dict.fromkeys(part for name in wanted for part in _beginnings(name)[:-1])


def _of_torch(missing: list[str], extra: list[str]) -> list[str]:
    """The parts that are there, but with the parameters of PyTorch's modules in the place of their own."""
    lacking = dict.fromkeys(name.rpartition(".")[0] for name in missing)
    others = {name.rpartition(".")[0] for name in extra if name.endswith((".weight", ".bias"))}
    return [owner for owner in lacking if owner in others]


def _numbered(name: str, extra: list[str], got: Shapes, wanted: Shapes) -> list[str]:
    """The parts too many that hold what the parts of this list should, each under a name of its own."""
    inner = dict.fromkeys(one.split(".")[name.count(".") + 1] for one in wanted if one.startswith(f"{name}."))
    parts = [f"{name}.{one}" for one in inner]
    if not parts or not parts[0].endswith(".0"):
        return []
    likes = [other for other in extra if _held(other, got) == _held(parts[0], wanted)]
    return likes if len(likes) == len(parts) else []


def _outermost(names: Shapes, others: Shapes) -> list[str]:
    """The shortest beginnings of dotted names that none of the others begins with: `blocks`, not `blocks.0.ln1.w`."""
    known = {beginning for other in others for beginning in _beginnings(other)}
    found = (next((one for one in _beginnings(name) if one not in known), None) for name in names)
    return list(dict.fromkeys(name for name in found if name))


def _beginnings(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[:end]) for end in range(1, len(words) + 1)]


def _alike(name: str, extra: list[str], got: Shapes, wanted: Shapes) -> str | None:
    """The part too many that holds what this one should; of several, the one at the same place among its likes."""
    likes = [other for other in extra if _held(other, got) == _held(name, wanted)]
    rivals = [other for other in _outermost(wanted, got) if _held(other, wanted) == _held(name, wanted)]
    return likes[rivals.index(name)] if len(likes) == len(rivals) else None


def _held(part: str, shapes: Shapes) -> dict[str, tuple[int, ...]]:
    return {name.removeprefix(part): shape for name, shape in shapes.items() if f"{name}.".startswith(f"{part}.")}
