"""A run goes on from its checkpoint bit for bit, whatever the optimiser keeps, and a file that won't do is refused."""

import os
import signal
import sys
from dataclasses import replace

import pytest
import torch
from torch import nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import AdamW, TrainArgs, train, with_dropout
from tests.house.warm_python import warm_python
from utils.config import SMALL
from utils.course import ROOT

TEXT = torch.randint(SMALL.d_vocab, (400,), generator=torch.Generator().manual_seed(0))
ARGS = TrainArgs(12, 3, 1e-2, warmup=3, held_out=TEXT[:100], eval_every=2, eval_batches=2, checkpoint_every=4)


class ByIds(AdamW):
    """Momentum in dicts by the parameters themselves, and by their ids."""

    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr
        self.by_id = {id(one): torch.zeros_like(one) for one in self.params}
        self.by_parameter = {one: {"mean": torch.zeros_like(one)} for one in self.params}

    @torch.no_grad()
    def step(self):
        for one in (one for one in self.params if one.grad is not None):
            self.by_id[id(one)] = 0.5 * self.by_id[id(one)] + one.grad
            self.by_parameter[one]["mean"].lerp_(one.grad, 0.1)
            one -= self.lr * (self.by_id[id(one)] + self.by_parameter[one]["mean"])


class OfTorch(torch.optim.AdamW):
    """torch's own, with the attribute that the course's loop sets."""

    @property
    def lr(self):
        return self.param_groups[0]["lr"]

    @lr.setter
    def lr(self, rate):
        self.param_groups[0]["lr"] = rate


class OfTorchInFloat32(torch.optim.Optimizer):
    """Momentum in float32, whatever the weights are in: in a tensor, and in a list of them."""

    lr = OfTorch.lr

    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for one in (one for one in self.param_groups[0]["params"] if one.grad is not None):
            if one not in self.state:
                self.state[one] = {"mean": torch.zeros(one.shape), "kept": [torch.zeros(one.shape)]}
            for mean in (self.state[one]["mean"], *self.state[one]["kept"]):
                mean.mul_(0.9).add_(one.grad)
                one.sub_(self.lr * mean)


def several(model):
    """One for the matrices of the blocks, another for the rest."""
    matrices = [one for name, one in model.named_parameters() if name.startswith("blocks") and one.ndim > 1]
    others = [one for one in model.parameters() if all(one is not matrix for matrix in matrices) and one.requires_grad]
    return [AdamW(matrices, 1e-2), ByIds(others, 3e-3)]


def fresh(dropout=0.2):
    torch.manual_seed(3)
    return with_dropout(Transformer(SMALL), dropout)


def stopping(step, error):
    def report(entry):
        if entry["step"] == step:
            raise error

    return report


@pytest.mark.slow
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize(
    "optimisers",
    [None, lambda model: [ByIds(model.parameters(), 1e-2)], lambda model: [OfTorch(model.parameters(), 1e-2)], several],
)
def test_a_run_that_was_stopped_ends_as_one_that_was_not(optimisers, error, tmp_path):
    args, whole = replace(ARGS, optimisers=optimisers), fresh()
    history = train(whole, TEXT, args)
    args = replace(args, checkpoint=tmp_path / "new" / "run.pt")
    with pytest.raises(error):
        train(fresh(), TEXT, replace(args, report=stopping(10, error)))
    torch.manual_seed(99)
    resumed = with_dropout(Transformer(SMALL), 0.2)
    assert train(resumed, TEXT, args) == history
    for (name, one), other in zip(whole.named_parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other), name
    assert [file.name for file in args.checkpoint.parent.iterdir()] == ["run.pt"]


@pytest.mark.slow
@pytest.mark.parametrize("optimiser", [AdamW, ByIds, OfTorch, OfTorchInFloat32])
def test_weights_in_bfloat16_go_on_bit_for_bit_too(optimiser, tmp_path):
    """torch casts an optimiser's float32 to the type of the weights, where it loads what it saved."""

    def halved():
        return fresh().bfloat16()

    args = replace(ARGS, optimisers=lambda model: [optimiser(model.parameters(), 1e-2)])
    whole, resumed = halved(), halved()
    history = train(whole, TEXT, args)
    args = replace(args, checkpoint=tmp_path / "run.pt")
    with pytest.raises(RuntimeError):
        train(halved(), TEXT, replace(args, report=stopping(10, RuntimeError)))
    assert train(resumed, TEXT, args) == history
    for (name, one), other in zip(whole.named_parameters(), resumed.parameters(), strict=True):
        assert one.dtype == torch.bfloat16 and torch.equal(one, other), name


def test_the_models_parameters_stay_the_objects_that_they_were(tmp_path):
    args = replace(ARGS, checkpoint=tmp_path / "run.pt")
    train(fresh(), TEXT, args)
    model = fresh()
    held = list(model.parameters())
    train(model, TEXT, args)
    assert all(one is other for one, other in zip(held, model.parameters(), strict=True))


KILLED = """\
import os, signal
from dataclasses import replace
from pathlib import Path
from tests.test_checkpoints import ARGS, TEXT, fresh, train

def kill(entry):
    if entry["step"] == 10:
        os.kill(os.getpid(), signal.SIGKILL)

train(fresh(), TEXT, replace(ARGS, checkpoint=Path({path!r}), report=kill))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_was_killed_goes_on_in_another(tmp_path):
    args, whole, resumed = replace(ARGS, checkpoint=tmp_path / "run.pt"), fresh(), fresh()
    code = KILLED.format(path=str(args.checkpoint))
    ended = warm_python(code)
    assert ended.returncode == -signal.SIGKILL
    history = train(whole, TEXT, ARGS)
    assert train(resumed, TEXT, args) == history
    for one, other in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.fixture
def kept(tmp_path):
    args = replace(ARGS, checkpoint=tmp_path / "run.pt")
    train(fresh(), TEXT, args)
    return args


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "sizes", "said"),
    [
        ({"steps": 20, "lr": 0.5}, {}, "is of another run: steps 12 there, 20 here; lr 0.01 there, 0.5 here. Delete"),
        ({}, {"n_ctx": 8}, "pos_embed.W_pos [9, 8] there, [8, 8] here. Delete it"),
        ({"optimisers": several}, {}, "optimisers 1 there, 2 here"),
    ],
)
def test_another_run_is_refused_before_anything_is_changed(changes, sizes, said, kept):
    model = Transformer(replace(SMALL, **sizes))
    before = [one.clone() for one in model.parameters()]
    with pytest.raises(ValueError) as error:
        train(model, TEXT, replace(kept, **changes))
    assert said in str(error.value)
    assert all(torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=True))


class RunsCode:
    def __reduce__(self):
        return os.mkdir, (str(ROOT / "never"),)


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
        lambda file: file.write_bytes(b""),
        lambda file: file.write_text("no checkpoint"),
        lambda file: torch.save([1, 2], file),
        lambda file: torch.save({"model": RunsCode()}, file),
    ],
)
def test_a_damaged_file_is_refused_and_runs_nothing(damage, kept):
    damage(kept.checkpoint)
    with pytest.raises(ValueError, match=r"is damaged, or was not written by `save_checkpoint`\. Delete it, or give"):
        train(fresh(), TEXT, kept)
    assert not (ROOT / "never").exists()


@pytest.mark.parametrize("odd", [lambda: lambda: 0, lambda: (one for one in [1]), lambda: nn.Linear])
def test_what_cannot_be_kept_is_said_at_once(odd, tmp_path):
    class Odd(AdamW):
        def __init__(self, params):
            super().__init__(params, 1e-2)
            self.more = odd()

    args = replace(ARGS, checkpoint=tmp_path / "run.pt", optimisers=lambda model: [Odd(model.parameters())])
    with pytest.raises(TypeError, match="a checkpoint can't hold what Odd keeps in its attributes: use tensors"):
        train(fresh(), TEXT, args)
    assert list(tmp_path.iterdir()) == []
