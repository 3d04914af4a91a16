"""How decompose_residual goes wrong: which components are stacked, and in which order."""

import torch
from torch import Tensor

from tests.ch01_residual_stream import decompose

BLOCKS = ("hook_attn_out", "hook_mlp_out")


def split(cache: dict[str, Tensor]) -> tuple[Tensor, list[str]]:
    """A right answer for wrong ones to start from."""
    names = ["embed", "pos_embed"]
    names += [f"{layer}_{part}_out" for layer in range(layers_in(cache)) for part in ("attn", "mlp")]
    return torch.stack([cache[hook_of(name)] for name in names]), names


def as_it_is(cache):
    """The same right answer, for changes of one of its two parts."""
    stacked, names = split(cache)
    return stacked, names


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
    "the order of the dict",
    "A dict may hold the names in any order. Ask for each by its name: the embeddings, then block after block.",
)
def order_of_the_dict(cache):
    ends = ("hook_embed", "hook_pos_embed", "hook_attn_out", "hook_mlp_out")
    found = {name: value for name, value in cache.items() if name.endswith(ends)}
    names = [name.replace("blocks.", "").replace(".hook_", "_").replace("hook_", "") for name in found]
    return torch.cat([value.unsqueeze(0) for value in found.values()]), names


@decompose.also("the order of the dict")
def embeddings_first_then_the_dict(cache):
    names = ["embed", "pos_embed"]
    names += [f"{name.split('.')[1]}_{name.split('hook_')[1]}" for name in cache if name.endswith(BLOCKS)]
    return torch.stack([cache[hook_of(name)] for name in names]), names


@decompose.also("the order of the dict")
def the_dict_under_names_in_order(cache):
    found = [cache[name] for name in cache if name.endswith(("hook_embed", "hook_pos_embed", *BLOCKS))]
    return torch.stack(found), split(cache)[1]


@decompose.also("the order of the dict")
def blocks_of_the_dict_under_names_in_order(cache):
    found = [cache[name] for name in cache if name.endswith(BLOCKS)]
    return torch.stack([cache["hook_embed"], cache["hook_pos_embed"], *found]), split(cache)[1]


@decompose.also("the order of the dict")
def blocks_as_they_come(cache):
    """Block by block, in the order in which the dict first has them."""
    layers = dict.fromkeys(name.split(".")[1] for name in cache if name.startswith("blocks."))
    names = ["embed", "pos_embed", *(f"{layer}_{part}_out" for layer in layers for part in ("attn", "mlp"))]
    return torch.stack([cache[hook_of(name)] for name in names]), names


decompose.misconception(
    "running sums",
    "A component is what one part wrote, not the stream after it: add nothing up.",
    "return stacked → return stacked.cumsum(dim=0)",
    "return stacked → return torch.cat([stacked[:1], stacked[1:].cumsum(dim=0)])",
    of=as_it_is,
)


@decompose.misconception(
    "the stream itself in place of what was written",
    "`hook_resid_pre`, `hook_resid_mid` and `hook_resid_post` hold the sum so far. What was written is "
    "`hook_attn_out`, `hook_mlp_out`.",
)
def the_stream_itself(cache):
    stacked, names = split(cache)
    n_layers = layers_in(cache)
    streams = [cache[f"blocks.{layer}.hook_resid_{at}"] for layer in range(n_layers) for at in ("pre", "mid")]
    return torch.stack([stacked[0], stacked[1], *streams]), names


decompose.also("the stream itself in place of what was written", '"pre", "mid" → "mid", "post"', of=the_stream_itself)


for kind, at in (("attn", "mid"), ("mlp", "post")):
    decompose.also("the stream itself in place of what was written")(
        lambda cache, kind=kind, at=at: split(
            {
                **cache,
                **{
                    f"blocks.{n}.hook_{kind}_out": cache[f"blocks.{n}.hook_resid_{at}"] for n in range(layers_in(cache))
                },
            }
        )
    )


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


decompose.also(
    "attention's writes under the MLP's names, and the other way round",
    "return stacked → return stacked[[0, 1, *(index ^ 1 for index in range(2, len(names)))]]",
    of=as_it_is,
)


@decompose.misconception(
    "all attention first, then all MLPs",
    "Go through the model block by block: attention and MLP of block 0, then both of block 1.",
)
def kind_by_kind(cache):
    stacked, names = split(cache)
    order = [0, 1, *range(2, len(names), 2), *range(3, len(names), 2)]
    return stacked[order], [names[index] for index in order]


decompose.also("all attention first, then all MLPs", lambda cache: (kind_by_kind(cache)[0], split(cache)[1]))
decompose.misconception(
    "the names of token and position swapped",
    "`hook_embed` stands first, and so does its name: embed, pos_embed.",
    'return stacked, names → return stacked, ["pos_embed", "embed", *names[2:]]',
    "return stacked → return stacked[[1, 0, *range(2, len(names))]]",
    of=as_it_is,
)


@decompose.misconception("position before token", "The order is embed, pos_embed, then the blocks.")
def position_first(cache):
    stacked, names = split(cache)
    order = [1, 0, *range(2, len(names))]
    return stacked[order], [names[index] for index in order]


decompose.misconception(
    "leaving the embeddings out",
    "The stream begins as `hook_embed` plus `hook_pos_embed`: put both in, or the parts don't add up.",
    "return stacked, names → return stacked[2:], names[2:]",
    of=as_it_is,
)


@decompose.misconception(
    "leaving `pos_embed` out",
    "The stream begins as token vector plus position vector: `hook_pos_embed` is the second component.",
)
def without_positions(cache):
    stacked, names = split(cache)
    keep = [index for index in range(len(names)) if index != 1]
    return stacked[keep], [names[index] for index in keep]


decompose.misconception(
    "leaving the token embedding out",
    "The stream begins as token vector plus position vector: `hook_embed` is the first component.",
    "return stacked, names → return stacked[1:], names[1:]",
    of=as_it_is,
)


@decompose.misconception(
    "token and position as one component",
    "Keep both embeddings apart: `hook_embed` under the name embed, `hook_pos_embed` under pos_embed.",
)
def embeddings_added(cache):
    stacked, names = split(cache)
    return torch.cat([stacked[:2].sum(dim=0, keepdim=True), stacked[2:]]), [names[0], *names[2:]]


decompose.misconception(
    "the embeddings alone",
    "Each block's two writes are missing: go through all blocks, and keep what each of them wrote.",
    "return stacked, names → return stacked[:2], names[:2]",
    "return stacked → return stacked[:2]",
    of=as_it_is,
)


@decompose.misconception(
    "blocks counted by names that a cache may lack",
    "Sums such as `hook_resid_post` and attention's scores need not be in the cache: count the names that end in "
    "`hook_attn_out`, which always are.",
)
def counted_by_sums(cache):
    n_layers = sum(name.endswith("hook_resid_post") for name in cache)
    names = ["embed", "pos_embed", *(f"{layer}_{part}_out" for layer in range(n_layers) for part in ("attn", "mlp"))]
    return torch.stack([cache[hook_of(name)] for name in names]), names


decompose.misconception(
    "names without what they name",
    "Some of the tensors that you name are missing: put one into the list for each name.",
    "return stacked → return torch.cat([stacked[:2], stacked[2::2]])",
    "return stacked → return torch.cat([stacked[:2], stacked[3::2]])",
    "return stacked → return stacked[1:]",
    "return stacked → return torch.cat([stacked[:1], stacked[2:]])",
    "return stacked → return stacked[2:]",
    of=as_it_is,
)
decompose.misconception(
    "block 0 alone",
    "Go on to the next block: each one in the cache has written twice.",
    "return stacked, names → return stacked[:4], names[:4]",
    of=as_it_is,
)
decompose.misconception(
    "the last block alone",
    "All blocks write: go through them in a loop, and begin the lists before it, not in it.",
    "return stacked, names → return torch.cat([stacked[:2], stacked[-2:]]), [*names[:2], *names[-2:]]",
    of=as_it_is,
)


@decompose.misconception("every second block", "Skip none: the next block is `layer + 1`.")
def every_second_layer(cache):
    stacked, names = split(cache)
    keep = [index for index in range(len(names)) if index < 2 or (index // 2) % 2]
    return stacked[keep], [names[index] for index in keep]


decompose.misconception(
    "attention twice",
    "The second of a block's two writes is the MLP's: `hook_mlp_out`.",
    "return stacked → return stacked[[0, 1, *(index - index % 2 for index in range(2, len(names)))]]",
    of=as_it_is,
)
decompose.misconception(
    "the MLP twice",
    "The first of a block's two writes is attention's: `hook_attn_out`.",
    "return stacked → return stacked[[0, 1, *(index | 1 for index in range(2, len(names)))]]",
    of=as_it_is,
)
decompose.misconception(
    "the token's vector twice",
    "The second component is the position's: `hook_pos_embed`.",
    "return stacked → return stacked[[0, 0, *range(2, len(names))]]",
    of=as_it_is,
)
decompose.misconception(
    "the position's vector twice",
    "The first component is the token's: `hook_embed`.",
    "return stacked → return stacked[[1, 1, *range(2, len(names))]]",
    of=as_it_is,
)
decompose.misconception(
    "everything that the cache holds",
    "Most of what it holds is not written into the stream: take `hook_embed`, `hook_pos_embed`, and of each block "
    "`hook_attn_out` and `hook_mlp_out`.",
    lambda cache: (torch.stack(list(cache.values())), list(cache)),
    lambda cache: (torch.stack(list(cache.values())), split(cache)[1]),
)
decompose.misconception(
    "a name that the cache does not have",
    "It has `hook_embed`, `hook_pos_embed`, and for each block names such as `blocks.0.hook_attn_out` and "
    "`blocks.0.hook_mlp_out`. `list(cache)` shows them all.",
    lambda cache: cache["embed"],
    lambda cache: cache["pos_embed"],
    lambda cache: cache["blocks.0.attn_out"],
    lambda cache: cache["blocks.0.mlp_out"],
    lambda cache: cache["0.hook_attn_out"],
    lambda cache: cache["0_attn_out"],
    lambda cache: cache["hook_attn_out"],
    lambda cache: cache["blocks.{layer}.hook_attn_out"],
    lambda cache: cache["blocks.0.hook_attn"],
)


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


decompose.also(
    "a name that the cache does not have",
    lambda cache: cache["block.0.hook_attn_out"],
    lambda cache: cache["hook_pos"],
    lambda cache: cache["attn_out", 0],
)
decompose.misconception(
    "looking a name up elsewhere than in the cache",
    'The names are the keys of the dict: `cache["hook_embed"]`, `cache[f"blocks.{layer}.hook_attn_out"]`.',
    lambda cache: list(cache.values())["hook_embed"],
    lambda cache: layers_in(cache)["hook_attn_out"],
)
decompose.misconception(
    "a loop over a number",
    "A number can't be looped over: `for layer in range(n_layers)`.",
    lambda cache: [layer for layer in layers_in(cache)],
)
decompose.misconception(
    "a `range` of what is not a number",
    '`range` needs how many blocks there are. Count them: `sum(name.endswith("hook_attn_out") for name in cache)`.',
    lambda cache: range(cache),
    lambda cache: range(list(cache)),
    lambda cache: range(1 for _ in cache),
)
decompose.misconception(
    "stacking names instead of tensors",
    "A key of the cache is a str; its tensor is `cache[name]`. Stack the tensors.",
    lambda cache: torch.stack(list(cache)),
    lambda cache: torch.stack([*split(cache)[0][:2], *cache]),
)
decompose.misconception(
    "the cache itself in place of one of its tensors",
    'Each part is one tensor of the cache: `cache["hook_embed"]`, and so on.',
    lambda cache: torch.stack([*split(cache)[0][:0], cache]),
    lambda cache: torch.stack([*split(cache)[0][:1], cache]),
    lambda cache: torch.stack([*split(cache)[0][:2], cache]),
    lambda cache: torch.stack([*split(cache)[0][:3], cache]),
)
decompose.misconception(
    "the tensors again where the names belong",
    "The second thing to return is the list of names: `return torch.stack(parts), names`.",
    lambda cache: (split(cache)[0], list(split(cache)[0])),
    lambda cache: (split(cache)[0], split(cache)[0]),
)
decompose.misconception(
    "the names without the components",
    "The stacked components come first: `return torch.stack(parts), names`.",
    lambda cache: split(cache)[1],
)
decompose.misconception(
    "asking a whole dict or list how it ends",
    '`endswith` belongs to one name: `name.endswith("hook_attn_out")`, for each `name in cache`.',
    lambda cache: cache.endswith("hook_attn_out"),
    lambda cache: list(cache).endswith("hook_attn_out"),
    lambda cache: [value.endswith("hook_attn_out") for value in cache.values()],
)


@decompose.misconception(
    "the number of blocks in a name, where the block's own belongs",
    'Put the loop\'s own number into each name: f"{layer}_attn_out", f"{layer}_mlp_out".',
)
def n_layers_in_attention_names(cache):
    return split(cache)[0], [f"{layers_in(cache)}_attn_out" if "attn" in name else name for name in split(cache)[1]]


decompose.also(
    "the number of blocks in a name, where the block's own belongs",
    'f"{layers_in(cache)}_attn_out" if "attn" → f"{layers_in(cache)}_mlp_out" if "mlp"',
    of=n_layers_in_attention_names,
)


@decompose.also("the number of blocks in a name, where the block's own belongs")
def n_layers_in_both_names(cache):
    return split(cache)[0], [f"{layers_in(cache)}{name[1:]}" if name[0].isdigit() else name for name in split(cache)[1]]


decompose.misconception(
    "leaving the last block out",
    "Blocks run from 0 to n_layers - 1: `range(n_layers)`. The largest number in a name is one less than n_layers.",
    "return stacked, names → return stacked[:-2], names[:-2]",
    of=as_it_is,
)
decompose.misconception(
    "the first ten blocks alone",
    "There may be more: count the names that end in `hook_attn_out`. From block 10 on a block's number has two digits.",
    "return stacked, names → return stacked[:22], names[:22]",
    of=as_it_is,
)


@decompose.also("the first ten blocks alone")
def digits_that_come(cache):
    digits = sorted({name[7] for name in cache if name.startswith("blocks.")})
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for name in cache:
        if name.endswith(("hook_attn_out", "hook_mlp_out")):
            parts.append(cache[name])
            names.append(f"{name[7]}_{name.rpartition('hook_')[2]}")
    return torch.stack(parts), names if digits else []


decompose.misconception(
    "leaving block 0 out",
    "The first block is number 0: `range(n_layers)`.",
    "return stacked, names → return torch.cat([stacked[:2], stacked[4:]]), names[:2] + names[4:]",
    of=as_it_is,
)


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


decompose.also(
    "a block that the cache does not have",
    lambda cache: (split(cache)[0][:0], cache[f"blocks.{layers_in(cache)}.hook_attn_out"]),
    lambda cache: cache[f"blocks.{layers_in(cache)}.hook_mlp_out"],
)


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
    "Their sum, `hook_resid_post` minus `hook_resid_pre`, is what both wrote. The MLP's own write is `hook_mlp_out`.",
)
def mlp_with_attention(cache):
    stacked, names = split(cache)
    stacked[3::2] += stacked[2::2].clone()
    return stacked, names


@decompose.misconception(
    "both embeddings added in the place of the token's vector",
    "Their sum is the stream's start, `hook_resid_pre` of block 0. The token's own vector is `hook_embed`.",
)
def start_for_token(cache):
    stacked, names = split(cache)
    stacked[0] += stacked[1].clone()
    return stacked, names


@decompose.misconception(
    "both embeddings added in the place of the position's vector",
    "Their sum is the stream's start, `hook_resid_pre` of block 0. The position's own vector is `hook_pos_embed`.",
)
def start_for_position(cache):
    stacked, names = split(cache)
    stacked[1] += stacked[0].clone()
    return stacked, names


@decompose.misconception(
    "both embeddings added in the place of either",
    "Each embedding stands by itself: `hook_embed` is the first component, `hook_pos_embed` the second.",
)
def start_for_both(cache):
    stacked, names = split(cache)
    stacked[:2] = stacked[:2].sum(dim=0)
    return stacked, names


SUMS = ("resid_pre", "0_resid_pre", "blocks.0.hook_resid_pre", "hook_resid_pre", "start", "embeddings", "pos_embed")
SUMS += (
    "embed_pos_embed",
    "embed+pos_embed",
    "embed + pos_embed",
    "embed_plus_pos_embed",
    "embedding",
    "emb",
    "stream",
)
for first_names in (*([name] for name in SUMS), ["embed", "pos_embed"], []):
    decompose.also("token and position as one component")(
        lambda cache, first=tuple(first_names): (embeddings_added(cache)[0], [*first, *split(cache)[1][2:]])
    )


for form_of_name in ("{}_out", "{}_block", "block_{}", "block{}", "layer_{}", "blocks.{}", "{}_attn_mlp_out"):
    decompose.also("one component for each block")(
        lambda cache, form=form_of_name: (
            one_for_each_block(cache)[0],
            ["embed", "pos_embed", *map(form.format, range(layers_in(cache)))],
        )
    )


decompose.misconception(
    "the same block's writes every time",
    'Each block has writes of its own, and its number stands in their names: f"blocks.{layer}.hook_attn_out".',
    "return stacked → return stacked[[0, 1, *([2, 3] * layers_in(cache))]]",
    of=as_it_is,
)
