"""A run in the race: as long as its processor time lasts, with the learner's own parts."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from utils.course import CourseError
from utils.pieces import pieces
from utils.race import track as nanogpts
from utils.race.changes import changed, has_changed_parts, named
from utils.race.recipe import Recipe
from utils.race.track import Track, whole_loss
from utils.watching import watching

LR_MUON, MOMENTUM = 0.01, 0.9  # as in chapter 9's muon_and_adamw
TABLES = 0.3  # AdamW's share of that learning rate
NEEDED = ("lr", "step", "zero_grad")  # by `train`, of every optimiser
ALREADY_FUSED = "A model with changes has fused operations already: leave `fused` out."


def prepared(recipe: Recipe, track: Track, parts: dict[str, Any], steps: int) -> tuple[Any, Any]:
    """The settings of the run, chapter 9's TrainArgs, which are among the parts, and its model.

    Raises CourseError where the recipe's functions give something else.
    """
    settings = {"batch_size": nanogpts.BATCH_SIZE, "lr": nanogpts.LR, **recipe.settings}
    chosen = settings.get("optimisers")
    if chosen in OPTIMISERS:
        settings["optimisers"] = OPTIMISERS[chosen](parts, settings)
    elif chosen:
        settings["optimisers"] = _checked(recipe.name, chosen)
    every = max(1, steps // 40)
    args = parts["TrainArgs"](steps=steps, eval_every=every, **settings)
    if recipe.changes is None:
        model = fresh(parts["Transformer"], track, args.seed)
    else:
        model = changed(parts["Transformer"], track.cfg, recipe.changes, args.seed)
    model = _prepared_model(recipe, model)
    if recipe.changes is not None and not has_changed_parts(model):
        raise CourseError(f"{recipe.name}: prepare(model) put other parts into the changed model. {ALREADY_FUSED}")
    return args, model


def fresh(Transformer: Callable[..., nn.Module], track: Track, seed: int) -> nn.Module:
    """A model whose weights are drawn from the seed."""
    torch.manual_seed(seed)
    return Transformer(track.cfg)


def _prepared_model(recipe: Recipe, model: nn.Module) -> nn.Module:
    if recipe.prepare is None:
        return model
    given = recipe.prepare(model)
    if given is not None and not isinstance(given, nn.Module):
        kind = type(given).__name__
        raise CourseError(f"{recipe.name}: prepare(model) returned {kind}; return the model, or nothing.")
    return given or model


def _checked(name: str, make: Callable[[nn.Module], Any]) -> Callable[[nn.Module], list[Any]]:
    """The recipe's own function; what it returns has to be optimisers."""

    def optimisers(model: nn.Module) -> list[Any]:
        made = make(model)
        if not isinstance(made, list | tuple):
            kind = type(made).__name__
            raise CourseError(f"{name}: optimisers(model) returned {kind}; return a list of optimisers.")
        for optimiser in made:
            missing = [part for part in NEEDED if not hasattr(optimiser, part)]
            if missing:
                kind = type(optimiser).__name__
                raise CourseError(f"{name}: optimisers(model) gave {kind}, which has no {' and no '.join(missing)}.")
        return list(made)

    return optimisers


def _muon(parts: dict[str, Any], settings: dict[str, Any]) -> Callable[[nn.Module], list[Any]]:
    """Muon for the matrices in the blocks and AdamW for the rest, both the learner's own."""
    lr, decay = settings["lr"], settings.get("weight_decay", nanogpts.WEIGHT_DECAY)

    def optimisers(model: nn.Module) -> list[Any]:
        named = list(model.named_parameters())
        hidden = [parameter for name, parameter in named if "blocks." in name and ".W_" in name]
        rest = [parameter for name, parameter in named if not ("blocks." in name and ".W_" in name)]
        adamw = parts["AdamW"](rest, TABLES * lr, settings.get("betas", nanogpts.BETAS), 1e-8, decay)
        return [parts["Muon"](hidden, lr, MOMENTUM), adamw]

    return optimisers


def _adamw(parts: dict[str, Any], settings: dict[str, Any]) -> Callable[[nn.Module], list[Any]]:
    """One AdamW, the learner's own."""
    lr, decay = settings["lr"], settings.get("weight_decay", nanogpts.WEIGHT_DECAY)
    betas, eps = settings.get("betas", nanogpts.BETAS), settings.get("eps", 1e-8)
    return lambda model: [parts["AdamW"](model.parameters(), lr, betas, eps, decay)]


OPTIMISERS = {"muon": _muon, "adamw": _adamw}


USED = ("Transformer", "get_batch", "AdamW", "Muon", "train")  # of the learner's, in a run
TIMED, BEFORE = 20, 3  # steps by which a pace is measured, after some that are not
STOPPED = "Stopped by hand: this run is not kept, and not on the ladder."
TOO_MANY = "With fewer steps, or none given, the learning rate comes down to its end in time."
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


def seconds_of_nanogpts_recipe(Transformer: Any, chapter: Any, track: Track, steps: int = TIMED) -> float:
    """The processor seconds that its 2,000 steps take here, by the pace of a few.

    They are taken in the course's own code: chapter 7's Transformer, and what solves chapter 9.
    """
    model = fresh(Transformer, track, 0)
    settings = {"lr": nanogpts.LR, "betas": nanogpts.BETAS, "weight_decay": nanogpts.WEIGHT_DECAY}
    args = chapter.TrainArgs(steps, nanogpts.BATCH_SIZE, **settings, eval_every=steps)
    chapter.train(model, track.data, replace(args, steps=BEFORE))
    began = time.process_time()
    chapter.train(model, track.data, args)
    return nanogpts.STEPS * (time.process_time() - began) / steps


def run(
    recipe: Recipe, track: Track, TrainArgs: Any, budget: float, say: Callable[[str], None] = print
) -> Finished | None:
    """Train by a recipe until its steps or the budget are used up; None where it was stopped by hand."""
    parts: dict[str, Any] = {**dict(zip(USED, pieces(*USED), strict=True)), "TrainArgs": TrainArgs}
    planned = recipe.steps or _steps_in(budget, recipe, track, parts)
    say(f"{planned:,} steps in {budget:.0f} processor seconds at most\n")
    args, model = prepared(recipe, track, parts, planned)
    if recipe.changes is not None:
        say(_sizes(parts["Transformer"], model, recipe.changes, track))

    def windows(generator: torch.Generator) -> Tensor:
        return parts["get_batch"](track.data, model.cfg.n_ctx, args.batch_size, generator)

    meter = Meter(budget, args.draw or windows)
    with watching(args, stopped=STOPPED) as watch:
        meter.begin()
        try:
            parts["train"](model, track.data, replace(args, draw=meter.draw, report=meter.paused(watch)))
        except OutOfTime:
            say(f"\nOut of time after step {meter.steps:,} of {planned:,}. {TOO_MANY}")
        meter.end()
    if watch.stopped:
        return None
    loss = whole_loss(model, track.held_out, track.cfg.n_ctx)
    return Finished(model, watch.history, meter.steps, planned, meter.seconds, loss)


def _sizes(Transformer: Any, model: Any, changes: frozenset[str], track: Track) -> str:
    """What a changed model is, and that it is no larger than one without changes."""

    def count(some: nn.Module) -> int:
        return sum(parameter.numel() for parameter in some.parameters() if parameter.requires_grad)

    width = f"d_mlp {model.cfg.d_mlp}"
    if model.cfg.d_mlp != track.cfg.d_mlp:
        width += f" in place of {track.cfg.d_mlp}, to have about as many parameters as without"
    sizes = f"{count(model):,}, GPT-2's block {count(fresh(Transformer, track, 0)):,}"
    return f"{named(changes)}, in fused operations: {width} ({sizes})\n"


class Meter:
    """Draws each step's batch as long as there is time; the clock stands still while the run is shown."""

    def __init__(self, budget: float, draw: Callable[[torch.Generator], Tensor]) -> None:
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

    def paused(self, report: Callable[[dict[str, float]], Any]) -> Callable[[dict[str, float]], None]:
        """The report, whose own time does not count."""

        def told(entry: dict[str, float]) -> None:
            began = time.process_time()
            report(entry)
            self._apart += time.process_time() - began

        return told

    def _spent(self) -> float:
        return time.process_time() - self._began - self._apart


def _steps_in(budget: float, recipe: Recipe, track: Track, parts: dict[str, Any]) -> int:
    """The number of steps that the budget allows, by the pace of a few; at least one."""
    times = []
    for steps in (BEFORE, TIMED):
        args, model = prepared(recipe, track, parts, steps)
        began = time.process_time()
        parts["train"](model, track.data, replace(args, eval_every=steps))
        times.append(time.process_time() - began)
    return max(1, int(SHARE * budget * TIMED / times[-1]))
