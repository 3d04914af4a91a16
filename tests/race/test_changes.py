"""The changes since GPT-2: all of them are chapter 12's model, none is chapter 7's, and each is what its name says."""

import math
from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from solutions.ch07_transformer import Transformer
from solutions.ch12_since_gpt2 import ModernTransformer
from utils.config import Config, ModernConfig
from utils.race.changes import (
    ALL,
    CHANGES,
    LONGEST,
    ROTARY_BASE,
    changed,
    has_changed_parts,
    known_changes,
    named,
    with_changes,
)
from utils.race.fused import fused

CFG = Config(d_model=24, d_vocab=31, n_ctx=16, d_head=6, d_mlp=56, n_heads=4, n_layers=2, layer_norm_eps=1e-3)
POS = 13
ROWS = [
    *[{name} for name in CHANGES],
    {"rotary", "qknorm"},
    {"swiglu", "nobias"},
    {"gqa", "nobias"},
    ALL - {"gqa"},
    ALL,
]


def moved(model):
    """The model in float64, with no parameter at its first value: zeros and ones would hide mistakes."""
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
        model.unembed.b_U.zero_()
    return model.double()


def tokens_of(pos=POS):
    return torch.randint(0, CFG.d_vocab, (3, pos), generator=torch.Generator().manual_seed(2))


def trained(model):
    """The number of parameters that are trained."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def close(given, want):
    return torch.allclose(given, want, rtol=0, atol=1e-12)


def norm(x, w, eps):
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w


def turned(x):
    """Each pair of numbers, d_head / 2 apart, as a complex number that is turned by its position."""
    pos, d_head = x.shape[1], x.shape[-1]
    speeds = ROTARY_BASE ** (-torch.arange(0, d_head, 2, dtype=torch.float32) / d_head)
    angles = (torch.arange(pos)[:, None] * speeds)[:, None].double()
    # The tables are made in float32 and then brought to float64.
    turn = torch.complex(angles.float().cos().double(), angles.float().sin().double())
    pairs = torch.complex(x[..., : d_head // 2], x[..., d_head // 2 :]) * turn
    return torch.cat([pairs.real, pairs.imag], dim=-1)


def by_hand(model, changes, tokens):
    """The logits, in einsums, from the parameters alone."""
    p, cfg = dict(model.named_parameters()), model.cfg

    def normed(x, at):
        if "rmsnorm" in changes:
            return norm(x, p[f"{at}.w"], cfg.layer_norm_eps)
        centred = x - x.mean(-1, keepdim=True)
        return norm(centred, p[f"{at}.w"], cfg.layer_norm_eps) + p[f"{at}.b"]

    resid = p["embed.W_E"][tokens]
    if "rotary" not in changes:
        resid = resid + p["pos_embed.W_pos"][: tokens.shape[1]]
    later = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
    for layer in range(cfg.n_layers):
        attn, mlp = f"blocks.{layer}.attn", f"blocks.{layer}.mlp"
        x = normed(resid, f"blocks.{layer}.ln1")
        heads = {}
        for one in "QKV":
            heads[one] = torch.einsum("bpm,hmd->bphd", x, p[f"{attn}.W_{one}"]) + p.get(f"{attn}.b_{one}", 0)
        q, k, v = heads.values()
        if "qknorm" in changes:
            q = norm(q, p[f"{attn}.q_norm.weight"], cfg.layer_norm_eps)
            k = norm(k, p[f"{attn}.k_norm.weight"], cfg.layer_norm_eps)
        if "rotary" in changes:
            q, k = turned(q), turned(k)
        per_key = cfg.n_heads // k.shape[2]
        z = []
        for head in range(cfg.n_heads):
            scores = torch.einsum("bqd,bkd->bqk", q[:, :, head], k[:, :, head // per_key]) / math.sqrt(cfg.d_head)
            pattern = scores.masked_fill(later, -torch.inf).softmax(-1)
            z.append(torch.einsum("bqk,bkd->bqd", pattern, v[:, :, head // per_key]))
        out = torch.einsum("bphd,hdm->bpm", torch.stack(z, dim=2), p[f"{attn}.W_O"])
        resid = resid + out + p.get(f"{attn}.b_O", 0)
        x = normed(resid, f"blocks.{layer}.ln2")
        pre = x @ p[f"{mlp}.W_in"] + p.get(f"{mlp}.b_in", 0)
        if "swiglu" in changes:
            gate = x @ p[f"{mlp}.W_gate"]
            post = gate * gate.sigmoid() * pre
        else:
            post = F.gelu(pre, approximate="tanh")
        resid = resid + post @ p[f"{mlp}.W_out"] + p.get(f"{mlp}.b_out", 0)
    return normed(resid, "ln_final") @ p["unembed.W_U"]


def test_without_changes_it_is_chapter_7s():
    torch.manual_seed(0)
    plain = Transformer(CFG)
    same = changed(Transformer, CFG, [], seed=0)
    assert same.cfg == CFG
    assert list(dict(same.named_parameters())) == list(dict(plain.named_parameters()))
    assert all(torch.equal(one, other) for one, other in zip(same.parameters(), plain.parameters(), strict=True))
    moved(same)
    plain.double().load_state_dict(same.state_dict())
    assert close(same(tokens_of()), plain(tokens_of()))


def test_with_all_changes_it_is_chapter_12s():
    model = moved(changed(Transformer, CFG, ALL, seed=0))
    sizes = {
        name: getattr(model.cfg, name) for name in ("d_model", "d_vocab", "d_head", "d_mlp", "n_heads", "n_layers")
    }
    modern = ModernTransformer(
        ModernConfig(
            **sizes,
            n_ctx=LONGEST * CFG.n_ctx,
            n_kv_heads=CFG.n_heads // 2,
            rms_norm_eps=CFG.layer_norm_eps,
            rotary_base=ROTARY_BASE,
            qk_norm=True,
            tied=False,
        )
    ).double()
    called = {"unembed.W_U": "W_U", "q_norm.weight": "q_norm.w", "k_norm.weight": "k_norm.w"}
    weights = {}
    for name, weight in model.named_parameters():
        for old, new in called.items():
            name = name.replace(old, new)
        weights[name] = weight
    del weights["unembed.b_U"]
    modern.load_state_dict(weights)
    # RMSNorm of the chapter is done in float32, whatever comes in: here it must not be.
    for module in modern.modules():
        if type(module).__name__ == "RMSNorm":
            module.forward = lambda residual, own=module: norm(residual, own.w, own.cfg.rms_norm_eps)
    assert close(model(tokens_of()), modern(tokens_of()))


def test_the_chapters_own_norm_differs_by_float32s_noise_alone():
    torch.manual_seed(0)
    residual, w = torch.randn(3, 5, 24), torch.randn(24)
    part = next(iter(changed(Transformer, CFG, ["rmsnorm"], seed=0).blocks)).ln1
    part.w.data.copy_(w)
    assert torch.allclose(part(residual), norm(residual, w, CFG.layer_norm_eps), atol=1e-5)


@pytest.mark.parametrize("changes", ROWS, ids=named)
def test_each_change_is_what_its_name_says(changes):
    model = moved(changed(Transformer, CFG, changes, seed=0))
    assert close(model(tokens_of()), by_hand(model, changes, tokens_of()))


@pytest.mark.parametrize("changes", ROWS, ids=named)
def test_each_change_has_the_parameters_that_it_should(changes):
    model = changed(Transformer, CFG, changes, seed=0)
    names = {name for name, _ in model.named_parameters()}
    first = {name.removeprefix("blocks.0.") for name in names if name.startswith("blocks.0.")}
    biases = {*(f"attn.b_{one}" for one in "QKVO"), "mlp.b_in", "mlp.b_out"}
    assert ("pos_embed.W_pos" in names) == ("rotary" not in changes)
    assert first & biases == (set() if "nobias" in changes else biases)
    assert ("ln_final.b" in names) == ("ln1.b" in first) == ("ln2.b" in first) == ("rmsnorm" not in changes)
    assert ("mlp.W_gate" in first) == ("swiglu" in changes)
    assert ({"attn.q_norm.weight", "attn.k_norm.weight"} <= first) == ("qknorm" in changes)
    attn = model.blocks[0].attn
    assert attn.W_K.shape == attn.W_V.shape == (2 if "gqa" in changes else 4, 24, 6) and attn.W_Q.shape == (4, 24, 6)


@pytest.mark.parametrize("changes", ROWS, ids=named)
def test_it_has_as_many_parameters_up_to_half_of_what_a_neuron_has(changes):
    here = changed(Transformer, CFG, changes, seed=0)
    wider = with_changes(Transformer(replace(CFG, d_mlp=here.cfg.d_mlp + 1)), frozenset(changes))
    a_neuron_each = trained(wider) - trained(here)
    assert abs(trained(here) - trained(Transformer(CFG))) <= a_neuron_each / 2


def test_a_change_learns_every_parameter():
    model = moved(changed(Transformer, CFG, ALL, seed=0))
    model(tokens_of()).logsumexp(-1).sum().backward()
    for name, parameter in model.named_parameters():
        assert not parameter.requires_grad or parameter.grad.abs().max() > 0, name


def test_rotary_positions_read_on_after_n_ctx_and_tell_positions_apart_by_their_distance():
    model = moved(changed(Transformer, CFG, ["rotary"], seed=0))
    tokens = tokens_of(LONGEST * CFG.n_ctx)
    logits = model(tokens)
    assert close(logits, by_hand(model, {"rotary"}, tokens))
    assert close(logits[:, :POS], model(tokens[:, :POS]))


def test_a_seed_draws_the_same_model_again():
    one, again, other = (changed(Transformer, CFG, ALL, seed).state_dict() for seed in (3, 3, 4))
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["embed.W_E"], other["embed.W_E"])


def test_changes_are_named_by_a_text_or_a_list():
    assert known_changes("rotary, rmsnorm") == known_changes(["rmsnorm", "rotary"]) == {"rotary", "rmsnorm"}
    assert known_changes("all") == ALL and known_changes("none") == known_changes([]) == frozenset()
    assert [named(some) for some in (ALL, (), {"gqa", "rmsnorm"})] == ["all changes", "no changes", "rmsnorm, gqa"]


@pytest.mark.parametrize("names", ["rope,rotary", ["rope"], "rotary rmsnorm", ""])
def test_a_change_that_is_not_known_is_named_among_those_that_are(names):
    with pytest.raises(
        ValueError, match=r"no change is called '.*'; there are rmsnorm, rotary, swiglu, nobias, gqa, qk"
    ):
        known_changes(names)


def test_parts_of_another_make_are_seen():
    assert has_changed_parts(changed(Transformer, CFG, ["rotary"], seed=0))
    assert not has_changed_parts(fused(changed(Transformer, CFG, ["rotary"], seed=0)))
