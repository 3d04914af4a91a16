"""The fused parts and the stacked Muon compute what the course's own do; only the time differs."""

from copy import deepcopy

import pytest
import torch

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import Muon, lm_loss, muon_and_adamw
from utils.config import Config
from utils.race.fused import fused
from utils.race.stacked_muon import STEPS, StackedMuon, orthogonalised

CFG = Config(d_model=24, d_vocab=31, n_ctx=16, d_head=5, d_mlp=56, n_heads=3, n_layers=2, layer_norm_eps=1e-3)
BIG = Config(d_model=128, d_vocab=65, n_ctx=64, d_head=32, d_mlp=512, n_heads=4, n_layers=4)


def drawn(cfg):
    """A Transformer in which no parameter is at its first value: zeros and ones would hide mistakes."""
    torch.manual_seed(0)
    model = Transformer(cfg)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


@pytest.mark.parametrize("pos", [16, 9, 2])
def test_fused_parts_give_the_same_loss_and_gradients(pos):
    plain = drawn(CFG).double()
    quick = fused(deepcopy(plain))
    tokens = torch.randint(0, CFG.d_vocab, (3, pos))
    assert torch.allclose(quick(tokens), plain(tokens), rtol=0, atol=1e-12)
    lm_loss(plain, tokens).backward()
    lm_loss(quick, tokens).backward()
    gradients = dict(quick.named_parameters())
    for name, parameter in plain.named_parameters():
        if parameter.requires_grad:
            assert torch.allclose(gradients[name].grad, parameter.grad, rtol=0, atol=1e-12), name


def test_in_float32_they_differ_by_noise_alone():
    plain = drawn(BIG)
    tokens = torch.randint(0, BIG.d_vocab, (4, 64))
    exact = deepcopy(plain).double()(tokens)
    error = (plain(tokens) - exact).abs().max()
    assert (fused(plain)(tokens) - exact).abs().max() < 4 * error


def test_the_model_keeps_its_parameters_and_their_names():
    model = drawn(CFG)
    before = dict(model.named_parameters())
    after = dict(fused(model).named_parameters())
    assert list(after) == list(before) and all(after[name] is before[name] for name in before)


def test_the_stack_is_orthogonalised_as_each_matrix_is_alone():
    torch.manual_seed(0)
    ranks = torch.randn(6, 128, 12) @ torch.randn(6, 12, 512)  # as a gradient's: few directions, and little else
    matrices = ranks + 1e-4 * torch.randn(6, 128, 512)
    exact = Muon([]).orthogonalised(matrices.double())
    alone = (Muon([]).orthogonalised(matrices) - exact).norm()
    assert (orthogonalised(matrices) - exact).norm() < 4 * alone
    assert torch.isfinite(orthogonalised(torch.zeros(1, 3, 4))).all() and STEPS == 5


def take_the_same_step(muon, stacked):
    """By the same gradients, which the second leaves as they are."""
    for one, other in zip(muon.params, stacked.params, strict=True):
        one.grad = torch.randn_like(one)
        other.grad = one.grad.clone()
    muon.step()
    stacked.step()
    for one, other in zip(muon.params, stacked.params, strict=True):
        assert torch.equal(one.grad, other.grad)


def test_the_stacked_muon_moves_every_parameter_as_muon_does():
    plain = drawn(CFG)
    quick = deepcopy(plain)
    plainly = muon_and_adamw(plain, momentum=0.7, attention=0.5)[:2]
    stacked = muon_and_adamw(quick, momentum=0.7, attention=0.5, muon=StackedMuon)[:2]
    for factor in (10, 5):
        for muon, other in zip(plainly, stacked, strict=True):
            muon.lr = other.lr = factor * other.lr
            take_the_same_step(muon, other)
    for (name, one), other in zip(plain.named_parameters(), quick.parameters(), strict=True):
        assert torch.allclose(one, other, rtol=0, atol=1e-5), name
    for muon in stacked:
        muon.zero_grad()
        assert all(one.grad is None for one in muon.params)


def test_a_parameter_without_a_gradient_is_told():
    with pytest.raises(ValueError, match="one has no gradient"):
        StackedMuon([torch.nn.Parameter(torch.ones(2, 3))]).step()
