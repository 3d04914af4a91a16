"""Copies of the notebook's values, which stand in their place while a candidate is tried."""

import contextlib
import copy
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from judge.repairing.harmless import is_atom

Namespace = dict[str, Any]
FLAT = (list, dict, set)


@dataclass(frozen=True)
class Reached:
    """What an answer reaches of the notebook: names with values that may change, and its functions and classes."""

    names: dict[int, tuple[Namespace, set[str]]] = field(default_factory=dict[int, tuple[Namespace, set[str]]])
    owners: list[Any] = field(default_factory=list[Any])

    def note(self, namespace: Namespace, name: str) -> None:
        """Its value gets a copy in its place."""
        _, names = self.names.setdefault(id(namespace), (namespace, set()))
        names.add(name)

    @contextlib.contextmanager
    def lent(self) -> Generator[None]:
        """Within the block these names stand for copies; afterwards all is as it was, whatever was set in it."""
        namespaces = [(namespace, dict(namespace)) for namespace, _ in self.names.values()]
        owners = [(owner, dict(vars(owner))) for owner in self.owners]
        try:
            memo: dict[int, Any] = {}
            for namespace, names in self.names.values():
                namespace.update({name: _copied(namespace[name], memo) for name in names})
            yield
        finally:
            for namespace, before in namespaces:
                _put_back(namespace, before)
            for owner, before in owners:
                _put_attributes_back(owner, before)


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """A copy; quickly where all that it holds never changes."""
    is_flat = type(value) in FLAT and all(map(is_atom, value.values() if isinstance(value, dict) else value))
    if is_flat and id(value) not in memo:
        memo[id(value)] = value.copy()
    return copy.deepcopy(value, memo)


def _put_back(namespace: Namespace, before: Namespace) -> None:
    for name in namespace.keys() - before.keys():
        del namespace[name]
    namespace.update(before)


def _put_attributes_back(owner: Any, before: dict[str, Any]) -> None:
    now = dict(vars(owner))
    for name in now.keys() - before.keys():
        delattr(owner, name)
    for name, value in before.items():
        if now.get(name) is not value:
            setattr(owner, name, value)
