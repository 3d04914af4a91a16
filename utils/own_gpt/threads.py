"""How many threads torch computes with: one for a small model, all it likes for one that gains by them.

A small model's products are done before a second thread has begun; where other programs run, threads wait for each
other. The course's `benchmarks/threads.py` measures both.
"""

import os
import sys

# d_model, GPT-2 small's: from there on reading a text gains, by an eighth and more with two threads.
WIDE = 768
CHOSEN = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")

_torchs_own: int | None = None  # its number of threads before we set one
_ours: int | None = None  # what we set last


def fit_threads(d_model: int) -> None:
    """One thread for a model narrower than WIDE, torch's own number for others; what somebody has chosen stays.

    Chosen is what the environment says, and any number that is neither torch's own nor what was set here.
    """
    global _torchs_own, _ours
    if any(map(os.environ.get, CHOSEN)):
        return
    may_be_chosen = "torch" in sys.modules
    import torch

    now = torch.get_num_threads()
    if _torchs_own is None:
        if may_be_chosen and now not in _usual():
            return
        _torchs_own = now
    elif now != _ours:
        return
    _ours = 1 if d_model < WIDE else _torchs_own
    torch.set_num_threads(_ours)


def _usual() -> set[int]:
    """What torch takes by itself: a thread for each processor, or for each core where a core is two of them."""
    processors = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    return {processors, processors // 2}
