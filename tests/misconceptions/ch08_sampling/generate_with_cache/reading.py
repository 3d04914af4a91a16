"""How generate_with_cache goes wrong: a model read step by step, of which the other parts change a step."""

import math

import torch
import torch.nn.functional as F

from tests.ch08_sampling import cached
from tests.misconceptions.ch08_sampling.generate import picked, picked_by_noise


class Reading:
    """What a model has read of one text; the mistakes below replace one step of it each."""

    last = slice(-1, None)

    def __init__(self, model):
        self.model, self.n_read = model, 0
        self.kept = [[] for _ in model.blocks]  # of each layer the keys and the values
        self.read = {}

    def unread(self, tokens):
        return tokens[self.n_read :]

    def positions(self, n_new):
        return torch.arange(self.n_read, self.n_read + n_new)

    def start(self, tokens):
        new = self.unread(tokens)
        resid = self.model.embed.W_E[new] + self.model.pos_embed.W_pos[self.positions(len(new))]
        self.n_read = len(tokens)
        return resid

    def normal(self, layer, block, resid):
        """What queries are made of, and what keys and values are made of."""
        return (block.ln1(resid),) * 2

    def query_bias(self, attn):
        return getattr(attn, self.weights[0].replace("W", "b"))

    def keep(self, layer, *new):
        """All keys and values, [head_index pos d_head], the new ones last."""
        before = self.kept[layer]
        self.kept[layer] = [torch.cat(both, dim=1) for both in zip(before, new, strict=True)] if before else list(new)
        return self.kept[layer]

    def scale(self, d_head):
        return d_head**0.5

    hidden = -math.inf

    def later(self, n_new, n_all):
        return torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)

    def pattern(self, scores, later):
        return scores.masked_fill(later, self.hidden).softmax(-1)

    weights = ("W_Q", "W_K", "W_V")  # that make queries, keys and values

    def attend(self, layer, block, resid):
        (of_query, of_key), attn = self.normal(layer, block, resid), block.attn
        made_by = [(getattr(attn, name), getattr(attn, name.replace("W", "b"))) for name in self.weights]
        (of_queries, _), *others = made_by
        parts = ((of_query, of_queries, self.query_bias(attn)), *((of_key, weight, bias) for weight, bias in others))
        query, *new = (torch.einsum("pm,hmd->hpd", read, weight) + bias[:, None] for read, weight, bias in parts)
        key, value = self.keep(layer, *new)
        scores = query @ key.mT / self.scale(key.shape[-1])
        pattern = self.pattern(scores, self.later(*scores.shape[1:]))
        return self.merged(pattern @ value, attn.W_O) + attn.b_O

    def merged(self, z, weight):
        return torch.einsum("hpd,hdm->pm", z, weight)

    def mlp(self, block, resid):
        return block.mlp(block.ln2(resid))

    def block(self, layer, block, resid):
        resid = resid + self.attend(layer, block, resid)
        return resid + self.mlp(block, resid)

    def end(self, resid):
        return self.model.ln_final(resid)

    def logits(self, tokens):
        resid = self.start(tokens)
        for layer, block in enumerate(self.model.blocks):
            resid = self.block(layer, block, resid)
        return self.unembed(self.end(resid[self.last]))[0]

    def unembed(self, normal):
        return self.model.unembed(normal)


def writes_by(
    reading,
    counted=lambda text, n_prompt: text,
    handed=lambda sampling: sampling,
    choose=picked,
    answer=lambda text, n_prompt: text,
    written=lambda new: new,
):
    """`generate_with_cache` that reads in this way."""

    @torch.no_grad()
    def generate_with_cache(model, tokens, max_new_tokens, **sampling):
        read, n_prompt = reading(model), len(tokens)
        for _ in range(written(max_new_tokens)):
            new = choose(counted(tokens, n_prompt), read.logits(tokens), **handed(sampling))
            tokens = torch.cat([tokens, torch.tensor([new])])
        return answer(tokens, n_prompt)

    return generate_with_cache


@cached.correct
def without_a_batch(model, tokens, max_new_tokens, **sampling):
    return writes_by(Reading)(model, tokens, max_new_tokens, **sampling)


@cached.correct
@torch.no_grad()
def buffers_made_before(model, tokens, max_new_tokens, **sampling):
    cfg, text = model.cfg, tokens.tolist()
    keys, values = torch.zeros(2, cfg.n_layers, cfg.n_heads, cfg.n_ctx, cfg.d_head)
    logits = torch.empty(0)
    for place in range(len(text) + max_new_tokens - 1):  # the text it is given one token at a time, too
        resid = model.embed(torch.tensor([[text[place]]])) + model.pos_embed.W_pos[place]
        for layer, block in enumerate(model.blocks):
            attn, normal = block.attn, block.ln1(resid)[0, 0]
            keys[layer, :, place] = normal @ attn.W_K + attn.b_K
            values[layer, :, place] = normal @ attn.W_V + attn.b_V
            query = normal @ attn.W_Q + attn.b_Q
            scores = (keys[layer, :, : place + 1] * query[:, None]).sum(-1) / math.sqrt(cfg.d_head)
            z = (scores.softmax(-1)[..., None] * values[layer, :, : place + 1]).sum(1)
            resid = resid + (z[:, None] @ attn.W_O).sum(0) + attn.b_O
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid))[0, 0]
        if place >= len(tokens) - 1:
            text.append(picked_by_noise(torch.tensor(text), logits, **sampling))
    return torch.tensor(text)


@cached.correct
@torch.no_grad()
def heads_in_a_loop_and_lists(model, tokens, max_new_tokens, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    cfg = model.cfg
    past = {(layer, head): ([], []) for layer in range(cfg.n_layers) for head in range(cfg.n_heads)}
    text, read = tokens.clone(), 0
    while len(text) < len(tokens) + max_new_tokens:
        streams = []
        for place in range(read, len(text)):
            resid = model.embed.W_E[text[place]] + model.pos_embed.W_pos[place]
            for layer, block in enumerate(model.blocks):
                normal, written = block.ln1(resid), block.attn.b_O
                for head in range(cfg.n_heads):
                    query, key, value = (
                        normal @ getattr(block.attn, f"W_{one}")[head] + getattr(block.attn, f"b_{one}")[head]
                        for one in "QKV"
                    )
                    keys, values = past[layer, head]
                    keys.append(key)
                    values.append(value)
                    pattern = F.softmax(torch.stack(keys) @ query / cfg.d_head**0.5, dim=0)
                    written = written + pattern @ torch.stack(values) @ block.attn.W_O[head]
                resid = resid + written
                resid = resid + block.mlp(block.ln2(resid))
            streams.append(resid)
        read = len(text)
        logits = model.ln_final(streams[-1]) @ model.unembed.W_U + model.unembed.b_U
        text = torch.hstack(
            [text, torch.tensor(picked_by_noise(text, logits, temperature, top_k, top_p, freq_penalty))]
        )
    return text


@cached.correct
@torch.inference_mode()
def fused_with_torchs_attention(model, tokens, max_new_tokens, **sampling):
    """Q, K and V in one product, the attention by PyTorch; the logits at every position."""

    def fused(attn):
        weight = torch.stack([attn.W_Q, attn.W_K, attn.W_V]).permute(2, 0, 1, 3).flatten(1)
        return weight, torch.stack([attn.b_Q, attn.b_K, attn.b_V]).flatten()

    cfg, projections = model.cfg, [fused(block.attn) for block in model.blocks]
    past, fresh, start = [None] * cfg.n_layers, tokens[None], 0
    for _ in range(max_new_tokens):
        n_new = fresh.shape[1]
        resid = model.embed(fresh) + model.pos_embed.W_pos[start : start + n_new]
        for layer, (block, (weight, bias)) in enumerate(zip(model.blocks, projections, strict=True)):
            qkv = torch.addmm(bias, block.ln1(resid)[0], weight).view(1, n_new, 3, cfg.n_heads, cfg.d_head)
            query, key, value = qkv.permute(2, 0, 3, 1, 4)
            if past[layer]:
                key, value = (torch.cat(both, dim=2) for both in zip(past[layer], (key, value), strict=True))
            past[layer] = (key, value)
            z = F.scaled_dot_product_attention(query, key, value, is_causal=start == 0)
            resid = resid + z.transpose(1, 2).flatten(2) @ block.attn.W_O.flatten(0, 1) + block.attn.b_O
            resid = resid + block.mlp(block.ln2(resid))
        start += n_new
        fresh = torch.tensor([[picked(tokens, model.unembed(model.ln_final(resid))[0, -1], **sampling)]])
        tokens = torch.cat((tokens, fresh[0]))
    return tokens.clone()


@cached.correct
def whole_buffers_with_a_mask(model, tokens, max_new_tokens, **sampling):
    """Every query meets all `n_ctx` places; those that hold nothing yet are masked."""

    class WholeBuffers(Reading):
        def keep(self, layer, *new):
            n_ctx, (n_heads, n_new, d_head) = model.cfg.n_ctx, new[0].shape
            self.kept[layer] = self.kept[layer] or [torch.zeros(n_heads, n_ctx, d_head) for _ in new]
            for buffer, one in zip(self.kept[layer], new, strict=True):
                buffer[:, self.n_read - n_new : self.n_read] = one
            return self.kept[layer]

        def later(self, n_new, n_all):
            return torch.arange(n_all) > torch.arange(self.n_read - n_new, self.n_read)[:, None]

    return writes_by(WholeBuffers)(model, tokens, max_new_tokens, **sampling)


@cached.correct
def the_prompt_by_the_model_itself(model, tokens, max_new_tokens, **sampling):
    """The text that it is given goes through the model's own parts, whose inputs to attention give keys and values."""

    class FromTheModel(Reading):
        def logits(self, tokens):
            if self.n_read:
                return super().logits(tokens)
            self.n_read, resid = len(tokens), model.embed(tokens[None]) + model.pos_embed(tokens[None])
            for layer, block in enumerate(model.blocks):
                normal, attn = block.ln1(resid)[0], block.attn
                self.kept[layer] = [normal @ attn.W_K + attn.b_K[:, None], normal @ attn.W_V + attn.b_V[:, None]]
                resid = block(resid)
            return model.unembed(model.ln_final(resid))[0, -1]

    return writes_by(FromTheModel)(model, tokens, max_new_tokens, **sampling)


def slip(name, advice, **otherwise):
    """Register generation by a kind of `Reading` that has one step wrong."""

    def register(reading):
        cached.misconception(name, advice)(writes_by(reading, **otherwise))
        return reading

    return register


def also_slip(name, **otherwise):
    """Register another form of it."""

    def register(reading):
        cached.also(name)(writes_by(reading, **otherwise))
        return reading

    return register
