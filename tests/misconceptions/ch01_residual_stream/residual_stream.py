"""How ResidualStream goes wrong, and right answers that look different."""

import copy
import functools

import torch
from torch import nn

from tests.ch01_residual_stream import stream
from tests.misconceptions.ch01_residual_stream._given import Given


@stream.correct
class AddedUp(nn.Module):
    """Registered one by one; each layer reads the sum of everything written so far."""

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


@stream.correct
class Recursive(nn.Module):
    """The first layer, then a stream of the others."""

    def __init__(self, layers):
        super().__init__()
        self.first = layers[0] if layers else None
        self.others = Recursive(layers[1:]) if layers else None

    def forward(self, resid):
        return self.others(resid.add(self.first(resid))) if self.first and self.others else resid.clone()


@stream.correct
class OfSequential(nn.Sequential):
    """A subclass of nn.Sequential, which registers the layers itself."""

    def __init__(self, layers):
        super().__init__(*layers)

    def forward(self, resid):
        return functools.reduce(lambda stream, layer: torch.add(stream, layer(stream)), self, resid)


@stream.correct
def total_of_writes(self, resid):
    total = torch.zeros_like(resid)
    for layer in self.layers:
        total = total + layer(resid + total)
    return resid + total


@stream.misconception(
    "layers one after another, without adding",
    "Add each layer's answer to the stream, `resid = resid + layer(resid)`; don't replace the stream by it.",
)
def chained(self, resid):
    for layer in self.layers:
        resid = layer(resid)
    return resid


stream.misconception(
    "every layer reading the first stream",
    "Each layer reads what the layers before it have left: pass `resid` with their answers already added.",
    lambda self, resid: resid + sum((layer(resid) for layer in self.layers), torch.zeros_like(resid)),
)


@stream.misconception(
    "each layer reading only what the layer before it wrote",
    "What was written before belongs to the stream too: hand each layer the sum, `layer(resid)`, not the last answer.",
)
def reading_the_last_write(self, resid):
    out = resid
    for layer in self.layers:
        out = layer(out)
        resid = resid + out
    return resid


@stream.misconception(
    "adding the first stream again at every layer",
    "Add each answer to the stream as it is by now, `resid = resid + layer(resid)`, not to the one that came in.",
)
def first_stream_added(self, resid):
    now = resid
    for layer in self.layers:
        now = resid + layer(now)
    return now


@stream.misconception(
    "adding the first stream once, at the end",
    "Every layer has its own addition: `resid = resid + layer(resid)` inside the loop.",
)
def added_at_the_end(self, resid):
    return resid + chained(self, resid)


stream.also(
    "adding the first stream once, at the end",
    lambda self, resid: added_at_the_end(self, resid) if len(self.layers) else resid,
)


@stream.misconception(
    "layers that read the stream of one layer ago",
    "Each layer reads what the layer just before it has left: pass on the sum in which its answer is added already.",
)
def one_layer_late(self, resid):
    before = resid
    for layer in self.layers:
        before, resid = resid, resid + layer(before)
    return resid


@stream.misconception(
    "one addition for two layers",
    "Attention and MLP are layers of their own: each one's answer is added, before the next one reads.",
)
def added_after_every_second(self, resid):
    for index in range(0, len(self.layers), 2):
        resid = resid + chained(Given(self.layers[index : index + 2]), resid)
    return resid


@stream.misconception(
    "layers taken two by two",
    "The list may hold any number of layers, and of an odd number the last one has no partner: take them one by one.",
)
def in_pairs(self, resid):
    for attention, mlp in zip(self.layers[::2], self.layers[1::2], strict=False):
        resid = resid + attention(resid)
        resid = resid + mlp(resid)
    return resid


@stream.misconception(
    "every second layer's answer passed on",
    "An MLP adds too, as attention does: `resid = resid + layer(resid)` for every layer.",
)
def every_second_replaces(self, resid):
    for index, layer in enumerate(self.layers):
        resid = layer(resid) if index % 2 else resid + layer(resid)
    return resid


@stream.misconception(
    "a first layer whose answer is passed on", "The first layer adds too: what came in must not be lost."
)
def first_replaces(self, resid):
    for index, layer in enumerate(self.layers):
        resid = resid + layer(resid) if index else layer(resid)
    return resid


stream.misconception(
    "keeping only the last layer's write",
    "Every layer adds to the stream, not the last alone: `resid = resid + layer(resid)`, inside the loop.",
    "total + layer(resid + total) → layer(resid)",
    of=total_of_writes,
)
stream.misconception(
    "returning what the layers wrote, without what came in",
    "The stream that came in stays in the sum: return `resid` plus everything written.",
    lambda self, resid: total_of_writes(self, resid) - resid,
)


@stream.misconception(
    "returning the last layer's answer instead of the stream",
    "Return the stream, to which every answer is added, the last one too.",
)
def last_answer(self, resid):
    out = resid
    for layer in self.layers:
        out = layer(resid)
        resid = resid + out
    return out


stream.misconception(
    "adding in place",
    "The caller, or a layer that has read it, still needs the stream as it was. Make a new tensor, "
    "`resid = resid + layer(resid)`, and write neither into `resid` nor into what shares its memory.",
    "resid = resid + → resid +=",
)


@stream.also("adding in place")
def copied_then_in_place(self, resid):
    stream = resid.clone()
    for index in range(len(self.layers)):
        stream += self.layers[index](stream)
    return stream


stream.misconception(
    "leaving the last layer out",
    "Every layer of the list adds to the stream: loop over all of them.",
    "in self.layers → in self.layers[:-1]",
)
stream.misconception(
    "leaving the first layer out",
    "Every layer of the list adds to the stream, number 0 too.",
    "in self.layers → in self.layers[1:]",
)


@stream.misconception(
    "the first layer alone",
    "Every layer of the list adds to the stream: loop over all of them. (A `return` or a `break` within "
    "the loop ends it with the first.)",
)
def returned_too_soon(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid)
        return resid
    return resid


@stream.also("the first layer alone")
def returned_in_the_loop_alone(self, resid):
    for layer in self.layers:
        return resid + layer(resid)


stream.misconception(
    "layers in reverse order",
    "The first layer of the list is the first to read the stream.",
    "in self.layers → in reversed(self.layers)",
)
stream.misconception(
    "adding the stream twice",
    "Add one answer to one copy of the stream: `resid = resid + layer(resid)`.",
    "resid + → resid + resid +",
)


@stream.also("adding the stream twice")
def doubled_by_plus_equals(self, resid):
    stream = resid.clone()
    for layer in self.layers:
        stream += stream + layer(stream)
    return stream


stream.misconception(
    "adding each layer's answer twice",
    "Once is enough: `resid = resid + layer(resid)`. (`+=` already adds to what stands on its left.)",
    "resid + → resid + 2 *",
)


@stream.misconception(
    "running each layer twice", "One pass is enough: call each layer once, and add what that call answered."
)
def run_twice(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid)
        resid = resid + layer(resid)
    return resid


stream.misconception(
    "averaging the stream and the answer",
    "Stream and answer are added, `resid + layer(resid)`, and not halved.",
    "resid = resid + layer(resid) → resid = (resid + layer(resid)) / 2",
)
stream.misconception(
    "a factor on the answer or on the sum",
    "Stream and answer are added as they are: leave out the factor or division.",
    "resid = resid + layer(resid) → resid = (resid + layer(resid)) / 2**0.5",
    "resid + → resid + 0.5 *",
    "layer(resid) → layer(resid) / len(self.layers)",
    "layer(resid) → layer(resid) / len(self.layers) ** 0.5",
    "layer(resid) → layer(resid) / (2 * len(self.layers)) ** 0.5",
)


@stream.misconception(
    "the sum of all streams", "Each stream holds what the ones before it hold: return the last one, and add none up."
)
def streams_summed(self, resid):
    streams = [resid]
    for layer in self.layers:
        streams.append(streams[-1] + layer(streams[-1]))
    return torch.stack(streams).sum(dim=0)


@stream.also("the sum of all streams")
def later_streams_summed(self, resid):
    total = torch.zeros_like(resid)
    for layer in self.layers:
        resid = resid + layer(resid)
        total = total + resid
    return total


stream.misconception(
    "the addition within the layer's brackets",
    "The plus belongs outside of them: `resid = resid + layer(resid)`.",
    "resid + layer(resid) → layer(resid + resid)",
)
stream.misconception(
    "adding the stream to itself",
    "What is added is the layer's answer: `layer(resid)`, with the brackets.",
    "layer(resid) → resid",
)
stream.misconception(
    "adding the first stream once more, at the end",
    "It has been in the sum from the start: return `resid` as it is after the loop.",
    lambda self, resid: resid + total_of_writes(self, resid),
)
stream.misconception(
    "dividing by the number of layers",
    "The stream is a sum, not a mean: return it as it is after the last layer.",
    lambda self, resid: total_of_writes(self, resid) / len(self.layers),
)
stream.misconception(
    "calling the list of layers",
    "`nn.ModuleList` is a list and can't be called: loop over it, and call each layer.",
    lambda self, resid: resid + self.layers(resid),
)
stream.misconception(
    "a number of layers that is written out",
    "The list may hold any number of layers: `for layer in self.layers`.",
    ("in self.layers → in range(2)", "layer(resid) → self.layers[layer](resid)"),
    ("in self.layers → in range(3)", "layer(resid) → self.layers[layer](resid)"),
    ("in self.layers → in range(12)", "layer(resid) → self.layers[layer](resid)"),
)
stream.misconception(
    "joining the stream and the answer",
    "The stream keeps its shape: add, `resid + layer(resid)`, in the place of `torch.cat` or `torch.stack`.",
    "resid + layer(resid) → torch.cat([resid, layer(resid)], dim=-1)",
    "resid + layer(resid) → torch.cat([resid, layer(resid)])",
    "resid + layer(resid) → torch.cat([resid, layer(resid)], dim=1)",
    "resid + layer(resid) → torch.stack([resid, layer(resid)])",
)
stream.misconception(
    "a layer that reads its own answer",
    "Call the layer once, on the stream as it is: `layer(resid)`.",
    "layer(resid) → layer(layer(resid))",
)
stream.misconception("subtracting each layer's answer", "Layers add: `resid + layer(resid)`.", "resid + → resid -")
stream.misconception(
    "multiplying the stream by each layer's answer", "Layers add: `resid + layer(resid)`, no `*`.", "resid + → resid *"
)


@stream.misconception(
    "normalising the stream itself",
    "A LayerNorm makes a copy for its layer to read, and it is part of the layer. The stream goes on untouched.",
)
def normalised_on_the_way(self, resid):
    for layer in self.layers:
        resid = nn.functional.layer_norm(resid, resid.shape[-1:])
        resid = resid + layer(resid)
    return resid


@stream.also("normalising the stream itself")
def normalised_after_adding(self, resid):
    for layer in self.layers:
        resid = nn.functional.layer_norm(resid + layer(resid), resid.shape[-1:])
    return resid


stream.misconception(
    "normalising what each layer reads",
    "Here a layer reads the stream as it is: hand it `resid`. GPT-2's LayerNorms are inside its layers.",
    "layer(resid) → layer(nn.functional.layer_norm(resid, resid.shape[-1:]))",
)
stream.misconception(
    "a nonlinearity after each addition",
    "Nothing but addition happens to the stream: no `relu`.",
    "resid + layer(resid) → torch.relu(resid + layer(resid))",
)
stream.misconception(
    "a stream that comes out as it went in",
    "Each layer must read the stream, `layer(resid)`; its answer must be added, and the sum kept.",
    "resid = resid → resid",
)


@stream.misconception(
    "a list of streams, one for each layer", "Return the stream after the last layer, a single tensor."
)
def all_the_streams(self, resid):
    streams = [resid]
    for layer in self.layers:
        streams.append(streams[-1] + layer(streams[-1]))
    return streams


stream.also("a list of streams, one for each layer", lambda self, resid: torch.stack(all_the_streams(self, resid)))
stream.misconception(
    "layers cut out of the graph",
    "Training must reach every layer through its answer: add that answer itself.",
    "layer(resid) → layer(resid).detach()",
)
stream.misconception(
    "a stream cut out of the graph",
    "Gradients flow back along the stream itself: add to `resid` as it is.",
    "resid + → resid.detach() +",
)
stream.misconception(
    "layers that read a stream cut out of the graph",
    "What a layer reads depends on the layers before it, so gradients flow that way too: hand it `resid` as it is.",
    "layer(resid) → layer(resid.detach())",
)


@stream.misconception(
    "everything computed without gradients",
    "Training needs them, all the way from the last sum to `resid` and to every layer.",
)
def without_gradients(self, resid):
    with torch.no_grad():
        return total_of_writes(self, resid)


@stream.misconception(
    "reading `layers` in `forward`",
    "`layers` exists only inside `__init__`. Keep it there as `self.layers`, and read that.",
)
def layers_without_self(self, resid):
    raise NameError("name 'layers' is not defined")


stream.misconception(
    "a layer that comes twice run once",
    "The list may hold one layer at two places, and it runs at both: keep the whole list, and loop over "
    "it. `children()`, `modules()`, a `set` and the keys of a dict have each layer once.",
    "in self.layers → in self.layers.children()",
)


@stream.misconception(
    "layers that are frozen", "Training changes the layers: leave `requires_grad` as it is, and their parameters too."
)
class Frozen(Given):
    def __init__(self, layers):
        super().__init__(layers)
        self.requires_grad_(False)

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.misconception(
    "taking the layers out of the caller's list",
    "`self.layers = nn.ModuleList(layers)` reads the list; `pop`, `del` and `reverse` change what is the caller's.",
)
class TakenOut(Given):
    def __init__(self, layers):
        super().__init__([layers.pop(0) for _ in range(len(layers))])

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.misconception(
    "layers that torch does not find",
    "torch finds only registered layers, and does not look into a Python list or dict: `self.layers = "
    "nn.ModuleList(layers)`.",
    not_of=r"\bdeepcopy\b|\bload_state_dict\b",  # torch finds copies, which are other layers
)
class PlainList(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = list(layers)

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.misconception(
    "one name for all layers",
    "A layer takes the place of the one that had its name before, so only the last is registered. Register them all: "
    "`self.layers = nn.ModuleList(layers)`.",
)
class UnderOneName(PlainList):
    def __init__(self, layers):
        super().__init__(layers)
        for layer in layers:
            self.add_module("layer", layer)


@stream.also("layers that torch does not find")
class NotKept(nn.Module):
    def __init__(self, layers):
        super().__init__()

    def forward(self, resid):
        raise NameError("name 'layers' is not defined")


@stream.misconception(
    "copies of the layers",
    "A copy is a layer of its own, and training it leaves the layer that was handed in as it is. Register the layers "
    "themselves: `self.layers = nn.ModuleList(layers)`.",
)
class Copies(Given):
    def __init__(self, layers):
        super().__init__(copy.deepcopy(list(layers)))

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.misconception(
    "other layers in the place of those that were handed in",
    "The layers are made already: keep the ones that you are given, `self.layers = nn.ModuleList(layers)`, and make "
    "none.",
)
class Others(Given):
    def __init__(self, layers, bias=False):
        super().__init__([nn.Linear(*layer.weight.shape, bias=bias) for layer in layers])

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.also("other layers in the place of those that were handed in")
class OthersWithBiases(Others):
    def __init__(self, layers):
        super().__init__(layers, bias=True)


@stream.misconception(
    "one layer used for all", "Each place in the list has a layer of its own: register all of them, and loop over them."
)
class OneForAll(Given):
    def __init__(self, layers):
        super().__init__(layers[:1] * len(layers))

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.misconception(
    "handing a layer one position at a time",
    "Hand each layer the whole stream, `layer(resid)`: some layers, such as attention, read other positions too.",
)
def position_by_position(self, resid):
    columns = []
    for column in resid.split(1, dim=1):
        for layer in self.layers:
            column = column + layer(column)
        columns.append(column)
    return torch.cat(columns, dim=1)


stream.also(
    "handing a layer one position at a time",
    "layer(resid) → torch.stack([layer(column) for column in resid.unbind(1)], dim=1)",
)
stream.misconception(
    "one sentence at a time",
    "A layer takes the whole tensor, [batch pos d_model]: no loop over the sentences, `layer(resid)`.",
    "layer(resid) → torch.stack([layer(sentence) for sentence in resid])",
    "layer(resid) → torch.cat([layer(one) for one in resid.split(1)])",
)


@stream.also("one sentence at a time")
def each_sentence_through_all(self, resid):
    sentences = []
    for sentence in resid:
        for layer in self.layers:
            sentence = sentence + layer(sentence)
        sentences.append(sentence)
    return torch.stack(sentences)
