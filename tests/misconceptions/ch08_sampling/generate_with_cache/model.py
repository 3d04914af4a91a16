"""How generate_with_cache goes wrong: which logits, and what becomes of the model's parts."""

import torch

from tests.misconceptions.ch08_sampling.generate_with_cache.reading import Reading, also_slip, slip


@slip(
    "the logits of the first position that is read",
    "The next token follows the last position: take `[-1]` of the positions before `unembed`, or after it.",
)
class FirstLogits(Reading):
    last = slice(0, 1)


@slip(
    "the logits of the last position but one",
    "They say what comes at the last position, which is there already: take the last position's, `resid[:, -1]`.",
)
class LastButOne(Reading):
    last = slice(-2, None)


@slip(
    "the mean over all positions",
    "Only the last position has read the whole text: the logits are its own, `resid[:, -1]`.",
)
class MeanPosition(Reading):
    def end(self, resid):
        return super().end(resid.mean(0, keepdim=True))

    last = slice(None)


@slip(
    "queries and keys that change places",
    "Queries are of the new positions, and keys are kept: `W_Q` makes the first, `W_K` the second.",
)
class QueriesForKeys(Reading):
    weights = ("W_K", "W_Q", "W_V")


@slip("values that are made as keys are", "Values have weights of their own: `W_V` and `b_V`.")
class KeysForValues(Reading):
    weights = ("W_Q", "W_K", "W_K")


@slip("keys that are made as values are", "Keys have weights of their own: `W_K` and `b_K`.")
class ValuesForKeys(Reading):
    weights = ("W_Q", "W_V", "W_V")


@slip("scores that are not divided by the root of `d_head`", "Divide them: `/ d_head**0.5`, as in `Attention`.")
class NotScaled(Reading):
    def scale(self, d_head):
        return 1.0


@slip("dividing the scores by the root of `d_model`", "Divide by the root of `d_head`, the length of a key.")
class ScaledByModel(Reading):
    def scale(self, d_head):
        return self.model.cfg.d_model**0.5


@slip("dividing the scores by `d_head`", "Divide by the root of `d_head`: `/ d_head**0.5`.")
class ScaledTwice(Reading):
    def scale(self, d_head):
        return d_head


@slip("multiplying the scores by the root of `d_head`", "Divide them by it, so that they do not grow with it.")
class ScaledUp(Reading):
    def scale(self, d_head):
        return d_head**-0.5


@slip(
    "dividing the scores by the root of another size",
    "It is `d_head`, the length of a query and of a key: `keys.shape[-1]`.",
)
class ScaledByHeads(Reading):
    def scale(self, d_head):
        return self.model.cfg.n_heads**0.5


@also_slip("dividing the scores by the root of another size")
class ScaledByAShareOfTheModel(Reading):
    def scale(self, d_head):
        return (self.model.cfg.d_model // self.model.cfg.n_heads) ** 0.5


@also_slip("dividing the scores by the root of another size")
class ScaledByPositions(Reading):
    def scale(self, d_head):
        return self.n_read**0.5


@slip(
    "attention that reads the stream without its LayerNorm",
    "Attention reads `ln1(resid)`: queries, keys and values are all made of that.",
)
class NotNormal(Reading):
    def normal(self, layer, block, resid):
        return resid, resid


@also_slip("attention that reads the stream without its LayerNorm")
class KeysNotNormal(Reading):
    def normal(self, layer, block, resid):
        return block.ln1(resid), resid


@slip(
    "a LayerNorm over what went through it before",
    "What is kept went through `ln1` when it was new. Keep its keys and values, and normalise the new positions alone.",
)
class NormalTwice(Reading):
    def normal(self, layer, block, resid):
        query = block.ln1(resid)
        self.read[layer] = block.ln1(torch.cat([self.read[layer], resid])) if layer in self.read else query
        return query, self.read[layer]

    def keep(self, layer, *new):
        return new


@slip("leaving out the biases of the keys and values", "`W_K` and `W_V` come with `b_K` and `b_V`: add them.")
class NoBiases(Reading):
    def keep(self, layer, *new):
        attn = self.model.blocks[layer].attn
        bare = [one - bias[:, None] for one, bias in zip(new, (attn.b_K, attn.b_V), strict=True)]
        return super().keep(layer, *bare)


@also_slip("attention that reads the stream without its LayerNorm")
class OnlyKeysNotNormal(Reading):
    def attend(self, layer, block, resid):
        self.raw = resid
        return super().attend(layer, block, resid)

    def keep(self, layer, key, value):
        attn = self.model.blocks[layer].attn
        return super().keep(layer, self.raw @ attn.W_K + attn.b_K[:, None], value)


@slip("leaving out the bias of the queries", "A query is `ln1(resid) @ W_Q + b_Q`, with the bias.")
class NoBiasOfQueries(Reading):
    def query_bias(self, attn):
        return torch.zeros_like(attn.b_Q)


@slip("leaving the stream out round attention", "Attention adds to the stream: `resid = resid + written`.")
class NoStreamRoundAttention(Reading):
    def block(self, layer, block, resid):
        resid = self.attend(layer, block, resid)
        return resid + self.mlp(block, resid)


@slip("leaving the stream out round the MLP", "The MLP adds to the stream: `resid = resid + block.mlp(...)`.")
class NoStreamRoundTheMLP(Reading):
    def block(self, layer, block, resid):
        return self.mlp(block, resid + self.attend(layer, block, resid))


@slip(
    "running attention and the MLP side by side",
    "The MLP reads the stream that attention has written to: add what attention writes first.",
)
class SideBySide(Reading):
    def block(self, layer, block, resid):
        return resid + self.attend(layer, block, resid) + self.mlp(block, resid)


@slip(
    "adding what the MLP writes to the stream before attention",
    "Keep both: `resid` after attention, plus what the MLP writes.",
)
class WithoutAttention(Reading):
    def block(self, layer, block, resid):
        return resid + self.mlp(block, resid + self.attend(layer, block, resid))


@slip("`ln1` where `ln2` belongs", "Each part has a LayerNorm of its own: the MLP reads `ln2(resid)`.")
class FirstNormTwice(Reading):
    def mlp(self, block, resid):
        return block.mlp(block.ln1(resid))


@slip("`ln2` where `ln1` belongs", "Each part has a LayerNorm of its own: attention reads `ln1(resid)`.")
class SecondNormTwice(Reading):
    def normal(self, layer, block, resid):
        return (block.ln2(resid),) * 2


@slip(
    "a stream that `ln1` has overwritten",
    "The stream itself stays as it is: hand `block.ln1(resid)` to attention under another name, and add to `resid`.",
)
class Overwritten(Reading):
    def block(self, layer, block, resid):
        resid = block.ln1(resid) + self.attend(layer, block, resid)
        return resid + self.mlp(block, resid)


@slip(
    "a stream that `ln2` has overwritten",
    "The stream itself stays as it is: hand `block.ln2(resid)` to the MLP under another name, and add to `resid`.",
)
class OverwrittenByTheSecond(Reading):
    def block(self, layer, block, resid):
        resid = block.ln2(resid + self.attend(layer, block, resid))
        return resid + block.mlp(resid)


@slip(
    "LayerNorm after each part",
    "In GPT-2 it stands before: attention reads `ln1(resid)`, the MLP `ln2(resid)`, and the sums are left as they are.",
)
class NormAfter(Reading):
    def normal(self, layer, block, resid):
        return resid, resid

    def block(self, layer, block, resid):
        resid = block.ln1(resid + self.attend(layer, block, resid))
        return block.ln2(resid + block.mlp(resid))


@slip("leaving attention out", "Attention adds to the stream before the MLP does: `resid = resid + written`.")
class NoAttention(Reading):
    def attend(self, layer, block, resid):
        return torch.zeros_like(resid)


@slip("leaving the MLP out", "After attention the MLP adds to the stream too: `resid + block.mlp(block.ln2(resid))`.")
class NoMLP(Reading):
    def mlp(self, block, resid):
        return torch.zeros_like(resid)


@slip(
    "embeddings times the root of `d_model`",
    "Other models scale them; GPT-2 starts with the rows of `W_E` as they are.",
)
class ScaledEmbeddings(Reading):
    def start(self, tokens):
        more = self.model.cfg.d_model**0.5 - 1
        new = self.unread(tokens)
        return super().start(tokens) + more * self.model.embed.W_E[new]


@slip("the bias `b_O` once for each head", "Sum over the heads first, and add `b_O` once: it has no axis of heads.")
class OutputBiasOfEachHead(Reading):
    def attend(self, layer, block, resid):
        return super().attend(layer, block, resid) + (len(block.attn.b_Q) - 1) * block.attn.b_O


@slip(
    "heads merged in the wrong order",
    'Multiply head by head: `torch.einsum("bqhd,hdm->bqm", z, attn.W_O)` keeps each head with its own part of `W_O`.',
)
class HeadsInEachOther(Reading):
    def merged(self, z, weight):
        return z.permute(1, 2, 0).flatten(1) @ weight.flatten(0, 1)


@also_slip("heads merged in the wrong order")
class HeadsAcrossPositions(Reading):
    def merged(self, z, weight):
        return z.reshape(z.shape[1], -1) @ weight.flatten(0, 1)


@slip("the first head alone", "Every head writes: sum over all of them.")
class FirstHead(Reading):
    def merged(self, z, weight):
        return z[0] @ weight[0]


@slip("the mean over the heads", "What the heads write is added up, but this is their mean: sum over the heads.")
class MeanOverHeads(Reading):
    def attend(self, layer, block, resid):
        bias = block.attn.b_O
        return (super().attend(layer, block, resid) - bias) / len(block.attn.b_Q) + bias


@slip("leaving out the last block", "The last block has not written: each of `model.blocks` comes once.")
class NoLastBlock(Reading):
    def block(self, layer, block, resid):
        return resid if layer == len(self.model.blocks) - 1 else super().block(layer, block, resid)


@slip("the first block alone", "The model is all of its blocks, one after the other: `for block in model.blocks`.")
class FirstBlock(Reading):
    def block(self, layer, block, resid):
        return resid if layer else super().block(layer, block, resid)


@slip("leaving out the bias `b_U`", "The logits are `resid @ W_U + b_U`: call `model.unembed`, which adds it.")
class NoBiasOfLogits(Reading):
    def unembed(self, normal):
        return normal @ self.model.unembed.W_U


@slip("unembedding by `W_E`", "The logits have weights of their own, `W_U` and `b_U`: call `model.unembed`.")
class Tied(Reading):
    def unembed(self, normal):
        return normal @ self.model.embed.W_E.T


@also_slip("unembedding by `W_E`")
class TiedWithTheBias(Reading):
    def unembed(self, normal):
        return normal @ self.model.embed.W_E.T + self.model.unembed.b_U


@slip("leaving `ln_final` out", "The logits read `ln_final(resid)`, as in `Transformer`: `unembed(ln_final(resid))`.")
class NoLastNorm(Reading):
    def end(self, resid):
        return resid


@slip("an MLP that reads the stream without its LayerNorm", "The MLP reads `ln2(resid)`, once attention has written.")
class PlainMLP(Reading):
    def mlp(self, block, resid):
        return block.mlp(resid)


@slip(
    "a cache that stays in the model",
    "The next text finds it there. Make the cache anew at the start of `generate_with_cache`, in a variable.",
)
class InTheModel(Reading):
    def __init__(self, model):
        super().__init__(model)
        if not hasattr(model, "kept"):
            model.kept = self.kept
        self.kept = model.kept


@slip(
    "feeding the whole text again",
    "The tokens are right, but each step reads all of them, as `generate` does. Let a step read the new token alone, "
    "with the keys and values that were kept.",
)
class WholeTextAgain(Reading):
    def logits(self, tokens):
        return self.model(tokens[None])[0, -1]


@also_slip("feeding the whole text again")
class WholeTextAgainByHand(Reading):
    def logits(self, tokens):
        return Reading(self.model).logits(tokens)


@slip(
    "computing the keys and values of all positions anew",
    "The tokens are right, but a key depends on the vector of its position alone: compute it once, and keep the key "
    "itself, not what it is made of.",
)
class KeysAnew(Reading):
    def normal(self, layer, block, resid):
        query = block.ln1(resid)
        self.read[layer] = torch.cat([self.read[layer], query]) if layer in self.read else query
        return query, self.read[layer]

    def keep(self, layer, *new):
        return new


@also_slip("computing the keys and values of all positions anew")
class AttentionAnew(Reading):
    def attend(self, layer, block, resid):
        normal = block.ln1(resid)
        self.read[layer] = torch.cat([self.read[layer], normal]) if layer in self.read else normal
        return block.attn(self.read[layer][None])[0, -len(resid) :]


@also_slip("computing the keys and values of all positions anew")
class KeysOfTheStreamAnew(Reading):
    def normal(self, layer, block, resid):
        self.read[layer] = torch.cat([self.read[layer], resid]) if layer in self.read else resid
        return block.ln1(resid), block.ln1(self.read[layer])

    def keep(self, layer, *new):
        return new


@slip("leaving out the bias `b_O`", "Attention writes `z @ W_O + b_O`, summed over the heads, with the bias once.")
class NoOutputBias(Reading):
    def attend(self, layer, block, resid):
        return super().attend(layer, block, resid) - block.attn.b_O


@slip(
    "values in another order than their keys",
    "Keys and values both get longer at the end: `torch.cat([kept, new])` for each of them.",
)
class ValuesInFront(Reading):
    def keep(self, layer, *new):
        before = self.kept[layer]
        longer = super().keep(layer, *new)
        if before:
            self.kept[layer] = [longer[0], torch.cat([new[1], before[1]], dim=1)]
        return self.kept[layer]
