"""What to do where a component made of parts lacks the parameters of one: the part is missing, or has another name."""

from collections.abc import Mapping

KEEP = (
    "`{}` belongs to a module inside this one. torch finds it where that module is assigned to an attribute, "
    "or stands in an `nn.ModuleList`; a plain list hides it."
)
IN_A_LIST = "What they hold is right: keep {} in one list, `self.{} = nn.ModuleList(...)`."
TORCHS_OWN = (
    "In {} the parameters have the names of PyTorch's own modules: put the model's own part there instead, "
    "made of `cfg`."
)
TOO_FEW = "`self.{}` ends before number {}: make as many parts as the Config says, and keep all of them."
Shapes = Mapping[str, tuple[int, ...]]


def part_advice(got: Shapes, wanted: Shapes) -> str:
    """What to do about the parts that are missing, such as `ln1`, whose parameters are `ln1.w` and `ln1.b`."""
    missing, extra = _outermost(wanted, got), _outermost(got, wanted)
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
