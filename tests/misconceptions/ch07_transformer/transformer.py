"""How Transformer goes wrong, and right answers that look different."""

from dataclasses import replace
from functools import partial, reduce

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch07_transformer import block, transformer
from tests.misconceptions.ch07_transformer._given import GivenBlock, GivenModel, GivenNorm
from tests.misconceptions.ch07_transformer.transformer_block.parts import WRONG_PARTS, WRONG_STARTS, FixedEps, starting
from tests.misconceptions.ch07_transformer.transformer_block.stream import HeadsInALoop, ShrunkAtTheStart


def unpacked(something):
    batch, pos = something.shape
    return batch, pos


def beginning(first):
    """A `forward` in which this gives the stream that the first block reads."""

    def forward(self, tokens):
        resid = first(self, tokens)
        for one in self.blocks:
            resid = one(resid)
        return self.logits_of(self.ln_final(resid))

    return forward


wrong, also = (
    partial(transformer.misconception, of=GivenModel.forward),
    partial(transformer.also, of=GivenModel.forward),
)


@transformer.correct
def one_text_at_a_time(self, tokens):
    return torch.cat([GivenModel.forward(self, text[None]) for text in tokens])


@transformer.correct
class BlocksShrunkAtTheStart(GivenModel):
    block = ShrunkAtTheStart


@transformer.correct
def folded_over_the_blocks(self, tokens):
    resid = reduce(lambda resid, one: one(resid), self.blocks, self.positions_in(tokens) + self.tokens_in(tokens))
    return self.logits_of(self.ln_final(resid))


@transformer.correct
class BlocksInASequence(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.blocks = nn.Sequential(*(self.block(cfg) for _ in range(cfg.n_layers)))

    def forward(self, tokens):
        rows = F.one_hot(tokens, self.cfg.d_vocab).float() @ self.embed.W_E
        resid = self.blocks(rows + self.pos_embed.W_pos[None, torch.arange(tokens.shape[-1])])
        return torch.einsum("bpd,dv->bpv", self.ln_final(resid), self.unembed.W_U) + self.unembed.b_U


@transformer.correct
class OneLoopOverEverything(GivenModel):
    """Arithmetic in one `forward`; the parts only hold what the names need."""

    def forward(self, tokens):
        resid = F.embedding(tokens, self.embed.W_E) + self.pos_embed.W_pos.narrow(0, 0, tokens.shape[1])
        for layer in range(self.cfg.n_layers):
            resid = HeadsInALoop.forward(OfBlock(self.blocks[layer]), resid)
        return F.linear(self.ln_final(resid), self.unembed.W_U.T, self.unembed.b_U)


class OfBlock:
    """A block's parts, for a `forward` that is not its own."""

    normalised = HeadsInALoop.normalised

    def __init__(self, one):
        self.cfg, self.ln1, self.attn, self.ln2, self.mlp = one.cfg, one.ln1, one.attn, one.ln2, one.mlp


wrong(
    "one position for the whole text",
    "Each position has a vector of its own: add all that `self.pos_embed(tokens)` gives for the whole of `tokens`.",
    "self.positions_in(tokens) → self.positions_in(tokens)[:1]",
    "self.positions_in(tokens) → self.positions_in(tokens)[-1:]",
)


@also("one position for the whole text")
def one_token_at_a_time(self, tokens):
    return torch.cat([GivenModel.forward(self, tokens[:, [pos]]) for pos in range(tokens.shape[1])], dim=1)


wrong(
    "leaving the positions out",
    "Add `self.pos_embed(tokens)` to `self.embed(tokens)`.",
    "self.tokens_in(tokens) + self.positions_in → self.tokens_in",
)
wrong(
    "leaving the tokens out",
    "Add `self.embed(tokens)` to `self.pos_embed(tokens)`.",
    "self.tokens_in(tokens) + self.positions_in(tokens) → self.positions_in(tokens).expand(*tokens.shape, -1)",
)
wrong(
    "multiplying the embedding by √d_model",
    "That is from the Transformer of 2017 (section 3.4). GPT-2 adds the two tables' vectors as they are.",
    "+ → * self.cfg.d_model**0.5 +",
)
wrong(
    "dividing the embedding by √d_model",
    "The root of a size belongs to attention's scores. Here the two tables' vectors are added as they are.",
    "+ → / self.cfg.d_model**0.5 +",
)
wrong(
    "multiplying tokens and positions",
    "The two vectors are added: `self.embed(tokens) + self.pos_embed(tokens)`.",
    "+ → *",
)


class NormWrittenOut(GivenNorm):
    def forward(self, residual):
        variance, mean = torch.var_mean(residual, dim=-1, correction=0, keepdim=True)
        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


def joined(axis):
    def first(self, tokens):
        return torch.cat([self.tokens_in(tokens), self.positions_in(tokens).expand(*tokens.shape, -1)], dim=axis)

    return first


wrong(
    "joining tokens and positions",
    "The two vectors are added, so that their size stays d_model: `self.embed(tokens) + self.pos_embed(tokens)`.",
    beginning(joined(-1)),
)
for joined_axis in (0, 1):
    also("joining tokens and positions")(beginning(joined(joined_axis)))


@also("joining tokens and positions")
class JoinedWithNormWrittenOut(GivenModel):
    block = type("GivenBlock", (GivenBlock,), {"norm": NormWrittenOut})
    norm = NormWrittenOut
    forward = beginning(joined(-1))


wrong("subtracting the positions", "Write `+` between `self.embed(tokens)` and `self.pos_embed(tokens)`.", "+ → -")
wrong(
    "positions that start at 1",
    "The first token's position is 0: its vector is row 0 of `W_pos`.",
    "self.positions_in(tokens) → self.pos_embed.W_pos.roll(-1, 0)[: tokens.shape[1]]",
)
wrong(
    "positions from the end of the table",
    "The first token has row 0 of `W_pos`: `self.pos_embed(tokens)` finds the rows, and needs no help.",
    "self.positions_in(tokens) → self.pos_embed.W_pos[-tokens.shape[1] :]",
)
wrong(
    "the whole of `W_pos`",
    "It has `n_ctx` rows, and a text may be shorter: call `self.pos_embed(tokens)`, which takes the first ones.",
)(beginning(lambda self, tokens: self.tokens_in(tokens) + self.pos_embed.W_pos))
wrong(
    "adding the positions after the blocks",
    "They are added before block 0, so that the blocks can read them.",
    (
        "self.tokens_in(tokens) + self.positions_in → self.tokens_in",
        "self.ln_final(resid) → self.ln_final(resid + self.pos_embed.W_pos[: resid.shape[1]])",
    ),
)
wrong(
    "embed and unembed in each other's place",
    "`self.embed` makes vectors of tokens, at the start; `self.unembed` makes logits of vectors, at the end.",
    "self.tokens_in(tokens) + self.positions_in → self.logits_of",
)
wrong("adding the positions twice", "Once is enough: `self.embed(tokens) + self.pos_embed(tokens)`.", "+ → + 2 *")
also("positions that start at 1", "self.positions_in(tokens) → self.positions_in(tokens).roll(-1, 0)")
wrong(
    "adding the positions in every block",
    "They are added once, before the first block; the stream carries them on from there.",
    "one(resid) → one(resid + self.positions_in(tokens))",
    (
        "self.tokens_in(tokens) + self.positions_in → self.tokens_in",
        "one(resid) → one(resid + self.positions_in(tokens))",
    ),
    "one(resid) → one(resid) + self.positions_in(tokens)",
)
wrong(
    "a LayerNorm before the first block",
    "`ln_final` comes after the last block alone; block 0 brings its own `ln1`.",
    "self.positions_in(tokens) → self.positions_in(tokens); resid = self.ln_final(resid)",
)
wrong(
    "`ln_final` before the blocks in place of after them",
    "It comes last: `self.unembed(self.ln_final(resid))`, once all the blocks have written.",
    (
        "self.positions_in(tokens) → self.positions_in(tokens); resid = self.ln_final(resid)",
        "self.logits_of(self.ln_final(resid)) → self.logits_of(resid)",
    ),
)
wrong(
    "leaving `ln_final` out",
    "The unembedding reads the stream through the last LayerNorm: `self.ln_final(resid)`.",
    "self.ln_final(resid) → resid",
)
wrong(
    "adding what `ln_final` gives to the stream",
    "Nothing is added at the end: the unembedding reads `self.ln_final(resid)` alone.",
    "self.ln_final → resid + self.ln_final",
)
wrong(
    "using `ln_final` twice",
    "Once is enough: `self.unembed(self.ln_final(resid))`.",
    "self.ln_final(resid) → self.ln_final(self.ln_final(resid))",
)
wrong(
    "using `ln_final` after every block",
    "It comes once, on what the last block leaves: from block to block the stream goes on as it is.",
    ("one(resid) → self.ln_final(one(resid))", "self.ln_final(resid) → resid"),
    "one(resid) → self.ln_final(one(resid))",
)
wrong(
    "`ln_final` before every block",
    "A block brings its own LayerNorms, and is given the stream itself: `block(resid)`. `ln_final` comes at the end.",
    "one(resid) → one(self.ln_final(resid))",
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
    "self.positions_in(tokens) → self.positions_in(tokens); resid = resid[:, 1:]",
)
wrong(
    "a token put in front of the text",
    "Whoever calls the model puts `<|endoftext|>` there, or does not: read `tokens` as they come.",
    lambda self, tokens: GivenModel.forward(self, F.pad(tokens, (1, 0))),
)
for first_token in (0, -1):
    also("a token put in front of the text")(
        lambda self, tokens, first=first_token: GivenModel.forward(
            self, F.pad(tokens[:, : self.cfg.n_ctx - 1], (1, 0), value=first % self.cfg.d_vocab)
        )[:, 1:]
    )
wrong(
    "`pos_embed` called on something other than `tokens`",
    "Both tables are called on the same `tokens` [batch pos]: `self.pos_embed(tokens)`.",
    beginning(lambda self, tokens: unpacked(torch.arange(tokens.shape[1]))),
)
for pos_embed_given in (
    lambda tokens: torch.arange(tokens.shape[1]).shape[1],
    lambda tokens: unpacked(torch.empty(*tokens.shape, 1)),
    lambda tokens: tokens.shape[1].shape,
    lambda tokens: tokens.shape.shape,
):
    also("`pos_embed` called on something other than `tokens`")(
        beginning(lambda self, tokens, given=pos_embed_given: given(tokens))
    )
wrong(
    "`ln_final` called on the logits",
    "`ln_final` comes first: `self.unembed(self.ln_final(resid))`.",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(self.logits_of(resid))",
)


@also("`ln_final` called on the logits")
class LogitsIntoNormWrittenOut(GivenModel):
    norm = NormWrittenOut

    def forward(self, tokens):
        resid = self.tokens_in(tokens) + self.positions_in(tokens)
        for one in self.blocks:
            resid = one(resid)
        return self.ln_final(self.logits_of(resid))


wrong(
    "a LayerNorm after the unembedding",
    "First `self.ln_final`, then `self.unembed`: nothing comes after the logits.",
    "self.logits_of(self.ln_final(resid)) → F.layer_norm(self.logits_of(resid), [self.cfg.d_vocab])",
)
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
    "returning the logits of the last position alone",
    "Every position has a prediction of its own: return all of them, [batch pos d_vocab].",
    "self.ln_final(resid)) → self.ln_final(resid))[:, -1]",
    "self.ln_final(resid)) → self.ln_final(resid))[:, -1:]",
)
wrong(
    "pooling the positions",
    "Every position predicts its own next token: nothing is summed or averaged over the positions.",
    "self.ln_final(resid)) → self.ln_final(resid)).mean(dim=1)",
)
wrong(
    "dividing the logits by √d_model",
    "The root of a size belongs to attention's scores: return the logits as they are.",
    "self.ln_final(resid)) → self.ln_final(resid)) / self.cfg.d_model**0.5",
)
wrong(
    "returning the chosen tokens",
    "Return the scores themselves, the logits: choosing one is chapter 8.",
    "self.ln_final(resid)) → self.ln_final(resid)).argmax(dim=-1)",
)
wrong(
    "returning the loss",
    "The model gives the logits of every position. The loss is another function's work (ch. 6).",
    lambda self, tokens: F.cross_entropy(
        GivenModel.forward(self, tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()
    ),
)
wrong(
    "returning the stream",
    "The last step is `self.unembed(...)`, from d_model to d_vocab.",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid)",
)
wrong(
    "unembedding by `embed.W_E`",
    "GPT-2 ties the two tables; here, as in TransformerLens, the unembedding has `W_U` and `b_U` of its own: "
    "`self.unembed(...)`.",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid) @ self.embed.W_E.T + self.unembed.b_U",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid) @ self.embed.W_E.T",
)
wrong(
    "an unembedding without `b_U`",
    "Call the module, `self.unembed(...)`: it adds `b_U` (zeros in GPT-2's own weights).",
    "self.logits_of(self.ln_final(resid)) → self.ln_final(resid) @ self.unembed.W_U",
)
wrong(
    "adding `b_U` twice",
    "The logits hold `b_U` twice, and once is enough: `self.unembed(...)` adds it.",
    "self.ln_final(resid)) → self.ln_final(resid)) + self.unembed.b_U",
)
wrong(
    "another answer after `eval()`",
    "The answer is the same in training and after `eval()`: there is no dropout here, and nothing depends on "
    "`self.training`.",
    lambda self, tokens: GivenModel.forward(self, tokens)[:, 0 if self.training else -1 :],
)
wrong(
    "throwing away what the blocks give",
    "A block returns the new stream, all of it: `resid = block(resid)`.",
    ("resid = self.tokens_in → start = resid = self.tokens_in", "self.ln_final(resid) → self.ln_final(start)"),
)
wrong(
    "the last block alone",
    "Only the last block has written, and on the embedding: each block reads what the one before it gave, `resid "
    "= block(resid)`.",
    ("resid = self.tokens_in → start = resid = self.tokens_in", "one(resid) → one(start)"),
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
    "A block gives back the whole stream, its input included: `resid = block(resid)`. In the block, `resid_mid` holds "
    "`resid_pre` already.",
    "one(resid) → resid + one(resid)",
)
wrong(
    "blocks that all read the embedding",
    "Each block reads what the one before it gave: `resid = block(resid)`.",
    ("resid = self.tokens_in → start = resid = self.tokens_in", "one(resid) → resid + one(start)"),
    ("resid = self.tokens_in → start = resid = self.tokens_in", "one(resid) → resid + one(start) - start"),
)
wrong(
    "adding the embedding again after every block",
    "It is in the stream already: `resid = block(resid)`.",
    ("resid = self.tokens_in → start = resid = self.tokens_in", "one(resid) → one(resid) + start"),
)
wrong(
    "adding the embedding again at the end",
    "It is in the stream already: `self.ln_final(resid)`.",
    ("resid = self.tokens_in → start = resid = self.tokens_in", "self.ln_final(resid) → self.ln_final(resid + start)"),
)


def summed(start, average):
    """A `forward` in which the unembedding reads the sum, or the mean, of what all blocks give."""

    def forward(self, tokens):
        resid = self.tokens_in(tokens) + self.positions_in(tokens)
        stages = [resid] if start else []
        for one in self.blocks:
            resid = one(resid)
            stages.append(resid)
        total = torch.stack(stages).sum(dim=0)
        return self.logits_of(self.ln_final(total / len(stages) if average else total))

    return forward


wrong(
    "adding up what all the blocks give",
    "The last block gives the whole stream, what the earlier ones wrote included: `ln_final` reads that alone.",
    summed(start=True, average=False),
)
for with_start, as_mean in ((False, False), (True, True), (False, True)):
    also("adding up what all the blocks give")(summed(with_start, as_mean))


@wrong(
    "a model cut out of the graph",
    "Gradients must flow from the logits back to the tables, through every block: no `detach` or `no_grad`.",
)
def detached(self, tokens):
    with torch.no_grad():
        return GivenModel.forward(self, tokens)


also(
    "a model cut out of the graph",
    "one(resid) → one(resid.detach())",
    "self.ln_final(resid) → self.ln_final(resid.detach())",
)


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
    "All layers share one block: make a new one for each, `TransformerBlock(cfg) for _ in range(cfg.n_layers)`. "
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
class TwelveBlocks(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=12))


@also("a number of blocks that is not the Config's")
class OneBlockFewer(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=max(cfg.n_layers - 1, 0)))


@also("a number of blocks that is not the Config's")
class OneBlockMore(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=cfg.n_layers + 1))


wrong(
    "a block's LayerNorm in the place of `ln_final`",
    "The last LayerNorm is the model's own: `self.ln_final = LayerNorm(cfg)`.",
    "self.ln_final → self.blocks[-1].ln2",
)


@also("a block's LayerNorm in the place of `ln_final`")
class NormSharedWithABlock(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = self.blocks[-1].ln2


@wrong(
    "the weights of `embed` and `unembed` tied",
    "Both have a table of their own here: leave `W_U` as `Unembed` makes it.",
)
class Tied(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.unembed.W_U = nn.Parameter(self.embed.W_E.T)
        del self.unembed.W_U


@also("the weights of `embed` and `unembed` tied")
class TiedByAView(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.unembed.W_U = nn.Parameter(self.embed.W_E.T)  # in whichever order weights are loaded, the last one counts


@also("the weights of `embed` and `unembed` tied")
class TiedAndUnembeddingByTheTable(TiedByAView):
    def logits_of(self, resid):
        return resid @ self.embed.W_E.T


@also("the weights of `embed` and `unembed` tied")
class TiedAndUnembeddingByTheTableWithBias(TiedByAView):
    def logits_of(self, resid):
        return resid @ self.embed.W_E.T + self.unembed.b_U


for wrong_name, (wrong_start, wrong_advice) in WRONG_STARTS.items():
    wrong(wrong_name, wrong_advice)(starting(GivenModel, wrong_start))


@wrong(
    "calling the list of blocks",
    "An `nn.ModuleList` only holds modules and can't be called itself: call the blocks one after the other, "
    "`for block in self.blocks: resid = block(resid)`.",
)
class ListCalled(GivenModel):
    def forward(self, tokens):
        return self.logits_of(self.ln_final(self.blocks(self.tokens_in(tokens))))


@wrong(
    "PyTorch's own layers in the place of yours",
    "`ln_final` and `unembed` are your own parts, and PyTorch's weights have other names: `LayerNorm(cfg)`, "
    "`Unembed(cfg)`.",
)
class TorchsLayers(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = nn.LayerNorm(cfg.d_model)
        self.unembed = nn.Linear(cfg.d_model, cfg.d_vocab)


@wrong(
    "HuggingFace's and nanoGPT's names for the parts",
    "Here, as in TransformerLens, they are `embed`, `pos_embed`, `blocks`, `ln_final`, `unembed`.",
)
class HuggingFaceNames(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.wte, self.wpe, self.h, self.ln_f, self.lm_head = (
            self.embed,
            self.pos_embed,
            self.blocks,
            self.ln_final,
            self.unembed,
        )
        del self.embed, self.pos_embed, self.blocks, self.ln_final, self.unembed


# What is wrong in a block, or in a part, shows in the whole model too.


def model_with(**parts) -> type[nn.Module]:
    """The whole model, right but for its blocks or its LayerNorms."""
    return type("GivenModel", (GivenModel,), parts)


SAME_SEEN_FROM_OUTSIDE = {
    "stream_twice",
    "block_round_block",
    "block_called_twice",
    "untouched",
    "without_gradients",
}  # as a mistake in the model's own loop
of_a_forward = [one for one in block.misconceptions if "forward" in vars(one.component)]
named_so_far = set[str]()
for known in [one for one in of_a_forward if one.component.__name__ not in SAME_SEEN_FROM_OUTSIDE]:
    of_the_block = f"{known.name}, in TransformerBlock"
    if of_the_block in named_so_far:
        also(of_the_block)(model_with(block=known.component))
    else:
        look_there = f"`test_transformer_block` shows it. {known.advice}"
        wrong(of_the_block, look_there)(model_with(block=known.component))
    named_so_far.add(of_the_block)


@wrong(
    "a stream kept from one call to the next",
    "Each call starts anew, with the two tables' vectors: keep nothing of the stream from one call to the next, in "
    "`self` or elsewhere.",
)
class StreamKept(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.kept = 0

    def tokens_in(self, tokens):
        self.kept = self.kept + super().tokens_in(tokens)
        return self.kept

    def logits_of(self, resid):
        self.kept = resid
        return super().logits_of(resid)


for wrong_name, (wrong_parts, wrong_advice) in WRONG_PARTS.items():
    blocks_with = type("GivenBlock", (GivenBlock,), wrong_parts)
    norms = {"norm": wrong_parts["norm"]} if "norm" in wrong_parts else {}
    wrong(wrong_name, wrong_advice)(model_with(block=blocks_with, **norms))
also("a LayerNorm with an eps of its own")(model_with(norm=FixedEps))
