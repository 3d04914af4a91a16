"""nanoGPT's train.py as it is, by processor time: run in a copy of its folder, in a Python of its own.

benchmarks/training.py imports `nanogpt`; run as a program it is what happens inside that copy.
"""

import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

from utils.characters import FILE
from utils.race.track import STEPS, WARMUP, nanogpts_track, whole_loss

README = (  # its settings for a CPU
    "config/train_shakespeare_char.py --device=cpu --compile=False --eval_iters=20 --log_interval=1 --block_size=64 "
    "--batch_size=12 --n_layer=4 --n_head=4 --n_embd=128 --max_iters=2000 --lr_decay_iters=2000 --dropout=0.0"
).split()


def nanogpt(folder: Path, steps: int = STEPS) -> dict[str, Any]:
    """Run its train.py in a Python of its own, in a copy of its folder with the course's tiny Shakespeare as input."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "nanoGPT"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git", "out*", "assets"))
        data = copy / "data" / "shakespeare_char"
        shutil.copyfile(FILE, data / "input.txt")
        subprocess.run([sys.executable, "prepare.py"], cwd=data, check=True, stdout=subprocess.DEVNULL)
        result = copy / "result.json"
        command = [sys.executable, "-W", "ignore", str(Path(__file__).resolve()), str(result), str(steps)]
        one_thread = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(["", *_paths()])}
        subprocess.run(command, cwd=copy, check=True, stdout=subprocess.DEVNULL, env=os.environ | one_thread)
        return json.loads(result.read_text(encoding="utf-8"))


def _paths() -> list[str]:
    """Where this Python finds the course."""
    return [str(Path(__file__).resolve().parents[1]), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]


class Clock:
    """Processor time that stands still while a model is evaluated or saved."""

    def __init__(self) -> None:
        self.seconds, self._since = 0.0, None

    def go(self) -> None:
        if self._since is None:
            self._since = time.process_time()

    def stop(self) -> None:
        if self._since is not None:
            self.seconds += time.process_time() - self._since
            self._since = None


def inside(result: Path, steps: int) -> None:
    """In nanoGPT's folder: run train.py as it is, by a clock that `model.eval()` stops and `model.train()` starts."""
    from model import GPT  # type: ignore # nanoGPT's

    clock, save, set_mode = Clock(), torch.save, nn.Module.train

    def train_mode(model: nn.Module, mode: bool = True) -> nn.Module:
        clock.stop()
        set_mode(model, mode)
        if mode:
            clock.go()
        return model

    def save_unclocked(*given: Any, **more: Any) -> None:
        clock.stop()
        save(*given, **more)
        clock.go()

    GPT.train, torch.save = train_mode, save_unclocked
    torch.set_num_threads(1)
    sys.argv = ["train.py", *README]
    if steps != STEPS:  # to try this program
        sys.argv += [f"--max_iters={steps}", f"--lr_decay_iters={max(steps, WARMUP + 1)}"]
    left = runpy.run_path("train.py", run_name="__main__")
    clock.stop()
    loss = _whole_loss_of(left["raw_model"])
    row = {"name": "nanoGPT's train.py", "steps": left["local_iter_num"], "seconds": clock.seconds, "loss": loss}
    result.write_text(json.dumps(row), encoding="utf-8")


def _whole_loss_of(model: nn.Module) -> float:
    """nanoGPT's loss over the held-out text, 64 predictions a window."""

    class Logits(nn.Module):
        """Its logits at every position: it gives them where it is given targets, of which here nothing is read."""

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            inputs = tokens[:, :-1].contiguous()
            logits, _ = model(inputs, inputs)
            return torch.cat([logits, logits[:, :1]], dim=1)  # the last row is not read either

    model.eval()
    track = nanogpts_track()
    return whole_loss(Logits(), track.held_out, track.cfg.n_ctx + 1)


if __name__ == "__main__":
    inside(Path(sys.argv[1]), int(sys.argv[2]))
