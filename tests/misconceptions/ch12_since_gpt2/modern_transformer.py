"""How `ModernTransformer` goes wrong, and right answers that look different."""

from dataclasses import replace
from functools import partial, reduce

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch12_since_gpt2 import modern_block, modern_transformer
from tests.misconceptions.ch12_since_gpt2._given_model import GivenBlock, GivenModel, GivenNorm
from tests.misconceptions.ch12_since_gpt2.modern_block import (
    WRONG_PARTS,
    WRONG_STARTS,
    HeadsInALoop,
    WithBias,
    starting,
)
from tests.misconceptions.ch12_since_gpt2.modern_block import ShrunkAtTheStart as ShrunkBlock

wrong = partial(modern_transformer.misconception, of=GivenModel.forward)
also = partial(modern_transformer.also, of=GivenModel.forward)


# Right answers.


@modern_transformer.correct
def one_text_at_a_time(self, tokens):
    return torch.cat([GivenModel.forward(self, text[None]) for text in tokens])


@modern_transformer.correct
def folded_over_the_blocks(self, tokens):
    resid = reduce(lambda resid, one: one(resid), self.blocks, self.tokens_in(tokens))
    return self.logits_of(self.ln_final(resid))


@modern_transformer.correct
class BlocksInASequence(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.blocks = nn.Sequential(*(self.block(cfg) for _ in range(cfg.n_layers)))

    def forward(self, tokens):
        resid = self.blocks(F.one_hot(tokens, self.cfg.d_vocab).float() @ self.embed.W_E)
        axes = "bpd,vd->bpv" if self.cfg.tied else "bpd,dv->bpv"
        return torch.einsum(axes, self.ln_final(resid), self.embed.W_E if self.cfg.tied else self.W_U)


@modern_transformer.correct
class BlocksShrunkAtTheStart(GivenModel):
    block = ShrunkBlock


@modern_transformer.correct
def with_linear(self, tokens):
    """By F.linear, which transposes what it is given, and whichever table the model has."""
    resid = F.embedding(tokens, self.embed.W_E)
    for layer in range(self.cfg.n_layers):
        resid = self.blocks[layer](resid)
    weight = self.W_U.T if hasattr(self, "W_U") else self.embed.W_E
    return F.linear(self.ln_final(resid), weight)


@modern_transformer.correct
class OneLoopOverEverything(GivenModel):
    """Arithmetic in one `forward`; the parts only hold what the names need."""

    def forward(self, tokens):
        resid = self.embed.W_E.index_select(0, tokens.flatten()).unflatten(0, tokens.shape)
        for one in self.blocks:
            resid = HeadsInALoop.forward(OfBlock(one), resid)
        wide = resid.double()
        normal = wide / (wide.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps).sqrt() * self.ln_final.w
        return (normal @ self.table().double()).float()


class OfBlock:
    """A block's parts, for a `forward` that is not its own."""

    normalised, turned = HeadsInALoop.normalised, HeadsInALoop.turned

    def __init__(self, one):
        self.cfg, self.ln1, self.attn, self.ln2, self.mlp = one.cfg, one.ln1, one.attn, one.ln2, one.mlp


# The unembedding.

wrong(
    "unembedding by `embed.W_E` in a model that is not tied",
    "Only where `cfg.tied` is true is the table of `embed` the unembedding too. Elsewhere the model has a `W_U` of its "
    "own: `self.embed.W_E.T if self.cfg.tied else self.W_U`.",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid) @ self.embed.W_E.T",
)


# An error names the class that lacks `W_U`, so these have the learner's name.
@also("unembedding by `embed.W_E` in a model that is not tied")
class ModernTransformer(GivenModel):
    def table(self):
        return self.W_U if self.cfg.tied else self.embed.W_E.T


def by_its_own_table(self):
    return self.W_U


wrong(
    "unembedding by `W_U` in a tied model",
    "Where `cfg.tied` is true there is no `W_U`: the logits come from the table of `embed`, transposed, "
    "`self.embed.W_E.T`.",
)(type("ModernTransformer", (GivenModel,), {"table": by_its_own_table}))
wrong(
    "`W_E` that is not transposed",
    "`W_E` is [d_vocab d_model], one row for each token, and the unembedding is [d_model d_vocab]: `self.embed.W_E.T`.",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid) @ (self.embed.W_E if self.cfg.tied else self.W_U)",
)
wrong(
    "a `W_E` that is cut anew in the place of transposing it",
    "Cutting the same numbers anew, as `reshape` and `view` do, moves no axis: `self.embed.W_E.T`.",
    "self.logits_of(self.ln_final(resid)) → "
    "self.ln_final(resid) @ (self.embed.W_E.reshape(self.cfg.d_model, -1) if self.cfg.tied else self.W_U)",
)
wrong(
    "`W_U` transposed as well",
    "`W_U` is [d_model d_vocab] already: only `embed.W_E` has to be transposed.",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid) @ (self.embed.W_E.T if self.cfg.tied else self.W_U.T)",
)


@wrong(
    "a `W_U` in a tied model too",
    "Where `cfg.tied` is true the model has one table, which `embed` holds: `__init__`, as given, makes `W_U` only "
    "`if not cfg.tied`.",
)
class UnembeddingAlways(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.W_U = nn.Parameter(torch.randn(cfg.d_model, cfg.d_vocab) * cfg.init_range)


@also("a `W_U` in a tied model too")
class UnembeddingAlwaysUsed(UnembeddingAlways):
    def table(self):
        return self.W_U


@also("a `W_U` in a tied model too")
class TiedByAView(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        if cfg.tied:
            self.W_U = nn.Parameter(self.embed.W_E.T)

    def table(self):
        return self.W_U


@wrong(
    "a copy of the table as the unembedding",
    "A tied model has one table, so that gradients reach it from both ends: no `detach`, no `clone().data`, no "
    "`torch.tensor(...)` round `self.embed.W_E`.",
)
class TableCutOff(GivenModel):
    def table(self):
        return self.embed.W_E.detach().T if self.cfg.tied else self.W_U


@wrong(
    "a table of `embed` that learns only at the model's end",
    "Gradients reach `W_E` from both ends: look the tokens' vectors up without `detach` or `no_grad`.",
)
class LookedUpWithoutGradients(GivenModel):
    def tokens_in(self, tokens):
        return super().tokens_in(tokens).detach()


# The start.

wrong(
    "multiplying the embedding by √d_model",
    "That is Gemma's, and the Transformer's of 2017 (section 3.4). Llama's stream starts with the table's vectors as "
    "they are.",
    "self.tokens_in(tokens) → self.tokens_in(tokens) * self.cfg.d_model**0.5",
)
wrong(
    "dividing the embedding by √d_model",
    "The root of a size belongs to attention's scores. The stream starts with the table's vectors as they are.",
    "self.tokens_in(tokens) → self.tokens_in(tokens) / self.cfg.d_model**0.5",
)


@wrong(
    "a table of positions",
    "There is none: attention turns its queries and keys by their position, and the stream starts with the tokens' "
    "vectors alone.",
)
class TableOfPositions(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.pos_embed = nn.Module()
        self.pos_embed.W_pos = nn.Parameter(torch.randn(cfg.n_ctx, cfg.d_model) * cfg.init_range)

    def tokens_in(self, tokens):
        return super().tokens_in(tokens) + self.pos_embed.W_pos[: tokens.shape[1]]


@also("a table of positions")
class OwnTableOfPositions(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.W_pos = nn.Parameter(torch.randn(cfg.n_ctx, cfg.d_model) * cfg.init_range)

    def tokens_in(self, tokens):
        return super().tokens_in(tokens) + self.W_pos[: tokens.shape[1]]


@also("a table of positions")
class TorchsTableOfPositions(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.pos_embed = nn.Embedding(cfg.n_ctx, cfg.d_model)

    def tokens_in(self, tokens):
        return super().tokens_in(tokens) + self.pos_embed(torch.arange(tokens.shape[1]))


def sines(pos, d_model):
    speeds = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(pos)[:, None] * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[:, :d_model]


@wrong(
    "sines of the position in the stream",
    "Those belong to the Transformer of 2017 (section 3.5). Here attention turns its queries and keys, and the stream "
    "starts with the tokens' vectors alone.",
)
class Sines(GivenModel):
    def tokens_in(self, tokens):
        return super().tokens_in(tokens) + sines(tokens.shape[1], self.cfg.d_model)


wrong(
    "a norm before the first block",
    "`ln_final` comes after the last block alone; block 0 brings its own `ln1`.",
    "self.tokens_in(tokens) → self.ln_final(self.tokens_in(tokens))",
)

# The end.

wrong(
    "leaving `ln_final` out",
    "The unembedding reads the stream through the last norm: `self.ln_final(resid)`.",
    "self.ln_final(resid) → resid",
)
wrong(
    "adding what `ln_final` gives to the stream",
    "Nothing is added at the end: the unembedding reads `self.ln_final(resid)` alone.",
    "self.ln_final → resid + self.ln_final",
)
wrong(
    "using `ln_final` twice",
    "Once is enough: the unembedding reads `self.ln_final(resid)`.",
    "self.ln_final(resid) → self.ln_final(self.ln_final(resid))",
)
wrong(
    "using `ln_final` after every block",
    "It comes once, on what the last block leaves: from block to block the stream goes on as it is.",
    ("one(resid) → self.ln_final(one(resid))", "self.ln_final(resid) → resid"),
    "one(resid) → self.ln_final(one(resid))",
)
wrong(
    "`ln_final` before the blocks in place of after them",
    "It comes last, once all the blocks have written: the unembedding reads `self.ln_final(resid)`.",
    (
        "resid = self.tokens_in(tokens) → resid = self.ln_final(self.tokens_in(tokens))",
        "self.logits_of(self.ln_final(resid)) → self.logits_of(resid)",
    ),
)
wrong(
    "`ln_final` before every block",
    "A block brings its own norms, and is given the stream itself: `block(resid)`. `ln_final` comes at the end.",
    "one(resid) → one(self.ln_final(resid))",
)
wrong(
    "a block's norm in the place of `ln_final`",
    "The last norm is the model's own: `self.ln_final(resid)`.",
    "self.ln_final → self.blocks[-1].ln2",
    said_of=r"\bln[12]\b",
)


@also("a block's norm in the place of `ln_final`")
class NormSharedWithABlock(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = self.blocks[-1].ln2


@wrong(
    "no `ln_final`",
    "Make it in `__init__`, `self.ln_final = RMSNorm(cfg)`: the unembedding reads the stream through it, "
    "`self.ln_final(resid)`.",
)
class WithoutLnFinal(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        del self.ln_final

    def forward(self, tokens):
        resid = self.tokens_in(tokens)
        for one in self.blocks:
            resid = one(resid)
        return self.logits_of(resid)


wrong(
    "returning probabilities",
    "The model gives logits: leave the softmax to the loss and to sampling.",
    "self.ln_final(resid)) → self.ln_final(resid)).softmax(dim=-1)",
)
wrong(
    "returning log-probabilities",
    "The model gives logits: leave `log_softmax` to the loss.",
    "self.ln_final(resid)) → self.ln_final(resid)).log_softmax(dim=-1)",
)
wrong(
    "capping the logits by a tanh",
    "Gemma 2 does that, Llama does not: return the logits as they are.",
    "self.logits_of(self.ln_final(resid)) → 30 * (self.logits_of(self.ln_final(resid)) / 30).tanh()",
)
wrong(
    "dividing the logits by √d_model",
    "The root of a size belongs to attention's scores: return the logits as they are.",
    "self.ln_final(resid)) → self.ln_final(resid)) / self.cfg.d_model**0.5",
)
wrong(
    "returning the logits of the last position alone",
    "Every position has a prediction of its own: return all of them, [batch pos d_vocab].",
    "self.ln_final(resid)) → self.ln_final(resid))[:, -1]",
    "self.ln_final(resid)) → self.ln_final(resid))[:, -1:]",
)
wrong(
    "returning the chosen tokens",
    "Return the scores themselves, the logits: choosing one is chapter 8.",
    "self.ln_final(resid)) → self.ln_final(resid)).argmax(dim=-1)",
)
wrong(
    "returning the stream",
    "The last step is the unembedding, from d_model to d_vocab.",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid)",
)


@wrong("a `forward` that returns nothing", "End it with the logits: `return self.ln_final(resid) @ W_U`.")
class NothingReturned(GivenModel):
    def forward(self, tokens):
        super().forward(tokens)


# The blocks.

KEPT = ("resid = self.tokens_in → start = resid = self.tokens_in",)
wrong(
    "throwing away what the blocks give",
    "A block returns the new stream, all of it: `resid = block(resid)`.",
    (*KEPT, "self.ln_final(resid) → self.ln_final(start)"),
)
wrong(
    "the last block alone",
    "Only the last block has written, and on the embedding: each block reads what the one before it gave, `resid "
    "= block(resid)`.",
    (*KEPT, "one(resid) → one(start)"),
)
wrong(
    "the first block alone",
    "Only block 0 has written: every block comes once, one after the other. (A `return` or a `break` inside the "
    "loop ends it with the first.)",
    "self.blocks → list(self.blocks)[:1]",
)
wrong(
    "leaving the first block out",
    "Block 0 has not written: each of the `cfg.n_layers` blocks comes once, from the first on.",
    "self.blocks → list(self.blocks)[1:]",
)
wrong(
    "leaving the last block out",
    "The last block has not written: each of the `cfg.n_layers` blocks comes once.",
    "self.blocks → list(self.blocks)[:-1]",
)
wrong(
    "going through the blocks twice", "Each block comes once, in order.", "self.blocks → [*self.blocks, *self.blocks]"
)
wrong(
    "calling every block twice",
    "Each block is called once: `resid = block(resid)`.",
    "self.blocks → [one for one in self.blocks for _ in range(2)]",
)
wrong(
    "the blocks in reverse", "Block 0 comes first: `for block in self.blocks`.", "self.blocks → list(self.blocks)[::-1]"
)
wrong(
    "block 0 in every layer",
    "Each layer has a block of its own: `for block in self.blocks: resid = block(resid)`.",
    "self.blocks → [self.blocks[0]] * len(self.blocks)",
)
wrong(
    "the last block in every layer",
    "Only the last block writes here, once for each layer: each layer has a block of its own, `for block in "
    "self.blocks: resid = block(resid)`.",
    "self.blocks → [self.blocks[-1]] * len(self.blocks)",
)
wrong(
    "adding the stream to what a block gives",
    "A block gives back the whole stream, its input included: `resid = block(resid)`.",
    "one(resid) → resid + one(resid)",
)
wrong(
    "blocks that all read the embedding",
    "Each block reads what the one before it gave: `resid = block(resid)`.",
    (*KEPT, "one(resid) → resid + one(start)"),
    (*KEPT, "one(resid) → resid + one(start) - start"),
)
wrong(
    "adding the embedding again",
    "It is in the stream already: `resid = block(resid)`, and at the end `self.ln_final(resid)`.",
    (*KEPT, "one(resid) → one(resid) + start"),
    (*KEPT, "self.ln_final(resid) → self.ln_final(resid + start)"),
)


@wrong(
    "adding up what all the blocks give",
    "The last block gives the whole stream, what the earlier ones wrote included: `ln_final` reads that alone.",
)
def summed(self, tokens):
    stages = [self.tokens_in(tokens)]
    for one in self.blocks:
        stages.append(one(stages[-1]))
    return self.logits_of(self.ln_final(torch.stack(stages).sum(dim=0)))


@also("adding up what all the blocks give")
def summed_without_the_start(self, tokens):
    resid, stages = self.tokens_in(tokens), []
    for one in self.blocks:
        resid = one(resid)
        stages.append(resid)
    return self.logits_of(self.ln_final(sum(stages)))


@wrong(
    "blocks in a Python list",
    "PyTorch does not look for modules in a plain list: no weights are loaded into them, and no optimiser would train "
    "them. Keep them in an `nn.ModuleList(...)`, which it does look into.",
)
class PlainList(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        blocks = list(self.blocks)
        del self.blocks
        self.blocks = blocks


@wrong(
    "one block where each layer needs its own",
    "Only one block is made: make a new one for each layer, `ModernBlock(cfg) for _ in range(cfg.n_layers)`. "
    "(`[block] * n` holds one block n times.)",
)
class Shared(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        one = self.block(cfg)
        self.blocks = nn.ModuleList([one] * cfg.n_layers)


@also("one block where each layer needs its own")
class OneBlock(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=1))


@wrong("a number of blocks that is not the Config's", "Make `cfg.n_layers` blocks.")
class TwoBlocks(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=2))


@also("a number of blocks that is not the Config's")
class AsManyAsHeads(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=cfg.n_heads))


@also("a number of blocks that is not the Config's")
class ThirtyBlocks(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=30))


@also("a number of blocks that is not the Config's")
class OneBlockFewer(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=max(cfg.n_layers - 1, 0)))


@also("a number of blocks that is not the Config's")
class OneBlockMore(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=cfg.n_layers + 1))


@wrong(
    "calling the list of blocks",
    "An `nn.ModuleList` only holds modules and can't be called itself: call the blocks one after the other, "
    "`for block in self.blocks: resid = block(resid)`.",
)
class ListCalled(GivenModel):
    def forward(self, tokens):
        return self.logits_of(self.ln_final(self.blocks(self.tokens_in(tokens))))


@wrong(
    "a model cut out of the graph",
    "Gradients must flow from the logits back to the table, through every block: no `detach` or `no_grad`.",
)
def detached(self, tokens):
    with torch.no_grad():
        return GivenModel.forward(self, tokens)


also(
    "a model cut out of the graph",
    "one(resid) → one(resid.detach())",
    "self.ln_final(resid) → self.ln_final(resid.detach())",
)
wrong(
    "another answer after `eval()`",
    "The answer is the same in training and after `eval()`: nothing depends on `self.training`.",
    lambda self, tokens: GivenModel.forward(self, tokens)[:, 0 if self.training else -1 :],
)
wrong(
    "dropout on the start",
    "These models are trained without dropout: the stream starts with the tokens' vectors as they are.",
    "self.tokens_in(tokens) → F.dropout(self.tokens_in(tokens), 0.1, self.training)",
)
wrong(
    "cutting off a token of a text that fills `n_ctx`",
    "A text may have `n_ctx` tokens, and each of them is read and gets logits: read all of `tokens`.",
    lambda self, tokens: GivenModel.forward(self, tokens[:, -(self.cfg.n_ctx - 1) :]),
    lambda self, tokens: GivenModel.forward(self, tokens[:, : self.cfg.n_ctx - 1]),
)
wrong(
    "leaving out the first token",
    "Each token of the text gets logits, the first one too: read all of `tokens`.",
    lambda self, tokens: GivenModel.forward(self, tokens[:, 1:]),
)
wrong(
    "a token put in front of the text",
    "Whoever calls the model puts a token for the beginning there, or does not: read `tokens` as they come.",
    lambda self, tokens: GivenModel.forward(self, F.pad(tokens, (1, 0))),
)


@wrong(
    "a stream kept from one call to the next",
    "Each call starts anew, with the table's vectors: keep nothing of the stream from one call to the next, in "
    "`self` or elsewhere.",
)
class StreamKept(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.kept = 0

    def tokens_in(self, tokens):
        self.kept = self.kept + super().tokens_in(tokens)
        return self.kept


# What is made in `__init__`.

for wrong_name, (wrong_start, wrong_advice) in WRONG_STARTS.items():
    wrong(wrong_name, wrong_advice)(starting(GivenModel, wrong_start))


@wrong(
    "chapter 3's LayerNorm as `ln_final`",
    "The last norm has no bias `b` and subtracts no mean: `self.ln_final = RMSNorm(cfg)`.",
)
class LayerNormAtTheEnd(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = WithBias(cfg)


@wrong(
    "PyTorch's `nn.RMSNorm` in the place of yours",
    "It names its scale `weight`, and yours is `w`: `self.ln_final = RMSNorm(cfg)`.",
)
class TorchsNorm(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = nn.RMSNorm(cfg.d_model, eps=cfg.rms_norm_eps)


@wrong("a block outside the list of blocks", "All `cfg.n_layers` blocks are kept in `self.blocks`, the first one too.")
class OneBlockBeside(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.first = self.blocks[0]
        self.blocks = self.blocks[1:]

    def forward(self, tokens):
        resid = self.first(self.tokens_in(tokens))
        for one in self.blocks:
            resid = one(resid)
        return self.logits_of(self.ln_final(resid))


def renamed(**names):
    """The model whose parts have other names, which its own `forward` need not know: it fails before."""

    def init(self, cfg):
        GivenModel.__init__(self, cfg)
        for old, new in names.items():
            setattr(self, new, getattr(self, old))
            delattr(self, old)

    return type("GivenModel", (GivenModel,), {"__init__": init})


wrong(
    "the parts under other names",
    "Here, as in TransformerLens, they are `blocks` and `ln_final`: so weights find them.",
)(renamed(blocks="layers", ln_final="norm"))
for published in ({"blocks": "layers"}, {"ln_final": "norm"}, {"blocks": "h", "ln_final": "ln_f"}):
    also("the parts under other names")(renamed(**published))


# What is wrong in a block, or in a part, shows in the whole model too.


def model_with(**parts) -> type[nn.Module]:
    """The whole model, right but for its blocks or its norms."""
    return type("GivenModel", (GivenModel,), parts)


SAME_SEEN_FROM_OUTSIDE = {  # as a mistake in the model's own loop
    "stream_twice",
    "block_round_block",
    "untouched",
    "without_gradients",
    "sum_changed_in_place",
    "copy_changed_in_place",
}
of_a_forward = [one for one in modern_block.misconceptions if "forward" in vars(one.component)]
named_so_far = set[str]()
for known in [one for one in of_a_forward if one.component.__name__ not in SAME_SEEN_FROM_OUTSIDE]:
    of_the_block = f"{known.name}, in ModernBlock"
    if of_the_block in named_so_far:
        also(of_the_block)(model_with(block=known.component))
    else:
        wrong(of_the_block, f"`test_modern_block` shows it. {known.advice}")(model_with(block=known.component))
    named_so_far.add(of_the_block)
for wrong_name, (wrong_parts, wrong_advice) in WRONG_PARTS.items():
    blocks_with = type("GivenBlock", (GivenBlock,), wrong_parts)
    norms: dict[str, type[GivenNorm]] = {"norm": wrong_parts["norm"]} if "norm" in wrong_parts else {}
    wrong(wrong_name, wrong_advice)(model_with(block=blocks_with, **norms))
