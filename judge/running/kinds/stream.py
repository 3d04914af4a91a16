"""A module that is made of a list of modules, which it has to register."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judge.running.calling import CannotDrive, Code, Observed, called
from judge.running.kinds.kind import Kind
from judge.running.on_demand import Module, Tensor, nn
from judge.running.records import Question, Weights
from judge.running.values import same

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
    """Those of the layers' weights that the module has, and its others that are no copies of them."""
    there = {id(parameter) for parameter in module.parameters()}
    handed_in = set(map(id, own.values()))
    found: Weights = {name: value for name, value in own.items() if id(value) in there}
    for name, value in module.named_parameters():
        is_a_copy = any(same(value.detach(), matrix) for matrix in matrices)
        if id(value) not in handed_in and not is_a_copy:
            found[f"self.{name}" if name in own else name] = value
    return found
