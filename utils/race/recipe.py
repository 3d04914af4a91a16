"""A recipe: what somebody trains with in the race, from options or from a file, and clear words where it is none."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import nn

from utils.config import Config
from utils.course import CourseError
from utils.learner.keeping import module_in
from utils.learner.parsing import did_you_mean
from utils.race.changes import known_changes

# What a recipe may say, and what a number of it has to be.
WHOLE = {"steps": 1, "batch_size": 1, "warmup": 0, "seed": 0}  # with the least of each
POSITIVE = {"lr", "clip"}
AT_LEAST_0 = {"lr_end", "weight_decay", "eps"}
OTHERS = {"betas", "optimisers", "draw", "prepare", "name", "changes"}
KNOWN = {*WHOLE, *POSITIVE, *AT_LEAST_0, *OTHERS}
ALSO_CALLED = {"learning_rate": "lr", "max_iters": "steps", "grad_clip": "clip"}  # in nanoGPT and elsewhere
NOT_ITS_BUSINESS = {"held_out", "checkpoint", "report", "eval_every", "eval_batches", "checkpoint_every"}


@dataclass(frozen=True)
class Recipe:
    """The settings of a run, without those that the race has for all; `steps` may be left to the budget."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    steps: int | None = None
    prepare: Callable[[nn.Module], Any] | None = None  # is handed the fresh model, and may change it
    changes: frozenset[str] | None = None  # of utils/race/changes.py; None: chapter 7's Transformer as it is


def from_settings(settings: Mapping[str, Any], name: str, where: str) -> Recipe:
    """A recipe from named values. Raises CourseError for one that is not known or cannot be."""
    for key, value in settings.items():
        if key not in KNOWN:
            raise CourseError(f"{where}: a recipe has no setting {key!r}.{_guess(key)}")
        if problem := _problem(key, value):
            raise CourseError(f"{where}: {key} = {value!r}: {problem}.")
    apart = ("steps", "prepare", "name", "changes")
    rest = {key: value for key, value in settings.items() if key not in apart}
    changes = known_changes(settings["changes"]) if "changes" in settings else None
    return Recipe(settings.get("name", name), rest, settings.get("steps"), settings.get("prepare"), changes)


def from_file(path: Path, cfg: Config) -> Recipe:
    """What `recipe(cfg)` in that file gives: TrainArgs, or a dict of some of its settings."""
    if not path.is_file():
        raise CourseError(f"There is no file {path}. A recipe is a Python file that defines recipe(cfg).")
    try:
        module = module_in(path)
    except (Exception, SystemExit) as error:
        raise CourseError(f"{path} stops with {type(error).__name__}: {error}") from None
    make = getattr(module, "recipe", None)
    if not callable(make):
        raise CourseError(f"{path} defines no function `recipe`. Write `def recipe(cfg): return {{'lr': 3e-3}}`.")
    try:
        given = make(cfg)
    except (Exception, SystemExit) as error:
        raise CourseError(f"recipe(cfg) in {path} stops with {type(error).__name__}: {error}") from None
    return from_settings(_as_settings(given, path), path.stem, str(path))


def _as_settings(given: Any, path: Path) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    if not hasattr(given, "__dataclass_fields__"):
        kind = type(given).__name__
        raise CourseError(f"recipe(cfg) in {path} returned {kind}; return TrainArgs, or a dict of its settings.")
    settings = vars(given) if hasattr(given, "__dict__") else {}
    usual = {name: None for name in ("optimisers", "draw")}
    return {
        key: value
        for key, value in settings.items()
        if key not in NOT_ITS_BUSINESS and not (key in usual and value is None)
    }


def _guess(key: str) -> str:
    if key in NOT_ITS_BUSINESS:
        return " That is the same for all in the race."
    if key in ALSO_CALLED:
        return f" Did you mean {ALSO_CALLED[key]}?"
    return did_you_mean(key, KNOWN) or f" It may have {', '.join(sorted(KNOWN))}."


def _problem(key: str, value: Any) -> str:
    """The fault of a setting; "" where there is none."""
    if key in WHOLE:
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= WHOLE[key]
        return "" if fits else f"expected a whole number, at least {WHOLE[key]}"
    if key in POSITIVE:
        return "" if _is_number(value) and value > 0 else "expected a number above 0"
    if key in AT_LEAST_0:
        return "" if _is_number(value) and 0 <= value < math.inf else "expected a number, at least 0"
    if key == "betas":
        fits = (
            isinstance(value, tuple | list)
            and len(value) == 2
            and all(_is_number(number) and 0 <= number < 1 for number in value)
        )
        return "" if fits else "expected two numbers from 0 to below 1"
    if key == "name":
        return "" if isinstance(value, str) and value.strip() else "expected a text"
    if key == "changes":
        return _no_changes(value)
    return "" if callable(value) else "expected a function"


def _no_changes(value: Any) -> str:
    some = isinstance(value, list | tuple | set | frozenset) and all(isinstance(name, str) for name in value)
    if not some and not isinstance(value, str):
        return 'expected names, as in "rotary,rmsnorm", "all" or "none"'
    try:
        known_changes(value)
    except ValueError as error:
        return str(error)
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
