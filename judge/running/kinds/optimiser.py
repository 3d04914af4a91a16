"""A class that changes parameters step by step, by their gradients."""

from __future__ import annotations

from typing import Any

from judge.running.calling import Code, Observed
from judge.running.kinds.kind import Kind, Places
from judge.running.on_demand import Tensor, nn
from judge.running.records import Question


class Optimiser(Kind):
    """The question's arguments are where the parameters start, their gradients in each step, and the settings.

    The parameters are handed over as `model.parameters()` hands them over: by a generator, which gives each once. With
    `listed` they are in a list.
    """

    name = "optimiser"
    has_inputs = False
    names_inputs = False
    library = "torch"

    def places(self, question: Question) -> Places:
        """The steps and the parameters, both counted from 1."""
        starts, grads, *_ = question.args
        steps = tuple(f"step {number}" for number, _ in enumerate(grads, 1))
        return steps, tuple(f"parameter {number}" for number, _ in enumerate(starts, 1))

    def drive(
        self,
        make: Code,
        starts: list[Tensor],
        grads: list[list[Tensor | None]],
        *settings: Any,
        zero: bool = True,
        listed: bool = False,
        before_steps: dict[str, list[float]] | None = None,
    ) -> Observed:
        """Make `make(parameters, *settings)`; the output holds the parameters after each step with these gradients.

        As in `backward`, a gradient adds to what `zero_grad` left; `zero=False` never calls `zero_grad`. `before_steps`
        are settings that change: `{"lr": [0.1, 0.05]}` sets the attribute `lr` before each step, and where an
        optimiser has torch's `param_groups`, theirs too.
        """
        parameters = [nn.Parameter(start.clone()) for start in starts]
        made = make(list(parameters) if listed else (parameter for parameter in parameters), *settings)
        after: list[list[Tensor]] = []
        for index, step in enumerate(grads):
            for name, values in (before_steps or {}).items():
                _set(made, name, values[index])
            if zero:
                made.zero_grad()
            for parameter, gradient in zip(parameters, step, strict=True):
                _add(parameter, gradient)
            made.step()
            after.append([parameter.detach().clone() for parameter in parameters])
        return Observed([after])


def _set(made: Any, name: str, value: float) -> None:
    """As a schedule does it."""
    setattr(made, name, value)
    for group in getattr(made, "param_groups", ()):
        group[name] = value


def _add(parameter: nn.Parameter, gradient: Tensor | None) -> None:
    """As `backward` does it: into the tensor that is there, whoever else holds it."""
    if gradient is None:
        return
    if parameter.grad is None:
        parameter.grad = gradient.clone()
    else:
        parameter.grad += gradient
