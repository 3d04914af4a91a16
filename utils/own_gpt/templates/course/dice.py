"""One seed for everything that your parts may draw from: torch, Python's random, NumPy, and generators of their own."""

import random
import sys
from types import ModuleType
from typing import Any

import torch

SMALL = 2**32  # NumPy's old generator takes no larger seed


def seed_all(seed: int | None) -> None:
    """The same numbers for the same seed; without one, others each time."""
    number = (torch.seed() if seed is None else seed) % 2**63
    torch.manual_seed(number)
    random.seed(number)
    numpy: Any = sys.modules.get("numpy")
    if numpy:
        numpy.random.seed(number % SMALL)
    parts = f"{__package__.rpartition('.')[0]}.parts."
    for module in [module for name, module in sys.modules.items() if name.startswith(parts)]:
        _seed_within(module, number, numpy)


def _seed_within(module: ModuleType, number: int, numpy: Any) -> None:
    """The generators that a part keeps under a name of its module."""
    for one in vars(module).values():
        if isinstance(one, torch.Generator):
            one.manual_seed(number)
        elif isinstance(one, random.Random):
            one.seed(number)
        elif numpy and isinstance(one, numpy.random.RandomState):
            one.seed(number % SMALL)
        elif numpy and isinstance(one, numpy.random.Generator):
            one.bit_generator.state = type(one.bit_generator)(number).state
