"""Writes weights into your Transformer, by the names of its parameters."""

import torch
from torch import Tensor, nn

from .errors import CannotTell


def fill(model: nn.Module, weights: dict[str, Tensor]) -> nn.Module:
    """Write the weights into the model's parameters of these names, and return it. Raises CannotTell for a misfit."""
    with torch.no_grad():
        for name, weight in weights.items():
            place = parameter(model, name)
            if place.shape != weight.shape:
                yours, theirs = list(place.shape), list(weight.shape)
                raise CannotTell(f"{name} is {yours} in your {type(model).__name__}, {theirs} in the file")
            place.copy_(weight)
    return model.eval()


def parameter(model: nn.Module, name: str) -> Tensor:
    """What a dotted name reaches in the model: blocks.0.attn.W_Q."""
    reached: object = model
    for part in name.split("."):
        reached = getattr(reached, part, None)
    if not isinstance(reached, Tensor):
        raise CannotTell(f"Your {type(model).__name__} has no {name}")
    return reached
