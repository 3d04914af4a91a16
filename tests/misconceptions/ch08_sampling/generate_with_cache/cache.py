"""How generate_with_cache goes wrong: positions, and what the cache keeps."""

import math

import torch

from tests.misconceptions.ch08_sampling.generate_with_cache.reading import Reading, also_slip, slip


@slip(
    "positions that start at 0 again",
    "A new token stands after the text so far: its row of `W_pos` is that of its place in the whole text.",
)
class PositionsAgain(Reading):
    def positions(self, n_new):
        return torch.arange(n_new)


@slip(
    "positions one too far",
    "The first token of all stands at position 0, and a new one at position `n_read`, the number of tokens read "
    "before it.",
)
class PositionsTooFar(Reading):
    def positions(self, n_new):
        return super().positions(n_new) + int(self.n_read > 0)


@also_slip("positions one too far")
class PositionsTooFarFromTheStart(Reading):
    def positions(self, n_new):
        return super().positions(n_new) + 1


@also_slip("positions one too far")
class NextPositionTooFar(PositionsTooFar):
    def logits(self, tokens):
        logits = super().logits(tokens)
        self.read["next"] = self.model.pos_embed.W_pos[len(tokens) + 1]  # looked up when the token is chosen
        return logits


@slip(
    "counting new tokens before their positions are looked up",
    "The rows of `W_pos` are counted from the tokens read *before*: take `W_pos[n_read : n_read + n_new]` first, then "
    "raise `n_read`.",
)
class CountedTooEarly(Reading):
    def start(self, tokens):
        new, self.n_read = self.unread(tokens), len(tokens)
        resid = self.model.embed(new[None]) + self.model.pos_embed.W_pos[self.n_read : self.n_read + len(new)]
        return resid[0]


@slip(
    "the position of the token before",
    "The token that is read now stands one place further on, at the position `n_read`, the number of tokens read "
    "before it.",
)
class PositionsTooNear(Reading):
    def positions(self, n_new):
        return super().positions(n_new) - int(self.n_read > 0)


@slip(
    "one position for all tokens of the prompt",
    "Each token that is read has a position of its own: `W_pos[n_read : n_read + n_new]`.",
)
class OnePosition(Reading):
    def positions(self, n_new):
        return super().positions(n_new)[-1:]


@also_slip("one position for all tokens of the prompt")
class FirstPosition(Reading):
    def positions(self, n_new):
        return super().positions(n_new)[:1]


@slip(
    "the prompt's last token at each of its positions",
    "The first step reads the whole prompt: its tokens are `tokens[None, n_read:]`, all of them and each at its "
    "own position.",
)
class LastEverywhere(Reading):
    def unread(self, tokens):
        return tokens[-1:].expand(len(super().unread(tokens)))


@slip(
    "one token more in the cache for each step",
    "The first step reads the whole prompt: what has been read is the whole text, `n_read = len(tokens)`.",
)
class CountingSteps(Reading):
    def start(self, tokens):
        before = self.n_read
        resid = super().start(tokens)
        self.n_read = before + 1
        return resid


@slip(
    "the last row of `W_pos` for every new token",
    "Its rows are the positions 0 to `n_ctx` - 1: a new token's is the number of tokens before it.",
)
class LastRow(Reading):
    def positions(self, n_new):
        return super().positions(n_new) if not self.n_read else torch.full((n_new,), self.model.cfg.n_ctx - 1)


@slip("leaving the positions out", "The stream starts as `W_E[tokens] + W_pos[positions]`, with a cache too.")
class NoPositions(Reading):
    def start(self, tokens):
        new, self.n_read = self.unread(tokens), len(tokens)
        return self.model.embed.W_E[new]


@also_slip("leaving the positions out")
class NoPositionsOfNewTokens(Reading):
    def start(self, tokens):
        if not self.n_read:
            return super().start(tokens)
        new, self.n_read = self.unread(tokens), len(tokens)
        return self.model.embed.W_E[new]


@slip(
    "adding to the rows of `W_pos` in place",
    "The model's own table has other numbers now, which the next text reads. A slice is a view, and `+=` writes "
    "into it: make a new tensor, `resid = resid + ...`.",
)
class InTheTable(Reading):
    def start(self, tokens):
        resid = self.model.pos_embed.W_pos[self.n_read : len(tokens)]
        resid += self.model.embed.W_E[tokens[self.n_read :]]
        self.n_read = len(tokens)
        return resid


@slip(
    "positions that count the new tokens alone",
    "The prompt counts too: a new token's row of `W_pos` is the number of all tokens that stand before it.",
)
class PositionsWithoutThePrompt(Reading):
    n_prompt, first = 0, 0

    def positions(self, n_new):
        if not self.n_read:
            self.n_prompt = n_new
            return super().positions(n_new)
        return super().positions(n_new) - self.n_prompt + self.first


@also_slip("positions that count the new tokens alone")
class PositionsOfSteps(PositionsWithoutThePrompt):
    first = 1


@slip(
    "reading the last token once more",
    "It has been in the cache since the step before: set `n_read` to the length of the text that was read, all of it.",
)
class LastOnceMore(Reading):
    def start(self, tokens):
        resid = super().start(tokens)
        self.n_read -= 1
        return resid


@slip(
    "reading the prompt's last token twice",
    "The prompt's own logits, at its last position, choose the first new token; only that is read next.",
)
class LastOfThePromptTwice(Reading):
    def logits(self, tokens):
        if not self.n_read:
            super().logits(tokens)
            self.n_read -= 1
        return super().logits(tokens)


@also_slip("reading the prompt's last token twice")
class LastOfThePromptTwiceOnePositionOn(Reading):
    def logits(self, tokens):
        if not self.n_read:
            super().logits(tokens)
            self.shift = 1
            return super().logits(tokens)
        return super().logits(tokens)

    shift = 0

    def unread(self, tokens):
        return super().unread(tokens) if len(super().unread(tokens)) else tokens[-1:]

    def positions(self, n_new):
        return super().positions(n_new) + self.shift


@slip(
    "reading the new tokens of earlier steps once more",
    "They are in the cache: `n_read` grows in every step, to the length of the text that was read.",
)
class NewOnesOnceMore(Reading):
    def start(self, tokens):
        before = self.n_read
        resid = super().start(tokens)
        self.n_read = before or self.n_read
        return resid


@slip(
    "adding the new keys and values to the cache twice",
    "Each position stands in the cache once: `torch.cat` them a single time in each step.",
)
class KeptTwice(Reading):
    def keep(self, layer, *new):
        for _ in range(2 if self.kept[layer] else 1):
            super().keep(layer, *new)
        return self.kept[layer]


@also_slip("adding the new keys and values to the cache twice")
class PromptKeptTwice(Reading):
    def keep(self, layer, *new):
        before = self.kept[layer]
        kept = super().keep(layer, *new)
        if not before:
            self.kept[layer] = [torch.cat([one, one], dim=1) for one in kept]
        return kept


@slip(
    "reading the whole text again beside its cache",
    "What is in the cache need not be read again: read `tokens[n_read:]`, the tokens that are not in it yet.",
)
class WholeTextBesideTheCache(Reading):
    def unread(self, tokens):
        return tokens

    def positions(self, n_new):
        return torch.arange(n_new)


@slip(
    "keys and values that change places",
    "Take them out of the cache in the order in which they were put there: keys first, then values.",
)
class ChangedPlaces(Reading):
    def keep(self, layer, *new):
        key, value = super().keep(layer, *new)
        self.kept[layer] = [value, key]
        return key, value


@also_slip("keys and values that change places")
class EachForTheOther(Reading):
    def keep(self, layer, *new):
        return super().keep(layer, *new)[::-1]


@slip(
    "old keys and values that are kept twice",
    "The keys and values of all positions hold the old ones too: let them replace what was kept, not follow it.",
)
class OldKeptAgain(Reading):
    def keep(self, layer, *new):
        before = self.kept[layer]
        together = super().keep(layer, *new)
        if before:
            self.kept[layer] = [torch.cat(both, dim=1) for both in zip(before, together, strict=True)]
        return together


@slip(
    "one cache for all layers",
    "Every layer has keys and values of its own: make a cache for each. (`[[]] * n_layers` is one list, n times.)",
)
class SharedCache(Reading):
    def keep(self, layer, *new):
        return super().keep(0, *new)


@also_slip("one cache for all layers")
class CacheOfTheLastLayer(Reading):
    def keep(self, layer, *new):
        before = self.kept[0]
        together = [torch.cat(both, dim=1) for both in zip(before, new, strict=True)] if before else list(new)
        if layer == len(self.kept) - 1:
            self.kept[0] = together
        return together


@slip(
    "no mask among the tokens of the prompt",
    "The prompt's tokens are read at once, and none may see a later one: mask the scores of the prompt as `Attention` "
    "does.",
)
class NoMask(Reading):
    def later(self, n_new, n_all):
        return torch.zeros(n_new, n_all, dtype=torch.bool)


@slip(
    "a mask that is aligned with the first key",
    "The last row of the mask belongs to the last token, which sees all keys: `triu(n_all - n_new + 1)`. (`triu(1)` "
    "and `is_causal=True` count from the first key.)",
)
class MaskOfTheStart(Reading):
    def later(self, n_new, n_all):
        return torch.ones(n_new, n_all, dtype=torch.bool).triu(1)


@slip(
    "a mask that hides a token from itself",
    "A position sees itself too, and only what stands after it is hidden: `triu(n_all - n_new + 1)`.",
)
class MaskOfItself(Reading):
    def later(self, n_new, n_all):
        hidden = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new)
        hidden[:, 0] = False  # else the first row would be NaN
        return hidden


@also_slip("a mask that hides a token from itself")
class MaskOfItselfByALargeNumber(Reading):
    hidden = -1e9

    def later(self, n_new, n_all):
        return torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new)


@also_slip("a mask that hides a token from itself")
class MaskOfItselfByInfinity(MaskOfItselfByALargeNumber):
    hidden = -math.inf


@slip(
    "a mask that lets a token see the next one",
    "A position sees itself and those before it: hide all to the right, `triu(n_all - n_new + 1)`.",
)
class MaskOfTheNextButOne(Reading):
    def later(self, n_new, n_all):
        return torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 2)


@slip(
    "hidden keys that keep their share of softmax's sum",
    "Hide the *scores*, then take softmax: taken first, it has counted the hidden keys in its sum.",
)
class MaskedPattern(Reading):
    def pattern(self, scores, later):
        return scores.softmax(-1).masked_fill(later, 0.0)


@slip("a mask that puts 0 for the scores", "A score of 0 is one like any other: fill in `-torch.inf`.")
class MaskedByZero(Reading):
    hidden = 0.0


@slip(
    "a mask the wrong way round", "The mask is True where the key comes *after* the query: there `masked_fill` fills."
)
class MaskOfTheOthers(Reading):
    def later(self, n_new, n_all):
        return ~super().later(n_new, n_all)


@slip("a mask that is not low enough", "A score of -1 still has a share in the softmax: fill in `-torch.inf`.")
class MaskedByOne(Reading):
    hidden = -1.0


@slip("softmax over the queries", "Each query's pattern adds up to 1 over the keys: `softmax(-1)`, the last axis.")
class OverQueries(Reading):
    def pattern(self, scores, later):
        return scores.masked_fill(later, -1e9).softmax(-2)


@slip(
    "reading places of the cache that are still empty",
    "A key of zeros has a score of 0, which counts: write new keys right after the old ones, and read up to the last.",
)
class EmptyPlaces(Reading):
    def keep(self, layer, *new):
        n_heads, n_new, d_head = new[0].shape
        self.kept[layer] = self.kept[layer] or [torch.zeros(n_heads, self.model.cfg.n_ctx, d_head) for _ in new]
        for buffer, one in zip(self.kept[layer], new, strict=True):
            buffer[:, self.n_read - n_new : self.n_read] = one
        return self.kept[layer]

    def later(self, n_new, n_all):
        return torch.ones(n_new, n_all, dtype=torch.bool).triu(1) & (n_new > 1)


@also_slip("reading places of the cache that are still empty")
class EmptyPlacesFromTheStart(EmptyPlaces):
    def later(self, n_new, n_all):
        later = torch.ones(n_new, n_all, dtype=torch.bool).triu(1)
        return later & (torch.arange(n_all) < self.n_read) & (n_new > 1)


class InBuffers(Reading):
    """Keys and values in buffers made before; once the prompt is read, off by `shift`, and read from `first` on."""

    first, shift, more = 0, 0, 0  # `more` places than there are positions

    def keep(self, layer, *new):
        n_heads, n_new, d_head = new[0].shape
        places = self.model.cfg.n_ctx + 2
        self.kept[layer] = self.kept[layer] or [torch.zeros(n_heads, places, d_head) for _ in new]
        start, end = self.n_read - n_new, self.n_read
        first, shift, more = (self.first, self.shift, self.more) if start else (0, 0, 0)
        for buffer, one in zip(self.kept[layer], new, strict=True):
            buffer[:, start + shift : end + shift] = one
        return [buffer[:, first : end + more] for buffer in self.kept[layer]]


@also_slip("reading places of the cache that are still empty")
class OneEmptyPlace(InBuffers):
    more = 1


@also_slip("reading places of the cache that are still empty")
class PlaceLeftOut(InBuffers):
    shift = more = 1


@slip(
    "a new token in the place after its own",
    "The first new token stands right after the prompt: its key and value go to place `n_read`, counted from 0.",
)
class PlaceLeftOutAndReadToTheEnd(InBuffers):
    shift = 1


@slip(
    "a new token that takes the last one's place in the cache",
    "The keys and values of all positions are needed: put those of a new one after them, at place `n_read`.",
)
class LastOverwritten(InBuffers):
    shift = more = -1


@also_slip("a new token that takes the last one's place in the cache")
class LastOverwrittenAndReadToTheEnd(InBuffers):
    shift = -1


@slip(
    "a new token that does not look at itself",
    "Its own key and value count too: put them into the cache first, and attend to all that is there then.",
)
class NotItself(InBuffers):
    more = -1


@slip("a cache that is read without its first position", "A token reads all positions up to its own: from 0 on.")
class WithoutTheFirst(InBuffers):
    first = 1


@slip(
    "keys and values of the new position alone",
    "Attention needs the keys and values of all positions so far: put the new ones after those that are kept, keep "
    "the result, and make the cache once, before the loop.",
)
class NewAlone(Reading):
    def keep(self, layer, *new):
        return new


@slip(
    "a prompt that never gets into the cache",
    "The first step has to keep the prompt's keys and values; reading it by `model(...)` alone keeps nothing.",
)
class PromptNotKept(Reading):
    def keep(self, layer, *new):
        kept = super().keep(layer, *new)
        if new[0].shape[1] == self.n_read:
            self.kept[layer] = []
        return kept


@slip(
    "keeping the prompt and nothing after it",
    "The new token's keys and values belong to the cache too: write them back to it in every step.",
)
class PromptAlone(Reading):
    def keep(self, layer, *new):
        before = self.kept[layer]
        kept = super().keep(layer, *new)
        self.kept[layer] = before or kept
        return kept


@slip(
    "a prompt of which only the last token is read",
    "The first step reads the whole prompt: without its keys and values there is nothing to look back to.",
)
class NoPrompt(Reading):
    def start(self, tokens):
        self.n_read = self.n_read or len(tokens) - 1
        return super().start(tokens)
