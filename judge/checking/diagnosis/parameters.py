"""What the parameters that a component has say about those that it lacks, and what to do about each.

Each clue takes evidence with a `Made` in `got`, and a `Due` in `want`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import torch

from judge.checking.diagnosis.dotted import Shapes
from judge.checking.diagnosis.evidence import Evidence
from judge.checking.diagnosis.parameter_names import Names
from judge.checking.diagnosis.parts import part_advice, surplus_advice
from judge.checking.shapes import Sizes
from judge.running.kinds.component import SAVED_BUFFER
from judge.running.records import Record
from judge.running.settings import Settings, standard_settings
from judge.running.values import is_dict


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
