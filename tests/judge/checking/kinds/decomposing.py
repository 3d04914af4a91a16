"""A function of a dict of tensors that answers a tensor and a list of names."""

import torch

from judge.checking import Exercise, check_agrees, check_inputs_unchanged, line, random_tensor


def decompose_residual(cache):
    """The reference solution."""
    names, parts = ["embed", "pos_embed"], [cache["hook_embed"], cache["hook_pos_embed"]]
    layer = 0
    while f"blocks.{layer}.hook_attn_out" in cache:
        for part in ("attn", "mlp"):
            names.append(f"{layer}_{part}_out")
            parts.append(cache[f"blocks.{layer}.hook_{part}_out"])
        layer += 1
    return torch.stack(parts), names


exercise = Exercise(
    inputs={"cache": ""},
    output="component batch pos d_model",
    free_axes="component batch pos",
    solution="tests.judge.checking.kinds.decomposing",
)


def random_cache(n_layers):
    sublayers = [f"blocks.{layer}.hook_{part}_out" for layer in range(n_layers) for part in ("attn", "mlp")]
    names = ["hook_embed", "hook_pos_embed", *sublayers, "ln_final.hook_out"]
    return {name: random_tensor(2, 3, 8) for name in names}


@exercise.test
def test_decompose_residual(decompose_residual):
    with line("stacks what each component wrote, and names it"):
        for n_layers in (1, 3, 12):
            check_agrees(decompose_residual, random_cache(n_layers))
    with line("leaves the cache as it was"):
        check_inputs_unchanged(decompose_residual, random_cache(2))


@exercise.correct
def filled_in(cache):
    n_layers = sum(name.endswith("hook_mlp_out") for name in cache)
    stacked = torch.empty(2 + 2 * n_layers, *cache["hook_embed"].shape)
    stacked[0], stacked[1] = cache["hook_embed"], cache["hook_pos_embed"]
    for layer in range(n_layers):
        stacked[2 + 2 * layer] = cache[f"blocks.{layer}.hook_attn_out"]
        stacked[3 + 2 * layer] = cache[f"blocks.{layer}.hook_mlp_out"]
    return stacked, ["embed", "pos_embed"] + [f"{i // 2}_{('attn', 'mlp')[i % 2]}_out" for i in range(2 * n_layers)]


@exercise.correct
def from_the_names_in_the_cache(cache):
    found = {name: value for name, value in cache.items() if not name.startswith("ln")}
    names = [name.replace("blocks.", "").replace(".hook_", "_").replace("hook_", "") for name in found]
    return torch.cat([value.unsqueeze(0) for value in found.values()]), names


@exercise.misconception("layers in the order of their names as text", "As text, layer 10 stands before layer 2.")
def order_of_text(cache):
    stacked, names = decompose_residual(cache)
    order = [0, 1, *sorted(range(2, len(names)), key=lambda index: names[index])]
    return stacked[order], [names[index] for index in order]


@exercise.misconception("running sums", "Each component alone, not the stream after it: no cumsum.")
def running_sums(cache):
    stacked, names = decompose_residual(cache)
    return stacked.cumsum(dim=0), names


@exercise.misconception("adding into the cache", "`+=` changes the caller's tensor: assign to a new name.")
def adding_in_place(cache):
    answer = decompose_residual(cache)
    cache["hook_embed"] += cache["hook_pos_embed"]
    return answer


@exercise.misconception("taking entries out of the cache", "Read `cache[name]`: `pop` takes the entry from its owner.")
def popping(cache):
    answer = decompose_residual(cache)
    cache.pop("ln_final.hook_out")
    return answer


@exercise.misconception("a list of tensors", "Make one tensor of it: `torch.stack(parts)`.")
def unstacked(cache):
    stacked, names = decompose_residual(cache)
    return list(stacked), names


@exercise.misconception("attention and MLP swapped", "In a block attention writes first, then the MLP.")
def swapped(cache):
    stacked, names = decompose_residual(cache)
    order = [0, 1, *(index ^ 1 for index in range(2, len(names)))]
    return stacked[order], [names[index] for index in order]


@exercise.misconception("names without the layer", "A name says which layer wrote: `0_attn_out`.")
def bare_names(cache):
    stacked, names = decompose_residual(cache)
    return stacked, [name.partition("_")[2] if name[0].isdigit() else name for name in names]
