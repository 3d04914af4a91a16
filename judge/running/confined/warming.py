"""What children find imported, and has run once: neither is done again in each of them."""

import gc
import importlib
from collections.abc import Sequence

import torch

import judge.running.kinds.linear  # noqa: F401 - such layers are made in a child  # pyright: ignore[reportUnusedImport]
from judge.running.ambient import as_it_is
from judge.running.confined.answering import Answering
from judge.running.confined.exchange import Bounded
from judge.running.records import LearnerError, Question
from judge.running.settings import allow_those_of
from judge.running.wire import from_bytes, to_bytes

LAVISH = Bounded(
    wall_seconds=600.0,
    cpu_seconds=600,
    memory=0,
    processes=0,
    open_files=0,
    written=0,
    printed=1_000,
    answered=1_000_000,
)
TOY = '''
import einops
import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

class Toy(nn.Module):
    """What learners write is made of these."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg["d_model"]))
        self.table = nn.Parameter(torch.empty(4, 3))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
        mean = einops.repeat(x.mean(-1, keepdim=True), "batch 1 -> batch d_model", d_model=x.shape[-1])
        scores = (x @ self.table.T).masked_fill(torch.ones(4, 4).bool().tril()[:1], -1e9).softmax(-1)
        return mean * self.w + scores @ self.table + (x - mean).pow(2).sqrt() + self.table[torch.tensor([1])].sum()
'''


def import_all(modules: Sequence[str]) -> None:
    """The course's modules, whose settings may cross."""
    torch.set_num_threads(1)
    torch.compile = as_it_is  # pyright: ignore[reportAttributeAccessIssue]
    for name in modules:
        allow_those_of(importlib.import_module(name))


def warm_up() -> None:
    """Make a toy, ask it, take the answers across, and leave all that is there alone from here on."""
    for _ in range(2):
        _ask_a_toy()
    gc.collect()
    gc.freeze()  # a child that collects would copy every page that holds an object


def _ask_a_toy() -> None:
    answering = Answering(LAVISH)
    wrong = answering.make("Toy", TOY, {})
    weights = {"w": torch.ones(3), "table": torch.ones(4, 3)}
    options = {"cotangent": torch.ones(2, 3), "times": 2}
    question = Question("component", ({"d_model": 3}, weights, torch.ones(2, 3)), options)
    records = answering.answers(from_bytes(to_bytes([question])))
    failed = wrong or (records if isinstance(records, LearnerError) else records[0].error)
    assert not failed, f"the toy failed: {failed}"
    from_bytes(to_bytes(records))
