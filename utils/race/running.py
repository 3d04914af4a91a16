"""A run in the race: as long as its processor time lasts, with the learner's own parts."""

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from utils.pieces import pieces
from utils.race import track as nanogpts
from utils.race.recipe import Recipe
from utils.race.track import Track, whole_loss
from utils.watching import watching

USED = ("Transformer", "get_batch", "AdamW", "Muon", "train")  # of the learner's, in a run
TIMED, BEFORE = 20, 3  # steps by which a pace is measured, after some that are not
SHARE = 0.97  # of the budget is planned; the pace of a few steps is not quite that of all


class OutOfTime(Exception):
    """The budget is used up."""


@dataclass(frozen=True)
class Finished:
    """What a run came to."""

    model: nn.Module
    history: list[dict[str, float]]
    steps: int  # done
    planned: int
    seconds: float  # of the processor
    loss: float  # over the whole held-out text


def seconds_of_nanogpts_recipe(
    track: Track,
    steps: int = TIMED,
) -> float:
    """The processor seconds that its 2,000 steps take here, in the course's own code, by the pace of a few."""
    chapter, model = (
        importlib.import_module("solutions.ch09_training"),
        _fresh(
            _solution_model(),
            track,
            0,
        ),
    )
    settings = {"lr": nanogpts.LR, "betas": nanogpts.BETAS, "weight_decay": nanogpts.WEIGHT_DECAY}
    args = chapter.TrainArgs(
        steps,
        nanogpts.BATCH_SIZE,
        **settings,
        eval_every=steps,
    )
    chapter.train(model, track.data, replace(args, steps=BEFORE))
    began = time.process_time()
    chapter.train(model, track.data, args)
    return nanogpts.STEPS * (time.process_time() - began) / steps


def run(
    recipe: Recipe,
    track: Track,
    budget: float,
    say: Callable[[str], None] = print,
) -> Finished | None:
    """Train by a recipe until its steps or the budget are used up; None where it was stopped by hand."""
    parts: dict[str, Any] = dict(zip(USED, pieces(*USED), strict=True))
    planned = recipe.steps or _steps_in(budget, recipe, track, parts)
    say(f"{planned:,} steps in {budget:.0f} processor seconds at most\n")
    args, model = _prepared(recipe, track, parts, planned)
    meter = Meter(
        budget,
        args.draw or _windows(parts["get_batch"], model, track, args.batch_size),
    )
    with watching(args) as watch:
        meter.begin()
        try:
            parts["train"](model, track.data, replace(args, draw=meter.draw, report=meter.paused(watch)))
        except OutOfTime:
            say(f"\nOut of time after step {meter.steps:,} of {planned:,}.")
        meter.end()
    if watch.stopped:
        return None
    loss = whole_loss(model, track.held_out, track.cfg.n_ctx)
    return Finished(
        model,
        watch.history,
        meter.steps,
        planned,
        meter.seconds,
        loss,
    )


class Meter:
    """Draws each step's batch as long as there is time; the clock stands still while the run is shown."""

    def __init__(
        self,
        budget: float,
        draw: Callable[[torch.Generator], Tensor],
    ) -> None:
        self.budget, self._draw = budget, draw
        self.steps, self.seconds = 0, 0.0
        self._began = self._apart = 0.0

    def begin(self) -> None:
        """The first step begins."""
        self._began = time.process_time()

    def end(self) -> None:
        """No step comes any more."""
        self.seconds = self._spent()

    def draw(self, generator: torch.Generator) -> Tensor:
        """The next batch. Raises OutOfTime."""
        if self._spent() > self.budget:
            raise OutOfTime
        self.steps += 1
        return self._draw(generator)

    def paused(
        self,
        report: Callable[[dict[str, float]], Any],
    ) -> Callable[[dict[str, float]], None]:
        """The report, whose own time does not count."""

        def told(entry: dict[str, float]) -> None:
            began = time.process_time()
            report(entry)
            self._apart += time.process_time() - began

        return told

    def _spent(self) -> float:
        return time.process_time() - self._began - self._apart


def _windows(
    get_batch: Callable[..., Tensor], model: Any, track: Track, batch_size: int
) -> Callable[[torch.Generator], Tensor]:
    return lambda generator: get_batch(track.data, model.cfg.n_ctx, batch_size, generator)


def _prepared(
    recipe: Recipe,
    track: Track,
    parts: dict[str, Any],
    steps: int,
) -> tuple[Any, nn.Module]:
    """The settings of the run and a fresh model, as the recipe has it."""
    settings = {"batch_size": nanogpts.BATCH_SIZE, "lr": nanogpts.LR, **recipe.settings}
    if settings.get("optimisers") in OPTIMISERS:
        settings["optimisers"] = OPTIMISERS[settings["optimisers"]](parts, settings)
    every = max(1, steps // 40)
    args = importlib.import_module("solutions.ch09_training").TrainArgs(steps=steps, eval_every=every, **settings)
    model = _fresh(parts["Transformer"], track, args.seed)
    return args, (recipe.prepare(model) or model) if recipe.prepare else model


def _fresh(
    Transformer: Callable[..., nn.Module],
    track: Track,
    seed: int,
) -> nn.Module:
    torch.manual_seed(seed)
    return Transformer(track.cfg)


def _solution_model() -> Callable[..., nn.Module]:
    return importlib.import_module("solutions.ch07_transformer").Transformer


def _steps_in(
    budget: float,
    recipe: Recipe,
    track: Track,
    parts: dict[str, Any],
) -> int:
    """As many steps as the budget allows, by the pace of a few; at least one."""
    times = []
    for steps in (BEFORE, TIMED):
        args, model = _prepared(recipe, track, parts, steps)
        began = time.process_time()
        parts["train"](model, track.data, replace(args, eval_every=steps))
        times.append(time.process_time() - began)
    return max(1, int(SHARE * budget * TIMED / times[-1]))


def _muon(
    parts: dict[str, Any],
    settings: dict[str, Any],
) -> Callable[[nn.Module], list[Any]]:
    """Muon for the matrices in the blocks and AdamW for the rest, both the learner's own."""
    lr, decay = settings["lr"], settings.get("weight_decay", nanogpts.WEIGHT_DECAY)

    def optimisers(model: nn.Module) -> list[Any]:
        named = list(model.named_parameters())
        hidden = [parameter for name, parameter in named if "blocks." in name and ".W_" in name]
        rest = [parameter for name, parameter in named if not ("blocks." in name and ".W_" in name)]
        adamw = parts["AdamW"](rest, lr, settings.get("betas", nanogpts.BETAS), 1e-8, decay)
        return [parts["Muon"](hidden, lr), adamw]

    return optimisers


def _adamw(
    parts: dict[str, Any],
    settings: dict[str, Any],
) -> Callable[[nn.Module], list[Any]]:
    """One AdamW, the learner's own."""
    lr, decay = settings["lr"], settings.get("weight_decay", nanogpts.WEIGHT_DECAY)
    betas, eps = (
        settings.get("betas", nanogpts.BETAS),
        settings.get(
            "eps",
            1e-8,
        ),
    )
    return lambda model: [parts["AdamW"](model.parameters(), lr, betas, eps, decay)]


OPTIMISERS = {"muon": _muon, "adamw": _adamw}
