"""A module that is made of settings alone, such as a Config, given its weights, and called."""

import inspect
import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from judge.running.calling import CannotDrive, Code, Observed, called
from judge.running.kinds.kind import Kind, Parameters
from judge.running.on_demand import Module
from judge.running.parameters import found_parameters, given_class, load_weights
from judge.running.records import Arguments, Question, Weights
from judge.running.settings import fields_of, with_field
from judge.running.values import copied, empty_means_nan, is_dict, is_mapping

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
