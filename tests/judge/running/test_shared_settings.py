"""What all code of a process shares: an answer leaves it as it was, and what an earlier cell has set is not seen."""

import sys
import threading

import pytest
import torch

from tests.judge.checking.tiny import Scale, scale, written

LEFT = {
    "default dtype": (
        lambda: torch.set_default_dtype(torch.float64),
        "torch's default dtype, from torch.float32 to torch.float64",
    ),
    "default device": (lambda: torch.set_default_device("meta"), "torch's default device to meta"),
    "gradients": (lambda: torch.set_grad_enabled(False), "whether torch keeps what gradients need, from True to False"),
    "half precision": (
        lambda: torch.set_autocast_enabled("cpu", True),
        "whether torch computes in half precision by itself, from False to True",
    ),
}


@pytest.mark.parametrize(("set_it", "said"), LEFT.values(), ids=LEFT)
def test_what_would_compute_otherwise_is_told_and_set_back(set_it, said):
    before = shared_by_all()
    details = scale.judge(setting(set_it)).failure.details
    assert details == (f"your code changes {said}, for all that runs after it, in other cells too",)
    assert shared_by_all() == before and scale.judge(Scale).status == "passed"


def setting(set_it):
    """A right answer that sets something on its way."""

    def forward(self, x):
        set_it()
        return x * self.w + self.b

    return written(forward)


SILENT = {
    "numbers near 0": lambda: torch.set_flush_denormal(True),
    "the trace": lambda: sys.settrace(unmoved),
    "the trace of threads": lambda: threading.settrace(unmoved),
    "the profile": lambda: sys.setprofile(unmoved),
    "the profile of threads": lambda: threading.setprofile(unmoved),
}


def unmoved(*event):
    pass


def shared_by_all():
    near_0 = torch.tensor(1e-40) * 1
    traced = sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile()
    computing = torch.get_default_dtype(), torch.get_default_device(), torch.is_grad_enabled()
    return *computing, torch.is_autocast_enabled("cpu"), near_0.item(), *traced


@pytest.mark.parametrize("set_it", SILENT.values(), ids=SILENT)
def test_what_else_is_set_for_all_does_not_stay(set_it):
    before = shared_by_all()
    assert scale.judge(setting(set_it)).status == "passed" and shared_by_all() == before


SET_BEFORE = {
    "default dtype": (lambda: torch.set_default_dtype(torch.float64), lambda: torch.set_default_dtype(torch.float32)),
    "default device": (lambda: torch.set_default_device("meta"), lambda: torch.set_default_device(None)),
    "gradients": (lambda: torch.set_grad_enabled(False), lambda: torch.set_grad_enabled(True)),
    "half precision": (
        lambda: torch.set_autocast_enabled("cpu", True),
        lambda: torch.set_autocast_enabled("cpu", False),
    ),
}


@pytest.mark.parametrize(("set_it", "set_it_back"), SET_BEFORE.values(), ids=SET_BEFORE)
def test_what_an_earlier_cell_has_set_plays_no_part(set_it, set_it_back):
    """Not even in the card of a wrong answer."""
    wrong = written(lambda self, x: x * self.w + self.b + 2)
    before = str(scale.judge(wrong))
    set_it()
    try:
        assert scale.judge(Scale).status == "passed" and str(scale.judge(wrong)) == before
    finally:
        set_it_back()
