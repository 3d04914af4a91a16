"""Dotted names of parameters, such as `blocks.0.ln1.w`, and the parts of a component that they speak of."""

from collections.abc import Iterable, Mapping

Shapes = Mapping[str, tuple[int, ...]]
Held = dict[str, tuple[int, ...]]  # a part's parameters, by their names within it


def outermost(names: Shapes, others: Shapes) -> list[str]:
    """The shortest beginnings of dotted names that none of the others begins with: `blocks`, not `blocks.0.ln1.w`."""
    known = {beginning for other in others for beginning in beginnings(other)}
    found: list[str] = []
    for name in names:
        unknown = [start for start in beginnings(name) if start not in known]
        found += unknown[:1]
    return list(dict.fromkeys(found))


def beginnings(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[:end]) for end in range(1, len(words) + 1)]


def whole_of(name: str) -> str:
    """The part that this is a part of; "" for an outermost part."""
    return name.rpartition(".")[0]


def owners(names: Iterable[str]) -> list[str]:
    return [whole for whole in dict.fromkeys(map(whole_of, names)) if whole]


def held_by(part: str, shapes: Shapes) -> Held:
    within = [name for name in shapes if f"{name}.".startswith(f"{part}.")]
    return {name.removeprefix(part): shapes[name] for name in within}
