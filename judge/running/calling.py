"""What driving a component showed, `Observed`, and `called`, in which most kinds end: call it on copies, and look."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.running.ambient import seed_all
from judge.running.on_demand import Tensor, is_imported, torch
from judge.running.records import Arguments, Gradients, Unchanged, Values, Weights
from judge.running.values import copied, same

Code = Callable[..., Any]  # a function or a class that a learner wrote


class CannotDrive(Exception):
    """What was handed over is not of the kind that the question names; the message is for the learner."""


@dataclass(frozen=True)
class Observed:
    """What driving a component showed; the fields are those of `Record`."""

    outputs: Values = field(default_factory=Values)
    inputs_after: Values = field(default_factory=Values)
    grads: Gradients = field(default_factory=Gradients)
    input_grads: list[Tensor | None] = field(default_factory=list[Tensor | None])
    parameters: Weights = field(default_factory=Weights)


# of `called`; others are f's own
OWN_OPTIONS = {"times", "drawn", "before", "manual_seed", "all_seeds", "written", "cotangent", "trained"}


def called(
    f: Code,
    *inputs: Any,
    times: int = 1,
    drawn: bool = False,
    before: Sequence[Arguments] = (),
    manual_seed: int | None = None,
    all_seeds: int | None = None,
    written: bool = False,
    cotangent: Tensor | None = None,
    trained: Mapping[str, Tensor] | None = None,
    **settings: Any,
) -> Observed:
    """Call f(*inputs, **settings) `times` times, each on fresh copies, after calls on the inputs in `before`.

    Of a list or a dict all these calls get one object, filled anew: who knows it by its `id` alone is mistaken.
    Where there is a `manual_seed`, torch is seeded with it before each of them, as by `torch.manual_seed`; with
    `all_seeds` Python's `random` and NumPy are too. That the answers are `drawn` changes nothing here: it tells the
    judge how to compare them. With `written` the last answer is written into afterwards, which shows in every input
    that shares its memory.
    With a cotangent of the output's shape, `(output * cotangent).sum()` is backpropagated, and the gradients of the
    float inputs and of the `trained` parameters are reported.
    """
    containers: dict[int, Any] = {}
    for earlier in before:
        f(*_handed_over(earlier, containers), **settings)
    differentiable = cotangent is not None
    leaves = [_leaf(value, differentiable) for value in inputs]
    outputs: Values = []
    given: Values = []
    result = None
    for _ in range(times):
        if manual_seed is not None and is_imported("torch"):
            torch.default_generator.manual_seed(manual_seed)
        if all_seeds is not None:
            seed_all(all_seeds)
        given = _handed_over(leaves, containers)  # an in-place change must be seen, not refused: no leaf goes in
        result = f(*given, **settings)
        outputs.append(copied(result) if times > 1 or written else result)
    if written and isinstance(result, Tensor):
        with contextlib.suppress(RuntimeError):  # a view that shows one number at several places takes none
            result.detach().add_(1)
    after = after_the_call(given, inputs)
    if cotangent is None:
        return Observed(outputs, after)
    _backpropagate(result, cotangent)
    parameters = trained or {}
    grads = {name: _gradient(parameter) for name, parameter in parameters.items()}
    return Observed(outputs, after, grads, list(map(_gradient, leaves)))


def _handed_over(values: Sequence[Any], containers: dict[int, Any]) -> Values:
    """Copies of the values, those of lists and dicts in the place of what the containers of earlier calls held."""
    given = [copied(value) for value in values]
    for index, value in enumerate(given):
        container = containers.setdefault(index, value)
        if container is value or type(container) is not type(value):
            continue
        if type(value) is list:
            container[:] = value
            given[index] = container
        elif type(value) is dict:
            container.clear()
            container.update(value)
            given[index] = container
    return given


def after_the_call(given: Sequence[Any], before: Sequence[Any]) -> Values:
    """What each input holds after the call; `Unchanged` for those that hold what they held."""
    pairs = zip(given, before, strict=True)
    return [Unchanged() if same(now, value) else now for now, value in pairs]


def _backpropagate(result: Any, cotangent: Tensor) -> None:
    """Where the result is one that this can be done with: what it is instead, the output shows."""
    if not isinstance(result, Tensor) or not result.requires_grad:
        return
    if result.shape == cotangent.shape:
        torch.autograd.backward((result * cotangent).sum())


def _leaf(value: Any, differentiable: bool) -> Any:
    if not isinstance(value, Tensor):
        return value
    leaf = value.detach().clone()
    return leaf.requires_grad_(differentiable and value.is_floating_point())


def _gradient(value: Any) -> Tensor | None:
    if not isinstance(value, Tensor) or value.grad is None:
        return None
    return value.grad.to_dense()  # an embedding's gradient may be sparse
