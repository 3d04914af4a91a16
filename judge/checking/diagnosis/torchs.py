"""Where modules of PyTorch stand in the place of a component's own parts."""

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from judge.checking.diagnosis.dotted import Held, Shapes, held_by, whole_of

# A weight and a bias.
MOST_OF_TORCHS = 2


@dataclass(frozen=True)
class Torchs:
    """Parameters that there are and that are due, and the parts that are missing and too many."""

    got: Shapes
    wanted: Shapes
    missing: list[str]
    too_many: list[str]

    @cached_property
    def _in_place(self) -> list[str]:
        """The parts that are there, with the parameters of PyTorch's modules in the place of their own."""
        lacking = dict.fromkeys(map(whole_of, self.missing))
        own = [part for part in lacking if part and not _is_torchs(held_by(part, self.wanted))]
        return [part for part in own if _is_torchs(held_by(part, self.got))]

    @cached_property
    def not_there(self) -> list[str]:
        """What is missing, and has nothing in its place."""
        return [name for name in self.missing if whole_of(name) not in self._in_place]

    def inside(self) -> str | None:
        """Where parts are there, and are modules of PyTorch."""
        if not self._in_place:
            return None
        return (
            f"In {' and '.join(f'`self.{part}`' for part in self._in_place)} the parameters have the names "
            "of PyTorch's own modules: "
            "put the model's own part there instead, made of `cfg`."
        )

    def instead(self) -> str | None:
        """Where modules of PyTorch under other names stand in for parts."""
        replaced = [f"`{other}` by `self.{name}`" for name, other in self.stand_ins]
        if not replaced:
            return None
        return f"Replace what is PyTorch's by the model's own, made of `cfg`: {', '.join(replaced)}."

    @cached_property
    def stand_ins(self) -> list[tuple[str, str]]:
        """Parts that are missing, and modules of PyTorch of their size; of several, those in the same order."""
        likes, rivals = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
        for other in self.too_many:
            if _is_torchs(found := held_by(other, self.got)):
                likes[_largest(found)].append(other)
        for name in self.not_there:
            if len(due := held_by(name, self.wanted)) <= MOST_OF_TORCHS:
                rivals[_largest(due)].append(name)
        alike = [size for size, names in rivals.items() if len(names) == len(likes[size])]
        pairs = chain.from_iterable(zip(rivals[size], likes[size], strict=True) for size in alike)
        return sorted(pairs, key=lambda pair: self.missing.index(pair[0]))


def _is_torchs(held: Held) -> bool:
    """Whether all parameters have the names that PyTorch's modules give them."""
    return bool(held) and all(name.endswith((".weight", ".bias")) for name in held)


def _largest(held: Held) -> int:
    """How many numbers the largest parameter has: a table, or a matrix either way round."""
    return max(map(math.prod, held.values()))
