"""nanoGPT's own train.py and the course's training, one after the other in one run, by processor time.

    git clone https://github.com/karpathy/nanoGPT
    python benchmarks/training.py --nanogpt nanoGPT [--seeds 1] [--only nanogpt|ours]

nanoGPT runs as its README says for a CPU, in a copy of its folder, on the same tiny Shakespeare. Asked are two things:

1. how much of nanoGPT's processor time the course needs to its final held-out loss: at most 0.4 times;
2. how far below it the course ends with the same processor time: at least 0.2 nats.

Both have one thread. Their time is `time.process_time` from the first step to the last one, so imports, reading the
text and making the model are left out, and so is evaluation: nanoGPT's between its calls of `model.eval()` and
`model.train()`, and `torch.save`; the course trains without a held-out text. The loss is over the whole held-out text,
every token but the first predicted once, in windows one after another: 64 predictions each for nanoGPT, 63 for the
course, whose windows of 64 tokens have one prediction less (`whole_loss` of utils/race/track.py). "The course" is
chapter 7's Transformer and chapter 9's `train`, with `muon_and_adamw`; with AdamW and nanoGPT's own recipe it stands
beside.

The two run one after another, not at once: on a busy machine look at the milliseconds a step of both rounds.
"""

import argparse
import json
import os
import platform
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import TrainArgs, muon_and_adamw, train
from utils.characters import FILE
from utils.race.track import BATCH_SIZE, BETAS, LR, LR_END, STEPS, WARMUP, WEIGHT_DECAY, nanogpts_track, whole_loss

README = (  # its settings for a CPU
    "config/train_shakespeare_char.py --device=cpu --compile=False --eval_iters=20 --log_interval=1 --block_size=64 "
    "--batch_size=12 --n_layer=4 --n_head=4 --n_embd=128 --max_iters=2000 --lr_decay_iters=2000 --dropout=0.0"
).split()
WANTED_SHARE, WANTED_LOWER = 0.4, 0.2
SHORT = 700  # steps of ours for the first question
TIMED = 40  # steps of ours by which the steps for the second are reckoned
TRACK = nanogpts_track()
MUON = TrainArgs(
    steps=STEPS, batch_size=BATCH_SIZE, lr=0.01, warmup=50, lr_end=0.02, optimisers=muon_and_adamw, eval_every=10**6
)
THEIRS = TrainArgs(STEPS, BATCH_SIZE, LR, LR_END, WARMUP, betas=BETAS, weight_decay=WEIGHT_DECAY, eval_every=10**6)


@dataclass(frozen=True)
class Row:
    """A run: its steps, their processor time, and the loss on the whole held-out text."""

    name: str
    steps: int
    seconds: float
    loss: float

    def __str__(self) -> str:
        each = 1000 * self.seconds / self.steps
        return f"{self.name:34} {self.steps:6,} {self.seconds:9.1f} {each:8.1f} {self.loss:9.4f}"


def ours(name: str, args: TrainArgs, seed: int) -> Row:
    """Train the course's Transformer; the weights that it starts from are drawn from the seed."""
    torch.manual_seed(seed)
    model = Transformer(TRACK.cfg)
    began = time.process_time()
    train(model, TRACK.data, replace(args, seed=seed))
    seconds = time.process_time() - began
    return Row(name, args.steps, seconds, whole_loss(model, TRACK.held_out, TRACK.cfg.n_ctx))


def fitting(seconds: float, seed: int) -> TrainArgs:
    """Ours with as many steps as take so long, by the pace of a few; a little less, so that it takes no longer."""
    pace = ours("", replace(MUON, steps=TIMED), seed).seconds / TIMED
    return replace(MUON, steps=int(0.97 * seconds / pace))


def nanogpt(folder: Path, steps: int = STEPS) -> Row:
    """Run its train.py in a Python of its own, in a copy of its folder with the course's tiny Shakespeare as input."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "nanoGPT"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git", "out*", "assets"))
        data = copy / "data" / "shakespeare_char"
        shutil.copyfile(FILE, data / "input.txt")
        subprocess.run([sys.executable, "prepare.py"], cwd=data, check=True, stdout=subprocess.DEVNULL)
        result = copy / "result.json"
        command = [sys.executable, str(Path(__file__).resolve()), "--inside", str(result), "--steps", str(steps)]
        one_thread = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(["", *_paths()])}
        subprocess.run(command, cwd=copy, check=True, stdout=subprocess.DEVNULL, env=os.environ | one_thread)
        return Row(**json.loads(result.read_text(encoding="utf-8")))


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
    row = Row("nanoGPT's train.py", left["local_iter_num"], clock.seconds, _whole_loss_of(left["raw_model"]))
    result.write_text(json.dumps(vars(row)), encoding="utf-8")


def _whole_loss_of(model: nn.Module) -> float:
    """nanoGPT's loss over the held-out text, 64 predictions a window."""

    class Logits(nn.Module):
        """Its logits at every position: it gives them where it is given targets, of which here nothing is read."""

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            inputs = tokens[:, :-1].contiguous()
            logits, _ = model(inputs, inputs)
            return torch.cat([logits, logits[:, :1]], dim=1)  # the last row is not read either

    model.eval()
    return whole_loss(Logits(), TRACK.held_out, TRACK.cfg.n_ctx + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nanogpt", type=Path, metavar="DIR", help="a clone of karpathy/nanoGPT")
    parser.add_argument("--seeds", type=int, default=1, help="of ours (1)")
    parser.add_argument("--steps", type=int, default=STEPS, help="of nanoGPT; fewer only to try this program")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options.inside, options.steps)
    if not options.nanogpt or not (options.nanogpt / "train.py").is_file():
        parser.error("--nanogpt DIR: a clone of https://github.com/karpathy/nanoGPT, in which train.py is")
    torch.set_num_threads(1)
    print(f"{platform.processor() or platform.machine()}, torch {torch.__version__}, one thread", end=", ")
    print(f"load {os.getloadavg()[0]:.1f} at the start\n")
    print(f"{'':34} {'steps':>6} {'seconds':>9} {'ms/step':>8} {'held out':>9}", flush=True)
    theirs = nanogpt(options.nanogpt, options.steps)
    print(theirs, flush=True)
    for seed in range(options.seeds):
        compare(theirs, seed, round(SHORT * options.steps / STEPS))
    print(ours("ours, nanoGPT's recipe", replace(THEIRS, steps=options.steps), 0), flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


def compare(theirs: Row, seed: int, short: int) -> None:
    """Ours in a part of nanoGPT's time, and in all of it, and what that says."""
    quick = ours(f"ours, Muon, seed {seed}", replace(MUON, steps=short), seed)
    print(quick, flush=True)
    equal = ours(f"ours, Muon, equal time, seed {seed}", fitting(theirs.seconds, seed), seed)
    print(equal, flush=True)
    share, lower = quick.seconds / theirs.seconds, theirs.loss - equal.loss
    reached = "reached" if quick.loss <= theirs.loss else f"NOT reached ({quick.loss:.3f})"
    print(f"    nanoGPT's loss {reached} in {share:.2f} times its time (wanted: {WANTED_SHARE} at most)")
    time_share = equal.seconds / theirs.seconds
    print(
        f"    {lower:.3f} nats lower in {time_share:.2f} times its time (wanted: {WANTED_LOWER} at least)", flush=True
    )


if __name__ == "__main__":
    main()
