"""What is said of parameters that are missing, or one too many: other names, other types, modules that hold them.

Each clue takes evidence with a `Made` of parameters.py in `got`, and a `Due` in `want`.
"""

from collections.abc import Callable, Iterator

from torch import Tensor

from judge.checking.diagnosis.evidence import Evidence
from judge.checking.wording import listed
from judge.running.kinds.stream import COPY

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
