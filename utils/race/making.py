"""What a run in the race is made of: a fresh model, prepared as the recipe has it, its settings and its optimisers."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from utils.course import CourseError
from utils.race import track as nanogpts
from utils.race.recipe import Recipe
from utils.race.track import Track

LR_MUON, MOMENTUM = 0.01, 0.9  # as in chapter 9's muon_and_adamw
TABLES = 0.3  # AdamW's share of that learning rate
NEEDED = ("lr", "step", "zero_grad")  # by `train`, of every optimiser


def prepared(recipe: Recipe, track: Track, parts: dict[str, Any], steps: int) -> tuple[Any, nn.Module]:
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
    model = fresh(parts["Transformer"], track, args.seed)
    return args, _prepared_model(recipe, model)


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
        for one in made:
            missing = [part for part in NEEDED if not hasattr(one, part)]
            if missing:
                kind = type(one).__name__
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
