"""A module made of a list of modules, which must be registered: each reads a residual stream and adds to it."""

from torch import nn

from judge.checking import (
    Exercise,
    check_agrees,
    check_gradients,
    check_inputs_unchanged,
    check_parameters,
    check_shape,
    line,
    random_tensor,
)
from utils.gpt import SMALL


class ResidualStream(nn.Module):
    """The reference solution."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid


def parameters(matrices):
    return {f"layers.{index}.weight": "d_in d_out" for index in range(len(matrices))}


exercise = Exercise(
    inputs={"resid": "batch pos d_model"},
    output="batch pos d_model",
    parameters=parameters,
    drive="stream",
    given=ResidualStream,
    solution="tests.judge.checking.kinds.stream",
)


@exercise.test
def test_residual_stream(ResidualStream):
    d_model = SMALL.d_model
    matrices, resid = [random_tensor(d_model, d_model, scale=0.5) for _ in range(3)], random_tensor(2, 5, d_model)
    check_parameters(ResidualStream, matrices)
    with line("keeps the shape of the stream"):
        check_shape(ResidualStream, matrices, resid)
    with line("each layer reads the stream and adds to it"):
        check_agrees(ResidualStream, matrices, resid)
        check_agrees(ResidualStream, [], resid)
        check_agrees(ResidualStream, matrices, resid, across="pos")
    with line("leaves `resid` as it was"):
        check_inputs_unchanged(ResidualStream, matrices, resid)
    with line("passes gradients back to every layer"):
        check_gradients(ResidualStream, matrices, resid)


@exercise.correct
class AddedUp(nn.Module):
    """Registered one by one; the stream is the sum of everything written so far."""

    def __init__(self, layers):
        super().__init__()
        self.depth = len(layers)
        for index, layer in enumerate(layers):
            self.add_module(f"layer_{index}", layer)

    def forward(self, resid):
        written = [resid]
        for index in range(self.depth):
            written.append(self.get_submodule(f"layer_{index}")(sum(written)))
        return sum(written)


@exercise.correct
class Recursive(nn.Module):
    """The first layer, then a stream of the others."""

    def __init__(self, layers):
        super().__init__()
        self.first = layers[0] if layers else None
        self.others = Recursive(layers[1:]) if layers else None

    def forward(self, resid):
        return self.others(resid.add(self.first(resid))) if self.first and self.others else resid.clone()


@exercise.misconception("layers one after another, without adding", "Add each layer's answer: `resid + layer(resid)`.")
def chained(self, resid):
    for layer in self.layers:
        resid = layer(resid)
    return resid


@exercise.misconception("every layer reading the first stream", "Each layer reads what the layers before it left.")
def parallel(self, resid):
    return resid + sum((layer(resid) for layer in self.layers), 0 * resid)


@exercise.misconception("adding in place", "`resid += ...` changes the caller's tensor: `resid = resid + ...`.")
def in_place(self, resid):
    for layer in self.layers:
        resid += layer(resid)
    return resid


@exercise.misconception("leaving the last layer out", "Every layer of the list adds to the stream.")
def one_too_few(self, resid):
    for layer in self.layers[:-1]:
        resid = resid + layer(resid)
    return resid


@exercise.misconception("layers cut out of the graph", "Training must reach every layer: no detach, no no_grad.")
def detached(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid).detach()
    return resid


@exercise.misconception("a Python list of layers", "Put them into `nn.ModuleList`: else no optimiser finds them.")
class PlainList(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = list(layers)

    forward = ResidualStream.forward
