"""What the parameters that a component has say about those that it lacks, and what to do about each."""

from collections.abc import Iterator, Mapping
from dataclasses import fields

from torch import Tensor

from utils.checking.diagnosis.parts import part_advice, surplus_advice
from utils.config import Config
from utils.running.records import Record

Shapes = Mapping[str, tuple[int, ...]]
Wanted = Mapping[str, list[tuple[str, int]]]  # each parameter's axes, with their sizes
OTHER_NAMES = {  # what PyTorch, HuggingFace, nanoGPT and the papers call these parameters
    "w": {"weight", "gamma", "scale", "g", "alpha", "gain"},
    "b": {"bias", "beta", "shift", "offset"},
    "W_E": {"wte", "weight", "embedding", "table", "W_embed", "token_embedding", "embed"},
    "W_pos": {"wpe", "weight", "embedding", "table", "W_P", "position_embedding", "pos_embedding", "pos_embed"},
}
ASSIGN = "A parameter is an nn.Parameter assigned in __init__ under exactly this name: `self.{} = nn.Parameter(...)`."
FIELDS = {field.name for field in fields(Config)}


def name_advice(got: Shapes, wanted: Wanted, initial: Mapping[str, float], record: Record) -> str | None:
    """What to do where names are missing, or too many; None where they are right."""
    missing = [name for name in wanted if name not in got]
    extra = [name for name in got if name not in wanted]
    shapes = {name: tuple(size for _, size in axes) for name, axes in wanted.items()}
    if any("." in name for name in missing):
        return part_advice(got, shapes, types_of(record))
    if extra and not missing and (surplus := surplus_advice(got, shapes)):
        return surplus
    found = list(dict.fromkeys(_on_missing(missing, extra, got, wanted, initial, record)))
    if missing and not found:
        found = [ASSIGN.format(missing[0])]
    if extra and not missing:
        found = ["Only what the line above names is trained: keep other values out of `nn.Parameter` and of modules."]
    return " ".join(found) or None


def _on_missing(
    missing: list[str], extra: list[str], got: Shapes, wanted: Wanted, initial: Mapping[str, float], record: Record
) -> Iterator[str]:
    types = types_of(record)
    for name in missing:
        yield from _on_one(name, extra, types.get(name))
    plain = [name for name in extra if "." not in name]
    pairs = [
        (other, name) for name in missing if (other := _renamed(name, plain, missing, got, wanted, initial, record))
    ]
    if pairs:
        yield "The shapes are right: " + ", ".join(f"rename `{other}` to `{name}`" for other, name in pairs) + "."
    for owner in dict.fromkeys(name.rpartition(".")[0] for name in extra if "." in name):
        if missing and owner not in missing:
            yield (
                f"`self.{owner}` is a module with parameters of its own. Here they belong to the component itself: "
                f"`self.{missing[0]} = nn.Parameter(...)`."
            )


def types_of(record: Record) -> dict[str, str]:
    """The type of each attribute that has a parameter's name but is none, and of each submodule."""
    return record.outputs[0] if record.outputs and isinstance(record.outputs[0], dict) else {}


def _on_one(name: str, extra: list[str], attribute: str | None) -> Iterator[str]:
    """Why this parameter may be missing; `attribute` is the type of what has its name."""
    inner = [other for other in extra if other.startswith(f"{name}.")]
    if inner:
        yield f"`self.{name}` is a module with a parameter `{inner[0]}`. Make it `self.{name} = nn.Parameter(...)`."
    elif attribute == "Tensor":
        yield (
            f"`self.{name}` is a plain tensor or a buffer, which no optimiser would find: wrap it, "
            f"`self.{name} = nn.Parameter(...)`."
        )
    elif attribute == "Parameter":
        yield f"`self.{name}` is a parameter that has another name too: give it one of its own, `nn.Parameter(...)`."
    elif attribute:
        yield f"`self.{name}` is of type {attribute}, not an nn.Parameter."


def _renamed(
    name: str,
    extra: list[str],
    missing: list[str],
    got: Shapes,
    wanted: Wanted,
    initial: Mapping[str, float],
    record: Record,
) -> str | None:
    """The one parameter too many that can only be this one: by its shape, by how it starts, or by a name it goes by."""
    alike = [other for other in extra if list(got[other]) == [size for _, size in wanted[name]]]
    starting = [other for other in alike if name in initial and _starts_at(record.parameters[other], initial[name])]
    known = [other for other in alike if other.rpartition(".")[2] in OTHER_NAMES.get(name, ())]
    alone = alike if len(missing) == 1 else []
    return next((found[0] for found in (starting, known, alone) if len(found) == 1), None)


def _starts_at(value: Tensor, constant: float) -> bool:
    return bool((value == constant).all())


def shape_advice(got: Shapes, wanted: Wanted) -> str | None:
    """What to do about the first parameter whose shape is wrong; None where all are right."""
    for name, axes in wanted.items():
        sizes = [size for _, size in axes]
        if name not in got or list(got[name]) == sizes:
            continue
        if list(got[name]) == [getattr(Config(), axis, 0) for axis, _ in axes]:
            return "These are GPT-2's own sizes: take the sizes from `cfg` instead."
        if written := _written_out(got[name], axes):
            return written
        if [size for size in got[name] if size != 1] == sizes:
            return "Leave out the axes of size 1: broadcasting adds them."
        if all(axis in FIELDS for axis, _ in axes):
            order = ", in this order" if len(axes) > 1 else ""
            return f"Its sizes come from the Config{order}: `{', '.join(f'cfg.{axis}' for axis, _ in axes)}`."
    return None


def _written_out(shape: tuple[int, ...], axes: list[tuple[str, int]]) -> str | None:
    """Whether every size that is wrong is GPT-2's own, written out as a number."""
    if len(shape) != len(axes):
        return None
    wrong = [(axis, size) for (axis, due), size in zip(axes, shape, strict=True) if size != due]
    if all(size == getattr(Config(), axis, 0) for axis, size in wrong):
        return " ".join(f"{size} is GPT-2's own `{axis}`: write `cfg.{axis}`." for axis, size in wrong)
    return None
