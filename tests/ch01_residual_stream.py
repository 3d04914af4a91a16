"""Chapter 1: what ResidualStream and decompose_residual must do."""

import torch
from torch import Tensor

from judge.checking import (
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
from judge.checking.checks.parameters import check_names_and_shapes
from utils.gpt import SMALL
from utils.reference import reference


def layers_of(matrices: list[Tensor]) -> dict[str, str]:
    """The parameters that a stream of these linear layers must have registered."""
    return {f"layers.{index}.weight": "d_in d_out" for index in range(len(matrices))}


stream = Exercise(
    inputs={"resid": "batch pos d_model"},
    output="batch pos d_model",
    parameters=layers_of,
    drive="stream",
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
    places=(("the components", "the names"),),
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
    with line("hands each layer the whole stream: one that looks across positions finds them all"):
        check_agrees(ResidualStream, matrices, resid, across="pos")
    with line("all sentences at once: one that looks across them finds them all too"):
        check_agrees(ResidualStream, matrices, resid, across="batch")
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
    with line("finds them by their names, whatever the order of the dict"):
        for n_layers in (2, 4):
            cache = random_cache(n_layers)
            check_agrees(decompose_residual, dict(reversed(cache.items())))
            written = {name: value for name, value in cache.items() if name.endswith(("_embed", "attn_out", "mlp_out"))}
            check_agrees(decompose_residual, written)
    with line("any number of sentences and positions"):
        for batch, pos, d_model in [(1, 1, 8), (1, 5, 11), (6, 1, 3), (4, 4, 4)]:
            check_agrees(decompose_residual, random_cache(2, batch, pos, d_model))
    with line("splits the reference model's last `hook_resid_post` into what was written"):
        check_agrees(decompose_residual, recorded_cache())
