"""What each change since GPT-2 buys on chapter 9's track: equal parameters, at equal steps and at equal processor time.

Chapter 12 shows what this writes into utils/experiments/changes.json: two runs of five seeds for each row, and 35
minutes of one core for each optimiser.

    python benchmarks/changes.py                  # with Muon, and with AdamW
    python benchmarks/changes.py muon --missing   # keep the runs that are there, as after a run was killed

A row's steps at equal time are GPT-2's by the ratio of the two paces. The paces are measured in turns of a few steps
each, so that whatever else the machine does slows both down alike.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import TrainArgs, muon_and_adamw, train
from utils.experiments import CHANGES as RECORDED
from utils.race.changes import ALL, CHANGES, LONGEST, changed
from utils.race.stacked_muon import StackedMuon
from utils.race.track import BATCH_SIZE, BETAS, WEIGHT_DECAY, Track, nanogpts_track, whole_loss

SEEDS = (0, 1, 2, 3, 4)
STEPS = 580  # GPT-2's, as many as bring chapter 9's Muon to where nanoGPT ends
WIDER = 2.5  # chapter 9's start for Muon
TURNS, IN_A_TURN = 15, 8  # steps by which two paces are compared
STRETCH = 32  # positions whose mean loss is kept together
ROWS = {
    "gpt2": frozenset[str](),
    **{name: frozenset([name]) for name in CHANGES},
    "all": ALL,
    "all but gqa": ALL - {"gqa"},
}
MUON = {
    "optimisers": partial(muon_and_adamw, lr_muon=0.012, attention=0.5, muon=StackedMuon),
    "warmup": 50,
    "lr_end": 0.02,
}
ADAMW = {"lr": 3e-3, "warmup": 100, "lr_end": 0.1, "betas": BETAS, "weight_decay": WEIGHT_DECAY}
RECIPES: dict[str, dict[str, Any]] = {"muon": MUON, "adamw": ADAMW}


def fresh(changes: frozenset[str], recipe: str, track: Track, seed: int) -> nn.Module:
    """The model that a run begins with."""
    model = changed(Transformer, track.cfg, changes, seed)
    if recipe == "muon":
        for name, parameter in model.named_parameters():
            if "blocks." in name and ".W_" in name:
                parameter.data *= WIDER
    return model


def args_of(recipe: str, steps: int, seed: int) -> TrainArgs:
    """The settings of a run of so many steps."""
    return TrainArgs(steps, BATCH_SIZE, seed=seed, eval_every=steps, **{"lr": 1e-3, **RECIPES[recipe]})


def run(changes: frozenset[str], recipe: str, steps: int, track: Track, seed: int) -> dict[str, Any]:
    """Train, and read the whole held-out text: the loss, the processor seconds, and the loss by position."""
    model = fresh(changes, recipe, track, seed)
    began = time.process_time()
    train(model, track.data, args_of(recipe, steps, seed))
    seconds = time.process_time() - began
    longest = LONGEST if "rotary" in changes else 1  # a table of positions ends at n_ctx
    return {
        "loss": whole_loss(model, track.held_out, track.cfg.n_ctx),
        "seconds": round(seconds, 1),
        "by_position": by_position(model, track.held_out, longest * track.cfg.n_ctx),
    }


@torch.no_grad()
def by_position(model: nn.Module, tokens: Tensor, pos: int) -> list[float]:
    """The mean loss in each stretch of positions, over windows of `pos` tokens, one after another."""
    windows = tokens[: len(tokens) // pos * pos].view(-1, pos)
    losses = [
        torch.nn.functional.cross_entropy(model(some)[:, :-1].mT, some[:, 1:], reduction="none")
        for some in windows.split(32)
    ]
    stretches = torch.cat(losses).mean(dim=0).split(STRETCH)
    return [round(float(stretch.mean()), 4) for stretch in stretches]


def pace(changes: frozenset[str], recipe: str, track: Track) -> float:
    """How many times GPT-2's processor time a step of a changed model takes."""
    pair = [fresh(some, recipe, track, 0) for some in (ROWS["gpt2"], changes)]
    ratios = []
    for turn in range(TURNS + 1):
        seconds = []
        for model in pair:
            began = time.process_time()
            train(model, track.data, args_of(recipe, IN_A_TURN, turn))
            seconds.append(time.process_time() - began)
        ratios.append(seconds[1] / seconds[0])
    return median(ratios[1:])  # the first turn warms up


def measured(name: str, recipe: str, track: Track, kept: dict[str, Any], save: Callable[[], None]) -> None:
    """Fill in a row, run by run."""
    changes = ROWS[name]
    cfg: Any = changed(Transformer, track.cfg, changes, 0).cfg
    kept.setdefault("d_mlp", cfg.d_mlp)
    kept.setdefault("pace", 1.0 if name == "gpt2" else round(pace(changes, recipe, track), 4))
    steps = {"equal steps": STEPS}
    if name != "gpt2":
        steps["equal time"] = round(STEPS / kept["pace"])
    for way, count in steps.items():
        runs = kept.setdefault(way, {"steps": count, "runs": []})["runs"]
        for seed in SEEDS[len(runs) :]:
            runs.append(run(changes, recipe, count, track, seed))
            save()
        losses = [one["loss"] for one in runs]
        mean = sum(losses) / len(losses)
        print(
            f"{recipe:6} {name:12} {way:12} {count:4}",
            *(f"{loss:.3f}" for loss in losses),
            f" mean {mean:.3f}",
            flush=True,
        )


def main() -> None:
    """Make the runs, and write each as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*", metavar="OPTIMISER", help="muon, adamw; both if left out")
    parser.add_argument("--missing", action="store_true", help="keep the runs that are there")
    parser.add_argument("--out", type=Path, default=RECORDED)
    options = parser.parse_args()
    unknown = set(options.recipes) - RECIPES.keys()
    if unknown:
        parser.error(f"no optimiser is called {', '.join(unknown)}; there are {', '.join(RECIPES)}")
    torch.set_num_threads(1)
    track = nanogpts_track()
    for recipe in options.recipes or RECIPES:
        kept = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {}
        rows = kept[recipe]["rows"] if options.missing and recipe in kept else {}
        kept[recipe] = {"command": f"python benchmarks/changes.py {recipe}", "torch": torch.__version__, "rows": rows}

        def save(kept: dict[str, Any] = kept) -> None:
            options.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")

        for name in ROWS:
            measured(name, recipe, track, rows.setdefault(name, {}), save)
            save()


if __name__ == "__main__":
    main()
