"""The command that races: `python -m utils race`, with options or with a file that holds a recipe."""

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from utils.course import CourseError, state_dir
from utils.course.lending import has_solutions, solutions_of

NO_RACE = (
    "A race is timed by the course's own training code, and this course was handed out without its solutions. "
    "--show prints the ladder."
)
NO_GPT2 = "A model with changes is no GPT-2: `load_changed` of utils/race/kept.py reads it, `python -m my_gpt` can't."
SETTINGS = (
    *("steps", "lr", "lr_end", "batch_size", "warmup", "weight_decay", "clip", "seed", "optimisers", "name", "changes"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `race`; what is left out is as nanoGPT has it."""
    add = parser.add_argument
    add(
        "recipe",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="a Python file that defines recipe(cfg); or use the options",
    )
    add("--optimiser", dest="optimisers", choices=["adamw", "muon"], help="with your own AdamW and Muon (adamw)")
    add(
        "--lr",
        type=float,
        metavar="X",
        help="the highest learning rate (0.001; 0.01 with Muon, and AdamW has 0.3 times as much)",
    )
    add("--lr-end", type=float, metavar="X", help="the last one, as a share of it (0.1)")
    add("--steps", type=int, metavar="N", help="as many as the budget allows, if left out")
    add("--batch-size", type=int, metavar="N", help="windows in a step (12)")
    add("--warmup", type=int, metavar="N", help="steps (100)")
    add("--weight-decay", type=float, metavar="X", help="(0.1)")
    add("--clip", type=float, metavar="X", help="the gradient's greatest length (1)")
    add("--seed", type=int, metavar="N", help="(0)")
    add(
        "--changes",
        nargs="?",
        const="",
        metavar="NAMES",
        help="what has changed since GPT-2 (chapter 12): rmsnorm, rotary, swiglu, nobias, gqa, qknorm, several with "
        "commas, all or none; in fused operations and with as many parameters. With --show: what each of them buys",
    )
    add("--name", help="what the ladder calls it")
    add("--budget", type=float, metavar="S", help="processor seconds; else what nanoGPT's 2,000 steps take here")
    add("--show", action="store_true", help="only the ladder, without a run")


def race(options: argparse.Namespace) -> int:
    """Run a recipe, keep what it came to, and print the ladder."""
    from utils.race import ladder

    folder = state_dir() / "runs" / "race"
    if options.show and options.changes is not None:
        _show_changes()
        return 0
    if not options.show:
        if not has_solutions():
            raise CourseError(NO_RACE)
        _check(options)
        _run(options, folder)
    print(ladder.table([*ladder.recorded(), *ladder.kept(folder)]))
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.budget is not None and not options.budget > 0:
        raise CourseError(f"--budget {options.budget:g}: expected processor seconds above 0.")
    if options.changes == "":
        from utils.race.changes import CHANGES

        known = "".join(f"\n{name}: {what}" for name, what in CHANGES.items())
        raise CourseError(f"--changes: say which, several with commas, or all, or none. There are{known}")
    given = [f"--{name}" for name in SETTINGS if getattr(options, name) is not None and name != "name"]
    if options.recipe and given:
        said = ", ".join(given).replace("_", "-").replace("optimisers", "optimiser")
        raise CourseError(f"{said}: say it in {options.recipe}, or leave the file out.")


def _run(options: argparse.Namespace, folder: Path) -> None:
    import torch

    from utils.race import ladder, running
    from utils.race.changes import named
    from utils.race.track import STEPS, nanogpts_track

    torch.set_num_threads(1)
    track = nanogpts_track()
    Transformer, chapter = solutions_of("ch07_transformer").Transformer, solutions_of("ch09_training")
    recipe = _recipe(options, track.cfg)
    budget = options.budget
    if budget is None:
        print(f"Timing {running.TIMED} steps of nanoGPT's recipe, for the budget ...", flush=True)
        budget = running.seconds_of_nanogpts_recipe(Transformer, chapter, track)
        each = 1000 * budget / STEPS
        print(f"{ladder.machine()}: nanoGPT's recipe would take {budget:.0f} s ({STEPS:,} steps of {each:.1f} ms)")
    done = running.run(recipe, track, chapter.TrainArgs, budget)
    if done is None:
        print()
        return
    if not math.isfinite(done.loss):
        raise CourseError("The loss is no number any more: try a lower lr, or more warm-up. This run is not kept.")
    name = recipe.name if recipe.changes is None else f"{recipe.name}, with {named(recipe.changes)}"
    place = ladder.free_folder(folder, name)
    _save(place, recipe, done, track.letters.known)
    numbers = {"loss": round(done.loss, 4), "steps": done.steps, "seconds": round(done.seconds, 1)}
    machine, made = ladder.machine(), ladder.now()
    ladder.keep(ladder.Rung(name, **numbers, budget=round(budget, 1), machine=machine, made=made, own=True), place)
    print(f"\n{done.loss:.4f} over the whole held-out text. Kept in {place}\n")


def _save(place: Path, recipe: Any, done: Any, characters: list[str]) -> None:
    """Keep the model, as a GPT-2 where it is one."""
    from utils.race.kept import save_changed
    from utils.runs import save_run

    told = {"recipe": recipe.name, "steps": done.steps}
    try:
        if recipe.changes:
            save_changed(place, done.model, characters, recipe.changes, done.history, **told)
            print(f"\n{NO_GPT2}")
        else:
            save_run(place, done.model, characters, done.history, **told)
    except ValueError as error:  # of a model that the recipe prepared
        print(f"\nThe weights are not kept: {error}.")


def _show_changes() -> None:
    from utils.experiments import OPTIMISERS, changes_table, recorded_changes

    for optimiser in OPTIMISERS:
        try:
            found = recorded_changes(optimiser)
        except LookupError:
            continue
        print(f"{found['command']}\n\n{changes_table(found['rows'])}\n")


def _recipe(options: argparse.Namespace, cfg: Any) -> Any:
    from utils.race.recipe import from_file, from_settings
    from utils.race.running import LR_MUON

    if options.recipe:
        return from_file(options.recipe, cfg)
    given = {name: getattr(options, name) for name in SETTINGS if getattr(options, name) is not None}
    apart = ("name", "optimisers", "changes")
    shown = [f"{name.replace('_', ' ')} {value}" for name, value in given.items() if name not in apart]
    usual: dict[str, Any] = {"optimisers": "adamw", "warmup": 100}
    if given.get("optimisers") == "muon":
        usual["lr"] = LR_MUON
    title = ", ".join([given.get("optimisers", "adamw"), *shown])
    settings = {**usual, **given}
    chosen = settings.pop("optimisers")
    recipe = from_settings(settings, title, "race")
    return replace(recipe, settings={**recipe.settings, "optimisers": chosen})
