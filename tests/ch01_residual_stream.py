"""Chapter 1: what ResidualStream and decompose_residual must do, and the ways they go wrong."""

import copy
import functools

import torch
from torch import Tensor, nn

from utils.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_gradients,
    check_inputs_unchanged,
    check_repeatable,
    check_shape,
    line,
    random_tensor,
)
from utils.checking.checks.parameters import check_names_and_shapes
from utils.gpt import SMALL
from utils.reference import reference


class Given(nn.Module):
    """The class that a `forward` alone belongs to."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)


def layers_of(matrices: list[Tensor]) -> dict[str, str]:
    """The parameters that a stream of these linear layers must have registered."""
    return {f"layers.{index}.weight": "d_in d_out" for index in range(len(matrices))}


stream = Exercise(
    inputs={"resid": "batch pos d_model"},
    output="batch pos d_model",
    parameters=layers_of,
    drive="stream",
    given=Given,
    example=WorkedExample(
        "the chapter's stream 1, 2 with its two layers, the copier and the echo",
        (
            [torch.tensor([[0.0, 0.0], [1.0, 0.0]]), torch.tensor([[0.0, 1.0], [0.0, 0.0]])],
            torch.tensor([[[1.0, 2.0]]]),
        ),
    ),
)

decompose = Exercise(
    inputs={"cache": ""},
    output="component batch pos d_model",
    free_axes="component batch pos",
)


def matrices_for(count: int, d_model: int, scale: float = 0.5) -> list[Tensor]:
    """The weights of so many linear layers."""
    return [random_tensor(d_model, d_model, scale=scale) for _ in range(count)]


@stream.test
def test_residual_stream(ResidualStream):
    """ResidualStream against the reference solution, on linear layers with random weights."""
    d_model = SMALL.d_model
    matrices, resid = matrices_for(3, d_model), random_tensor(3, 5, d_model)
    with line("registers every layer, so that torch finds its parameters, and has none of its own"):
        check_names_and_shapes(ResidualStream, matrices)
    with line("keeps the shape [batch pos d_model]"):
        for batch, pos in [(2, 5), (1, 5), (2, 1), (1, 1), (3, 9)]:
            check_shape(ResidualStream, matrices, random_tensor(batch, pos, d_model))
    with line("leaves `resid` as it was, and answers the same twice"):
        check_inputs_unchanged(ResidualStream, matrices, resid)
        check_repeatable(ResidualStream, matrices, resid)
        check_repeatable(ResidualStream, matrices_for(12, d_model, scale=0.2), resid)  # for chance that is rare
    with line("one layer: reads the stream, and adds to it"):
        check_agrees(ResidualStream, matrices[:1], resid)
    with line("several layers: each reads the stream as the ones before it have left it"):
        for count in (2, 3, 5):
            check_agrees(ResidualStream, matrices_for(count, d_model), random_tensor(2, 5, d_model))
        check_agrees(ResidualStream, [*matrices, matrices[1]], resid)  # equal matrices are one layer, which runs twice
        check_agrees(ResidualStream, matrices_for(2, 11), random_tensor(1, 1, 11))
        check_agrees(ResidualStream, matrices_for(12, d_model, scale=0.2), random_tensor(4, 2, d_model))
    with line("no layers: the stream comes out as it went in"):
        check_agrees(ResidualStream, [], resid)
    with line("passes gradients back to every layer, and to `resid`"):
        check_gradients(ResidualStream, matrices, resid)
        check_gradients(ResidualStream, matrices_for(4, d_model), random_tensor(2, 9, d_model))


def random_cache(n_layers: int, batch: int = 2, pos: int = 3, d_model: int = 8) -> dict[str, Tensor]:
    """What TransformerLens calls the writes into the stream, the sums of these, and a little of what else it keeps."""
    cache = {name: random_tensor(batch, pos, d_model) for name in ("hook_embed", "hook_pos_embed")}
    stream = cache["hook_embed"] + cache["hook_pos_embed"]
    for layer in range(n_layers):
        cache[f"blocks.{layer}.hook_resid_pre"] = stream
        cache[f"blocks.{layer}.attn.hook_attn_scores"] = random_tensor(batch, 3, pos, pos)
        for part, after in (("attn", "mid"), ("mlp", "post")):
            cache[f"blocks.{layer}.hook_{part}_out"] = random_tensor(batch, pos, d_model)
            stream = stream + cache[f"blocks.{layer}.hook_{part}_out"]
            cache[f"blocks.{layer}.hook_resid_{after}"] = stream
    return cache | {"ln_final.hook_out": random_tensor(batch, pos, d_model)}


def recorded_cache() -> dict[str, Tensor]:
    """What was recorded of the reference model, under all its names, of the stream's own shape."""
    seen = reference().activations
    return {name: value for name, value in seen.items() if value.shape == seen["hook_embed"].shape}


@decompose.test
def test_decompose_residual(decompose_residual):
    """decompose_residual against the reference solution, and on everything recorded of the reference model."""
    with line("one block: stacks the four writes, and names them"):
        check_agrees(decompose_residual, random_cache(1))
    with line("leaves the cache as it was, and answers the same twice"):
        check_inputs_unchanged(decompose_residual, random_cache(2))
        check_repeatable(decompose_residual, random_cache(2), before=[(random_cache(3),)])
    with line("more blocks: one after the other, in each attention before the MLP"):
        for n_layers in (2, 3, 6, 12):
            check_agrees(decompose_residual, random_cache(n_layers))
    with line("any number of sentences and positions"):
        for batch, pos, d_model in [(1, 1, 8), (1, 5, 11), (6, 1, 3), (4, 4, 4)]:
            check_agrees(decompose_residual, random_cache(2, batch, pos, d_model))
    with line("splits the reference model's last `hook_resid_post` into what was written"):
        check_agrees(decompose_residual, recorded_cache())


# --- ResidualStream


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


@stream.misconception(
    "every layer reading the first stream",
    "Each layer reads what the layers before it have left: pass `resid` with their answers already added.",
)
def parallel(self, resid):
    return resid + sum((layer(resid) for layer in self.layers), torch.zeros_like(resid))


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


@stream.misconception(
    "one addition for two layers",
    "Attention and MLP are layers of their own: each one's answer is added, before the next one reads.",
)
def added_after_every_second(self, resid):
    for index in range(0, len(self.layers), 2):
        resid = resid + chained(Given(self.layers[index : index + 2]), resid)
    return resid


@stream.misconception(
    "every second layer's answer passed on", "An MLP adds too, as attention does: a plus, and no second `=`."
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


@stream.misconception(
    "keeping only the last layer's write",
    "Add inside the loop. Added after it, the answers of all layers but the last are lost.",
)
def last_write_only(self, resid):
    out = torch.zeros_like(resid)
    for layer in self.layers:
        out = layer(resid)
    return resid + out


@stream.misconception(
    "returning what the layers wrote, without what came in",
    "The stream that came in stays in the sum: return `resid` plus everything written.",
)
def writes_alone(self, resid):
    return total_of_writes(self, resid) - resid


@stream.misconception(
    "returning the last layer's answer instead of the stream", "Return `resid`, to which all answers were added."
)
def last_answer(self, resid):
    out = resid
    for layer in self.layers:
        out = layer(resid)
        resid = resid + out
    return out


@stream.misconception(
    "adding in place",
    "`+=` changes what the caller, or a layer that has read it, still needs. Make a new tensor: "
    "`resid = resid + layer(resid)`.",
)
def in_place(self, resid):
    for layer in self.layers:
        resid += layer(resid)
    return resid


@stream.also("adding in place")
def copied_then_in_place(self, resid):
    stream = resid.clone()
    for index in range(len(self.layers)):
        stream += self.layers[index](stream)
    return stream


@stream.misconception(
    "leaving the last layer out", "Every layer of the list adds to the stream: loop over all of them."
)
def one_too_few(self, resid):
    for layer in self.layers[:-1]:
        resid = resid + layer(resid)
    return resid


@stream.misconception("leaving the first layer out", "Every layer of the list adds to the stream, number 0 too.")
def without_the_first(self, resid):
    for layer in self.layers[1:]:
        resid = resid + layer(resid)
    return resid


@stream.misconception(
    "a `return` inside the loop",
    "The loop ends after the first layer: move `return resid` out, below the loop, and leave out a `break`.",
)
def returned_too_soon(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid)
        return resid
    return resid


@stream.also("a `return` inside the loop")
def returned_in_the_loop_alone(self, resid):
    for layer in self.layers:
        return resid + layer(resid)


@stream.misconception("layers in reverse order", "The first layer of the list is the first to read the stream.")
def backwards(self, resid):
    for layer in reversed(self.layers):
        resid = resid + layer(resid)
    return resid


@stream.misconception(
    "adding the stream twice", "One copy of the stream and one answer: `resid = resid + layer(resid)`."
)
def doubled(self, resid):
    for layer in self.layers:
        resid = resid + resid + layer(resid)
    return resid


@stream.also("adding the stream twice")
def doubled_by_plus_equals(self, resid):
    stream = resid.clone()
    for layer in self.layers:
        stream += stream + layer(stream)
    return stream


@stream.misconception(
    "adding each layer's answer twice", "Once is enough: `resid = resid + layer(resid)`. (`+=` adds by itself.)"
)
def written_twice(self, resid):
    for layer in self.layers:
        resid = resid + 2 * layer(resid)
    return resid


@stream.misconception(
    "running each layer twice", "One pass is enough: call each layer once, and add what that call answered."
)
def run_twice(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid)
        resid = resid + layer(resid)
    return resid


@stream.misconception("averaging the stream and the answer", "The two are added: leave out the division by 2.")
def averaged(self, resid):
    for layer in self.layers:
        resid = (resid + layer(resid)) / 2
    return resid


@stream.misconception(
    "a factor on the answer or on the sum", "Stream and answer are added as they are: leave out the factor or division."
)
def scaled_by_root_2(self, resid):
    for layer in self.layers:
        resid = (resid + layer(resid)) / 2**0.5
    return resid


@stream.also("a factor on the answer or on the sum")
def half_of_each_answer(self, resid):
    for layer in self.layers:
        resid = resid + 0.5 * layer(resid)
    return resid


@stream.also("a factor on the answer or on the sum")
def share_of_each_answer(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid) / len(self.layers)
    return resid


@stream.misconception(
    "adding the stream to itself", "What is added is the layer's answer: `layer(resid)`, with the brackets."
)
def added_to_itself(self, resid):
    for _ in self.layers:
        resid = resid + resid
    return resid


@stream.misconception(
    "adding the first stream once more, at the end", "It is in the sum from the start: return `resid` as it is by then."
)
def first_stream_twice(self, resid):
    return resid + total_of_writes(self, resid)


@stream.misconception(
    "dividing by the number of layers", "The stream is a sum, not a mean: return it as it is after the last layer."
)
def mean_over_layers(self, resid):
    return total_of_writes(self, resid) / len(self.layers)


@stream.misconception(
    "calling the list of layers", "`nn.ModuleList` is a list and can't be called: loop over it, and call each layer."
)
def list_called(self, resid):
    return resid + self.layers(resid)


@stream.misconception(
    "a number of layers that is written out", "The list may hold any number of layers: `for layer in self.layers`."
)
def two_layers(self, resid):
    for index in range(2):
        resid = resid + self.layers[index](resid)
    return resid


@stream.also("a number of layers that is written out")
def three_layers(self, resid):
    for index in range(3):
        resid = resid + self.layers[index](resid)
    return resid


@stream.also("a number of layers that is written out")
def twelve_layers_at_most(self, resid):
    for index in range(12):
        resid = resid + self.layers[index](resid)
    return resid


@stream.misconception(
    "joining the stream and the answer",
    "The stream keeps its shape: add, `resid + layer(resid)`, in the place of `torch.cat` or `torch.stack`.",
)
def joined_along_the_vectors(self, resid):
    for layer in self.layers:
        resid = torch.cat([resid, layer(resid)], dim=-1)
    return resid


@stream.also("joining the stream and the answer")
def joined_along_the_batch(self, resid):
    for layer in self.layers:
        resid = torch.cat([resid, layer(resid)])
    return resid


@stream.also("joining the stream and the answer")
def joined_along_the_positions(self, resid):
    for layer in self.layers:
        resid = torch.cat([resid, layer(resid)], dim=1)
    return resid


@stream.also("joining the stream and the answer")
def stacked_on_the_stream(self, resid):
    for layer in self.layers:
        resid = torch.stack([resid, layer(resid)])
    return resid


@stream.misconception("a layer that reads its own answer", "Call it once: `layer(resid)`, with the stream as it is.")
def layer_of_layer(self, resid):
    for layer in self.layers:
        resid = resid + layer(layer(resid))
    return resid


@stream.misconception("subtracting each layer's answer", "Layers add: `resid + layer(resid)`.")
def subtracted(self, resid):
    for layer in self.layers:
        resid = resid - layer(resid)
    return resid


@stream.misconception("multiplying the stream by each layer's answer", "Layers add: `resid + layer(resid)`, no `*`.")
def multiplied(self, resid):
    for layer in self.layers:
        resid = resid * layer(resid)
    return resid


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


@stream.misconception(
    "normalising what each layer reads",
    "Here a layer reads the stream as it is: hand it `resid`. GPT-2's LayerNorms are inside its layers.",
)
def normalised_for_reading(self, resid):
    for layer in self.layers:
        resid = resid + layer(nn.functional.layer_norm(resid, resid.shape[-1:]))
    return resid


@stream.misconception("a nonlinearity after each addition", "Nothing but addition happens to the stream: no `relu`.")
def relu_after_adding(self, resid):
    for layer in self.layers:
        resid = torch.relu(resid + layer(resid))
    return resid


@stream.misconception(
    "returning `resid` as it came",
    "Each layer must read the stream, `layer(resid)`; its answer must be added, and the sum kept in `resid`.",
)
def nothing_added(self, resid):
    for layer in self.layers:
        resid + layer(resid)
    return resid


@stream.misconception(
    "a list of streams, one for each layer", "Return the stream after the last layer, a single tensor."
)
def all_the_streams(self, resid):
    streams = [resid]
    for layer in self.layers:
        streams.append(streams[-1] + layer(streams[-1]))
    return streams


@stream.also("a list of streams, one for each layer")
def stacked_streams(self, resid):
    return torch.stack(all_the_streams(self, resid))


@stream.misconception(
    "layers cut out of the graph",
    "Training must reach every layer through its answer: no `detach()`, no `.data`, no `torch.no_grad()`.",
)
def detached_writes(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid).detach()
    return resid


@stream.misconception(
    "a stream cut out of the graph", "Gradients flow back along the stream itself: add to `resid`, not to a copy of it."
)
def detached_stream(self, resid):
    for layer in self.layers:
        resid = resid.detach() + layer(resid)
    return resid


@stream.misconception(
    "layers that read a copy cut out of the graph",
    "What a layer reads depends on the layers before it, so gradients flow back that way too: no `detach()`.",
)
def detached_reading(self, resid):
    for layer in self.layers:
        resid = resid + layer(resid.detach())
    return resid


@stream.misconception(
    "everything computed without gradients", "Training needs them: leave out `torch.no_grad()` and `.data`."
)
def without_gradients(self, resid):
    with torch.no_grad():
        return total_of_writes(self, resid)


@stream.misconception(
    "reading `layers` in `forward`", "That name belongs to `__init__`. What it has kept is reached by `self.`."
)
def layers_without_self(self, resid):
    raise NameError("name 'layers' is not defined")


@stream.misconception(
    "a layer that comes twice run once",
    "The list may hold one layer at two places, and it runs at both: loop over `self.layers` itself. `children()`, "
    "`modules()` and a `set` have each layer once.",
)
def each_layer_once(self, resid):
    for layer in self.layers.children():
        resid = resid + layer(resid)
    return resid


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
    "torch does not look into a Python list or dict, and copies are other layers. Register these: `self.layers = "
    "nn.ModuleList(layers)`.",
)
class PlainList(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = list(layers)

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.also("layers that torch does not find")
class NotKept(nn.Module):
    def __init__(self, layers):
        super().__init__()

    def forward(self, resid):
        raise NameError("name 'layers' is not defined")


@stream.also("layers that torch does not find")
class Copies(Given):
    def __init__(self, layers):
        super().__init__(copy.deepcopy(list(layers)))

    def forward(self, resid):
        return total_of_writes(self, resid)


@stream.misconception(
    "one layer used for all", "Each place in the list has a layer of its own: register all of them, and loop over them."
)
class OneForAll(Given):
    def __init__(self, layers):
        super().__init__(layers[:1] * len(layers))

    def forward(self, resid):
        return total_of_writes(self, resid)


# --- decompose_residual


def split(cache: dict[str, Tensor]) -> tuple[Tensor, list[str]]:
    """A right answer for wrong ones to start from."""
    names = ["embed", "pos_embed"]
    names += [f"{layer}_{part}_out" for layer in range(layers_in(cache)) for part in ("attn", "mlp")]
    return torch.stack([cache[hook_of(name)] for name in names]), names


def layers_in(cache: dict[str, Tensor]) -> int:
    """How many layers wrote."""
    return sum(name.endswith("hook_mlp_out") for name in cache)


def hook_of(name: str) -> str:
    """`3_attn_out` is blocks.3.hook_attn_out, `embed` is hook_embed."""
    layer, _, part = name.partition("_")
    return f"blocks.{layer}.hook_{part}" if layer.isdigit() else f"hook_{name}"


@decompose.correct
def filled_in(cache):
    n_layers = len([name for name in cache if "hook_attn_out" in name])
    stacked = torch.empty(2 + 2 * n_layers, *cache["hook_embed"].shape)
    stacked[0], stacked[1] = cache["hook_embed"], cache["hook_pos_embed"]
    for layer in range(n_layers):
        stacked[2 + 2 * layer] = cache[f"blocks.{layer}.hook_attn_out"]
        stacked[3 + 2 * layer] = cache[f"blocks.{layer}.hook_mlp_out"]
    return stacked, ["embed", "pos_embed"] + [f"{i // 2}_{('attn', 'mlp')[i % 2]}_out" for i in range(2 * n_layers)]


@decompose.correct
def from_the_names_in_the_cache(cache):
    ends = ("hook_embed", "hook_pos_embed", "hook_attn_out", "hook_mlp_out")
    found = {name: value for name, value in cache.items() if name.endswith(ends)}
    names = [name.replace("blocks.", "").replace(".hook_", "_").replace("hook_", "") for name in found]
    return torch.cat([value.unsqueeze(0) for value in found.values()]), names


@decompose.correct
def largest_layer_number(cache):
    last = max(int(name.split(".")[1]) for name in cache if name.startswith("blocks."))
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for layer in range(last + 1):
        parts += [cache[f"blocks.{layer}.hook_attn_out"], cache[f"blocks.{layer}.hook_mlp_out"]]
        names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
    return torch.stack(parts, dim=0), names


@decompose.correct
def positions_broadcast(cache):
    stacked, names = split(cache | {"hook_pos_embed": cache["hook_pos_embed"].expand_as(cache["hook_embed"])})
    return stacked.clone(), names


@decompose.misconception(
    "blocks in the order of their names as text",
    "As text, block 10 stands before block 2. Count blocks by number: `for layer in range(n_layers)`.",
)
def order_of_text(cache):
    stacked, names = split(cache)
    order = [0, 1, *sorted(range(2, len(names)), key=lambda index: names[index])]
    return stacked[order], [names[index] for index in order]


@decompose.also("blocks in the order of their names as text")
def order_of_the_hooks_as_text(cache):
    names = ["embed", "pos_embed", *sorted(split(cache)[1][2:], key=hook_of)]
    return torch.stack([cache[hook_of(name)] for name in names]), names


@decompose.also("blocks in the order of their names as text")
def all_sorted_as_text(cache):
    names = sorted(split(cache)[1], key=hook_of)
    return torch.stack([cache[hook_of(name)] for name in names]), names


@decompose.also("blocks in the order of their names as text")
def sorted_by_the_new_names(cache):
    stacked, names = split(cache)
    order = sorted(range(len(names)), key=lambda index: names[index])
    return stacked[order], [names[index] for index in order]


@decompose.misconception(
    "running sums",
    "Each component is what it wrote itself, not the stream after it: leave out `cumsum`.",
)
def running_sums(cache):
    stacked, names = split(cache)
    return stacked.cumsum(dim=0), names


@decompose.misconception(
    "the stream itself in place of what was written",
    "`hook_resid_pre` and `hook_resid_mid` hold the sum so far. What was written is `hook_attn_out`, `hook_mlp_out`.",
)
def the_stream_itself(cache):
    stacked, names = split(cache)
    n_layers = layers_in(cache)
    streams = [cache[f"blocks.{layer}.hook_resid_{at}"] for layer in range(n_layers) for at in ("pre", "mid")]
    return torch.stack([stacked[0], stacked[1], *streams]), names


@decompose.also("the stream itself in place of what was written")
def the_stream_after(cache):
    stacked, names = split(cache)
    n_layers = layers_in(cache)
    streams = [cache[f"blocks.{layer}.hook_resid_{at}"] for layer in range(n_layers) for at in ("mid", "post")]
    return torch.stack([stacked[0], stacked[1], *streams]), names


@decompose.misconception(
    "attention and MLP swapped", "In each block attention writes first, `hook_attn_out`, then the MLP, `hook_mlp_out`."
)
def swapped(cache):
    stacked, names = split(cache)
    order = [0, 1, *(index ^ 1 for index in range(2, len(names)))]
    return stacked[order], [names[index] for index in order]


@decompose.misconception(
    "attention's writes under the MLP's names, and the other way round", "Each name must stand where its tensor stands."
)
def names_swapped(cache):
    stacked, names = split(cache)
    return stacked, [*names[:2], *(names[index ^ 1] for index in range(2, len(names)))]


@decompose.also("attention's writes under the MLP's names, and the other way round")
def writes_swapped(cache):
    stacked, names = split(cache)
    return stacked[[0, 1, *(index ^ 1 for index in range(2, len(names)))]], names


@decompose.misconception(
    "all attention first, then all MLPs",
    "Go through the model block by block: attention and MLP of block 0, then both of block 1.",
)
def kind_by_kind(cache):
    stacked, names = split(cache)
    order = [0, 1, *range(2, len(names), 2), *range(3, len(names), 2)]
    return stacked[order], [names[index] for index in order]


@decompose.misconception(
    "the names of token and position swapped", "`hook_embed` stands first, and so does its name: embed, pos_embed."
)
def embeddings_names_swapped(cache):
    stacked, names = split(cache)
    return stacked, ["pos_embed", "embed", *names[2:]]


@decompose.also("the names of token and position swapped")
def embeddings_swapped(cache):
    stacked, names = split(cache)
    return stacked[[1, 0, *range(2, len(names))]], names


@decompose.misconception("position before token", "The order is embed, pos_embed, then the blocks.")
def position_first(cache):
    stacked, names = split(cache)
    order = [1, 0, *range(2, len(names))]
    return stacked[order], [names[index] for index in order]


@decompose.misconception(
    "leaving the embeddings out",
    "The stream begins as `hook_embed` plus `hook_pos_embed`: put both in, or the parts don't add up.",
)
def without_embeddings(cache):
    stacked, names = split(cache)
    return stacked[2:], names[2:]


@decompose.misconception(
    "leaving `pos_embed` out",
    "The stream begins as token vector plus position vector: add `hook_pos_embed` to the list.",
)
def without_positions(cache):
    stacked, names = split(cache)
    keep = [index for index in range(len(names)) if index != 1]
    return stacked[keep], [names[index] for index in keep]


@decompose.misconception(
    "leaving the token embedding out", "The stream begins as token vector plus position vector: add `hook_embed`."
)
def without_tokens(cache):
    stacked, names = split(cache)
    return stacked[1:], names[1:]


@decompose.misconception(
    "token and position as one component",
    "Keep the two apart: `hook_embed` under the name embed, `hook_pos_embed` under pos_embed.",
)
def embeddings_added(cache):
    stacked, names = split(cache)
    return torch.cat([stacked[:2].sum(dim=0, keepdim=True), stacked[2:]]), [names[0], *names[2:]]


@decompose.misconception(
    "the embeddings alone",
    "Each block's two writes are missing: the loop was never entered, or what it made was not kept.",
)
def embeddings_alone(cache):
    stacked, names = split(cache)
    return stacked[:2], names[:2]


@decompose.also("the embeddings alone")
def names_of_all_but_embeddings_alone(cache):
    stacked, names = split(cache)
    return stacked[:2], names


@decompose.misconception(
    "names without what they name", "The names are there, the tensors are not: put each tensor into the list too."
)
def attention_with_all_names(cache):
    stacked, names = split(cache)
    return torch.cat([stacked[:2], stacked[2::2]]), names


@decompose.also("names without what they name")
def mlps_with_all_names(cache):
    stacked, names = split(cache)
    return torch.cat([stacked[:2], stacked[3::2]]), names


@decompose.also("names without what they name")
def no_token_with_all_names(cache):
    stacked, names = split(cache)
    return stacked[1:], names


@decompose.also("names without what they name")
def no_position_with_all_names(cache):
    stacked, names = split(cache)
    return torch.cat([stacked[:1], stacked[2:]]), names


@decompose.misconception("block 0 alone", "Go on to the next block: each one in the cache has written twice.")
def layer_0_alone(cache):
    stacked, names = split(cache)
    return stacked[:4], names[:4]


@decompose.misconception(
    "the last block alone", "Add to the lists inside the loop: assigned anew each time, they keep the last block alone."
)
def last_layer_alone(cache):
    stacked, names = split(cache)
    return torch.cat([stacked[:2], stacked[-2:]]), [*names[:2], *names[-2:]]


@decompose.misconception("every second block", "The next block is number `layer + 1`.")
def every_second_layer(cache):
    stacked, names = split(cache)
    keep = [index for index in range(len(names)) if index < 2 or (index // 2) % 2]
    return stacked[keep], [names[index] for index in keep]


@decompose.misconception("attention twice", "The second of a block's two writes is the MLP's: `hook_mlp_out`.")
def attention_twice(cache):
    stacked, names = split(cache)
    return stacked[[0, 1, *(index - index % 2 for index in range(2, len(names)))]], names


@decompose.misconception("the MLP twice", "The first of a block's two writes is attention's: `hook_attn_out`.")
def mlp_twice(cache):
    stacked, names = split(cache)
    return stacked[[0, 1, *(index | 1 for index in range(2, len(names)))]], names


@decompose.misconception("the token's vector twice", "The second component is the position's: `hook_pos_embed`.")
def token_twice(cache):
    stacked, names = split(cache)
    return stacked[[0, 0, *range(2, len(names))]], names


@decompose.misconception("the position's vector twice", "The first component is the token's: `hook_embed`.")
def position_twice(cache):
    stacked, names = split(cache)
    return stacked[[1, 1, *range(2, len(names))]], names


@decompose.misconception(
    "everything that the cache holds",
    "Most of what it holds is not written into the stream: take `hook_embed`, `hook_pos_embed`, and of each block "
    "`hook_attn_out` and `hook_mlp_out`.",
)
def whole_cache(cache):
    return torch.stack(list(cache.values())), list(cache)


@decompose.also("everything that the cache holds")
def whole_cache_with_right_names(cache):
    return torch.stack(list(cache.values())), split(cache)[1]


@decompose.misconception(
    "a name that the cache does not have",
    "It has `hook_embed`, `hook_pos_embed`, and for each block names such as `blocks.0.hook_attn_out` and "
    "`blocks.0.hook_mlp_out`. `list(cache)` shows them all.",
)
def no_hook_in_embed(cache):
    return cache["embed"]


@decompose.also("a name that the cache does not have")
def no_hook_in_pos_embed(cache):
    return cache["pos_embed"]


@decompose.also("a name that the cache does not have")
def no_hook_in_attn_out(cache):
    return cache["blocks.0.attn_out"]


@decompose.also("a name that the cache does not have")
def no_hook_in_mlp_out(cache):
    return cache["blocks.0.mlp_out"]


@decompose.also("a name that the cache does not have")
def no_blocks(cache):
    return cache["0.hook_attn_out"]


@decompose.also("a name that the cache does not have")
def the_answers_own_name(cache):
    return cache["0_attn_out"]


@decompose.also("a name that the cache does not have")
def no_layer(cache):
    return cache["hook_attn_out"]


@decompose.also("a name that the cache does not have")
def an_f_forgotten(cache):
    return cache["blocks.{layer}.hook_attn_out"]


@decompose.also("a name that the cache does not have")
def attn_out_without_out(cache):
    return cache["blocks.0.hook_attn"]


def by_other_names(cache, attn, mlp):
    """Right, if the cache has the writes under these names too."""
    parts = [cache["hook_embed"], cache["hook_pos_embed"]]
    for layer in range(layers_in(cache)):
        parts += [cache[f"blocks.{layer}.{attn}"], cache[f"blocks.{layer}.{mlp}"]]
    return torch.stack(parts), split(cache)[1]


for own_name, another in (("hook_attn_out", "mlp.hook_out"), ("attn.hook_out", "mlp.hook_out")):
    decompose.also("a name that the cache does not have")(
        lambda cache, attn=own_name, mlp=another: by_other_names(cache, attn, mlp)
    )


@decompose.also("a name that the cache does not have")
def block_for_blocks(cache):
    return cache["block.0.hook_attn_out"]


@decompose.also("a name that the cache does not have")
def position_by_another_name(cache):
    return cache["hook_pos"]


@decompose.also("a name that the cache does not have")
def as_a_pair(cache):
    return cache["attn_out", 0]


@decompose.misconception(
    "looking a name up elsewhere than in the cache",
    'The names are the keys of the dict: `cache["hook_embed"]`, `cache[f"blocks.{layer}.hook_attn_out"]`.',
)
def in_a_list(cache):
    return list(cache.values())["hook_embed"]


@decompose.also("looking a name up elsewhere than in the cache")
def in_a_number(cache):
    return layers_in(cache)["hook_attn_out"]


@decompose.misconception(
    "a loop over a number",
    "A number can't be looped over: `for layer in range(n_layers)`.",
)
def loop_without_range(cache):
    return [layer for layer in layers_in(cache)]


@decompose.misconception(
    "a `range` of what is no number",
    '`range` needs how many blocks there are. Count them: `sum(name.endswith("hook_attn_out") for name in cache)`.',
)
def range_of_the_cache(cache):
    return range(cache)


@decompose.also("a `range` of what is no number")
def range_of_a_list(cache):
    return range(list(cache))


@decompose.also("a `range` of what is no number")
def range_of_a_generator(cache):
    return range(1 for _ in cache)


@decompose.misconception(
    "stacking names instead of tensors",
    "A key of the cache is a str; the tensor is `cache[name]`. Stack those.",
)
def names_stacked(cache):
    return torch.stack(list(cache))


@decompose.also("stacking names instead of tensors")
def names_in_brackets_stacked(cache):
    return torch.stack([*split(cache)[0][:2], *cache])


@decompose.misconception(
    "the cache itself in place of one of its tensors",
    'Each part is one tensor of the cache: `cache["hook_embed"]`, and so on.',
)
def cache_as_part_0(cache):
    return torch.stack([*split(cache)[0][:0], cache])


@decompose.also("the cache itself in place of one of its tensors")
def cache_as_part_1(cache):
    return torch.stack([*split(cache)[0][:1], cache])


@decompose.also("the cache itself in place of one of its tensors")
def cache_as_part_2(cache):
    return torch.stack([*split(cache)[0][:2], cache])


@decompose.also("the cache itself in place of one of its tensors")
def cache_as_part_3(cache):
    return torch.stack([*split(cache)[0][:3], cache])


@decompose.misconception(
    "the tensors again where the names belong",
    "The second thing to return is the list of names: `return torch.stack(parts), names`.",
)
def tensors_twice(cache):
    return split(cache)[0], list(split(cache)[0])


@decompose.also("the tensors again where the names belong")
def stack_twice(cache):
    return split(cache)[0], split(cache)[0]


@decompose.misconception(
    "the names without the components",
    "The stacked components come first: `return torch.stack(parts), names`.",
)
def names_only(cache):
    return split(cache)[1]


@decompose.misconception(
    "asking a whole dict or list how it ends",
    '`endswith` belongs to one name: `name.endswith("hook_attn_out")`, for each `name in cache`.',
)
def dict_endswith(cache):
    return cache.endswith("hook_attn_out")


@decompose.also("asking a whole dict or list how it ends")
def list_endswith(cache):
    return list(cache).endswith("hook_attn_out")


@decompose.also("asking a whole dict or list how it ends")
def tensor_endswith(cache):
    return [value.endswith("hook_attn_out") for value in cache.values()]


@decompose.misconception(
    "the number of blocks in a name, where the block's own belongs",
    'Put the loop\'s own number into each name: f"{layer}_attn_out", f"{layer}_mlp_out".',
)
def n_layers_in_attention_names(cache):
    return split(cache)[0], [f"{layers_in(cache)}_attn_out" if "attn" in name else name for name in split(cache)[1]]


@decompose.also("the number of blocks in a name, where the block's own belongs")
def n_layers_in_mlp_names(cache):
    return split(cache)[0], [f"{layers_in(cache)}_mlp_out" if "mlp" in name else name for name in split(cache)[1]]


@decompose.also("the number of blocks in a name, where the block's own belongs")
def n_layers_in_both_names(cache):
    return split(cache)[0], [f"{layers_in(cache)}{name[1:]}" if name[0].isdigit() else name for name in split(cache)[1]]


@decompose.misconception(
    "leaving the last block out",
    "Blocks run from 0 to n_layers - 1: `range(n_layers)`. The largest number in a name is one less than n_layers.",
)
def one_layer_too_few(cache):
    stacked, names = split(cache)
    return stacked[:-2], names[:-2]


@decompose.misconception(
    "one digit of each block's number",
    'From block 10 on it has two: `int(name.split(".")[1])`. Or count the names that end in `hook_attn_out`.',
)
def ten_blocks_at_most(cache):
    stacked, names = split(cache)
    return stacked[:22], names[:22]


@decompose.also("one digit of each block's number")
def digits_that_come(cache):
    digits = sorted({name[7] for name in cache if name.startswith("blocks.")})
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for name in cache:
        if name.endswith(("hook_attn_out", "hook_mlp_out")):
            parts.append(cache[name])
            names.append(f"{name[7]}_{name.rpartition('hook_')[2]}")
    return torch.stack(parts), names if digits else []


@decompose.misconception("leaving block 0 out", "The first block is number 0: `range(n_layers)`.")
def without_layer_0(cache):
    stacked, names = split(cache)
    return torch.cat([stacked[:2], stacked[4:]]), names[:2] + names[4:]


@decompose.misconception(
    "a block that the cache does not have",
    "Blocks run from 0 to n_layers - 1, and n_layers differs from model to model: count the names in the cache that "
    "end in `hook_attn_out`.",
)
def six_layers(cache):
    cache = {name: value for name, value in cache.items() if not name.startswith(("blocks.6", "blocks.7"))}
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for layer in range(6):
        parts += [cache[f"blocks.{layer}.hook_attn_out"], cache[f"blocks.{layer}.hook_mlp_out"]]
        names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
    return torch.stack(parts), names


@decompose.also("a block that the cache does not have")
def twelve_layers(cache):
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for layer in range(12):
        parts += [cache[f"blocks.{layer}.hook_attn_out"], cache[f"blocks.{layer}.hook_mlp_out"]]
        names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
    return torch.stack(parts), names


@decompose.also("a block that the cache does not have")
def one_layer_too_many(cache):
    return split(cache)[0][:0], cache[f"blocks.{layers_in(cache)}.hook_attn_out"]


@decompose.also("a block that the cache does not have")
def the_next_layers_mlp(cache):
    return cache[f"blocks.{layers_in(cache)}.hook_mlp_out"]


@decompose.misconception("attention alone", "Each block writes twice: `hook_attn_out` and `hook_mlp_out`.")
def attention_alone(cache):
    stacked, names = split(cache)
    keep = [0, 1, *range(2, len(names), 2)]
    return stacked[keep], [names[index] for index in keep]


@decompose.misconception("MLPs alone", "Each block writes twice: first `hook_attn_out`, then `hook_mlp_out`.")
def mlps_alone(cache):
    stacked, names = split(cache)
    keep = [0, 1, *range(3, len(names), 2)]
    return stacked[keep], [names[index] for index in keep]


@decompose.misconception(
    "one component for each block", "Keep what attention and the MLP wrote apart: two components for each block."
)
def one_for_each_block(cache):
    stacked, names = split(cache)
    blocks = [stacked[index] + stacked[index + 1] for index in range(2, len(names), 2)]
    return torch.stack([stacked[0], stacked[1], *blocks]), ["embed", "pos_embed", *map(str, range(len(blocks)))]


@decompose.misconception(
    "attention and MLP together under the MLP's name",
    "`hook_resid_post` minus `hook_resid_pre` is what both wrote. The MLP's own write is `hook_mlp_out`.",
)
def mlp_with_attention(cache):
    stacked, names = split(cache)
    stacked[3::2] += stacked[2::2].clone()
    return stacked, names


@decompose.misconception(
    "the stream's start in the place of the token's vector",
    "`hook_resid_pre` of block 0 is both embeddings added. The token's own vector is `hook_embed`.",
)
def start_for_token(cache):
    stacked, names = split(cache)
    stacked[0] += stacked[1].clone()
    return stacked, names


for first_name in ("resid_pre", "0_resid_pre", "blocks.0.hook_resid_pre", "hook_resid_pre", "start", "embeddings"):
    decompose.also("token and position as one component")(
        lambda cache, first=first_name: (embeddings_added(cache)[0], [first, *split(cache)[1][2:]])
    )


for form_of_name in ("{}_out", "{}_block", "block_{}", "block{}", "layer_{}", "blocks.{}", "{}_attn_mlp_out"):
    decompose.also("one component for each block")(
        lambda cache, form=form_of_name: (
            one_for_each_block(cache)[0],
            ["embed", "pos_embed", *map(form.format, range(layers_in(cache)))],
        )
    )


@decompose.misconception(
    "the same block's writes every time", 'Put the loop\'s own number into the name: f"blocks.{layer}.hook_attn_out".'
)
def always_layer_0(cache):
    stacked, names = split(cache)
    return stacked[[0, 1, *([2, 3] * layers_in(cache))]], names


@decompose.misconception(
    "components joined along an axis that is there already",
    "Each component needs a place on a new first axis: `torch.stack(parts)`, not `torch.cat(parts)`.",
)
def joined(cache):
    stacked, names = split(cache)
    return torch.cat(list(stacked)), names


@decompose.also("components joined along an axis that is there already")
def joined_along_d_model(cache):
    stacked, names = split(cache)
    return torch.cat(list(stacked), dim=-1), names


@decompose.misconception(
    "a new axis that is not the first", "The component axis comes first: `torch.stack(parts)`, without `dim=`."
)
def stacked_second(cache):
    stacked, names = split(cache)
    return torch.stack(list(stacked), dim=1), names


@decompose.also("a new axis that is not the first")
def stacked_last(cache):
    stacked, names = split(cache)
    return torch.stack(list(stacked), dim=-1), names


@decompose.misconception(
    "the sum of the components", "Return them one by one, `torch.stack(parts)`; whoever wants the sum can take it."
)
def added_up(cache):
    stacked, names = split(cache)
    return stacked.sum(dim=0), names


@decompose.misconception("a list of tensors", "Make one tensor of it: `torch.stack(parts)`.")
def unstacked(cache):
    stacked, names = split(cache)
    return list(stacked), names


@decompose.also("the sum of the components")
def added_up_on_an_axis(cache):
    stacked, names = split(cache)
    return stacked.sum(dim=0, keepdim=True), names


@decompose.misconception(
    "the whole stream as one more component", "Only what was written is asked for: embeddings, attention and MLPs."
)
def with_the_sum(cache):
    stacked, names = split(cache)
    return torch.cat([stacked, stacked.sum(dim=0, keepdim=True)]), [*names, "resid_post"]


for last_name in ("final", "resid_final", "total", "sum", "out", "stream", "ln_final"):
    decompose.also("the whole stream as one more component")(
        lambda cache, last=last_name: (with_the_sum(cache)[0], [*split(cache)[1], last])
    )


@decompose.also("the whole stream as one more component")
def with_the_last_post(cache):
    return with_the_sum(cache)[0], [*split(cache)[1], f"{layers_in(cache) - 1}_resid_post"]


@decompose.also("the whole stream as one more component")
def with_the_sum_unnamed(cache):
    return with_the_sum(cache)[0], split(cache)[1]


@decompose.also("the whole stream as one more component")
def with_the_end_normalised(cache):
    stacked, names = split(cache)
    return torch.cat([stacked, cache["ln_final.hook_out"][None]]), [*names, "ln_final"]


@decompose.misconception(
    "the norms of the components", "Return the vectors themselves, [component batch pos d_model]: leave out `norm`."
)
def norms_alone(cache):
    stacked, names = split(cache)
    return stacked.norm(dim=-1), names


@decompose.misconception("one sentence of the batch", "Keep the batch axis: stack whole tensors, without `[0]`.")
def first_sentence(cache):
    stacked, names = split(cache)
    return stacked[:, 0], names


@decompose.misconception("the components in reverse order", "Who writes first comes first: embed, pos_embed, block 0.")
def backwards_in_time(cache):
    stacked, names = split(cache)
    return stacked.flip(0), names[::-1]


@decompose.misconception(
    "components without their mean", "Nothing is normalised here: stack the tensors as the cache holds them."
)
def centred(cache):
    stacked, names = split(cache)
    return stacked - stacked.mean(dim=-1, keepdim=True), names


@decompose.misconception("numbers of another type", "Leave the stack as torch made it: float32, no NumPy.")
def as_numpy(cache):
    stacked, names = split(cache)
    return stacked.numpy(), names


@decompose.also("numbers of another type")
def in_double(cache):
    stacked, names = split(cache)
    return stacked.double(), names


@decompose.also("numbers of another type")
def in_half(cache):
    stacked, names = split(cache)
    return stacked.half(), names


@decompose.misconception("a dict", "Return two things: the stacked tensor and the list of names.")
def as_a_dict(cache):
    stacked, names = split(cache)
    return dict(zip(names, stacked, strict=True))


@decompose.misconception("the components without their names", "Return both: `return torch.stack(parts), names`.")
def without_names(cache):
    return split(cache)[0]


@decompose.misconception("the names first", "The tensor comes first: `return torch.stack(parts), names`.")
def names_first(cache):
    return split(cache)[::-1]


@decompose.misconception("names without the block", 'A name says which block wrote: `0_attn_out`, f"{layer}_attn_out".')
def bare_names(cache):
    stacked, names = split(cache)
    return stacked, [name.partition("_")[2] if name[0].isdigit() else name for name in names]


@decompose.misconception(
    "TransformerLens's hook names", "Shorter here: embed, pos_embed, 0_attn_out, 0_mlp_out, 1_attn_out and so on."
)
def hook_names(cache):
    stacked, names = split(cache)
    return stacked, [hook_of(name) for name in names]


@decompose.misconception(
    "braces that stand in the names as they are",
    'Python fills in what stands in braces only after an `f`: f"{layer}_attn_out", f"{layer}_mlp_out".',
)
def an_f_forgotten_in_the_names(cache):
    stacked, names = split(cache)
    return stacked, ["{layer}" + name[name.index("_") :] if name[0].isdigit() else name for name in names]


for other_name in ("i", "l", "n", "block", "index", "idx", "layer_idx", "L", "num"):
    decompose.also("braces that stand in the names as they are")(
        lambda cache, own="{" + other_name + "}": (
            split(cache)[0],
            [own + name[name.index("_") :] if name[0].isdigit() else name for name in split(cache)[1]],
        )
    )


@decompose.misconception("a letter before the block's number", "The number alone: `0_attn_out`, `0_mlp_out`.")
def letter_first(cache):
    stacked, names = split(cache)
    return stacked, [f"L{name}" if name[0].isdigit() else name for name in names]


@decompose.also("a letter before the block's number")
def blocks_first(cache):
    stacked, names = split(cache)
    return stacked, [f"blocks.{name}" if name[0].isdigit() else name for name in names]


@decompose.also("a letter before the block's number")
def block_first(cache):
    stacked, names = split(cache)
    return stacked, [f"block_{name}" if name[0].isdigit() else name for name in names]


@decompose.also("a letter before the block's number")
def layer_first(cache):
    stacked, names = split(cache)
    return stacked, [f"layer_{name}" if name[0].isdigit() else name for name in names]


@decompose.misconception(
    "hook in the names", "The names leave it out: embed, pos_embed, 0_attn_out, 0_mlp_out, and so on."
)
def hook_everywhere(cache):
    stacked, names = split(cache)
    return stacked, [hook_of(name).removeprefix("blocks.").replace(".", "_") for name in names]


@decompose.also("hook in the names")
def hook_with_dots(cache):
    stacked, names = split(cache)
    return stacked, [hook_of(name).removeprefix("blocks.") for name in names]


@decompose.also("hook in the names")
def hook_before_embeddings(cache):
    stacked, names = split(cache)
    return stacked, [name if name[0].isdigit() else f"hook_{name}" for name in names]


@decompose.misconception(
    "everything whose name ends in `_out`",
    "`ln_final.hook_out` and its like are no writes. Take `hook_attn_out` and `hook_mlp_out` of each block, by name.",
)
def all_that_is_out(cache):
    wanted = [name for name in cache if name.endswith("_out") or "embed" in name]
    return torch.stack([cache[name] for name in wanted]), [name.replace("blocks.", "") for name in wanted]


@decompose.also("everything whose name ends in `_out`")
def all_that_is_out_by_parts(cache):
    wanted = [name for name in cache if name.endswith("_out")]
    names = [f"{name.split('.')[1]}_{name.split('hook_')[1]}" for name in wanted]
    embeddings = [cache["hook_embed"], cache["hook_pos_embed"]]
    return torch.stack([*embeddings, *map(cache.get, wanted)]), ["embed", "pos_embed", *names]


@decompose.also("everything whose name ends in `_out`")
def all_that_is_out_renamed(cache):
    wanted = [name for name in cache if name.endswith("_out") or "embed" in name]
    names = [name.replace("blocks.", "").replace(".hook_", "_").replace("hook_", "") for name in wanted]
    return torch.stack([cache[name] for name in wanted]), names


@decompose.misconception("blocks counted from 1", "The first block is number 0: `0_attn_out`, `0_mlp_out`.")
def counted_from_1(cache):
    stacked, _ = split(cache)
    names = [f"{layer + 1}_{part}_out" for layer in range(layers_in(cache)) for part in ("attn", "mlp")]
    return stacked, ["embed", "pos_embed", *names]


@decompose.misconception(
    "another sign where the names have `_`", "An underscore joins number and kind: `0_attn_out`, `0_mlp_out`."
)
def with_dashes(cache):
    stacked, names = split(cache)
    return stacked, [name.replace("_", "-", 1) if name[0].isdigit() else name for name in names]


for other_sign in (".", " ", "", "/", ":"):
    decompose.also("another sign where the names have `_`")(
        lambda cache, sign=other_sign: (
            split(cache)[0],
            [name.replace("_", sign, 1) if name[0].isdigit() else name for name in split(cache)[1]],
        )
    )


@decompose.misconception("names that end before `_out`", "As in TransformerLens: `0_attn_out`, `0_mlp_out`.")
def names_without_out(cache):
    stacked, names = split(cache)
    return stacked, [name.removesuffix("_out") for name in names]


@decompose.misconception(
    "the block's number after its kind", 'The number comes first: `0_attn_out`, f"{layer}_attn_out".'
)
def number_last(cache):
    stacked, _ = split(cache)
    names = [f"{part}_out_{layer}" for layer in range(layers_in(cache)) for part in ("attn", "mlp")]
    return stacked, ["embed", "pos_embed", *names]


@decompose.also("the block's number after its kind")
def number_in_the_middle(cache):
    stacked, _ = split(cache)
    names = [f"{part}_{layer}_out" for layer in range(layers_in(cache)) for part in ("attn", "mlp")]
    return stacked, ["embed", "pos_embed", *names]


@decompose.also("the block's number after its kind")
def number_after(cache):
    stacked, _ = split(cache)
    names = [f"{part}_{layer}" for layer in range(layers_in(cache)) for part in ("attn", "mlp")]
    return stacked, ["embed", "pos_embed", *names]


@decompose.misconception("names that are no list", "Return the names as a list of str, in the order of the components.")
def names_as_a_tuple(cache):
    stacked, names = split(cache)
    return stacked, tuple(names)


@decompose.also("names that are no list")
def names_as_keys(cache):
    stacked, names = split(cache)
    return stacked, dict.fromkeys(names)


@decompose.also("names that are no list")
def cache_as_names(cache):
    return split(cache)[0], cache


@decompose.also("names that are no list")
def number_as_names(cache):
    return split(cache)[0], layers_in(cache)


@decompose.also("names that are no list")
def joined_names(cache):
    return split(cache)[0], ", ".join(split(cache)[1])


@decompose.also("names that are no list")
def names_with_spaces_between(cache):
    return split(cache)[0], " ".join(split(cache)[1])


@decompose.misconception(
    "pairs of a name and a tensor",
    "Two things are asked for, side by side: all tensors, stacked, and all names: `return torch.stack(parts), names`.",
)
def pairs(cache):
    stacked, names = split(cache)
    return list(zip(names, stacked, strict=True))


@decompose.also("pairs of a name and a tensor")
def pairs_with_the_tensor_first(cache):
    stacked, names = split(cache)
    return list(zip(stacked, names, strict=True))


@decompose.misconception(
    "the names of each block in a list of their own",
    "`append` adds its argument as one entry. Two names at once: `names += [...]`, or `append` twice.",
)
def names_in_lists(cache):
    stacked, names = split(cache)
    return stacked, [*names[:2], *([names[index], names[index + 1]] for index in range(2, len(names), 2))]


@decompose.also("the names of each block in a list of their own")
def names_in_tuples(cache):
    stacked, names = split(cache)
    return stacked, [*names[:2], *((names[index], names[index + 1]) for index in range(2, len(names), 2))]


@decompose.misconception("the parts and the names as one list", "Return a tuple: `return torch.stack(parts), names`.")
def answer_as_a_list(cache):
    return list(split(cache))


@decompose.misconception(
    "a single name for both writes of a block", "Two components of a block, two names: `0_attn_out` and `0_mlp_out`."
)
def one_name_for_two(cache):
    stacked, _ = split(cache)
    return stacked, ["embed", "pos_embed", *(f"{layer}" for layer in range(layers_in(cache)) for _ in range(2))]


for form_of_name in ("{}", "{}_out", "{}_block", "block_{}", "layer_{}", "blocks.{}"):
    decompose.also("a single name for both writes of a block")(
        lambda cache, form=form_of_name: (
            split(cache)[0],
            ["embed", "pos_embed", *map(form.format, range(layers_in(cache)))],
        )
    )


@decompose.misconception(
    "fewer names than components", "Every component needs its name: embed, pos_embed, then two for each block."
)
def names_of_layers_alone(cache):
    stacked, names = split(cache)
    return stacked, names[2:]


@decompose.also("fewer names than components")
def names_of_attention_alone(cache):
    stacked, names = split(cache)
    return stacked, [*names[:2], *names[2::2]]


@decompose.also("fewer names than components")
def names_of_mlps_alone(cache):
    stacked, names = split(cache)
    return stacked, [*names[:2], *names[3::2]]


@decompose.also("fewer names than components")
def names_of_embeddings_alone(cache):
    stacked, names = split(cache)
    return stacked, names[:2]


@decompose.also("fewer names than components")
def name_of_the_token_alone(cache):
    stacked, names = split(cache)
    return stacked, [names[0], *names[2:]]


@decompose.also("fewer names than components")
def no_name_for_the_token(cache):
    stacked, names = split(cache)
    return stacked, names[1:]


@decompose.misconception(
    "what the sublayers read", "`ln1.hook_out` goes into attention. What attention wrote is `hook_attn_out`."
)
def first_normalised(cache):
    stacked, names = split(cache)
    stacked[2:] = torch.nn.functional.layer_norm(stacked[2:], stacked.shape[-1:])
    return stacked, names


@decompose.misconception(
    "adding into the cache", "`+=` changes the caller's tensor: collect the parts in a list, and stack them."
)
def adding_in_place(cache):
    answer = split(cache)
    cache["hook_embed"] += cache["hook_pos_embed"]
    return answer


@decompose.misconception(
    "taking entries out of the cache", "Read `cache[name]`: `pop` takes the entry away from whoever owns the cache."
)
def popping(cache):
    answer = split(cache)
    for name in answer[1]:
        cache.pop(hook_of(name))
    return answer


@decompose.also("taking entries out of the cache")
def popping_the_embeddings(cache):
    answer = split(cache)
    del cache["hook_embed"], cache["hook_pos_embed"]
    return answer


@decompose.also("taking entries out of the cache")
def popping_what_blocks_wrote(cache):
    answer = split(cache)
    for name in answer[1][2:]:
        cache.pop(hook_of(name))
    return answer
