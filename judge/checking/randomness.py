"""Random inputs and weights for checks, drawn from the test's seed."""

import random
from typing import Any

from judge.checking.session import session
from judge.running.on_demand import Tensor, torch
from judge.running.values import is_list, is_mapping


def random_tensor(*shape: int, scale: float = 1.0) -> Tensor:
    """Normal random numbers from the test's seed; without a shape, one of them in a 0-d tensor."""
    return session().random(*shape) * scale


def dice() -> random.Random:
    """Python's own random numbers from the test's seed, for an exercise of plain Python: `dice().sample(words, 3)`."""
    return session().dice


def random_tree(shapes: Any) -> Any:
    """A nest of dicts and lists with random numbers in the place of each shape: `{"w": (3, 4), "bs": [(4,)]}`.

    Tuples are shapes; NumPy's kinds hand the numbers over as arrays.
    """
    if is_mapping(shapes):
        return {name: random_tree(inner) for name, inner in shapes.items()}
    if is_list(shapes):
        return [random_tree(inner) for inner in shapes]
    return random_tensor(*shapes)


def random_tokens(cfg: Any, batch: int, pos: int) -> Tensor:
    """Random tokens [batch pos] from the test's seed; some come more than once."""
    return torch.randint(cfg.d_vocab, (batch, pos), generator=session().generator)


def random_weights(cfg: Any, scale: float = 1.0) -> dict[str, Tensor]:
    """Random values for every parameter of the exercise, biases and scales too: zeros and ones hide mistakes."""
    axes = session().exercise.axes(cfg)
    return {
        name: random_tensor(*(size for _, size in session().sizes(cfg, (), names)), scale=scale)
        for name, names in axes.items()
    }
