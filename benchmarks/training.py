"""nanoGPT's own train.py and the course's training, one after the other in one run, by processor time.

    git clone https://github.com/karpathy/nanoGPT
    python benchmarks/training.py --nanogpt nanoGPT [--seeds 3] [--short] [--controls] [--record] [--kept FILE]

nanoGPT runs as its README says for a CPU, in a copy of its folder, on the same tiny Shakespeare. Three questions:

1. how much of nanoGPT's processor time the course needs to its final held-out loss: at most 0.4 times;
2. how much with chapter 12's changes but grouped queries (utils/race/changes.py): at most 0.25 times;
3. how far below it the course ends with the same processor time: at least 0.2 nats.

The steps for the second were chosen on seed 0, by the loss on the same held-out text: of 260, 280, 300 and 320 the
fewest that end there at least 0.01 nats below nanoGPT.

Both have one thread. Their time is `time.process_time` from the first step to the last one, so imports, reading the
text and making the model are left out, and so is evaluation: nanoGPT's between its calls of `model.eval()` and
`model.train()`, and `torch.save`; the course trains without a held-out text. The loss is over the whole held-out text,
every token but the first predicted once, in windows one after another: 64 predictions each for nanoGPT, 63 for the
course, whose windows of 64 tokens have one prediction less (`whole_loss` of utils/race/track.py). "The course" is
chapter 7's Transformer in fused operations (utils/race/fused.py: the same parameters and numbers) and chapter 9's
`train` with `muon_and_adamw`, all layers' matrices in one stack (utils/race/stacked_muon.py: the same steps). With
`--controls` AdamW stands beside in Muon's place, and the chapters' own parts as they are. All of it is in float32.

The two run one after another, not at once: on a busy machine look at the milliseconds a step of both.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from nanogpts_training import nanogpt
from torch import nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import TrainArgs, muon_and_adamw, train
from utils.race import ladder
from utils.race.changes import ALL, changed
from utils.race.fused import fused
from utils.race.stacked_muon import StackedMuon
from utils.race.track import BATCH_SIZE, BETAS, LR, LR_END, STEPS, WARMUP, WEIGHT_DECAY, nanogpts_track, whole_loss

WANTED_SHARE, WANTED_CHANGED, WANTED_LOWER = 0.4, 0.25, 0.2
SHORT = 580  # steps of ours for the first question
SHORTER = 320  # for the second
TIMED = 40  # steps of ours by which the steps for the third are reckoned
TRACK = nanogpts_track()
WIDER = 2.5  # times GPT-2's standard deviation, which makes it 0.05
NEVER = 10**9
RATES = {"lr_muon": 0.012, "lr_adamw": 0.003, "momentum": 0.9, "attention": 0.5}
SPREAD = partial(muon_and_adamw, **RATES)
STACKED = partial(SPREAD, muon=StackedMuon)
MUON = TrainArgs(STEPS, BATCH_SIZE, lr=0.012, lr_end=0.02, warmup=50, optimisers=STACKED, eval_every=NEVER)
THEIRS = TrainArgs(STEPS, BATCH_SIZE, LR, LR_END, WARMUP, betas=BETAS, weight_decay=WEIGHT_DECAY, eval_every=NEVER)


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


@torch.no_grad()
def wider(model: nn.Module) -> nn.Module:
    """The blocks' matrices drawn wider than GPT-2's 0.02, which is small for a d_model of 128."""
    for name, parameter in model.named_parameters():
        if "blocks." in name and ".W_" in name:
            parameter.mul_(WIDER)
    return model


def plain(seed: int) -> nn.Module:
    """Chapter 7's Transformer, its weights drawn from the seed."""
    torch.manual_seed(seed)
    return Transformer(TRACK.cfg)


def ready(seed: int) -> nn.Module:
    """Ours, as it is timed."""
    return fused(wider(plain(seed)))


def since_gpt2(seed: int) -> nn.Module:
    """Ours with chapter 12's changes but grouped queries, and as many parameters."""
    return wider(changed(Transformer, TRACK.cfg, ALL - {"gqa"}, seed))


def ours(name: str, args: TrainArgs, seed: int, make: Callable[[int], nn.Module] = ready) -> Row:
    """Train a model of ours."""
    model = make(seed)
    began = time.process_time()
    train(model, TRACK.data, replace(args, seed=seed))
    seconds = time.process_time() - began
    return Row(f"{name}, seed {seed}", args.steps, seconds, whole_loss(model, TRACK.held_out, TRACK.cfg.n_ctx))


def fitting(args: TrainArgs, seconds: float, seed: int) -> TrainArgs:
    """With as many steps as take so long, by the pace of a few; a little less, so that it takes no longer."""
    pace = ours("", replace(args, steps=TIMED), seed).seconds / TIMED
    return replace(args, steps=int(0.97 * seconds / pace))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--nanogpt", type=Path, metavar="DIR", help="a clone of karpathy/nanoGPT")
    add("--seeds", type=int, default=3, help="of ours (3)")
    add("--equal", type=int, metavar="N", help="of these, as many for the third question, which takes longest (all)")
    add("--short", action="store_true", help="leave the third question out")
    add("--steps", type=int, default=STEPS, help="of nanoGPT; fewer only to try this program")
    add(
        "--controls", action="store_true", help="also AdamW at 3e-3 in equal time; the chapters' own parts, 2,000 steps"
    )
    add("--record", action="store_true", help="make what the runs came to the first rungs of `python -m utils race`")
    add("--kept", type=Path, metavar="FILE", help="nanoGPT's row: read from here if it is there, else written here")
    options = parser.parse_args()
    if not options.nanogpt or not (options.nanogpt / "train.py").is_file():
        parser.error("--nanogpt DIR: a clone of https://github.com/karpathy/nanoGPT, in which train.py is")
    if options.short and options.record:
        parser.error("--record: the ladder has a rung of the third question, which --short leaves out")
    torch.set_num_threads(1)
    print(f"{ladder.machine()}, torch {torch.__version__}, load {os.getloadavg()[0]:.1f} at the start\n")
    print(f"{'':34} {'steps':>6} {'seconds':>9} {'ms/step':>8} {'held out':>9}", flush=True)
    rows = compared(options)
    if options.record:
        ladder.RECORDED.write_text(json.dumps(rungs(rows), indent=2) + "\n", encoding="utf-8")
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


def compared(options: argparse.Namespace) -> list[Row]:
    """nanoGPT, then ours by seed: in a part of its time and in all of it; what that says is printed."""
    theirs = shown(nanogpts_row(options))
    quick = in_part_of_its_time("Muon, fused, short", ready, SHORT, WANTED_SHARE, theirs, options)
    quicker = in_part_of_its_time("since GPT-2, short", since_gpt2, SHORTER, WANTED_CHANGED, theirs, options)
    if options.short:
        return [theirs, *quick, *quicker]
    count = options.seeds if options.equal is None else options.equal
    equal = [shown(ours("Muon, fused", fitting(MUON, theirs.seconds, seed), seed)) for seed in range(count)]
    lower = theirs.loss - max(row.loss for row in equal)
    share = max(row.seconds for row in equal) / theirs.seconds
    print(f"    {lower:.3f} nats lower in {share:.2f} times its time (wanted: {WANTED_LOWER} at least)", flush=True)
    return [theirs, *quick, *quicker, *equal, *(controls(theirs, options) if options.controls else [])]


def in_part_of_its_time(
    name: str, make: Callable[[int], nn.Module], steps: int, wanted: float, theirs: Row, options: argparse.Namespace
) -> list[Row]:
    """A short run for each seed; whether all got to nanoGPT's loss, and in which part of its time, is printed."""
    args = replace(MUON, steps=round(steps * options.steps / STEPS))
    rows = [shown(ours(name, args, seed, make)) for seed in range(options.seeds)]
    shares = [row.seconds / theirs.seconds for row in rows]
    word = "reached" if max(row.loss for row in rows) <= theirs.loss else "NOT reached"
    took = f"{min(shares):.3f} to {max(shares):.3f}"
    print(f"    nanoGPT's loss {word} by all in {took} times its time (wanted: {wanted} at most)", flush=True)
    return rows


def controls(theirs: Row, options: argparse.Namespace) -> list[Row]:
    """A higher rate alone, in nanoGPT's time; then the chapters' own parts, as they are."""
    adamw = replace(THEIRS, lr=3e-3)
    rows = [
        shown(
            ours("AdamW 3e-3, fused", fitting(adamw, theirs.seconds, seed), seed, make=lambda seed: fused(plain(seed)))
        )
        for seed in range(options.seeds)
    ]
    nanogpts = replace(THEIRS, steps=options.steps)
    muon = replace(MUON, steps=options.steps, optimisers=SPREAD)
    return [
        *rows,
        shown(ours("nanoGPT's recipe, plain", nanogpts, 0, make=plain)),
        shown(ours("Muon, plain", muon, 0, make=lambda seed: wider(plain(seed)))),
    ]


def nanogpts_row(options: argparse.Namespace) -> Row:
    """Of its run; of an earlier one, where that was kept."""
    kept = options.kept
    if kept and kept.is_file():
        return Row(**json.loads(kept.read_text(encoding="utf-8")))
    row = Row(**nanogpt(options.nanogpt, options.steps))
    if kept:
        kept.write_text(json.dumps(asdict(row)), encoding="utf-8")
    return row


def shown(row: Row) -> Row:
    """The row, printed."""
    print(row, flush=True)
    return row


def rungs(rows: list[Row]) -> list[dict[str, Any]]:
    """As the ladder keeps them; the budget is the time that nanoGPT took."""
    told = {"budget": round(rows[0].seconds, 1), "machine": ladder.machine(), "made": ladder.now()}
    return [
        asdict(ladder.Rung(row.name, round(row.loss, 4), row.steps, round(row.seconds, 1), **told))
        for row in rows
        if row is rows[0] or row.name.endswith("seed 0")
    ]


if __name__ == "__main__":
    main()
