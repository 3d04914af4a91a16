"""How dropout goes wrong, and right answers that look different."""

from functools import partial

import torch
import torch.nn.functional as F

from tests.ch09_training import dropout

dropout.equivalent(
    "torch.rand(x.shape, generator=generator) >= p → torch.rand(x.shape, generator=generator) > p",
    "A number of torch.rand is `p` itself once in 16 million draws, if at all.",
)
dropout.equivalent("x * kept / (1 - p) → x / (1 - p) * kept", "It is the same product: `kept` is 0 or 1.")
dropout.equivalent("p == 1 → p >= 1", "A probability is never above 1.")


@dropout.correct
def by_bernoulli(x, p, training=True, generator=None):
    if not training:
        return x
    mask = torch.bernoulli(torch.full_like(x, 1 - p), generator=generator)
    return mask * x * (1 / (1 - p) if p < 1 else 0)


@dropout.correct
def filled_in_place(x, p, training=True, generator=None):
    mask = torch.empty_like(x).bernoulli_(1 - p, generator=generator)
    if p < 1:
        mask.div_(1 - p)
    return x * mask if training else x.clone()


@dropout.correct
def torchs_own_where_it_can(x, p, training=True, generator=None):
    if generator is None:
        return F.dropout(x, p, training)
    if not training or p == 0.0:
        return x
    if p == 1.0:
        return torch.zeros_like(x)
    dropped = torch.rand(*x.shape, generator=generator) < p
    return torch.where(dropped, torch.zeros_like(x), x * (1 / (1 - p)))


@dropout.correct
def filled_with_zeros(x, p, training=True, generator=None):
    if training:
        noise = torch.empty(x.shape).uniform_(generator=generator)
        x = x.masked_fill(noise < p, 0.0) / max(1.0 - p, 1e-9)
    return x


@dropout.correct
def a_copy_written_into(x, p, training=True, generator=None):
    out = x.clone()
    if training:
        out[torch.rand(x.numel(), generator=generator).reshape(x.shape) >= 1 - p] = 0
        out = out / (1 - p if p != 1 else 1)
    return out


def mask_of(x, share, generator):
    return (torch.rand(x.shape, generator=generator) < share).to(x.dtype)


def scaled(x, p, training=True, generator=None):
    """Dropout as it is where `p` is below 1, which the mistakes below change."""
    return x * (torch.rand(x.shape, generator=generator) < 1 - p) / (1 - p) if training else x


MASK = "(torch.rand(x.shape, generator=generator) < 1 - p)"
TOLD_OF_1 = "return → return torch.zeros_like(x) if training and p == 1 else"  # so that nothing is divided by 0
TOLD_OF_0 = "return → return torch.zeros_like(x) if training and p == 0 else"
wrong, also = partial(dropout.misconception, of=scaled), partial(dropout.also, of=scaled)

wrong(
    "numbers that are not scaled up",
    "Divide what is kept by 1 - p, or the sums of the next layer are smaller in training than afterwards.",
    " / (1 - p) → ",
)
wrong(
    "dividing by `p`",
    "What is kept makes up for what is dropped: a share of 1 - p is kept, so divide by 1 - p.",
    ("if training → if training and p", "/ (1 - p) → / p"),
    "/ (1 - p) → / p",
    ("if training → if training and p", f"{MASK} → {MASK}.float()", "/ (1 - p) → / p"),
    lambda x, p, training=True, generator=None: x * mask_of(x, 1 - p, generator) * (1 / p) if training else x,
)
wrong(
    "multiplying by 1 - p in training",
    "Divide by 1 - p: the numbers that are left have to grow, so that on average their sum stays the same.",
    "/ (1 - p) → * (1 - p)",
)
wrong(
    "multiplying by 1 - p outside training, and nothing in it",
    "That is how the paper has it. Here training does the scaling, `/ (1 - p)`, and outside it `x` stays as it is.",
    (" / (1 - p) → ", "else x → else x * (1 - p)"),
)
wrong(
    "scaling outside training too",
    "Outside training return `x` as it is: the division by 1 - p belongs to training.",
    "else x → else x / (1 - p)",
)
wrong(
    "keeping with probability `p`",
    "`p` is the probability of being dropped: keep where `torch.rand(...) >= p`.",
    "< 1 - p → < p",
    ("< 1 - p → < p", "if training → if training and p"),
    ("< 1 - p → < p", TOLD_OF_1),
)
wrong(
    "`p` as the share that is kept",
    "In PyTorch, and here, `p` is the share that is dropped: keep a share of 1 - p, and divide by 1 - p.",
    ("if training → if training and p", "< 1 - p → < p", "/ (1 - p) → / p"),
    ("< 1 - p → < p", "/ (1 - p) → / p"),
    ("< 1 - p → < p", "/ (1 - p) → / p", TOLD_OF_0),
    (f"{MASK} → torch.bernoulli(torch.full(x.shape, p), generator=generator)", "/ (1 - p) → / p"),
)
wrong(
    "dropping outside training too",
    "Where `training` is False, return `x` before anything is drawn.",
    " if training else x → ",
)
wrong(
    "dropping outside training alone",
    "Drop numbers where `training` is True, and where it is False return `x` as it is.",
    "if training → if not training",
)
wrong(
    "dropping nothing",
    "In training draw a number for each entry of `x`, and set a share `p` to 0.",
    f" * {MASK} / (1 - p) → ",
)
wrong("dividing by 1 - p alone", "Some numbers have to become 0 too: multiply by a mask of 0 and 1.", f" * {MASK} → ")
wrong(
    "one draw for each row",
    "Each entry is dropped or kept on its own: draw as many numbers as `x` has, `torch.rand(x.shape)`.",
    f"return x * {MASK} → noise = torch.rand(*x.shape[:-1], 1, generator=generator); return x * (noise >= p)",
)
wrong(
    "one draw for each place of the last axis",
    "Every row needs draws of its own: as many numbers as `x` has, `torch.rand(x.shape)`.",
    f"{MASK} → (torch.rand(x.shape[-1], generator=generator) >= p)",
)
wrong(
    "one draw for the whole of `x`",
    "Each entry is dropped or kept on its own: `torch.rand(x.shape)`.",
    f"{MASK} → (torch.rand((), generator=generator) >= p)",
)
wrong(
    "one mask for the whole batch",
    "Every sentence needs draws of its own: `torch.rand(x.shape)`, with the first axis.",
    f"{MASK} → (torch.rand(x.shape[1:], generator=generator) >= p)",
)
wrong(
    "the same zeros in every call",
    "Every call drops the same numbers: draw from the `generator` that is given, which goes on from call to call, "
    "and seed nothing.",
    "generator=generator → generator=torch.Generator().manual_seed(0)",
)
dropout.also(
    "the same zeros in every call",
    "generator=generator → generator=generator and generator.manual_seed(generator.initial_seed())",
)
wrong(
    "the generator left out",
    "Draw the mask yourself, by `torch.rand(x.shape, generator=generator)`: `F.dropout` and `nn.Dropout` take no "
    "generator, and `torch.rand` without one draws torch's global random numbers.",
    f"x * {MASK} / (1 - p) if training else x → F.dropout(x, p, training)",
)


@dropout.misconception(
    "a generator of its own where none is given",
    "Where `generator` is None, draw torch's global random numbers, which `torch.manual_seed` sets: "
    "`torch.rand(..., generator=None)` does.",
)
def never_ambient(x, p, training=True, generator=None):
    if not training:
        return x
    if generator is None:
        generator = torch.Generator()
        generator.seed()
    return x * mask_of(x, 1 - p, generator) / (1 - p)


@dropout.misconception(
    "always the same number of zeros",
    "Every number is drawn alone, so how many are dropped varies: compare `torch.rand(x.shape)` with `p`.",
)
def exactly_that_many(x, p, training=True, generator=None):
    if not training or p == 0:
        return x
    order = torch.randperm(x.numel(), generator=generator)
    mask = torch.ones(x.numel())
    mask[order[: round(p * x.numel())]] = 0
    return x * mask.reshape(x.shape) / (1 - p)


wrong(
    "normal random numbers compared with `p`",
    "`torch.randn` is below p with a far greater probability than p; `torch.rand` is spread evenly from 0 to 1.",
    ("if training → if training and p", f"{MASK} → (torch.randn(x.shape, generator=generator) >= p)"),
    f"{MASK} → (torch.randn(x.shape, generator=generator) >= p)",
    (f"{MASK} → (torch.randn(x.shape, generator=generator) >= p)", TOLD_OF_1),
    said_of="randn|normal",
)
wrong(
    "noise in place of zeros",
    "A number becomes 0 or x / (1 - p), and nothing in between.",
    ("if training → if training and p", f"{MASK} → torch.rand(x.shape, generator=generator)"),
)


@dropout.misconception(
    "writing into `x`",
    "Others still need `x`: make a new tensor, `x * mask`. `x *= mask`, and what ends in `_`, change `x` itself.",
)
def in_place(x, p, training=True, generator=None):
    if training:
        x *= mask_of(x, 1 - p, generator)
        x /= 1 - p
    return x


@dropout.also("writing into `x`")
def in_place_behind_autograds_back(x, p, training=True, generator=None):
    if not training:
        return x
    with torch.no_grad():
        x[torch.rand(x.shape, generator=generator) < p] = 0
    return x / (1 - p)


wrong(
    "`x` cut out of the graph",
    "Multiply `x` itself, so that gradients flow back through the product.",
    "x * → x.detach() *",
)


@dropout.misconception(
    "dividing by the share that was kept",
    "Divide by 1 - p, the probability, not by the share that happened to be kept this time.",
)
def by_the_share_kept(x, p, training=True, generator=None):
    if not training or p == 0:
        return x
    mask = mask_of(x, 1 - p, generator)
    return x * mask / mask.mean()


@dropout.also("dividing by the share that was kept")
def by_the_share_kept_unless_none_is(x, p, training=True, generator=None):
    if not training or p == 1:
        return x * 0 if training else x
    mask = mask_of(x, 1 - p, generator)
    return x * mask * mask.numel() / mask.sum()


@dropout.misconception(
    "an exact share of zeros",
    "Each number is dropped with probability `p` by itself, so that how many are 0 varies from call to call: compare a "
    "random number for each with `p`.",
)
def an_exact_share(x, p, training=True, generator=None):
    if not training or p == 1:
        return x * 0 if training else x
    order = torch.randperm(x.numel(), generator=generator)
    kept = torch.ones(x.numel(), dtype=x.dtype)
    kept[order[: round(p * x.numel())]] = 0
    return x * kept.reshape(x.shape) / (1 - p)


wrong(
    "dividing by the square root of 1 - p",
    "Divide by 1 - p: it is the mean that stays as it was, not the variance.",
    "(1 - p) → (1 - p) ** 0.5",
)
wrong(
    "0 divided by 0 where `p` is 1",
    "1 - p is 0 there, and 0 / 0 is NaN: where `p` is 1, return zeros before you divide.",
    scaled,
    f"x * {MASK} → torch.where({MASK}, x, 0.0)",
)
wrong(
    "an error where `p` is 1",
    "1 - p is 0 there, and Python does not divide by it: where `p` is 1, return zeros.",
    lambda x, p, training=True, generator=None: x * mask_of(x, 1 - p, generator) * (1 / (1 - p)) if training else x,
)
wrong(
    "a gradient of NaN where `p` is 1",
    "The gradient goes through x / 0 there, even if `torch.where` hides that number: where `p` is 1, return zeros "
    "before you divide.",
    f"x * {MASK} / (1 - p) → torch.where({MASK}, x / (1 - p), 0.0)",
)
dropout.misconception(
    "a mask of float32 on numbers of half precision",
    "Half precision goes in, but float32 comes out, as from a product with float32: leave the mask bool, or make all "
    "factors `x.dtype`, by `.to(x.dtype)`.",
    "kept / → kept.float() /",
    "kept / (1 - p) → kept * torch.full(x.shape, 1 / (1 - p))",
)


@dropout.misconception(
    "calls counted in the place of drawing",
    "Draw from `generator` itself, `torch.rand(..., generator=generator)`: set back, it drops the same numbers again.",
)
def counted(x, p, training=True, generator=None, calls={}):  # noqa: B006 - the mistake
    if not training or p in (0, 1) or generator is None:
        return by_bernoulli(x, p, training, generator)
    _, n = calls.get(id(generator), (generator, 0))
    calls[id(generator)] = (generator, n + 1)
    own = torch.Generator().manual_seed(generator.initial_seed() + 1_000_000_007 * n)
    return x * mask_of(x, 1 - p, own) / (1 - p)


def told_of_1(wrong):
    """The same mistake by who answers zeros where `p` is 1, so that nothing is divided by 0."""

    def answer(x, p, training=True, generator=None):
        return torch.zeros_like(x) if training and p == 1 else wrong(x, p, training, generator)

    answer.__name__ = f"{wrong.__name__}_told_of_1"
    return answer


for name, *changes in (
    ("dividing by `p`", "if training → if training and p", "/ (1 - p) → / p"),
    ("scaling outside training too", "else x → else x / (1 - p)"),
    ("`p` as the share that is kept", "if training → if training and p", "< 1 - p → < p", "/ (1 - p) → / p"),
    ("dropping outside training too", " if training else x → "),
    ("dividing by 1 - p alone", f" * {MASK} → "),
    (
        "one draw for each row",
        f"return x * {MASK} → noise = torch.rand(*x.shape[:-1], 1, generator=generator); return x * (noise >= p)",
    ),
    ("one draw for each place of the last axis", f"{MASK} → (torch.rand(x.shape[-1], generator=generator) >= p)"),
    ("one draw for the whole of `x`", f"{MASK} → (torch.rand((), generator=generator) >= p)"),
    ("one mask for the whole batch", f"{MASK} → (torch.rand(x.shape[1:], generator=generator) >= p)"),
    ("the same zeros in every call", "generator=generator → generator=torch.Generator().manual_seed(0)"),
):
    also(name, (*changes, TOLD_OF_1))
for in_its_place in (in_place, in_place_behind_autograds_back):
    dropout.also("writing into `x`", told_of_1(in_its_place))
for name, *changes in (
    ("`x` cut out of the graph", "x * → x.detach() *"),
    (
        "noise in place of zeros",
        "if training → if training and p",
        f"{MASK} → torch.rand(x.shape, generator=generator)",
    ),
    ("dividing by the square root of 1 - p", "/ (1 - p) → / (1 - p) ** 0.5"),
    ("keeping with probability `p`", "if training → if training and p", "< 1 - p → < p"),
):
    also(name, (*changes, TOLD_OF_1))
