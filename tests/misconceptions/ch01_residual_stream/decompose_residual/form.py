"""How decompose_residual goes wrong: the form of the two answers, and the names."""

import torch

from tests.ch01_residual_stream import decompose
from tests.misconceptions.ch01_residual_stream.decompose_residual.components import as_it_is, hook_of, layers_in, split

decompose.misconception(
    "components joined along an axis that is there already",
    "Each component needs a place on a new first axis: `torch.stack(parts)`, not `torch.cat(parts)`.",
    "return stacked → return torch.cat(list(stacked))",
    "return stacked → return torch.cat(list(stacked), dim=-1)",
    of=as_it_is,
)
decompose.misconception(
    "a new axis that is not the first",
    "The component axis comes first: `torch.stack(parts)` puts it there.",
    "return stacked → return torch.stack(list(stacked), dim=1)",
    "return stacked → return torch.stack(list(stacked), dim=-1)",
    of=as_it_is,
)
decompose.misconception(
    "the sum of the components",
    "Return them one by one, `torch.stack(parts)`; whoever wants the sum can take it.",
    "return stacked → return stacked.sum(dim=0)",
    of=as_it_is,
)
decompose.misconception(
    "a list of tensors",
    "Make one tensor of it: `torch.stack(parts)`.",
    "return stacked → return list(stacked)",
    of=as_it_is,
)
decompose.also("the sum of the components", "return stacked → return stacked.sum(dim=0, keepdim=True)", of=as_it_is)


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


decompose.also(
    "the whole stream as one more component",
    lambda cache: (with_the_sum(cache)[0], [*split(cache)[1], f"{layers_in(cache) - 1}_resid_post"]),
    lambda cache: (with_the_sum(cache)[0], split(cache)[1]),
)


@decompose.also("the whole stream as one more component")
def with_the_end_normalised(cache):
    stacked, names = split(cache)
    return torch.cat([stacked, cache["ln_final.hook_out"][None]]), [*names, "ln_final"]


decompose.misconception(
    "the norms of the components",
    "Return the vectors themselves, [component batch pos d_model], not their lengths.",
    "return stacked → return stacked.norm(dim=-1)",
    of=as_it_is,
)
decompose.misconception(
    "one sentence of the batch",
    "Keep the batch axis: stack whole tensors, with all their sentences.",
    "return stacked → return stacked[:, 0]",
    of=as_it_is,
)
decompose.misconception(
    "the components in reverse order",
    "Who writes first comes first: embed, pos_embed, block 0.",
    "return stacked, names → return stacked.flip(0), names[::-1]",
    of=as_it_is,
)
decompose.misconception(
    "components without their mean",
    "Nothing is normalised here: stack the tensors as the cache holds them.",
    "return stacked → return stacked - stacked.mean(dim=-1, keepdim=True)",
    of=as_it_is,
)
decompose.misconception(
    "numbers of another type",
    "Leave the stack as torch made it: float32, no NumPy.",
    "return stacked → return stacked.numpy()",
    "return stacked → return stacked.double()",
    "return stacked → return stacked.half()",
    of=as_it_is,
)
decompose.misconception(
    "a dict",
    "Return two things: the stacked tensor and the list of names.",
    "return stacked, names → return dict(zip(names, stacked, strict=True))",
    of=as_it_is,
)
decompose.misconception(
    "the components without their names",
    "Return both: `return torch.stack(parts), names`.",
    lambda cache: split(cache)[0],
)
decompose.misconception(
    "the names first", "The tensor comes first: `return torch.stack(parts), names`.", lambda cache: split(cache)[::-1]
)


@decompose.misconception("names without the block", 'A name says which block wrote: `0_attn_out`, f"{layer}_attn_out".')
def bare_names(cache):
    stacked, names = split(cache)
    return stacked, [name.partition("_")[2] if name[0].isdigit() else name for name in names]


decompose.misconception(
    "TransformerLens's hook names",
    "The names are shorter here: embed, pos_embed, 0_attn_out, 0_mlp_out, 1_attn_out and so on.",
    "return stacked, names → return stacked, [hook_of(name) for name in names]",
    of=as_it_is,
)


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


decompose.misconception(
    "a letter before the block's number",
    "Write the number alone: `0_attn_out`, `0_mlp_out`.",
    'return stacked, names → return stacked, [f"L{name}" if name[0].isdigit() else name for name in names]',
    of=as_it_is,
)


@decompose.also("a letter before the block's number")
def blocks_first(cache):
    stacked, names = split(cache)
    return stacked, [f"blocks.{name}" if name[0].isdigit() else name for name in names]


decompose.also(
    "a letter before the block's number",
    'f"blocks.{name}" → f"block_{name}"',
    'f"blocks.{name}" → f"layer_{name}"',
    of=blocks_first,
)


@decompose.misconception(
    "hook in the names", "The names leave it out: embed, pos_embed, 0_attn_out, 0_mlp_out, and so on."
)
def hook_everywhere(cache):
    stacked, names = split(cache)
    return stacked, [hook_of(name).removeprefix("blocks.").replace(".", "_") for name in names]


decompose.also("hook in the names", '.replace(".", "_") for → for', of=hook_everywhere)


@decompose.also("hook in the names")
def hook_before_embeddings(cache):
    stacked, names = split(cache)
    return stacked, [name if name[0].isdigit() else f"hook_{name}" for name in names]


@decompose.misconception(
    "everything whose name ends in `_out`",
    "`ln_final.hook_out` and the like are not writes. Take `hook_attn_out` and `hook_mlp_out` of each block, by name.",
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


decompose.also(
    "everything whose name ends in `_out`",
    '("_out") or "embed" in name → (("_out", "hook_embed", "pos_embed"))',
    of=all_that_is_out_renamed,
)


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


decompose.misconception(
    "names that end before `_out`",
    "A block's names end in `_out`: `0_attn_out`, `0_mlp_out`.",
    'return stacked, names → return stacked, [name.removesuffix("_out") for name in names]',
    of=as_it_is,
)


@decompose.misconception(
    "the block's number after its kind", 'The number comes first: `0_attn_out`, f"{layer}_attn_out".'
)
def number_last(cache):
    stacked, _ = split(cache)
    names = [f"{part}_out_{layer}" for layer in range(layers_in(cache)) for part in ("attn", "mlp")]
    return stacked, ["embed", "pos_embed", *names]


decompose.also(
    "the block's number after its kind",
    'f"{part}_out_{layer}" → f"{part}_{layer}_out"',
    'f"{part}_out_{layer}" → f"{part}_{layer}"',
    of=number_last,
)
decompose.misconception(
    "names that are not a list",
    "Return the names as a list of str, in the order of the components.",
    "return stacked, names → return stacked, tuple(names)",
    "return stacked, names → return stacked, dict.fromkeys(names)",
    lambda cache: (split(cache)[0], cache),
    lambda cache: (split(cache)[0], layers_in(cache)),
    lambda cache: (split(cache)[0], ", ".join(split(cache)[1])),
    lambda cache: (split(cache)[0], " ".join(split(cache)[1])),
    of=as_it_is,
)
decompose.misconception(
    "pairs of a name and a tensor",
    "Return two things side by side, all tensors stacked and all their names: `return torch.stack(parts), names`.",
    "return stacked, names → return list(zip(names, stacked, strict=True))",
    "return stacked, names → return list(zip(stacked, names, strict=True))",
    of=as_it_is,
)


@decompose.misconception(
    "the names of each block in a list of their own",
    "All names stand in one list: add two at once by `names += [...]`, or each by an `append` of its own.",
)
def names_in_lists(cache):
    stacked, names = split(cache)
    return stacked, [*names[:2], *([names[index], names[index + 1]] for index in range(2, len(names), 2))]


decompose.also(
    "the names of each block in a list of their own",
    "[names[index], names[index + 1]] → (names[index], names[index + 1])",
    of=names_in_lists,
)
decompose.misconception(
    "the parts and the names as one list",
    "Return a tuple: `return torch.stack(parts), names`.",
    lambda cache: list(split(cache)),
)


@decompose.misconception(
    "a single name for both writes of a block", "A block's two components need two names: `0_attn_out` and `0_mlp_out`."
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


decompose.misconception(
    "fewer names than components",
    "Every component needs its name: embed, pos_embed, then two for each block.",
    "return stacked, names → return stacked, names[2:]",
    "return stacked, names → return stacked, [*names[:2], *names[2::2]]",
    "return stacked, names → return stacked, [*names[:2], *names[3::2]]",
    "return stacked, names → return stacked, names[:2]",
    "return stacked, names → return stacked, [names[0], *names[2:]]",
    "return stacked, names → return stacked, names[1:]",
    of=as_it_is,
)


@decompose.misconception(
    "what blocks wrote, normalised",
    "Leave LayerNorm out: `hook_attn_out` and `hook_mlp_out` are stacked as the cache holds them.",
)
def first_normalised(cache):
    stacked, names = split(cache)
    stacked[2:] = torch.nn.functional.layer_norm(stacked[2:], stacked.shape[-1:])
    return stacked, names


@decompose.misconception(
    "adding into the cache",
    "The cache's tensors are the caller's: collect them in a list, stack them, and write into none of them.",
)
def adding_in_place(cache):
    answer = split(cache)
    cache["hook_embed"] += cache["hook_pos_embed"]
    return answer


@decompose.misconception(
    "taking entries out of the cache",
    "Read `cache[name]`: `pop` and `del` take the entry away from whoever owns the cache.",
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


decompose.also("taking entries out of the cache", "answer[1] → answer[1][2:]", of=popping)
