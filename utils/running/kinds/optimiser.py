"""A class that changes parameters step by step, by their gradients."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from utils.running.calling import Observed
from utils.running.kinds.kind import Kind


class Optimiser(Kind):
    """The question's arguments are where the parameters start, their gradients in each step, and the settings."""

    name = "optimiser"
    has_inputs = False
    names_inputs = False
    library = "torch"

    def drive(
        self,
        make: Callable,
        starts: list[Tensor],
        grads: list[list[Tensor | None]],
        *settings: Any,
        zero: bool = True,
    ) -> Observed:
        """Make `make(parameters, *settings)`; the output holds the parameters after each step with these gradients.

        As in `backward`, a gradient adds to what `zero_grad` left; `zero=False` never calls `zero_grad`.
        """
        parameters = [nn.Parameter(start.clone()) for start in starts]
        made = make(parameters, *settings)
        after = []
        for step in grads:
            if zero:
                made.zero_grad()
            for parameter, gradient in zip(parameters, step, strict=True):
                _add(parameter, gradient)
            made.step()
            after.append([parameter.detach().clone() for parameter in parameters])
        return Observed([after])


def _add(parameter: nn.Parameter, gradient: Tensor | None) -> None:
    """As `backward` does it."""
    if gradient is None:
        return
    parameter.grad = gradient.clone() if parameter.grad is None else parameter.grad + gradient
