"""How the reference model is trained: chapter 9's `train`, twice in a row, on the text and then on phrases too."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from solutions import ch09_training
from solutions.ch09_training import TrainArgs
from training import recipe as recipes
from training.data import training_batch
from training.recipe import Recipe, Stage
from training.tied import TiedTransformer, make_optimisers
from training.tied_modern import TiedModernTransformer
from utils.config import Config, ModernConfig


@dataclass(frozen=True)
class Progress:
    """What is known after a step: the batch's loss in nats, the time since the run began in seconds."""

    step: int
    loss: float
    lr: float
    seconds: float


@dataclass(frozen=True)
class Checkpoint:
    """What a run has come to: the weights by TransformerLens's names, after `step` steps and so many seconds.

    `processor_seconds` leaves out the first step of each start, in which `torch.compile` compiles.
    """

    cfg: Any  # a Config, or a ModernConfig
    recipe: Recipe
    weights: dict[str, Tensor]
    step: int
    seconds: float
    processor_seconds: float
    losses: list[float]


def train(
    cfg: Config | ModernConfig,
    data: Int[Tensor, " n_tokens"],
    recipe: Recipe,
    folder: Path,
    report: Callable[[Progress], None],
) -> None:
    """Train to the end, from the checkpoints in `folder` where there are any; `report` is called after each step.

    Raises ValueError where the folder has a run with other sizes or settings.
    """
    recipes.keep(folder, cfg, recipe)
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    tied = to_train(cfg)
    if recipe.compiled:
        tied.compile()
    optimisers = make_optimisers(tied, recipe)
    before = read_checkpoint(folder) if _files(recipe, folder) else None
    clock, done = time.perf_counter() - (before.seconds if before else 0.0), 0
    processor_clock = None
    for stage in recipe.stages:
        for optimiser in optimisers:
            optimiser.lr = stage.lr_max  # the peak of this stage's cosine

        def told(entry: dict[str, float], done: int = done) -> None:
            nonlocal processor_clock
            entry["seconds"] = time.perf_counter() - clock  # kept with the history, in the checkpoint
            if processor_clock is None:
                processor_clock = time.process_time() - (before.processor_seconds if before else 0.0)
            entry["processor_seconds"] = time.process_time() - processor_clock
            report(Progress(done + int(entry["step"]), entry["loss"], optimisers[0].lr, entry["seconds"]))

        def draw(generator: torch.Generator, phrase_share: float = stage.phrase_share) -> Int[Tensor, "batch pos"]:
            return training_batch(data, cfg.n_ctx, recipe.batch_size, recipe.repeat_share, phrase_share, generator)

        args = _args(stage, recipe, folder)
        args = replace(args, draw=draw, report=told, optimisers=lambda model: optimisers)
        ch09_training.train(tied, data, args)
        done += stage.steps


def to_train(cfg: Config | ModernConfig) -> TiedTransformer | TiedModernTransformer:
    """A fresh model of these sizes: GPT-2's parts, or those of chapter 12."""
    if isinstance(cfg, ModernConfig):
        return TiedModernTransformer(cfg, torch.bfloat16)
    return TiedTransformer(cfg, torch.bfloat16)


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read what `train` has kept last, without the optimisers. Raises FileNotFoundError where it has kept nothing."""
    cfg, recipe = recipes.kept(folder)
    files = _files(recipe, folder)
    if not files:
        raise FileNotFoundError(f"{folder} has no checkpoint: train first, without --export-only")
    runs = [torch.load(file, weights_only=True) for file in files]
    weights = {name.removeprefix("model."): weight.detach() for name, weight in runs[-1]["model"].items()}
    step = sum(run["step"] for run in runs)
    entries = [entry for run in runs for entry in run["history"]]
    last, losses = entries[-1], [entry["loss"] for entry in entries]
    return Checkpoint(cfg, recipe, weights, step, last["seconds"], last.get("processor_seconds", 0.0), losses)


def _files(recipe: Recipe, folder: Path) -> list[Path]:
    """The checkpoints of the stages that have one."""
    files = [folder / f"{stage.name}.pt" for stage in recipe.stages]
    return [file for file in files if file.exists()]


def _args(stage: Stage, recipe: Recipe, folder: Path) -> TrainArgs:
    """What chapter 9's `train` is told of a stage."""
    # so often that there is a checkpoint of the last step too
    every = max(n for n in range(1, recipe.checkpoint_every + 1) if stage.steps % n == 0)
    return TrainArgs(
        steps=stage.steps,
        batch_size=recipe.batch_size,
        lr=stage.lr_max,
        lr_end=recipe.lr_min / stage.lr_max,
        warmup=recipe.warmup,
        clip=recipe.grad_clip,
        eval_every=1,
        seed=stage.seed,
        checkpoint=folder / f"{stage.name}.pt",
        checkpoint_every=every,
    )
