"""Stands in for `jaxtyping`, whose shapes are for readers: `Float[Tensor, "batch pos"]` is Tensor here."""

from typing import Any


class _Annotation:
    def __class_getitem__(cls, item: Any) -> Any:
        return item[0] if isinstance(item, tuple) else item


def jaxtyped(*_: Any, **__: Any) -> Any:
    """A decorator that changes nothing."""
    return lambda decorated: decorated


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Annotation
