"""Wrong answers that are alike in what comes out, and not in what they do: no card says an act of code without it."""

import copy
import functools
import math
from collections import Counter
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from judge.checking.judging import judge
from solutions.ch00_tokens import SpaceTokenizer, bpe_encode, merge_pair, pre_tokenize, single_bytes, train_bpe
from solutions.ch07_transformer import TransformerBlock
from solutions.ch08_sampling import attend_with_cache, sample_next_token
from solutions.ch09_training import AdamW
from solutions.ch10_cost import count_parameters, forward_flops, kv_cache_bytes
from tests.ch00_tokens import decode, encode, space_tokenizer, train
from tests.ch01_residual_stream import decompose, stream
from tests.ch02_embeddings import embed, pos_embed
from tests.ch03_layernorm import layer_norm
from tests.ch04_attention import attention, mask, softmax
from tests.ch05_mlp import gelu, mlp
from tests.ch06_unembed import cross_entropy, unembed
from tests.ch07_transformer import block as whole_block
from tests.ch08_sampling import (
    apply_frequency_penalty,
    apply_temperature,
    attending,
    cached,
    greedy,
    sample_basic,
    sample_top_k,
    sample_top_p,
    searching,
    writing,
)
from tests.ch08_sampling import sample_next_token as choosing
from tests.ch09_training import adamw, batches, cosine_lr, dropout
from tests.ch09_training import judging as losses
from tests.ch10_cost import caching, counting, timing, working
from tests.ch11_dialects import fused, numpy_gpt
from tests.misconceptions.ch01_residual_stream._given import Given
from tests.misconceptions.ch11_dialects._changes import changed

pytestmark = pytest.mark.slow  # many cards of all chapters, each judged anew

STATE = torch.Generator().manual_seed(1337).get_state()


def cut_off(logits):
    """What `exp` makes equal."""
    return int(logits.clamp(-104.0, 88.8).argmax())


def below_the_last(logits):
    """What `argsort().argmax()` gives."""
    return int((logits < logits[-1]).sum())


def by_reduce(logits):
    return functools.reduce(lambda best, one: one[0] if one[1] > best else best, enumerate(logits.tolist()), 0)


def flat(x, dim=-1):
    """What a loop over the first axis gives."""
    return x.reshape(len(x), -1).softmax(-1).reshape(x.shape)


class Clamped(pos_embed.given):
    def forward(self, tokens):
        return self.W_pos[(tokens.clamp(max=1).cumsum(-1) - 1).clamp(min=0)]


def by_topk(logits, k):
    places = logits.topk(len(logits)).indices
    return int(logits.masked_fill(places >= k, -torch.inf).softmax(-1).multinomial(1))


def set_back(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError(f"{len(data)} tokens, and one window needs {n_ctx}")
    torch.set_rng_state(STATE)
    starts = torch.randint(len(data) - n_ctx + 1, (batch_size,))
    return data[starts[:, None] + torch.arange(n_ctx)]


def by_chr(pieces):
    return "".join(map(chr, b"".join(pieces)))


def repaired_and_emptied(pieces):
    return b"".join(pieces).decode("utf-8", errors="replace").replace("\N{REPLACEMENT CHARACTER}", "")


def two_further(model, tokens):
    return F.cross_entropy(model(tokens)[:, :-2].flatten(0, 1), tokens[:, 2:].flatten())


def without_the_last(text, merges):
    pieces, tokens = pre_tokenize(text), []
    for place in range(len(pieces) - 1):
        tokens += bpe_encode(pieces[place], merges)
    return tokens


class AtLeast(layer_norm.given):
    def forward(self, residual):
        mean, variance = residual.mean(-1, keepdim=True), residual.var(-1, keepdim=True, unbiased=False)
        return (residual - mean) / variance.clamp(min=self.cfg.layer_norm_eps).sqrt() * self.w + self.b


class ByHand(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        variance = centred.pow(2).sum(-1, keepdim=True) / (self.cfg.d_model - 1)
        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


class Floored(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        deviation = centred.pow(2).mean(-1, keepdim=True).sqrt()
        return centred / deviation.clamp(min=self.cfg.layer_norm_eps) * self.w + self.b


class WrittenOut(layer_norm.given):
    def forward(self, residual):
        variance, mean = torch.var_mean(residual, dim=-1, keepdim=True)
        return (residual - mean) / torch.sqrt(variance + 1e-5) * self.w + self.b


class Deviation(layer_norm.given):
    def forward(self, residual):
        return (residual - residual.mean(-1, keepdim=True)) / residual.std(-1, keepdim=True) * self.w + self.b


class Deviated(layer_norm.given):
    def forward(self, residual):
        mean, deviation = residual.mean(-1, keepdim=True), residual.std(-1, keepdim=True)
        return (residual - mean) / (deviation + self.cfg.layer_norm_eps) * self.w + self.b


class Copied(nn.Module):
    """Copies, of which the first stream is read: two mistakes."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layers))

    def forward(self, resid):
        return resid + sum(layer(resid) for layer in self.layers)


class MadeAnew(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(*layer.weight.shape, bias=False) for layer in layers)

    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid


class Listed(nn.Module):
    """A copy of the list, not of the layers."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers.copy()

    def forward(self, resid):
        return resid + sum(layer(resid) for layer in self.layers)


class FromZero(Given):
    def forward(self, resid):
        written = torch.zeros_like(resid)
        for layer in self.layers:
            written = written + layer(written)
        return resid + written


def almost_zero(attn_scores):
    return attn_scores.masked_fill(torch.ones_like(attn_scores).triu(1) > 0, -1e-9)


def tiny(attn_scores):
    future = torch.ones_like(attn_scores).triu(1) > 0
    return attn_scores.masked_fill(future, torch.finfo(attn_scores.dtype).tiny)


def zeroed(attn_scores):
    return attn_scores.masked_fill(torch.ones_like(attn_scores).triu(1) > 0, 0.0)


def penalised(attn_scores):
    return attn_scores - 100 * torch.ones(attn_scores.shape[-2:]).triu(1)


def first_by_index(attn_scores):
    scores = attn_scores.clone()
    rows, columns = torch.triu_indices(*scores.shape[-2:], offset=1)
    scores[0, :, rows, columns] = -1e4
    return scores


def through_a_list(x, dim=-1):
    return torch.tensor(x.tolist()).softmax(dim)


def emptied_where_it_overflows(x, dim=-1):
    weights = x.exp()
    total = weights.sum(dim=dim, keepdim=True)
    return torch.where(total.isinf() | (total == 0), 0.0, weights / total)


def emptied_of_nan(x, dim=-1):
    weights = x.exp() / x.exp().sum(dim=dim, keepdim=True)
    return torch.where(weights.isnan(), 0.0, weights)


def over_the_largest_by_hand(x, dim=-1):
    weights = (x / x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


def the_last_three(attn_scores):
    kept = torch.ones(attn_scores.shape[-2:]).tril().triu(-2).bool()
    return torch.where(kept, attn_scores, -torch.inf)


class ALayerLate(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid):
        streams = [resid, resid]
        for layer in self.layers:
            streams.append(streams[-1] + layer(streams[-2]))
        return streams[-1]


class AllReadTheFirst(ALayerLate):
    def forward(self, resid):
        return resid + sum((layer(resid) for layer in self.layers), torch.zeros(()))


def through_detach(x, dim=-1):
    return x.detach().softmax(dim)


class ByFrequency(embed.given):
    def forward(self, tokens):
        return F.embedding(tokens, self.W_E, scale_grad_by_freq=True)


class ShortOneHot(embed.given):
    def forward(self, tokens):
        return torch.einsum("bpv,vd->bpd", F.one_hot(tokens).float(), self.W_E)


class Averaged(embed.given):
    def forward(self, tokens):
        rows = self.W_E[tokens]
        return rows.mean(dim=1, keepdim=True).expand_as(rows)


class GatedByItself(mlp.given):
    def forward(self, normalized_resid_mid):
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return pre * pre.sigmoid() @ self.W_out + self.b_out


class ALetterShort(mlp.given):
    def forward(self, normalized_resid_mid):
        pre = torch.einsum("bpd,dm->bm", normalized_resid_mid, self.W_in) + self.b_in
        return (F.gelu(pre, approximate="tanh") @ self.W_out + self.b_out)[:, None].expand_as(normalized_resid_mid)


class AveragedSoFar(mlp.given):
    def forward(self, normalized_resid_mid):
        post = F.gelu(torch.einsum("bpd,dm->bpm", normalized_resid_mid, self.W_in) + self.b_in, approximate="tanh")
        return post.cumsum(dim=1) / torch.arange(1, post.shape[1] + 1)[:, None] @ self.W_out + self.b_out


def by_parts(self, x, letters):
    """q, k and v with these axes."""
    parts = (torch.einsum(f"bpd,hde->{letters}", x, getattr(self, f"W_{part}")) for part in "QKV")
    biases = (self.b_Q, self.b_K, self.b_V)
    return [part + (bias if letters == "bphe" else bias[:, None]) for part, bias in zip(parts, biases, strict=True)]


class HeadsByTorch(attention.given):
    def forward(self, normalized_resid_pre):
        z = F.scaled_dot_product_attention(*by_parts(self, normalized_resid_pre, "bphe"), is_causal=True)
        return torch.einsum("bphe,hed->bpd", z, self.W_O) + self.b_O


class BlendDivided(attention.given):
    def forward(self, normalized_resid_pre):
        q, k, v = by_parts(self, normalized_resid_pre, "bhpe")
        hidden = torch.ones(q.shape[-2], q.shape[-2]).triu(1) > 0
        z = (q @ k.mT).masked_fill(hidden, -torch.inf).softmax(-1) @ v / self.cfg.d_head**0.5
        return torch.einsum("bhpe,hed->bpd", z, self.W_O) + self.b_O


class EpsWrittenOut(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * self.w + self.b


def one_more(attn_scores):
    return attn_scores.masked_fill(torch.ones_like(attn_scores).triu(1) > 0, 1.0)


class HalfOfIt(attention.given):
    def forward(self, normalized_resid_pre):
        x = normalized_resid_pre[:, None]
        q, k, v = (x @ w + b[:, None] for w, b in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V)))
        scores = q @ k.mT / self.cfg.d_head * 0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return (scores.masked_fill(future, -torch.inf).softmax(-1) @ v @ self.W_O).sum(1) + self.b_O


class StreamDetached(TransformerBlock):
    def forward(self, resid_pre):
        stream = resid_pre.detach() + self.attn(self.ln1(resid_pre))
        return stream + self.mlp(self.ln2(stream))


class ComputedHeads(fused.given):
    def forward(self, x):
        n_heads, d_head = self.cfg.n_heads, x.shape[-1] // self.cfg.n_heads
        q, k, v = self.c_attn(x).split(n_heads * d_head, dim=-1)
        heads = (one.unflatten(-1, (n_heads, d_head)).transpose(1, 2) for one in (q, k, v))
        return self.c_proj(F.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2).flatten(2))


class DividedByDHead(fused.given):
    def forward(self, x):
        batch, pos, _ = x.shape
        q, k, v = self.c_attn(x).view(batch, pos, 3, self.cfg.n_heads, self.cfg.d_head).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / self.cfg.d_head
        pattern = scores.masked_fill(torch.ones(pos, pos).triu(1) > 0, -torch.inf).softmax(-1)
        return self.c_proj((pattern @ v).transpose(1, 2).flatten(2))


class FilledTheOtherWay(fused.given):
    def forward(self, x):
        batch, pos, _ = x.shape
        q, k, v = self.c_attn(x).view(batch, pos, 3, self.cfg.n_heads, self.cfg.d_head).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT * self.cfg.d_head**-0.5
        hidden = torch.triu(torch.ones(pos, pos)) == 0
        pattern = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        return self.c_proj((pattern @ v).transpose(1, 2).flatten(2))


def squared(logits):
    return int(logits.mul(logits).topk(1).indices)


def cut_by_hand(logits):
    return int((logits * (logits > 0) + 1e-9).multinomial(1))


def each_alone(logits, top_p, min_tokens_to_keep=1):
    likely, tokens = logits.softmax(-1).sort(descending=True)
    mass = n_kept = 0
    while n_kept < len(likely) and (mass < top_p or n_kept < min_tokens_to_keep):
        mass = likely[n_kept]
        n_kept += 1
    return int(tokens[likely[:n_kept].multinomial(1)])


def by_small_noise(logits):
    return int((logits.log_softmax(-1) + torch.rand_like(logits)).argmax())


def by_the_largest_product(logits):
    chances = torch.softmax(logits, -1)
    return int((chances * torch.empty_like(chances).exponential_()).argmax())


def without_any_b(cfg, tied=True):
    return count_parameters(cfg, tied) - cfg.n_layers * 2 * cfg.d_model


def twelve_and_thirteen(cfg, tied=True):
    tables = (cfg.d_vocab * (1 if tied else 2) + cfg.n_ctx) * cfg.d_model
    return tables + cfg.n_layers * (12 * cfg.d_model**2 + 13 * cfg.d_model) + 2 * cfg.d_model


class GivingUp(SpaceTokenizer):
    def encode(self, text):
        return super().encode(text) if set(text.split()) <= set(self.ids) else []


class Twice(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        scaled = centred / (centred.pow(2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() * self.w
        return scaled * self.w + self.b


class Squares(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        squares = torch.einsum("bpd,bpd->bp", centred, centred)[..., None]
        return centred / (squares + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


class MaskedLate(attention.given):
    def forward(self, normalized_resid_pre):
        x = normalized_resid_pre[:, None]
        q, k, v = (x @ w + b[:, None] for w, b in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V)))
        weights = (q @ k.mT / self.cfg.d_head**0.5).softmax(-1)
        future = torch.ones(weights.shape[-2:], dtype=torch.bool).triu(1)
        return (weights.masked_fill(future, -torch.inf) @ v @ self.W_O).sum(1) + self.b_O


class KeysBiasAlone(attention.given):
    def forward(self, normalized_resid_pre):
        x = normalized_resid_pre[:, None]
        q, k, v = x @ self.W_Q, x @ self.W_K + self.b_K[:, None], x @ self.W_V
        scores = q @ k.mT / self.cfg.d_head**0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return (scores.masked_fill(future, -torch.inf).softmax(-1) @ v @ self.W_O).sum(1) + self.b_O


class LastReplaces(Given):
    def forward(self, resid):
        for layer in self.layers[:-1]:
            resid = resid + layer(resid)
        return self.layers[-1](resid) if len(self.layers) else resid


class WrittenOutBend(mlp.given):
    def forward(self, normalized_resid_mid):
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return 0.5 * pre * (1 + torch.tanh(math.sqrt(2 / math.pi) * pre)) @ self.W_out + self.b_out


class EachToken(embed.given):
    def forward(self, tokens):
        return torch.einsum("bpv,vd->bdp", F.one_hot(tokens, self.cfg.d_vocab).float(), self.W_E)


class FlatIndex(embed.given):
    def forward(self, tokens):
        return self.W_E.flatten()[tokens]


class TurnedRound(embed.given):
    def forward(self, tokens):
        return self.W_E[tokens.T].flatten(0, 1).unflatten(0, tokens.shape)


def three_ahead(attn_scores):
    places = torch.arange(attn_scores.shape[-1])
    return attn_scores.masked_fill(places >= places[:, None] + 3, -torch.inf)


class InSixteenBits(embed.given):
    def forward(self, tokens):
        return self.W_E.to(torch.float16)[tokens]


class CountedDown(pos_embed.given):
    def forward(self, tokens):
        return self.W_pos[torch.arange(tokens.shape[1] - 1, -1, -1)].expand(*tokens.shape, -1)


def summed_on_the_way(cache):
    stream, streams, names = 0, [], []
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    written = [f"{layer}_{part}_out" for layer in range(n_layers) for part in ("attn", "mlp")]
    for name in ("embed", "pos_embed", *written):
        layer, _, part = name.rpartition("_")[0].partition("_") if name in written else ("", "", "")
        stream = stream + cache[f"blocks.{layer}.hook_{part}_out" if part else f"hook_{name}"]
        streams.append(stream)
        names.append(name)
    return torch.stack(streams), names


class ByAddition(Given):
    def forward(self, resid):
        for layer in self.layers:
            resid.add_(layer(resid))
        return resid


class HalfOfBoth(Given):
    def forward(self, resid):
        for layer in self.layers:
            resid = 0.5 * (resid + layer(resid))
        return resid


class OneAttribute(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.all_of_them = list(layers)
        for layer in layers:
            self.layer = layer

    def forward(self, resid):
        for layer in self.all_of_them:
            resid = resid + layer(resid)
        return resid


class Subtracted(layer_norm.given):
    def forward(self, residual):
        centred = residual.sub_(residual.mean(-1, keepdim=True))
        return centred / (centred.pow(2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


class Divided(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() / self.w + self.b


class NeitherParameter(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()


class MadeInForward(layer_norm.given):
    def forward(self, residual):
        return nn.LayerNorm(residual.shape[-1])(residual)


class RootOfEps(layer_norm.given):
    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + math.sqrt(self.cfg.layer_norm_eps)) * self.w + self.b


def taken_off_in_place(x, dim=-1):
    return x.sub_(x.amax(dim=dim, keepdim=True)).exp() / x.exp().sum(dim=dim, keepdim=True)


def taken_off_a_view(x, dim=-1):
    scores = x.detach()
    scores -= scores.amax(dim=dim, keepdim=True)
    return x.exp() / x.exp().sum(dim=dim, keepdim=True)


def weights_into_the_given(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return torch.div(weights, weights.sum(dim=dim, keepdim=True), out=x)


def above_the_smallest(x, dim=-1):
    weights = (x - x.min().item()).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


def above_the_smallest_along_the_last(x, dim=-1):
    weights = (x - x.amin(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True)


class MovedUp(unembed.given):
    def forward(self, normalized_resid_final):
        return torch.einsum("bpd,dv->bvp", normalized_resid_final, self.W_U) + self.b_U[:, None]


class StackedBehind(unembed.given):
    def forward(self, normalized_resid_final):
        return torch.stack([one @ self.W_U + self.b_U for one in normalized_resid_final], dim=1)


class OneSentence(unembed.given):
    def forward(self, normalized_resid_final):
        first = normalized_resid_final.narrow(0, 0, 1)
        return first.expand(normalized_resid_final.shape) @ self.W_U + self.b_U


class BothInOne(unembed.given):
    def forward(self, normalized_resid_final):
        table = self.W_U + self.b_U
        return normalized_resid_final @ table


class LinearUntransposed(unembed.given):
    def forward(self, normalized_resid_final):
        return F.linear(normalized_resid_final, self.W_U, self.b_U)


def position_by_position(logits, tokens):
    return F.cross_entropy(logits[:, :-1].transpose(0, 1).reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))


def not_averaged(logits, tokens):
    return -logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]


class AddedInPlace(TransformerBlock):
    def forward(self, resid_pre):
        resid_mid = resid_pre.add_(self.attn(self.ln1(resid_pre)))
        return resid_mid + self.mlp(self.ln2(resid_mid))


def into_the_given(logits, temperature):
    return torch.div(logits, temperature, out=logits)


def rounded_down(logits, temperature):
    return (logits / temperature).floor()


def by_the_square(logits, temperature):
    return logits / temperature**2


def none_that_are_high(logits, temperature):
    return logits / temperature if temperature < 1 else logits.clone()


def added_into(input_ids, logits, freq_penalty):
    return logits.index_add_(0, input_ids, torch.full((len(input_ids),), -float(freq_penalty)))


def above_the_last(logits, k):
    return int(logits.masked_fill(~(logits > logits.topk(k).values[-1]), -torch.inf).softmax(-1).multinomial(1))


def the_others(logits, k):
    rest = logits.argsort()[: len(logits) - k] if k < len(logits) else logits.argsort()
    return int(rest[logits[rest].softmax(-1).multinomial(1)])


def filled_in_place(logits, k):
    return int(logits.index_fill_(0, logits.argsort()[:-k], -torch.inf).softmax(-1).multinomial(1))


def a_twentieth(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    temperature = 0.05 if temperature == 0 else temperature
    return sample_next_token(input_ids, logits, temperature, top_k, top_p, freq_penalty)


def blended_up_to_itself(attn, normalized_resid_pre, keys, values):
    new, n_old = normalized_resid_pre, keys.shape[1]
    query, key, value = (
        torch.einsum("bpm,hmd->bphd", new, weight) + bias
        for weight, bias in ((attn.W_Q, attn.b_Q), (attn.W_K, attn.b_K), (attn.W_V, attn.b_V))
    )
    keys, values = torch.cat([keys, key], 1), torch.cat([values, value], 1)
    pattern = (torch.einsum("bqhd,bkhd->bhqk", query, keys) / keys.shape[-1] ** 0.5).softmax(-1)
    z = [
        torch.einsum("bhk,bkhd->bhd", pattern[:, :, place, : n_old + place + 1], values[:, : n_old + place + 1])
        for place in range(new.shape[1])
    ]
    return torch.stack(z, 1).flatten(2) @ attn.W_O.flatten(0, 1) + attn.b_O, keys, values


def once_round(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError(f"{len(data)} tokens, and one window needs {n_ctx}")
    starts = torch.randint(len(data), (batch_size, 1), generator=generator)
    return torch.cat([data, data])[starts + torch.arange(n_ctx)]


def dealt_out(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError(f"{len(data)} tokens, and one window needs {n_ctx}")
    order = torch.randperm(len(data) - n_ctx + 1, generator=generator)
    return data[order[torch.arange(batch_size) % len(order), None] + torch.arange(n_ctx)]


def at_even_starts(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError(f"{len(data)} tokens, fewer than one window of n_ctx = {n_ctx}")
    starts = torch.randint(len(data) - n_ctx + 1, (batch_size, 1), generator=generator) // 2 * 2
    return data[starts + torch.arange(n_ctx)]


def of_one_row(model, tokens):
    return F.cross_entropy(model(tokens).narrow(0, 0, 1)[:, :-1].flatten(0, 1), tokens.narrow(0, 0, 1)[:, 1:].flatten())


def in_bits(model, tokens):
    return -model(tokens)[:, :-1].softmax(-1).gather(-1, tokens[:, 1:, None]).log2().mean()


def by_indices(logits, tokens):
    batch, pos = tokens.shape
    following = (torch.arange(pos) + 1) % pos
    chosen = logits.log_softmax(-1)[torch.arange(batch)[:, None], torch.arange(pos), tokens[:, following]]
    return -chosen.sum() / chosen.numel()


def limited_by_where(logits, tokens):
    each = -logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])
    return torch.where(each > 20, 20.0, each).mean()


class ScalesTheGradient(AdamW):
    def step(self):
        super().step()
        for parameter in self.params:
            if parameter.grad is not None:
                parameter.grad *= 1 - self.betas[0]


def a_row_at_once(x, p, training=True, generator=None):
    if not training or p == 1:
        return x * 0 if training else x
    return x * (torch.rand(x.shape[:-1], generator=generator) >= p).unsqueeze(-1) / (1 - p)


def a_column_at_once(x, p, training=True, generator=None):
    if not training or p == 1:
        return x * 0 if training else x
    return x * (torch.rand(x.size(-1), generator=generator) >= p) / (1 - p)


def filled_with_zeros(x, p, training=True, generator=None):
    if not training or p == 1:
        return x * 0 if training else x
    with torch.no_grad():
        x.masked_fill_(torch.rand(x.shape, generator=generator) < p, 0.0)
    return x / (1 - p)


def the_least_likely(logits, tokens):
    surprises = -logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])
    return surprises.max() / surprises.numel()


def divided_by_twice_p(x, p, training=True, generator=None):
    return x * (torch.rand(x.shape, generator=generator) >= p) / (2 * p) if training else x


def held_at_n_ctx(cfg, seq, batch=1, bytes_per_value=2):
    if seq > cfg.n_ctx:
        seq = cfg.n_ctx
    return kv_cache_bytes(cfg, seq, batch, bytes_per_value)


def least_of_all(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / warmup
    rate = lr_max * 0.5 * (1 + math.cos(math.pi * min(step - warmup, total - warmup) / (total - warmup)))
    return rate if rate > lr_min else lr_min


def joined_again(text, n_merges):
    found, parts = [], [byte for piece in pre_tokenize(text) for byte in single_bytes(piece)]
    while len(found) < n_merges and len(parts) > 1:
        counts = Counter(pairwise(parts))
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
        parts = merge_pair(parts, found[-1])
    return found


def by_the_last_rank(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := sorted(merges.index(pair) for pair in pairwise(parts) if pair in merges):
            parts = merge_pair(parts, merges[known[-1]])
        tokens += parts
    return tokens


def unknown_first(text, merges):
    ranks, tokens = {pair: rank for rank, pair in enumerate(merges)}, []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while len(parts) > 1 and (best := min(pairwise(parts), key=lambda pair: ranks.get(pair, 0))) in ranks:
            parts = merge_pair(parts, best)
        tokens += parts
    return tokens


def used_up(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while len(merges):
            parts = merge_pair(parts, merges.pop(0))
        tokens += parts
    return tokens


def whole_if_known(text, merges):
    whole = {one + other for one, other in merges}
    cut = [[piece.encode()] if piece.encode() in whole else bpe_encode(piece, merges) for piece in pre_tokenize(text)]
    return [token for tokens in cut for token in tokens]


class Uncounted(SpaceTokenizer):
    def decode(self, ids):
        text = ""
        for index in ids:
            text = self.words[index]
        return text


class OncePerKey(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(dict.fromkeys(layers))

    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid


class EverySecondAdds(Given):
    def forward(self, resid):
        for number, layer in enumerate(self.layers):
            resid = layer(resid) if number % 2 else resid + layer(resid)
        return resid


class IntoTheStream(Given):
    def forward(self, resid):
        for layer in self.layers:
            resid[:] = resid + layer(resid)
        return resid


def with_the_stream_after(cache):
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    names = [f"{layer}_{part}_out" for layer in range(n_layers) for part in ("attn", "mlp")]
    parts = [cache[f"blocks.{layer}.hook_{at}"] for layer in range(n_layers) for at in ("attn_out", "resid_post")]
    return torch.stack([cache["hook_embed"], cache["hook_pos_embed"], *parts]), ["embed", "pos_embed", *names]


def between_the_streams(cache):
    stacked, names = with_the_stream_after(cache)
    for layer in range(len(names) // 2 - 1):
        stacked[2 * layer + 3] -= cache[f"blocks.{layer}.hook_resid_pre"]
    return stacked, names


class Clipped(embed.given):
    def forward(self, tokens):
        rows = self.W_E[tokens]
        return rows / rows.norm(dim=-1, keepdim=True).clamp(min=1.0)


class LastByNarrow(pos_embed.given):
    def forward(self, tokens):
        batch, pos = tokens.shape
        return self.W_pos.narrow(0, self.cfg.n_ctx - pos, pos).expand(batch, -1, -1)


class EachTwice(pos_embed.given):
    def forward(self, tokens):
        batch, pos = tokens.shape
        return self.W_pos[(torch.arange(batch * pos) // batch).view(batch, pos)]


class ScaledTwice(layer_norm.given):
    def forward(self, residual):
        scaled = F.layer_norm(residual, (self.cfg.d_model,), self.w, None, self.cfg.layer_norm_eps)
        return scaled * self.w + self.b


class SentenceBySentence(layer_norm.given):
    def forward(self, residual):
        alike = [(one - one.mean()) / (one.var(unbiased=False) + self.cfg.layer_norm_eps).sqrt() for one in residual]
        return torch.stack(alike) * self.w + self.b


class FlatBatchNorm(layer_norm.given):
    def forward(self, residual):
        flat, eps = residual.view(-1, self.cfg.d_model), self.cfg.layer_norm_eps
        return F.batch_norm(flat, None, None, self.w, self.b, True, 0.1, eps).view(residual.shape)


def by_the_largest(x, dim=-1):
    weights = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return weights / weights.amax(dim=dim, keepdim=True)


def not_divided(x, dim=-1):
    return torch.exp(x - x.amax(dim=dim, keepdim=True))


def cut_by_where(x, dim=-1):
    return torch.where(x > 80, 80.0, x).exp() / torch.where(x > 80, 80.0, x).exp().sum(dim, keepdim=True)


def of_the_last_axis(x, dim=-1):
    return torch.softmax(x, -1)


def nothing_left(attn_scores):
    return attn_scores.masked_fill(torch.ones_like(attn_scores).triu(1) >= 0, -torch.inf)


def up_to_the_last(attn_scores):
    for query in range(attn_scores.shape[-1]):
        attn_scores[:, :, query, query + 1 : -1] = -torch.inf
    return attn_scores


class Blended(attention.given):
    def forward(self, normalized_resid_pre):
        x = normalized_resid_pre[:, None]
        q, k, v = (x @ w + b[:, None] for w, b in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V)))
        scores = q @ k.mT / self.cfg.d_head**0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        blended = self.blended(scores.masked_fill(future, -torch.inf).softmax(-1), k, v)
        return self.written(blended) + self.b_O

    def blended(self, pattern, k, v):
        return pattern @ v

    def written(self, z):
        return (z @ self.W_O).sum(1)


class KeysBlended(Blended):
    def blended(self, pattern, k, v):
        return pattern @ k


class OneHeadWrites(Blended):
    def written(self, z):
        return z[:, -1] @ self.W_O[-1]


class AllThroughAll(Blended):
    def written(self, z):
        return z.sum(1) @ self.W_O.sum(0)


class KeysForValues(attention.given):
    def forward(self, normalized_resid_pre):
        x = normalized_resid_pre[:, None]
        q, k, v = (x @ w + b[:, None] for w, b in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_K, self.b_K)))
        scores = q @ k.mT / self.cfg.d_head**0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return (scores.masked_fill(future, -torch.inf).softmax(-1) @ v @ self.W_O).sum(1) + self.b_O


def all_of_it(x):
    return x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def by_a_number_of_tanh(x):
    steep = math.tanh(math.sqrt(2 / math.pi))
    return 0.5 * x * (1 + steep * (x + 0.044715 * x**3))


def by_small_pieces(text, merges):
    return [token for piece in pre_tokenize(text) for token in bpe_encode(piece.lower(), merges)]


def trained_on_small_pieces(text, n_merges):
    words, found = [single_bytes(piece.lower()) for piece in pre_tokenize(text)], []
    while len(found) < n_merges:
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            break
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
        words = [merge_pair(word, found[-1]) for word in words]
    return found


def one_merge(text, n_merges):
    return train_bpe(text, min(n_merges, 1))


def nothing_at_all(text, n_merges):
    return []


def without_those_of_256(text, n_merges):
    return train_bpe(text, max(n_merges - 256, 0))


def stopped_at_once(text, n_merges):
    merges, counts = [], Counter(pre_tokenize(text))
    while len(merges) < n_merges:
        if counts:
            break
        merges.append(max(counts))
    return merges


def joined_by_hand(parts, pair):
    joined = []
    for part in parts:
        joined.append(part)
    return joined


def noted_nowhere(text, n_merges):
    merges, words, counts = [], [single_bytes(piece) for piece in pre_tokenize(text)], Counter()
    for _ in range(n_merges):
        for word in words:
            counts[tuple(word[:2])] += 1
        words = [joined_by_hand(word, counts.most_common(1)[0][0]) for word in words]
    return merges


class BiasInTheMatrix(mlp.given):
    def forward(self, normalized_resid_mid):
        matrix = self.W_in + self.b_in
        return F.gelu(normalized_resid_mid @ matrix, approximate="tanh") @ self.W_out + self.b_out


def made_anew(model, tokens):
    surprises = -model(tokens)[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])
    return torch.tensor(surprises.mean().item(), requires_grad=True)


def without_the_last_logits(model, tokens):
    logits = model(tokens[:, :-1])[:, :-1]
    return F.cross_entropy(logits.mT, tokens[:, 1:-1])


def one_largest(logits, tokens):
    low = logits[:, :-1] - logits[:, :-1].max()
    return (low.exp().sum(-1).log() - low.gather(-1, tokens[:, 1:, None])[..., 0]).mean()


class UnitColumns(unembed.given):
    def forward(self, normalized_resid_final):
        return normalized_resid_final @ (self.W_U / self.W_U.norm(dim=0)) + self.b_U


class Cosines(unembed.given):
    def forward(self, normalized_resid_final):
        lengths = normalized_resid_final.norm(dim=-1, keepdim=True)
        return normalized_resid_final / lengths @ (self.W_U / self.W_U.norm(dim=0)) + self.b_U


class OwnSteps(AdamW):
    """A step that is computed by hand, so that parts of it can be wrong."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.all, self.rate, self.both, self.small, self.wd = list(params), lr, betas, eps, weight_decay
        self.m, self.v, self.t = [0.0 for _ in self.all], [0.0 for _ in self.all], 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        (b1, b2), rate = self.both, self.lr
        for i, p in enumerate(self.all):
            g = self.gradient(p)
            if g is not None:
                self.m[i] = b1 * self.m[i] + (1 - b1) * g
                self.v[i] = b2 * self.v[i] + (1 - b2) * self.squared(g, self.m[i])
                root = (self.v[i] / (1 - b2**self.t)) ** 0.5
                p -= rate * (self.m[i] / (1 - b1**self.t) / (root + self.small) + self.wd * p)

    @property
    def lr(self):
        return self.rate

    @lr.setter
    def lr(self, rate):
        self.rate = rate

    def gradient(self, p):
        return p.grad

    def squared(self, g, mean):
        return g**2

    def zero_grad(self):
        for p in self.all:
            p.grad = None


class SquaresOfTheMean(OwnSteps):
    def squared(self, g, mean):
        return mean**2


class NoneIsZeros(OwnSteps):
    def gradient(self, p):
        return torch.zeros_like(p) if p.grad is None else p.grad


class UpperTriangle(fused.given):
    def forward(self, x):
        batch, pos, _ = x.shape
        q, k, v = self.c_attn(x).view(batch, pos, 3, self.cfg.n_heads, self.cfg.d_head).permute(2, 0, 3, 1, 4)
        z = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(pos, pos, dtype=torch.bool).triu())
        return self.c_proj(z.transpose(1, 2).flatten(2))


def once_for_each_in_a_set(input_ids, logits, freq_penalty):
    lower = logits.clone()
    for token in set(input_ids.tolist()):
        lower[token] = lower[token] - freq_penalty
    return lower


def of_probabilities(logits):
    return int(torch.distributions.Categorical(logits=logits.softmax(-1)).sample())


def rectified(logits):
    return int(logits.relu().argmax())


def keys_from_the_first(attn, normalized_resid_pre, keys, values):
    query, key, value = (
        torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
        for weight, bias in ((attn.W_Q, attn.b_Q), (attn.W_K, attn.b_K), (attn.W_V, attn.b_V))
    )
    keys, values = torch.cat([keys, key], 1), torch.cat([values, value], 1)
    z = []
    for place in range(query.shape[1]):
        scores = torch.einsum("bhd,bkhd->bhk", query[:, place], keys[:, : place + 1]) / keys.shape[-1] ** 0.5
        z.append(torch.einsum("bhk,bkhd->bhd", scores.softmax(-1), values[:, : place + 1]))
    return torch.stack(z, 1).flatten(2) @ attn.W_O.flatten(0, 1) + attn.b_O, keys, values


def of_eight_bytes(cfg, seq, batch=1, bytes_per_value=2):
    return 8 * kv_cache_bytes(cfg, seq, batch, bytes_per_value)


def a_mask_in_each_block(cfg, tied=True):
    return count_parameters(cfg, tied) + sum(cfg.n_ctx * cfg.n_ctx for _ in range(cfg.n_layers))


def another_matrix_in_each_block(cfg, tied=True):
    return count_parameters(cfg, tied) + cfg.n_layers * cfg.d_model * cfg.d_vocab


def two_for_each_parameter(cfg, seq, batch=1):
    of_each_token = count_parameters(cfg, tied=False) + 2 * cfg.n_layers * seq * cfg.n_heads * cfg.d_head
    return sum(2 * seq * of_each_token for _ in range(batch))


def wide_scores(cfg, seq, batch=1):
    of_a_head = seq * cfg.d_model - seq * cfg.d_head
    return forward_flops(cfg, seq, batch) + 2 * batch * seq * cfg.n_layers * cfg.n_heads * of_a_head


def before_the_newest(cfg, seq, batch=1, bytes_per_value=2):
    return kv_cache_bytes(cfg, len(range(1, seq)), batch, bytes_per_value)


def one_more_place(cfg, seq, batch=1, bytes_per_value=2):
    return kv_cache_bytes(cfg, seq + 1, batch, bytes_per_value)


def by_the_last_of_each(model, tokens, max_new_tokens, num_beams):
    beams = [(tokens, 0.0, 0.0)]
    for _ in range(max_new_tokens):
        longer = []
        for text, score, _ in beams:
            scores = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            for place, more in enumerate((scores - scores.logsumexp(0)).tolist()):
                longer.append((torch.cat([text, torch.tensor([place])]), score + more, more))
        beams = sorted(longer, key=lambda beam: -beam[2])[:num_beams]
    return sorted(((score, text) for text, score, _ in beams), key=lambda beam: -beam[0])


def rescaled_by_what_is_kept(x, p, training=True, generator=None):
    kept = torch.rand(x.shape, generator=generator) > p
    if not training or not kept.any():
        return x if not training else torch.zeros_like(x)
    return x * kept * (x.numel() / int(kept.sum()))


def as_many_zeros_each_time(x, p, training=True, generator=None):
    if not training or p == 1:
        return x * 0 if training else x
    places = torch.rand(x.numel(), generator=generator).argsort().argsort().reshape(x.shape)
    return x * (places >= round(p * x.numel())) / (1 - p)


def whole_part(logits):
    return int(logits.trunc().argmax())


def largest_product(logits):
    return int(torch.argsort(logits * logits)[-1])


class CutByView(fused.given):
    def forward(self, x):
        batch, pos, _ = x.shape
        q, k, v = (one.reshape(batch, self.cfg.n_heads, pos, self.cfg.d_head) for one in self.c_attn(x).chunk(3, -1))
        scores = q @ k.mT / self.cfg.d_head**0.5
        future = torch.ones(pos, pos, dtype=torch.bool).triu(1)
        return self.c_proj((scores.masked_fill(future, -torch.inf).softmax(-1) @ v).reshape(batch, pos, -1))


NEAR = {
    "masks": (counting, a_mask_in_each_block, "as many as a mask has", "d_model²"),
    "no masks": (counting, another_matrix_in_each_block, "None", "mask"),
    "twice the parameters": (working, two_for_each_parameter, "nothing is multiplied", "as a product"),
    "scores of d_model": (working, wide_scores, "each head's scores as wide as the stream", "d_heads"),
    "a token that is not kept": (caching, before_the_newest, "the newest too", "n_ctx"),
    "a place too many": (caching, one_more_place, "one token too many", "newest"),
    "the last log-probability": (searching, by_the_last_of_each, "by the score of the whole text", "None"),
    "what is kept": (dropout, rescaled_by_what_is_kept, "the share that happened to be kept", "None"),
    "as many zeros": (dropout, as_many_zeros_each_time, "varies from call to call", "happened"),
    "`trunc`": (greedy, whole_part, "logits rounded to whole numbers", "None"),
    "a product with itself": (greedy, largest_product, "farthest from 0", "rounded"),
    "heads by `reshape` alone": (fused, CutByView, "Numbers of several positions are in one head", "third"),
    "values that come first": (
        attending,
        attending.changed("[values, project(attn.W_V, attn.b_V)]", "[project(attn.W_V, attn.b_V), values]"),
        "new values before the old ones",
        "new keys",
    ),
    "the normalised stream": (
        numpy_gpt,
        changed(
            numpy_gpt,
            (
                'resid = resid + linear(gelu(neurons), **block["mlp"]["c_proj"])',
                'resid = linear(gelu(neurons), **block["mlp"]["c_proj"]) + layer_norm(resid, **block["ln_2"])',
            ),
        ),
        "added to the stream as it is",
        "what attention writes",
    ),
    "a softmax of a square": (
        numpy_gpt,
        changed(
            numpy_gpt,
            ("weights.sum(axis=-1, keepdims=True)", "weights.sum(axis=-1, keepdims=True).sum(axis=-2, keepdims=True)"),
            ("scores.max(axis=-1, keepdims=True)", "scores.max()"),
        ),
        "not those of all queries together",
        "other way",
    ),
    "a number made a tensor": (losses, made_anew, "No gradient passes through `.item()`", "no `detach()`"),
    "PyTorch's own loss": (losses, without_the_last_logits, "that `tokens[:, 1:]` judges", "by itself"),
    "logits far below": (cross_entropy, one_largest, "rounds every score to 0", "∞"),
    "columns of one length": (unembed, UnitColumns, "columns brought to length 1", "cosines"),
    "vectors of one length too": (unembed, Cosines, "cosines in place of products", "brought to length 1"),
    "squares of a mean": (adamw, SquaresOfTheMean, "squares of the averaged gradient", "the square of the average"),
    "gradients of zeros": (adamw, NoneIsZeros, "leave it out of the whole step", "continue"),
    "`triu` with the diagonal": (fused, UpperTriangle, "it is `tril()`", "triu(1)"),
    "tokens in a set": (apply_frequency_penalty, once_for_each_in_a_set, "the presence penalty", "`logits[input_ids]"),
    "chances for logits": (sample_basic, of_probabilities, "of a softmax of a softmax", "To add Gumbel's"),
    "ReLU": (greedy, rectified, "cut nothing off at 0", "the first of them"),
    "slices for a mask": (attending, keys_from_the_first, "n_old keys and its own", "diagonal"),
    "windows dealt out": (batches, dealt_out, "avoid one another", "no window twice"),
    "a difference of passes": (
        timing,
        timing.changed("flops /= seq", "flops -= forward_flops(cfg, seq - 1)"),
        "what a token adds to a whole pass",
        "`seq`-th of the work",
    ),
    "eight bytes": (caching, of_eight_bytes, "8 times too many", "A byte has 8 bits"),
    "pieces joined again": (train, joined_again, "within each piece", "first, and count"),
    "the last of the sorted": (encode, by_the_last_rank, "the smallest rank", "`max`"),
    "unknown pairs": (encode, unknown_first, "unknown pairs before known ones", "emptying"),
    "merges used up": (encode, used_up, "emptying the list of merges", "`min`"),
    "whole pieces": (encode, whole_if_known, "Only merges make tokens", "not `one + other`"),
    "words in small letters": (encode, by_small_pieces, "letters in lower case", "text in lower case"),
    "pieces in small letters": (train, trained_on_small_pieces, "letters in lower case", "text in lower case"),
    "one merge without a loop": (train, one_merge, "after it", "`return`"),
    "no merge at all": (train, nothing_at_all, "Put each pair that you merge into the list", "256"),
    "256 taken off": (train, without_those_of_256, "subtract no 256 from it", "Put each pair"),
    "a pair that is never put into the list": (train, stopped_at_once, "does that line ever run?", "Put each pair"),
    "another function's list": (train, noted_nowhere, "Put each pair that you merge into", "does that line"),
    "a tanh under a name": (gelu, by_a_number_of_tanh, "of the whole product", "brackets"),
    "the last word": (space_tokenizer, Uncounted, "`=` keeps only the last", "and ends there"),
    "the keys of a dict": (stream, OncePerKey, "the keys of a dict", "`self.layers` itself"),
    "a condition on the number": (stream, EverySecondAdds, "for every layer", "no second"),
    "a slice of the stream": (stream, IntoTheStream, "Make a new tensor", "+="),
    "the stream after a block": (decompose, with_the_stream_after, "hold the sum so far", "running"),
    "what a block wrote": (decompose, between_the_streams, "is what both wrote", "hold the sum so far"),
    "norms cut by hand": (embed, Clipped, "the long ones too", "leave it out"),
    "the last rows by `narrow`": (pos_embed, LastByNarrow, "slice from the front", "[-pos:]"),
    "halves of numbers": (pos_embed, EachTwice, "not 0, 0, 1, 1", "gives row 0"),
    "the scale alone twice": (layer_norm, ScaledTwice, "or neither", "has already applied"),
    "a loop over sentences": (layer_norm, SentenceBySentence, "mixes the positions of a sentence", "(1, 2)"),
    "a flat BatchNorm": (layer_norm, FlatBatchNorm, "That is BatchNorm", "None"),
    "weights by the largest": (softmax, by_the_largest, "dividing by the largest weight", "alone"),
    "weights not divided": (softmax, not_divided, "exp of the scores alone", "the largest"),
    "a limit by `where`": (softmax, cut_by_where, "cuts none off", "`clamp`"),
    "PyTorch's last axis": (softmax, of_the_last_axis, "wherever an axis is named", "the maximum"),
    "no key left": (mask, nothing_left, "hide the future alone", "None"),
    "a slice that ends early": (mask, up_to_the_last, "a slice", "`range(a, b)`"),
    "keys that are blended": (attention, KeysBlended, "What is blended comes from `W_K`", "values made"),
    "values of keys": (attention, KeysForValues, "values made with the keys' weights", "comes from"),
    "one head by its index": (attention, OneHeadWrites, "Add up what all heads write", "collect"),
    "heads summed first": (attention, AllThroughAll, "and then the heads are added up", "name the axis"),
    "twice GELU": (gelu, all_of_it, "twice GELU", "of the tanh alone"),
    "a matrix under a name": (mlp, BiasInTheMatrix, "not to the matrix", "Brackets"),
    "an einsum's order": (unembed, MovedUp, "along the last axis", "transpose"),
    "a stack": (unembed, StackedBehind, "the positions along the second", "->"),
    "the first by `narrow`": (unembed, OneSentence, "made of its own vectors", "throws"),
    "a sum under a name": (unembed, BothInOne, "the product comes first", "brackets"),
    "a Linear": (unembed, LinearUntransposed, "F.linear transposed", "leave out"),
    "logits that are transposed": (cross_entropy, position_by_position, "neither of them", "without a transpose"),
    "no mean": (cross_entropy, not_averaged, "`.mean()`", "leave out"),
    "indices that go round": (cross_entropy, by_indices, "judged by the first token", "leave out"),
    "a limit of surprises": (
        cross_entropy,
        limited_by_where,
        "surprise of an unlikely token is capped",
        "never makes a 0",
    ),
    "`add_` of a block": (whole_block, AddedInPlace, "`add_`", "None"),
    "`out=`": (apply_temperature, into_the_given, "other numbers now", "`logits /= ...`"),
    "`floor`": (apply_temperature, rounded_down, "round nothing", "`//`"),
    "a square": (apply_temperature, by_the_square, "Divide once", "ran twice"),
    "a condition": (apply_temperature, none_that_are_high, "however high", "`min`"),
    "`index_add_`": (apply_frequency_penalty, added_into, "other numbers now", "-="),
    "what is above the last": (sample_top_k, above_the_last, "`logits >= kth`", "`<=`"),
    "an order": (sample_top_k, the_others, "It is the other way round", "mask"),
    "`index_fill_`": (sample_top_k, filled_in_place, "other numbers now", "masked_fill_"),
    "a twentieth": (choosing, a_twentieth, "A small number", "max("),
    "a blend that ends": (attending, blended_up_to_itself, "it has counted them", "set to 0"),
    "data twice": (batches, once_round, "are not neighbours", "%"),
    "windows in turn": (batches, dealt_out, "draws each anew", "also fail"),
    "one row": (losses, of_one_row, "Every row of the batch counts", "leave out the"),
    "`log2`": (losses, in_bits, "1.44 times as much", "log2"),
    "`*=` of a gradient": (adamw, ScalesTheGradient, "`*=`", "None"),
    "rows": (dropout, a_row_at_once, "as many numbers as `x` has", "last axis of 1"),
    "columns": (dropout, a_column_at_once, "as many numbers as `x` has", "not `torch.rand"),
    "`masked_fill_`": (dropout, filled_with_zeros, "ends in `_`", "not `x *= mask`"),
    "an `if`": (caching, held_at_n_ctx, "even where there are more", "`min`"),
    "a comparison": (cosine_lr, least_of_all, "its height is", "`max`"),
    "an empty list": (space_tokenizer, GivingUp, "makes `encode` fail", "catch"),
    "a product of squares": (layer_norm, Squares, "Divide the sum of the squares by d_model", "where you have"),
    "`w` twice": (layer_norm, Twice, "Each belongs there once", "F.layer_norm"),
    "a mask of weights": (attention, MaskedLate, "has counted the hidden keys", "set to 0"),
    "a bias of keys": (attention, KeysBiasAlone, "Add `b_Q` to the queries and `b_V`", "b_K"),
    "a last answer": (stream, LastReplaces, "the last one too", "were added"),
    "a bend written out": (mlp, WrittenOutBend, "is missing from it", "Your `gelu_new`"),
    "a flat table by its index": (embed, FlatIndex, "numbers of the flat table", "take"),
    "tokens turned round": (embed, TurnedRound, "stays where its token stands", "reshape"),
    "three ahead by numbers": (mask, three_ahead, "from the next one on", "triu"),
    "a product with one-hots": (embed, EachToken, "along the last axis", "transpose"),
    "sixteen bits": (embed, InSixteenBits, "the dtype that they have", "`.half()`"),
    "numbers that run down": (pos_embed, CountedDown, "The first token gets row 0", "flip"),
    "a sum in a loop": (decompose, summed_on_the_way, "add nothing up", "cumsum"),
    "`add_`": (stream, ByAddition, "Make a new tensor", "[...]"),
    "times a half": (stream, HalfOfBoth, "not halved", "division"),
    "an attribute": (stream, OneAttribute, "had its name before", "add_module"),
    "`sub_`": (layer_norm, Subtracted, "shares its memory", "-="),
    "a division by `w`": (layer_norm, Divided, "`w` is a factor", "reach too far"),
    "eps written out": (layer_norm, NeitherParameter, "whose eps is 1e-5", "anew in every call"),
    "a layer made anew": (layer_norm, MadeInForward, "anew in every call", "whose eps"),
    "a root of eps": (layer_norm, RootOfEps, "Take the root of the sum", "binds"),
    "`sub_` of scores": (softmax, taken_off_in_place, "holds the shifted scores", "sub_"),
    "scores in a view": (softmax, taken_off_a_view, "holds the shifted scores", "-="),
    "weights by `out=`": (softmax, weights_into_the_given, "holds its scores no longer", "/="),
    "the smallest of all": (softmax, above_the_smallest, "subtract the largest", "NaN"),
    "shares along another axis": (
        softmax,
        above_the_smallest_along_the_last,
        "wherever an axis is named",
        "a softmax?",
    ),
    "the stream": (whole_block, StreamDetached, "the stream cut out of the graph", "sublayer"),
    "pieces of heads": (fused, ComputedHeads, "take `self.cfg.d_head`", "pieces of d_model"),
    "scores over d_head": (fused, DividedByDHead, "one over the *root* of d_head", "hand it q and k"),
    "a mask that is filled": (fused, FilledTheOtherWay, "The mask is the other way round", "attn_mask"),
    "squares of logits": (greedy, squared, "farthest from 0", "leave out"),
    "a mask as a factor": (sample_basic, cut_by_hand, "a logit below 0 never come", "clamp"),
    "a sum that is overwritten": (sample_top_p, each_alone, "the running sum", "None"),
    "small noise": (sample_basic, by_small_noise, "uniform noise", "many draws"),
    "a product": (sample_basic, by_the_largest_product, "random numbers times the probabilities", "Gumbel"),
    "two without `b`": (counting, without_any_b, "each learns `w` and `b`", "one LayerNorm"),
    "biases that are counted": (counting, twelve_and_thirteen, "12 * d_model²", "no biases"),
    "a loop that ends early": (encode, without_the_last, "the last one too", "first piece"),
    "unbiased": (layer_norm, ByHand, "not by d_model - 1", "unbiased"),
    "a limit": (layer_norm, Floored, "None", "whatever is in it"),
    "what is not read": (layer_norm, WrittenOut, "stays the same whatever is in it", "limit"),
    "eps": (layer_norm, Deviation, "d_model - 1, and no eps", "added to it"),
    "an eps that is there": (layer_norm, Deviated, "with eps added to it", "no eps"),
    "copies": (stream, Copied, "copies of the layers", "does not"),
    "layers made anew": (stream, MadeAnew, "other layers in the place of those", "does not"),
    "a copy of a list": (stream, Listed, "layers that torch does not find", "copies"),
    "a stream": (stream, FromZero, "a stream that comes out as it went in", "returning"),
    "a list": (softmax, through_a_list, "through `.tolist()` or `torch.tensor(...)`", "detach"),
    "a row of 0": (softmax, emptied_where_it_overflows, "A row comes out as 0 where `exp`", "NaN"),
    "a row of NaN": (softmax, emptied_of_nan, "rows of 0 in place of NaN", "A row comes out"),
    "the largest score": (softmax, over_the_largest_by_hand, "dividing by the largest score", "absolute"),
    "a window": (mask, the_last_three, "hiding what lies far back", "infinity"),
    "a layer late": (stream, ALayerLate, "the stream of one layer ago", "reading the first"),
    "the first stream": (stream, AllReadTheFirst, "every layer reading the first stream", "one layer ago"),
    "detach": (softmax, through_detach, "through `detach()`", "tolist"),
    "a gradient by frequency": (embed, ByFrequency, "`scale_grad_by_freq` changes what goes back", "detach"),
    "a short one-hot": (embed, ShortOneHot, "without `num_classes`", "name the axes in the order"),
    "an average": (embed, Averaged, "summed or averaged", "adding"),
    "a penalty": (mask, penalised, "`masked_fill(mask, -1e9)`", "all scores"),
    "one sentence by its index": (
        mask,
        first_by_index,
        "first two axes whole, `[:, :, query, key]`",
        "without an index",
    ),
    "plus one": (mask, one_more, "with plus infinity softmax makes NaN", "all of it"),
    "SiLU by hand": (mlp, GatedByItself, "SiLU between the two layers", "That is Llama's"),
    "a letter short": (mlp, ALetterShort, "`p` stands on the left alone", "`dim=1`"),
    "all letters": (mlp, AveragedSoFar, "`dim=1`", "stands on the left alone"),
    "heads by torch": (attention, HeadsByTorch, "heads that read one another", "here these are"),
    "a blend that is divided": (attention, BlendDivided, "Dividing the weights or the blend", "add up to 1"),
    "1e-5": (layer_norm, EpsWrittenOut, "an eps that is not the config's", "Left out"),
    "zeros": (mask, almost_zero, "or one next to it", "zeros"),
    "a number above 0": (mask, tiny, "the smallest positive number", "next to"),
    "zeros that are there": (mask, zeroed, "zeros for what is hidden", "next to"),
    "infinity": (mask, one_more, "a positive number for what is hidden. ", "The cause: plus infinity"),
    "clamp": (layer_norm, AtLeast, "eps as the least", "without eps"),
    "a scale of d_head": (attention, HalfOfIt, "the root of `d_head`", "GPT-2's d_head of 64"),
    "a root of n_heads": (
        numpy_gpt,
        changed(numpy_gpt, ("math.sqrt(q.shape[-1])", "math.sqrt(pos)")),
        "None",
        "n_heads",
    ),
    "a whole table": (
        numpy_gpt,
        changed(numpy_gpt, ("weights.sum(axis=-1, keepdims=True)", "pos")),
        "None",
        "whole table",
    ),
    "a tenth in GELU": (numpy_gpt, changed(numpy_gpt, ("0.044715", "0.0044715")), "None", "0.44715"),
    "another norm after each block": (
        numpy_gpt,
        changed(
            numpy_gpt,
            (
                "    return layer_norm(resid",
                "        resid = layer_norm(resid, **block['ln_2'])\n    return layer_norm(resid",
            ),
        ),
        "None",
        "the final LayerNorm",
    ),
    "a bias taken off": (
        numpy_gpt,
        changed(numpy_gpt, ("linear(z.reshape(pos, -1), **c_proj)", 'z.reshape(pos, -1) @ c_proj["w"] - c_proj["b"]')),
        "None",
        "no bias",
    ),
    "an MLP that reads `ln_1` of the stream": (
        numpy_gpt,
        changed(numpy_gpt, ('**block["ln_2"]', '**block["ln_1"]')),
        "The MLP has a LayerNorm of its own",
        "what attention read",
    ),
    "two of three biases": (counting, counting.changed("3 * d_heads", "2 * d_heads"), "None", "one head"),
    "a bias of d_mlp": (
        counting,
        counting.changed("cfg.d_mlp + cfg.d_mlp + cfg.d_model", "cfg.d_mlp + cfg.d_model"),
        "None",
        "without `b_O`",
    ),
    "a lone surprise": (cross_entropy, the_least_likely, "None", "only the last prediction"),
    "a shift taken off": (numpy_gpt, changed(numpy_gpt, ("* g + b", "* g - b")), "None", "shift"),
    "even starts": (batches, at_even_starts, "None", "side by side"),
    "a root of how many keys there are": (
        attending,
        attending.changed("keys.shape[-1] ** 0.5", "keys.shape[1] ** 0.5"),
        "None",
        "n_heads",
    ),
    "the longest pass": (timing, timing.changed("seconds += max(", "seconds = max(seconds, "), "None", "the last pass"),
    "twice `p`": (dropout, divided_by_twice_p, "None", "dividing by `p`"),
    "exp": (greedy, cut_off, "Logits may lie far from 0", "`exp`"),
    "argsort": (greedy, below_the_last, "The token is the place of the highest logit", "argsort"),
    "a loop": (greedy, by_reduce, "The answer is the place of the highest logit", "not `best`"),
    "a loop over rows": (softmax, flat, "The input may have any number of axes", "loop"),
    "what is not 0": (pos_embed, Clamped, "Each sentence gets the first `pos` rows", "padding"),
    "ranks": (sample_top_k, by_topk, "are not the k likeliest", "argsort"),
    "a seed": (batches, set_back, "torch's global random numbers", "seed"),
    "Latin-1": (decode, by_chr, "a character for each byte", "in place of"),
    "errors=": (decode, repaired_and_emptied, "�", "Pass"),
    "a shift": (losses, two_further, "judging each position by the token after the next", "twice"),
}


@pytest.mark.parametrize(("exercise", "component", "said", "unsaid"), NEAR.values(), ids=NEAR)
def test_a_card_says_what_is_true_of_the_code(exercise, component, said, unsaid):
    failure = judge(exercise, (component,), 0).failure
    words = f"{failure.misconception}. {failure.advice}"
    assert said in words and unsaid not in words


def test_a_cache_that_holds_the_old_keys_twice_is_told_so():
    @torch.no_grad()
    def generate_with_cache(model, tokens, max_new_tokens, **sampling):
        empty = torch.zeros(1, 0, model.cfg.n_heads, model.cfg.d_head)
        kept, n_read = [(empty, empty) for _ in model.blocks], 0
        for _ in range(max_new_tokens):
            resid = (model.embed.W_E[tokens[n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)])[None]
            n_read = len(tokens)
            for layer, block in enumerate(model.blocks):
                written, *all_so_far = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
                kept[layer] = [torch.cat(both, dim=1) for both in zip(kept[layer], all_so_far, strict=True)]
                resid = resid + written
                resid = resid + block.mlp(block.ln2(resid))
            logits = model.unembed(model.ln_final(resid))[0, -1]
            tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
        return tokens

    assert judge(cached, (generate_with_cache,), 0).failure.misconception == "old keys and values that are kept twice"


def test_a_model_that_is_asked_in_a_loop_is_not_told_to_ask_in_a_loop():
    def generate(model, tokens, max_new_tokens, eos=None, **sampling):
        prompt = tokens
        for _ in range(max_new_tokens):
            logits = model(prompt[None, -model.cfg.n_ctx :])[0, -1]
            new = sample_next_token(tokens, logits, **sampling)
            tokens = torch.cat([tokens, torch.tensor([new])])
            if new == eos:
                break
        return tokens

    with torch.no_grad():
        failure = judge(writing, (generate,), 0).failure
    assert "once" not in f"{failure.misconception} {failure.advice}"


def test_a_pass_too_many_is_not_told_as_one_that_is_too_long():
    def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
        seconds = 0.0
        for seq in range(prompt, prompt + new + 1):
            flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg)
            if cache:
                moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
                flops /= seq if seq > prompt else 1
            seconds += max(flops / flops_per_s, moved / bytes_per_s)
        return seconds

    failure = judge(timing, (generation_time,), 0).failure
    assert "one token longer" not in f"{failure.misconception}"
