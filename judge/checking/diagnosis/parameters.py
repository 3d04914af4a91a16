"""What the parameters that a component has say about those that it lacks, and what to do about each.

Each clue takes evidence with a `Made` in `got`, and a `Due` in `want`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from judge.checking.diagnosis.dotted import Shapes
from judge.checking.diagnosis.evidence import Evidence
from judge.checking.diagnosis.parts import part_advice, surplus_advice
from judge.checking.tensors import Sizes
from judge.checking.wording import listed
from judge.running.kinds.component import SAVED_BUFFER
from judge.running.kinds.stream import COPY
from judge.running.records import Record
from judge.running.settings import Settings, standard_settings
from judge.running.values import is_dict

# What is said of an attribute that has a parameter's name, by its type.
OF_A_TYPE = {
    COPY: "`{name}` is a copy of what was handed in: keep that itself.",
    "Tensor": (
        "`self.{name}` is a plain tensor or a buffer, "
        "which no optimiser would find: wrap it, "
        "`self.{name} = nn.Parameter(...)`."
    ),
    "Parameter": (
        "`self.{name}` is a parameter that has another name too: give it one of its own, `nn.Parameter(...)`."
    ),
}


class Names:
    """The names that are missing, and those that are one too many."""

    def __init__(self, evidence: Evidence):
        self.made, self.due = evidence.got, evidence.want
        self.missing = [name for name in self.due.axes if name not in self.made.shapes]
        self.extra = [name for name in self.made.shapes if name not in self.due.axes]

    @property
    def of_parts(self) -> bool:
        return any("." in name for name in self.missing)


def wrong_names(evidence: Evidence) -> str | None:
    """For parameters that are missing: what may have become of each."""
    names = Names(evidence)
    if not names.missing or names.of_parts:
        return None
    found = [*_of_attributes(names), *_of_other_names(names), *_of_modules(names)]
    if found:
        return " ".join(dict.fromkeys(found))
    return (
        "A parameter is an nn.Parameter assigned in __init__ under exactly this name: "
        f"`self.{names.missing[0]} = nn.Parameter(...)`."
    )


def too_many_names(evidence: Evidence) -> str | None:
    """For parameters that are one too many, where none is missing."""
    names = Names(evidence)
    if names.missing or not names.extra:
        return None
    return "Only what the line above names is trained: keep other values out of `nn.Parameter` and of modules."


def _of_attributes(names: Names) -> Iterator[str]:
    """What stands under the name of a parameter that is missing."""
    for name in names.missing:
        inner = [other for other in names.extra if other.startswith(f"{name}.")]
        found = _of_module(name, inner[0]) if inner else _of_attribute(name, names.made.types.get(name))
        if found:
            yield found


def _of_module(name: str, inner: str) -> str:
    return f"`self.{name}` is a module with a parameter `{inner}`. Make it `self.{name} = nn.Parameter(...)`."


def _of_attribute(name: str, kind: str | None) -> str | None:
    if kind is None:
        return None
    said = OF_A_TYPE.get(kind, "`self.{name}` is of type {kind}, not an nn.Parameter.")
    return said.format(name=name, kind=kind)


def _of_other_names(names: Names) -> Iterator[str]:
    """Which parameters too many are the missing ones under other names."""
    pairs = [(_other_name(name, names), name) for name in names.missing]
    renames = [f"rename `{other}` to `{name}`" for other, name in pairs if other]
    if renames:
        yield f"The shapes are right: {', '.join(renames)}."


def _other_name(name: str, names: Names) -> str | None:
    """The one parameter too many that can only be this one: by how it starts, by a name it goes by, or by its shape."""
    due, shape = names.due, names.due.shapes[name]
    alike = [other for other in names.extra if "." not in other and names.made.shapes[other] == shape]
    start = due.starts.get(name)
    values = names.made.record.parameters
    reasons: list[Callable[[str], bool]] = [
        lambda other: start is not None and _starts_at(values[other], start),
        lambda other: due.settings.is_another_name(other, name),
        lambda other: [due.shapes[one] for one in names.missing].count(shape) == 1,
    ]
    for reason in reasons:
        found = [other for other in alike if reason(other)]
        if len(found) == 1:
            return found[0]
    return None


def _starts_at(value: Tensor, constant: float) -> bool:
    return bool((value == constant).all())


def _of_modules(names: Names) -> Iterator[str]:
    """The modules that hold parameters which belong to the component itself."""
    owners = dict.fromkeys(name.rpartition(".")[0] for name in names.extra)
    owners = [f"self.{owner}" for owner in owners if owner and owner not in names.missing]
    if not owners:
        return
    missing = listed(f"self.{name}" for name in names.missing)
    yield (
        f"Parameters that belong to the component itself are inside {listed(owners)}: "
        f"assign an `nn.Parameter(...)` to {missing}."
    )


@dataclass(frozen=True)
class Made:
    """What a component has when it is made."""

    record: Record

    @cached_property
    def shapes(self) -> Shapes:
        return {name: tuple(value.shape) for name, value in self.record.parameters.items()}

    @property
    def types(self) -> dict[str, str]:
        """The type of each attribute that has a parameter's name but is none, and of each submodule."""
        outputs = self.record.outputs
        return outputs[0] if outputs and is_dict(outputs[0]) else {}

    @property
    def saved_buffers(self) -> list[str]:
        """What is saved with the parameters and is none, by name."""
        return [name for name, kind in self.types.items() if kind == SAVED_BUFFER]


@dataclass(frozen=True)
class Due:
    """What it should have: each parameter's axes with their sizes, and the constants that some start with.

    `settings` are what it is made of.
    """

    axes: Mapping[str, Sizes]
    starts: Mapping[str, float]
    settings: Settings = field(default_factory=standard_settings)

    @cached_property
    def shapes(self) -> Shapes:
        return {name: tuple(size for _, size in axes) for name, axes in self.axes.items()}


def missing_parts(evidence: Evidence) -> str | None:
    """For parameters of parts that are missing."""
    names = Names(evidence)
    if not names.of_parts:
        return None
    return part_advice(names.made.shapes, names.due.shapes, names.made.types)


def too_many_parts(evidence: Evidence) -> str | None:
    """For lists of parts that are too long."""
    names = Names(evidence)
    if names.missing or not names.extra:
        return None
    return surplus_advice(names.made.shapes, names.due.shapes)


def buffers_saved(evidence: Evidence) -> str | None:
    """For buffers that `load_state_dict` would look for in weights that have none."""
    made = evidence.got
    if not made.saved_buffers or made.shapes != evidence.want.shapes:
        return None
    whole, _, name = made.saved_buffers[0].rpartition(".")
    where = f"in `{whole}` " if whole else ""
    return (
        "`load_state_dict(..., strict=True)` would look for it among the weights, which do not have it: "
        f'{where}write `self.register_buffer("{name}", ..., persistent=False)`.'
    )


def wrong_shape(evidence: Evidence) -> str | None:
    """For the first parameter whose shape is wrong: where its sizes come from."""
    made, due = evidence.got, evidence.want
    for name, shape in due.shapes.items():
        if name in made.shapes and made.shapes[name] != shape:
            if found := _shape_advice(made.shapes[name], due.axes[name], due.settings):
                return found
    return None


def _shape_advice(got: tuple[int, ...], axes: Sizes, settings: Settings) -> str | None:
    names, sizes = [axis for axis, _ in axes], [size for _, size in axes]
    if list(got) == [settings.defaults.get(axis, 0) for axis in names]:
        return f"These are {settings.whose}'s own sizes: take the sizes from `cfg` instead."
    if written := _written_out(got, axes, settings):
        return written
    if [size for size in got if size != 1] == sizes:
        return "Leave out the axes of size 1: broadcasting adds them."
    if not set(names) <= set(settings.names):
        return None
    order = ", in this order" if len(names) > 1 else ""
    listed = ", ".join(f"cfg.{axis}" for axis in names)
    return f"Its sizes come from the Config{order}: `{listed}`."


def _written_out(shape: tuple[int, ...], axes: Sizes, settings: Settings) -> str | None:
    """Whether every size that is wrong is a usual one, such as GPT-2's own, written out as a number."""
    if len(shape) != len(axes):
        return None
    wrong = [(axis, size) for (axis, due), size in zip(axes, shape, strict=True) if size != due]
    if any(size != settings.defaults.get(axis, 0) for axis, size in wrong):
        return None
    return " ".join(f"{size} is {settings.whose}'s own `{axis}`: write `cfg.{axis}`." for axis, size in wrong)


def not_float32(evidence: Evidence) -> str | None:
    """For parameters of another dtype."""
    values = evidence.got.record.parameters.values()
    if all(value.dtype == torch.float32 for value in values):
        return None
    return "Parameters are float32, as torch makes them: leave out `dtype=`, `.double()`, `.half()` and `.long()`."


def where_to_start(evidence: Evidence) -> str:
    """For initial values that are wrong; `want` is the constant that is due, None where the values are drawn."""
    name, constant = evidence.name, evidence.want
    if "." in name:
        return (
            "Parts start their own parameters when they are made: "
            "change none of them afterwards. If nothing here does, "
            "a part is wrong: run its own test."
        )
    if constant is None:
        return f"Draw it from a normal distribution, as in `nn.init.normal_(self.{name}, std=cfg.init_range)`."
    made = {0.0: "torch.zeros(...)", 1.0: "torch.ones(...)"}.get(constant, f"torch.full(..., {constant:g})")
    return f"Start it there: `self.{name} = nn.Parameter({made})`."
