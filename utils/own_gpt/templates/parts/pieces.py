"""Parts by their names, for code that was written with the course's `pieces`."""

from importlib import import_module
from typing import Any

MODULES: dict[str, str] = {}


def pieces(*symbols: str) -> list[Any]:
    """The parts of these names, in this order."""
    return [getattr(import_module(f".{MODULES[symbol]}", __package__), symbol) for symbol in symbols]
