"""The drivers: each makes one kind of answer work on plain data, and says what happened.

A question names its driver, so both sides of the wall have this module. Models, optimisers, generators and arrays are
made here, on the learner's side; what goes in and what comes out is plain. Options that a driver does not take for
itself (`times`, `before`, `cotangent`, ...) are the learner's keyword arguments. `calling` has what most drivers end
in, `on_models` those that hand over a language model.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from utils.config import Config
from utils.running.calling import CannotDrive, Observed, function
from utils.running.globals_read import data_read
from utils.running.models import LinearLayer
from utils.running.on_models import model_after, training, with_gpt, with_model, work_of
from utils.running.parameters import found_parameters, load_weights
from utils.running.records import Unchanged
from utils.running.values import as_arrays, copied, empty_means_nan, same


def component(
    make: Callable[[Config], nn.Module],
    cfg: Config,
    weights: dict[str, Tensor] | None,
    *inputs: Any,
    names: Sequence[str] = (),
    before: Sequence[tuple] = (),
    training: bool = True,
    **options: Any,
) -> Observed:
    """Make `make(cfg)`, call it on the inputs in `before`, load the weights (None keeps the initial ones), call it.

    It is called in training mode, in which modules are made; `training=False` is after `eval()`.

    Without inputs it is only made: then its initial parameters are reported, those that `names` asks for under these
    names, and as output the type of each attribute of that name that is no parameter, and of each submodule.
    """
    with empty_means_nan():
        module = make(dataclasses.replace(cfg))
    if not isinstance(module, nn.Module):
        raise CannotDrive(
            f"Called with a Config it gives a value of type {type(module).__name__}, not an nn.Module: "
            "write a class that inherits from nn.Module, and hand over the class itself."
        )
    for earlier in before:
        module(*copied(list(earlier)))
    if weights is not None:
        load_weights(module, weights)
    if not training:
        module.eval()
    parameters = found_parameters(module, list(weights or names))
    if not inputs:
        asked = dict.fromkeys([*names, *(name.partition(".")[0] for name in names)])  # parameters, and parts
        missing = [name for name in asked if name not in parameters and hasattr(module, name)]
        attributes = {name: type(getattr(module, name)).__name__ for name in missing}
        modules = {name: type(child).__name__ for name, child in module.named_children()}
        return Observed([attributes | modules], parameters=parameters)
    return function(module, *inputs, trained={name: parameters[name] for name in weights or ()}, **options)


def methods(make: Callable, arguments: list, *calls: tuple, beside: list | None = None) -> Observed:
    """Make `make(*arguments)`, then call each ("name", argument, ...) on it in turn; the output lists the results.

    `beside` are the arguments of another one, which is made before the calls and must not disturb them.
    """
    given = [copied(arguments), *(copied(call) for call in calls)]
    made = make(*given[0])
    another = None if beside is None else make(*copied(beside))  # noqa: F841 - kept alive
    results = [getattr(made, name)(*rest) for name, *rest in given[1:]]
    after = [Unchanged() if same(now, value) else now for now, value in zip(given, [arguments, *calls], strict=True)]
    return Observed([results], after)


def stream(make: Callable, matrices: list[Tensor], *inputs: Any, **options: Any) -> Observed:
    """Make `make(layers)` of linear layers with these matrices, and call it.

    Without inputs it is only made: then the layers' weights that it has registered are reported, and what else is
    trained, under its own name. Copies of the layers are neither. Where two matrices are equal, one layer stands at
    both places.
    """
    layers: list[LinearLayer] = []
    for matrix in matrices:
        earlier = (layer for layer in layers if same(layer.weight.detach(), matrix))
        layers.append(next(earlier, None) or LinearLayer(matrix))
    handed = list(layers)
    module = make(handed)
    if list(map(id, handed)) != list(map(id, layers)):
        raise CannotDrive(
            "`__init__` has changed the list of layers that it was given, and that list is the caller's: read it, and "
            "take nothing out of it."
        )
    own = {f"layers.{index}.weight": layer.weight for index, layer in enumerate(layers)}
    if not inputs:
        registered = {id(parameter) for parameter in module.parameters()}
        found: dict[str, Tensor] = {name: value for name, value in own.items() if id(value) in registered}
        others = {
            name: value
            for name, value in module.named_parameters()
            if name not in own and not any(same(value.detach(), matrix) for matrix in matrices)
        }
        return Observed([{}], parameters=found | others)
    return function(module, *inputs, trained=own, **options)


def optimiser(
    make: Callable, starts: list[Tensor], grads: list[list[Tensor | None]], *settings: Any, zero: bool = True
) -> Observed:
    """Make `make(parameters, *settings)`; the output holds the parameters after each step with these gradients.

    As in `backward`, a gradient adds to what `zero_grad` left; `zero=False` never calls `zero_grad`.
    """
    parameters = [nn.Parameter(start.clone()) for start in starts]
    made, after = make(parameters, *settings), []
    for step in grads:
        if zero:
            made.zero_grad()
        for parameter, gradient in zip(parameters, step, strict=True):
            if gradient is not None:
                parameter.grad = gradient.clone() if parameter.grad is None else parameter.grad + gradient
        made.step()
        after.append([parameter.detach().clone() for parameter in parameters])
    return Observed([after])


def batches(
    get_batch: Callable, data: Tensor, n_ctx: int, batch_size: int, generator_seed: int, times: int = 1
) -> Observed:
    """Call get_batch(data, n_ctx, batch_size, generator) `times` times, then once with a generator seeded anew.

    The output also says whether torch's global random numbers were used.
    """
    before = torch.get_rng_state()
    generator = torch.Generator().manual_seed(generator_seed)
    drawn = [get_batch(data.clone(), n_ctx, batch_size, generator) for _ in range(times)]
    again = get_batch(data.clone(), n_ctx, batch_size, torch.Generator().manual_seed(generator_seed))
    ambient = not torch.equal(before, torch.get_rng_state())
    return Observed([{"drawn": drawn, "again": again, "uses global random numbers": ambient}])


def numpy_arrays(f: Callable, *inputs: Any, **options: Any) -> Observed:
    """Call f on NumPy arrays in the place of tensors, within lists and dicts too."""
    return function(f, *as_arrays(list(inputs)), **options)


def names_read(component: Any) -> Observed:
    """Call nothing: the output lists the variables of its notebook or module that the component's code reads."""
    return Observed([data_read(component)])


DRIVERS: dict[str, Callable[..., Observed]] = {
    driver.__name__: driver
    for driver in (
        component,
        function,
        methods,
        stream,
        with_model,
        with_gpt,
        work_of,
        model_after,
        optimiser,
        training,
        batches,
        numpy_arrays,
        names_read,
    )
}
WITHOUT_INPUTS = {"optimiser", "training", "batches", "names_read"}  # they build what the learner's code is called on


def inputs_of(drive: str, args: tuple) -> tuple | None:
    """Those of a question's arguments that the learner's code is called on; None for a driver that reports none."""
    if drive in WITHOUT_INPUTS:
        return None
    return args if drive == "methods" else args[_settings(drive) :]


@functools.cache
def _settings(drive: str) -> int:
    """How many arguments come before the learner's inputs; `make` or `f` comes first."""
    kinds = [parameter.kind for parameter in inspect.signature(DRIVERS[drive]).parameters.values()]
    return kinds.index(inspect.Parameter.VAR_POSITIONAL) - 1
