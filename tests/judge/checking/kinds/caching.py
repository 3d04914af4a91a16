"""A module with `project` and `attend`, between which a cache may stand: one head with a table of positions."""

import torch
from torch import nn

from judge.checking import Exercise, check_agrees, check_gradients, check_parameters, line, random_tensor
from judge.checking import random_weights as weights_of

SMALL = {"d_model": 5, "n_ctx": 9}
WEIGHTS = {"W_Q": "d_model d_model", "W_K": "d_model d_model", "W_pos": "n_ctx d_model"}
CUTS = (2, 3)  # the first two positions at once, then one, then the rest


class Head(nn.Module):
    """The reference solution: values are what comes in."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        for name, axes in WEIGHTS.items():
            setattr(self, name, nn.Parameter(torch.zeros([cfg[axis] for axis in axes.split()])))

    def project(self, x, positions):
        return x @ self.W_Q, (x + self.W_pos[positions]) @ self.W_K, x

    def attend(self, q, k, v):
        later = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).triu(k.shape[1] - q.shape[1] + 1)
        return (q @ k.mT).masked_fill(later, -torch.inf).softmax(-1) @ v

    def forward(self, x):
        return self.attend(*self.project(x, torch.arange(x.shape[1])))


exercise = Exercise(
    inputs={"x": "batch pos d_model"},
    output="batch pos d_model",
    parameters=WEIGHTS,
    initial=dict.fromkeys(WEIGHTS, 0.0),
    settings=SMALL,
    drive="with_cache",
    solution="tests.judge.checking.kinds.caching",
)


@exercise.test
def test_head(Head):
    check_parameters(Head, SMALL)
    weights, x = weights_of(SMALL), random_tensor(2, 5, SMALL["d_model"])
    with line("agrees with the reference solution"):
        check_agrees(Head, SMALL, weights, x)
    with line("makes keys of the right shape"):
        check_agrees(Head, SMALL, weights, x, shapes=True)
    with line("agrees where the text comes in parts"):
        check_agrees(Head, SMALL, weights, x, cuts=CUTS)
    with line("agrees where positions between the parts are left out"):
        check_agrees(Head, SMALL, weights, x, cuts=CUTS, skip=1)
    with line("passes gradients back, through the cache too"):
        check_gradients(Head, SMALL, weights, x, cuts=CUTS)


@exercise.correct
class OneQueryAtATime(Head):
    def attend(self, q, k, v):
        n_old = k.shape[1] - q.shape[1]
        rows = []
        for end, query in enumerate(q.unbind(1), n_old + 1):
            rows.append((query[:, None] @ k[:, :end].mT).softmax(-1) @ v[:, :end])
        return torch.cat(rows, dim=1)


@exercise.correct
class PositionsOfTheKeysAlone(Head):
    def project(self, x, positions):
        q, k, v = x @ self.W_Q, x @ self.W_K, x
        return q, k + self.W_pos[positions[0] : positions[-1] + 1] @ self.W_K, v


@exercise.misconception("a mask that counts from 0", "The queries are the last of all positions.")
class SquareMask(Head):
    def attend(self, q, k, v):
        later = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).triu(1)
        return (q @ k.mT).masked_fill(later, -torch.inf).softmax(-1) @ v


@exercise.misconception("positions that start anew in each part", "Look the positions up that it was given.")
class FromZero(Head):
    def project(self, x, positions):
        return super().project(x, torch.arange(x.shape[1]))


@exercise.misconception("keys with an axis too many", "Keys are [batch pos d_model].")
class OneAxisMore(Head):
    def project(self, x, positions):
        q, k, v = super().project(x, positions)
        return q, k[..., None], v

    def attend(self, q, k, v):
        return super().attend(q, k[..., 0], v)
