"""A component with eight parameters, one of which changes no output: attention, with and without `b_K`."""

from typing import Any

import torch
from torch import nn

from utils.checking import (
    SMALL,
    Exercise,
    check_agrees,
    check_alone,
    check_causal,
    check_form,
    check_gradients,
    check_parameters,
    line,
    random_tensor,
    random_weights,
)

BIASES = {"b_Q": "n_heads d_head", "b_K": "n_heads d_head", "b_V": "n_heads d_head", "b_O": "d_model"}
PARAMETERS = {
    **dict.fromkeys(("W_Q", "W_K", "W_V"), "n_heads d_model d_head"),
    "W_O": "n_heads d_head d_model",
    **BIASES,
}

exercise = Exercise(
    inputs={"normalized_resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=PARAMETERS,
    initial=dict.fromkeys(BIASES, 0.0),
    solution="solutions.ch04_attention",
)


@exercise.test
def test_attention(Attention):
    cfg = SMALL
    check_parameters(Attention, cfg)
    weights, resid = random_weights(cfg, scale=0.7), random_tensor(2, 5, cfg.d_model)
    check_form(Attention, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    with line("with `W_Q` and `W_K` at zero every position averages the values so far"):
        blind = {name: weights[name] * (name not in ("W_Q", "W_K", "b_Q", "b_K")) for name in weights}
        check_agrees(Attention, cfg, blind, resid)
    with line("agrees with the reference solution"):
        check_agrees(Attention, cfg, weights, resid)
    with line("no position sees a later one, no sentence sees another"):
        check_causal(Attention, cfg, weights, resid)
        check_alone(Attention, cfg, weights, resid, axis="batch")
    with line("passes gradients back to every parameter"):
        check_gradients(Attention, cfg, weights, resid)


def attending(scale=None, ahead=0, after=False, dim=-1, value_bias=True, query_bias=True):
    """A `forward` without einops, with one part of it replaced."""

    def forward(self, resid):
        query, key, value = (
            torch.einsum("bpd,hdk->bhpk", resid, weight) + bias[:, None] * used
            for weight, bias, used in (
                (self.W_Q, self.b_Q, query_bias),
                (self.W_K, self.b_K, True),
                (self.W_V, self.b_V, value_bias),
            )
        )
        scores = query @ key.transpose(-1, -2) / (scale(self.cfg) if scale else self.cfg.d_head) ** 0.5
        hidden = torch.ones(scores.shape[-2:]).triu(1 + ahead).bool()
        early = scores if after else scores.masked_fill(hidden, -1e9)
        pattern = early.softmax(dim)
        pattern = pattern.masked_fill(hidden, 0.0) if after else pattern
        return torch.einsum("bhpk,hkd->bpd", pattern @ value, self.W_O) + self.b_O

    return forward


@exercise.correct
class WithoutKeyBias(nn.Module):
    """`b_K` adds the same to all scores of a query, and softmax does not see it: GPT-2 has it, nobody would miss it."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        for name, axes in PARAMETERS.items():
            start = torch.zeros if name.startswith("b") else torch.randn
            size = [getattr(cfg, axis) for axis in axes.split()]
            setattr(self, name, nn.Parameter(start(size) * cfg.init_range))

    def __getattr__(self, name) -> Any:
        return super().__getattr__(name)

    def forward(self, resid):
        answer = self.b_O.expand(resid.shape)
        for head in range(self.cfg.n_heads):
            query, value = resid @ self.W_Q[head] + self.b_Q[head], resid @ self.W_V[head] + self.b_V[head]
            attended = nn.functional.scaled_dot_product_attention(query, resid @ self.W_K[head], value, is_causal=True)
            answer = answer + attended @ self.W_O[head]
        return answer


@exercise.correct
def one_query_at_a_time(self, resid):
    rows = []
    for pos in range(resid.shape[1]):
        seen = resid[:, : pos + 1]
        query = torch.einsum("bd,hdk->bhk", resid[:, pos], self.W_Q) + self.b_Q
        key = torch.einsum("bpd,hdk->bhpk", seen, self.W_K) + self.b_K[:, None]
        value = torch.einsum("bpd,hdk->bhpk", seen, self.W_V) + self.b_V[:, None]
        pattern = torch.softmax((key @ query[..., None])[..., 0] / self.cfg.d_head**0.5, dim=-1)
        attended = (pattern[..., None] * value).sum(dim=2)
        rows.append(torch.einsum("bhk,hkd->bd", attended, self.W_O) + self.b_O)
    return torch.stack(rows, dim=1)


exercise.misconception("scores that are not scaled", "Divide the scores by the root of `d_head`.")(
    attending(lambda cfg: 1.0)
)
exercise.misconception("scores divided by the root of d_model", "A head's vectors have `d_head` dimensions.")(
    attending(lambda cfg: cfg.d_model)
)
exercise.misconception("a mask that lets one future token through", "Start the mask right of the diagonal.")(
    attending(ahead=1)
)
exercise.misconception("masking after the softmax", "Mask the scores: then the weights of a row still add to 1.")(
    attending(after=True)
)
exercise.misconception("softmax over the queries", "Weights add to 1 over the keys, the last axis.")(attending(dim=-2))
exercise.misconception("values without `b_V`", "Add `b_V` to the values.")(attending(value_bias=False))
exercise.misconception("queries without `b_Q`", "Add `b_Q` to the queries.")(attending(query_bias=False))


@exercise.misconception("parameters as plain tensors", "Wrap each in `nn.Parameter`.")
class PlainTensors(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        for name, axes in PARAMETERS.items():
            setattr(self, name, torch.zeros([getattr(cfg, axis) for axis in axes.split()]))
