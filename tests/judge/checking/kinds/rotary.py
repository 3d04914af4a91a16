"""A module made of settings of the exercise's own, which are no Config: rotary positions."""

import torch
from torch import nn

from judge.checking import Exercise, check_agrees, check_form, check_gradients, check_parameters, line, random_tensor
from judge.checking import random_weights as weights_of

SMALL = {"d_head": 6, "n_ctx": 9, "base": 100.0}


def angles(pos, cfg):
    pairs = cfg["d_head"] // 2
    speeds = cfg["base"] ** (-torch.arange(pairs) / pairs)
    return torch.arange(pos)[:, None] * speeds


class Rotary(nn.Module):
    """The reference solution. Source: Su et al. 2021, equation 34, with GPT-NeoX's halves, and a learned scale."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.scale = nn.Parameter(torch.ones(cfg["d_head"]))

    def forward(self, q):
        angle = angles(q.shape[1], self.cfg)
        first, second = q.chunk(2, dim=-1)
        turned = first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()
        return torch.cat(turned, dim=-1) * self.scale


exercise = Exercise(
    inputs={"q": "batch pos d_head"},
    output="batch pos d_head",
    parameters={"scale": "d_head"},
    initial={"scale": 1.0},
    settings=SMALL,
    solution="tests.judge.checking.kinds.rotary",
)


@exercise.test
def test_rotary(Rotary):
    check_parameters(Rotary, SMALL)
    check_form(Rotary, SMALL, lambda batch, pos: random_tensor(batch, pos, SMALL["d_head"]))
    q = random_tensor(2, 7, SMALL["d_head"])
    with line("agrees with the reference solution, with another `base` too"):
        check_agrees(Rotary, SMALL, weights_of(SMALL), q)
        check_agrees(Rotary, SMALL | {"base": 7.0}, weights_of(SMALL), q)
    with line("passes gradients back"):
        check_gradients(Rotary, SMALL, weights_of(SMALL), q)


@exercise.correct
class ByComplexNumbers(Rotary):
    def forward(self, q):
        turned = torch.complex(*q.chunk(2, dim=-1)) * torch.exp(1j * angles(q.shape[1], self.cfg))
        return torch.cat([turned.real, turned.imag], dim=-1) * self.scale


@exercise.correct
class ByAMatrix(Rotary):
    def forward(self, q):
        angle = angles(q.shape[1], self.cfg)
        cos, sin = angle.cos().diag_embed(), angle.sin().diag_embed()
        turn = torch.cat([torch.cat([cos, sin], -1), torch.cat([-sin, cos], -1)], -2)
        return torch.einsum("bpi,pij->bpj", q, turn) * self.scale


@exercise.misconception("a turn the other way", "The first half loses `second * sin`, the second gains `first * sin`.")
def backwards(self, q):
    angle = angles(q.shape[1], self.cfg)
    first, second = q.chunk(2, dim=-1)
    turned = first * angle.cos() + second * angle.sin(), second * angle.cos() - first * angle.sin()
    return torch.cat(turned, dim=-1) * self.scale


@exercise.misconception("a base that is written out", "Take it from the settings.")
def written_out(self, q):
    return Rotary.forward(_With(self, {"base": 100.0}), q)


@exercise.misconception("positions that start at 1", "The first position is 0, and is not turned.")
def from_one(self, q):
    longer = torch.cat([q[:, :1], q], dim=1)
    return Rotary.forward(self, longer)[:, 1:]


class _With:
    """The module, with other settings."""

    def __init__(self, module, other):
        self.cfg, self.scale = module.cfg | other, module.scale
