"""Modules, and what trains them: one made of settings, one made of layers, and an optimiser of parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from judge.running.kinds.kind import CannotDrive, Code, Kind, Observed, Parameters, Places, called
from judge.running.on_demand import Module, Tensor, nn
from judge.running.parameters import found_parameters, given_class, load_weights
from judge.running.records import Arguments, Question, Weights
from judge.running.settings import fields_of, with_field
from judge.running.values import copied, empty_means_nan, is_dict, is_mapping, same

SAVED_BUFFER = "saved buffer"  # in `_types`: what `state_dict()` holds beside parameters
TAKES = "takes cfg, weights (a dict, or None), and then the inputs."


class Component(Kind):
    """The question's arguments are the settings, the weights by name (None keeps the initial ones), and the inputs."""

    name = "component"
    call = "{}(cfg)({})"
    n_settings = 2
    of_settings = True
    has_parameters = True
    library = "torch"

    def drive(
        self,
        make: Code,
        cfg: Any,
        weights: Weights | None,
        *inputs: Any,
        names: Sequence[str] = (),
        before: Sequence[Arguments] = (),
        training: bool = True,
        **options: Any,
    ) -> Observed:
        """Make `make(cfg)`, call it on the inputs in `before`, load the weights, call it on the inputs.

        It is called in training mode, in which modules are made; `training=False` is after `eval()`.

        Without inputs it is only made: then its initial parameters are reported, those that `names` asks for under
        these names, and as output the type of each attribute of that name that is no parameter, of each submodule, and
        of each buffer that is saved.
        """
        module = _made(make, cfg)
        for earlier in before:
            module(*copied(list(earlier)))
        if weights is not None:
            load_weights(module, weights)
        if not training:
            module.eval()
        parameters = found_parameters(module, list(weights or names))
        if not inputs:
            return Observed([_types(module, names, parameters)], parameters=parameters)
        trained = {name: parameters[name] for name in weights or ()}
        return called(module, *inputs, trained=trained, **options)

    def weights(self, question: Question) -> Weights | None:
        return question.args[1]

    def parts(self, question: Question) -> Iterator[tuple[str, Any]]:
        """`self.w`, and what the settings hold that is no size: `cfg.layer_norm_eps`."""
        cfg, weights, *_ = question.args
        if weights is None:
            return
        for name, value in weights.items():
            yield f"self.{name}", value
        for name, value in fields_of(cfg).items():
            if isinstance(value, float):
                yield (f'cfg["{name}"]' if is_dict(cfg) else f"cfg.{name}"), value

    def with_part(self, question: Question, name: str, value: Any) -> Question:
        cfg, weights, *inputs = question.args
        if name.startswith("self."):
            weights = weights | {name.removeprefix("self."): value}
        else:
            cfg = with_field(cfg, re.sub(r'cfg\.|cfg\["|"\]', "", name), value)
        return replace(question, args=(cfg, weights, *inputs))

    def only_made(self, made_of: Any, names: list[str], seed: int) -> Question:
        return Question(self.name, (made_of, None), {"names": names}, seed)

    def misgiven(self, arguments: Arguments) -> str | None:
        return None if are_settings_and_weights(arguments) else TAKES

    def unfit(self, solution: Any) -> str | None:
        if isinstance(solution, type) and not issubclass(solution, Module):
            return "is a class, but no nn.Module: name its driver, such as drive='methods'."
        if not isinstance(solution, type):
            return "is a function, and a function has no parameters: leave parameters= out."
        return None

    def parameters_of(self, solution: Any) -> list[str] | None:
        return list(inspect.signature(solution.forward).parameters)[1:]  # without self

    def given(self, parameters: Parameters, initial: dict[str, float]) -> type | None:
        return given_class(parameters, initial) if is_mapping(parameters) else None


def are_settings_and_weights(arguments: Arguments) -> bool:
    """Whether a question's arguments begin with an object that holds settings, and weights or None."""
    if len(arguments) < 2:
        return False
    return bool(fields_of(arguments[0])) and isinstance(arguments[1], dict | None)


def _made(make: Code, cfg: Any) -> Module:
    with empty_means_nan():
        module = make(copy(cfg))
    if not isinstance(module, Module):
        raise CannotDrive(
            f"Called with a {type(cfg).__name__} it gives a value of type {type(module).__name__}, not an nn.Module: "
            "write a class that inherits from nn.Module, and hand over the class itself."
        )
    return module


def _types(module: Module, names: Sequence[str], parameters: Weights) -> dict[str, str]:
    """The type of whatever has one of these names, or the first part of one, and is no parameter; of submodules too.

    Buffers that are saved with the parameters, under whatever name, are of the type SAVED_BUFFER.
    """
    asked = dict.fromkeys([*names, *(name.partition(".")[0] for name in names)])
    missing = [name for name in asked if name not in parameters and hasattr(module, name)]
    attributes = {name: type(getattr(module, name)).__name__ for name in missing}
    modules = {name: type(child).__name__ for name, child in module.named_children()}
    parameters_too = dict(module.named_parameters(remove_duplicate=False))
    saved = {name: SAVED_BUFFER for name in module.state_dict() if name not in parameters_too}
    return saved | attributes | modules


if TYPE_CHECKING:
    from judge.running.kinds.linear import LinearLayer

CHANGED_THE_LIST = (
    "`__init__` has changed the list of layers that it was given, and that list is the caller's: read it, and "
    "take nothing out of it."
)
COPY = "copy"  # in `_copied`, where other kinds have a type


class Stream(Kind):
    """The question's arguments are the matrices of linear layers, and then the inputs."""

    name = "stream"
    call = "{}(layers)({})"
    n_settings = 1
    has_parameters = True
    library = "torch"

    def drive(self, make: Code, matrices: list[Tensor], *inputs: Any, across: str = "", **options: Any) -> Observed:
        """Make `make(layers)` of linear layers with these matrices, and call it.

        Without inputs it is only made: then the layers' weights that it has registered are reported, and what else is
        trained, under its own name, behind `self.` where a layer has that name. Copies of the layers are neither. Where
        two matrices are equal, one layer stands at both places. With `across` every layer reads the mean over "pos" or
        over "batch".
        """
        layers = _layers(matrices, across)
        handed = list(layers)
        module = make(handed)
        if list(map(id, handed)) != list(map(id, layers)):
            raise CannotDrive(CHANGED_THE_LIST)
        own = {f"layers.{index}.weight": layer.weight for index, layer in enumerate(layers)}
        if not inputs:
            return Observed([_copied(module, own)], parameters=_registered(module, own, matrices))
        return called(module, *inputs, trained=own, **options)

    def weights(self, question: Question) -> Weights | None:
        return {f"layers.{index}.weight": matrix for index, matrix in enumerate(question.args[0])}

    def may_have_more(self, name: str) -> bool:
        """It should have none, and which it has is for a check to say."""
        return True


def _layers(matrices: list[Tensor], across: str) -> list[LinearLayer]:
    from judge.running.kinds.linear import LinearLayer  # a class of torch's kind, which only such a question needs

    layers: list[LinearLayer] = []
    for matrix in matrices:
        earlier = (layer for layer in layers if same(layer.weight.detach(), matrix))
        layers.append(next(earlier, None) or LinearLayer(matrix, across))
    return layers


def _copied(module: Module, own: dict[str, nn.Parameter]) -> dict[str, str]:
    """The layers' weights in whose place, and under whose name, the module has a copy."""
    there = dict(module.named_parameters())
    in_place = [name for name in own if name in there and there[name] is not own[name]]
    return {name: COPY for name in in_place if same(there[name].detach(), own[name].detach())}


def _registered(module: Module, own: dict[str, nn.Parameter], matrices: list[Tensor]) -> Weights:
    """The layers' weights that the module has, and its others that are no copies of them."""
    there = {id(parameter) for parameter in module.parameters()}
    handed_in = set(map(id, own.values()))
    found: Weights = {name: value for name, value in own.items() if id(value) in there}
    for name, value in module.named_parameters():
        is_a_copy = any(same(value.detach(), matrix) for matrix in matrices)
        if id(value) not in handed_in and not is_a_copy:
            found[f"self.{name}" if name in own else name] = value
    return found


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
    """Set a setting as a schedule does it: in every group of parameters too."""
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
