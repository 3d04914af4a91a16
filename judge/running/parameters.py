"""A module's parameters by the names that are asked for, weights loaded into these, and a class made to have them."""

from collections.abc import Mapping
from typing import Any

from judge.running.on_demand import Module, Tensor, nn, torch
from judge.running.settings import field_of


def found_parameters(module: Module, names: list[str]) -> dict[str, Tensor]:
    """Every parameter of the module once: under the name in `names` that reaches it, else under its registered one.

    `self.w = self.weight` in a subclass of nn.LayerNorm makes `w` another name of a parameter: asked for, it counts.
    """
    registered = list(module.named_parameters())
    parameters: dict[int, Tensor] = {id(parameter): parameter for _, parameter in registered}
    found: dict[str, Tensor] = {}
    for name in names:
        reached = _attribute(module, name)
        if id(reached) in parameters:
            found[name] = parameters.pop(id(reached))
    return found | {name: parameter for name, parameter in registered if id(parameter) in parameters}


def load_weights(module: Module, weights: Mapping[str, Tensor]) -> None:
    """Write exactly these weights into the module's parameters; buffers of the learner's own stay as they are.

    Weights in half precision bring the parameters to it, as `module.half()` does. Raises RuntimeError when names or
    shapes do not fit.
    """
    parameters = found_parameters(module, list(weights))
    missing, unexpected = sorted(weights.keys() - parameters.keys()), sorted(parameters.keys() - weights.keys())
    if missing or unexpected:
        raise RuntimeError(f"the weights do not fit: missing {missing}, unexpected {unexpected}")
    with torch.no_grad():
        for name, value in weights.items():
            if parameters[name].shape != value.shape:
                shapes = f"{list(parameters[name].shape)}, the weight {list(value.shape)}"
                raise RuntimeError(f"the weights do not fit: `{name}` has shape {shapes}")
            if value.dtype in (torch.float16, torch.bfloat16):
                parameters[name].data = parameters[name].data.to(value.dtype)
            parameters[name].copy_(value)


def given_class(parameters: Mapping[str, str], initial: dict[str, float]) -> type[Module]:
    """The class that a misconception's `forward` is put into: it has the parameters, with their initial values."""

    class Given(nn.Module):
        def __init__(self, cfg: Any):
            super().__init__()
            self.cfg = cfg
            for name, axes in parameters.items():
                shape = [field_of(cfg, axis) for axis in axes.split()]
                setattr(self, name, nn.Parameter(self._start(name, shape)))

        def _start(self, name: str, shape: list[int]) -> Tensor:
            if name in initial:
                return torch.full(shape, initial[name])
            return torch.randn(shape) * field_of(self.cfg, "init_range")

    return Given


def _attribute(module: Module, name: str) -> object:
    """The object that a dotted name reaches, None if none."""
    reached: object = module
    for part in name.split("."):
        reached = getattr(reached, part, None)
    return reached
