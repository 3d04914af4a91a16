"""The race: a run within its budget, the whole held-out loss, the ladder, and the command."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from solutions import ch09_training
from solutions.ch07_transformer import Transformer
from solutions.ch09_training import TrainArgs
from utils.__main__ import main
from utils.course import CourseError, throwaway_state
from utils.pieces import pieces
from utils.race import ladder, running
from utils.race.changes import CHANGES
from utils.race.fused import fused
from utils.race.kept import load_changed
from utils.race.recipe import Recipe
from utils.race.running import prepared
from utils.race.track import nanogpts_track, whole_loss

TINY = {"d_model": 8, "n_ctx": 16, "d_head": 4, "d_mlp": 16, "n_heads": 2, "n_layers": 1}


@pytest.fixture(scope="module")
def whole_track():
    return nanogpts_track()


@pytest.fixture
def track(whole_track, monkeypatch):
    """Tiny Shakespeare's beginning, and a model of no size."""
    cfg = replace(whole_track.cfg, **TINY)
    small = replace(whole_track, data=whole_track.data[:5000], held_out=whole_track.held_out[:500], cfg=cfg)
    monkeypatch.setattr("utils.race.track.nanogpts_track", lambda: small)
    return small


@pytest.fixture
def state():
    with throwaway_state() as folder:
        yield folder


class Uniform(nn.Module):
    """Gives every token the same chance, and counts what it is asked."""

    def forward(self, tokens):
        self.asked = getattr(self, "asked", 0) + tokens[:, 1:].numel()
        return torch.zeros(*tokens.shape, 65)


@pytest.mark.parametrize("length", [2, 16, 17, 46, 47, 500])
def test_every_token_but_the_first_is_predicted_once(length):
    model = Uniform()
    assert whole_loss(model, torch.arange(length) % 65, 16) == pytest.approx(math.log(65))
    assert model.asked == length - 1


def test_the_whole_loss_is_the_mean_over_windows_and_leaves_the_mode_alone():
    class Knows(nn.Module):
        """Is sure that the token after t is t + 1, but in the first row that it is given."""

        def forward(self, tokens):
            assert not self.training
            logits = torch.nn.functional.one_hot((tokens + 1) % 65, 65) * 50.0
            logits[0, 0] = 0
            return logits

    model = Knows()
    loss = whole_loss(model, torch.arange(31) % 65, 16)
    assert loss == pytest.approx(math.log(65) / 30, rel=1e-4) and model.training


def test_a_run_has_as_many_steps_as_its_recipe_says(track, capsys):
    done = running.run(Recipe("mine", {"optimisers": "muon", "lr": 0.01}, steps=4), track, TrainArgs, budget=100)
    assert (done.steps, done.planned) == (4, 4) and 0 < done.seconds < 100
    assert done.loss == whole_loss(done.model, track.held_out, 16) and done.loss < 4.3
    assert "from the reference solutions: Transformer, get_batch, AdamW, Muon, train" in capsys.readouterr().out


def test_a_run_ends_where_its_budget_does(track, capsys):
    done = running.run(Recipe("long", {"lr": 1e-3}, steps=10**6), track, TrainArgs, budget=0.3)
    assert 0 < done.steps < 10**4 and done.seconds < 1
    assert f"Out of time after step {done.steps:,} of 1,000,000." in capsys.readouterr().out


def test_without_steps_it_is_as_many_as_the_budget_allows(track):
    done = running.run(Recipe("fits", {"optimisers": "adamw", "lr": 1e-3}), track, TrainArgs, budget=0.5)
    assert 0.2 < done.seconds <= 0.6 and done.steps > 10


def test_a_recipe_prepares_the_model(track):
    def silence(model):
        model.unembed.W_U.data.zero_()

    done = running.run(Recipe("silent", {"lr": 1e-12}, steps=1, prepare=silence), track, TrainArgs, budget=100)
    assert done.loss == pytest.approx(math.log(65), abs=1e-4)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"optimisers": lambda model: model}, "optimisers(model) returned Transformer; return a list of optimisers."),
        ({"optimisers": lambda model: [1]}, "gave int, which has no lr and no step and no zero_grad."),
        ({"prepare": lambda model: 3}, "prepare(model) returned int; return the model, or nothing."),
    ],
)
def test_what_a_recipes_functions_give_is_looked_at(track, settings, said):
    prepare = settings.pop("prepare", None)
    with pytest.raises(CourseError) as error:
        running.run(Recipe("odd", {"lr": 1e-3, **settings}, steps=1, prepare=prepare), track, TrainArgs, budget=100)
    assert str(error.value).startswith("odd: ") and str(error.value).endswith(said)


def test_muon_leaves_the_tables_to_adamw_with_a_lower_rate(track):
    parts = {**dict(zip(running.USED, pieces(*running.USED), strict=True)), "TrainArgs": TrainArgs}
    args, model = prepared(Recipe("mine", {"optimisers": "muon", "lr": 0.01}), track, parts, steps=1)
    muon, adamw = args.optimisers(model)
    assert (muon.lr, muon.momentum, adamw.lr) == (0.01, 0.9, pytest.approx(0.003))
    assert sum(one.numel() for one in [*muon.params, *adamw.params]) == sum(one.numel() for one in model.parameters())


def test_a_loss_that_is_no_number_is_told(track, state, capsys, monkeypatch):
    monkeypatch.setattr(running, "whole_loss", lambda *given: math.nan)
    assert main(["race", "--steps", "1", "--budget", "50"]) == 1
    assert "The loss is no number any more: try a lower lr, or more warm-up." in capsys.readouterr().err
    assert not (state / "runs").exists()


def test_the_budget_is_what_nanogpts_steps_take_here(track):
    assert 0 < running.seconds_of_nanogpts_recipe(Transformer, ch09_training, track, steps=2) < 1000


def rung(name, loss, own=False):
    return ladder.Rung(name, loss, 2000, 100.0, 120.0, "a processor", "2026-01-02 03:04", own)


def test_the_ladder_has_the_lowest_loss_on_top_and_says_whose_it_is():
    told = ladder.table([rung("nanoGPT", 1.9), rung("mine", 1.7, own=True)]).splitlines()
    assert told[1:] == [
        "   1.7000   2,000    100.0    120.0  → mine, 2026-01-02 03:04",
        "   1.9000   2,000    100.0    120.0    nanoGPT, 2026-01-02 03:04",
        "",
        "→ yours. Seconds and budget are of the processor, where each was run:",
        "on a processor: mine; nanoGPT",
    ]


def test_runs_are_kept_and_what_is_damaged_is_passed_over(tmp_path):
    place = ladder.free_folder(tmp_path, "muon, lr 0.01")
    assert place.name == "muon-lr-0.01-1"
    ladder.keep(rung("mine", 1.7, own=True), place)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ladder.FILE).write_text("{", encoding="utf-8")
    assert ladder.kept(tmp_path) == [rung("mine", 1.7, own=True)]
    assert ladder.free_folder(tmp_path, "muon, lr 0.01").name == "muon-lr-0.01-2"
    assert ladder.free_folder(tmp_path, "../..").name == "run-1"


def test_the_command_runs_keeps_and_shows_again(track, state, capsys):
    assert main(["race", "--steps", "3", "--optimiser", "muon", "--lr", "0.01", "--budget", "50"]) == 0
    told = capsys.readouterr().out
    assert "3 steps in 50 processor seconds at most" in told and "→ muon, steps 3, lr 0.01" in told
    (place,) = (state / "runs" / "race").iterdir()
    assert {"rung.json", "model.safetensors", "history.json"} <= {path.name for path in place.iterdir()}
    assert main(["race", "--show"]) == 0
    assert "→ muon, steps 3, lr 0.01" in capsys.readouterr().out


def test_the_command_trains_a_model_with_changes_and_keeps_it_as_one(track, state, capsys):
    arguments = ["race", "--steps", "3", "--optimiser", "muon", "--budget", "50", "--changes", "rotary,swiglu"]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "rotary, swiglu, in fused operations: d_mlp " in told
    assert "→ muon, steps 3, with rotary, swiglu" in told
    assert "is no GPT-2: `load_changed` of utils/race/kept.py reads it, `python -m my_gpt` can't." in told
    (place,) = (state / "runs" / "race").iterdir()
    model = load_changed(place, Transformer)
    assert "blocks.0.mlp.W_gate" in dict(model.named_parameters())
    loss = whole_loss(model, track.held_out, 16)
    assert f"{loss:.4f} over the whole held-out text." in told


def test_a_changed_model_says_how_wide_and_how_large_it_is(track):
    said = []
    recipe = Recipe("mine", {"lr": 1e-3}, steps=1, changes=frozenset({"rotary"}))
    done = running.run(recipe, track, TrainArgs, budget=100, say=said.append)
    own, plain = (
        sum(one.numel() for one in model.parameters() if one.requires_grad)
        for model in (done.model, Transformer(track.cfg))
    )
    width = f"d_mlp {done.model.cfg.d_mlp} in place of 16, to have about as many parameters as without"
    assert said[1] == f"rotary, in fused operations: {width} ({own:,}, GPT-2's block {plain:,})\n"


def test_no_changes_are_gpt2s_block_in_fused_operations(track, state, capsys):
    assert main(["race", "--steps", "1", "--budget", "50", "--changes", "none"]) == 0
    told = capsys.readouterr().out
    assert "no changes, in fused operations: d_mlp 16 (" in told and "adamw, steps 1, with no changes" in told
    (place,) = (state / "runs" / "race").iterdir()
    assert '"model_type": "gpt2"' in (place / "config.json").read_text(encoding="utf-8")


def test_a_recipe_that_fuses_a_changed_model_is_told(track):
    recipe = Recipe("twice", {"lr": 1e-3}, steps=1, prepare=fused, changes=frozenset({"rotary"}))
    with pytest.raises(CourseError) as error:
        running.run(recipe, track, TrainArgs, budget=100)
    assert str(error.value) == (
        "twice: prepare(model) put other parts into the changed model. "
        "A model with changes has fused operations already: leave `fused` out."
    )


def test_a_model_that_no_folder_can_hold_is_on_the_ladder_without_its_weights(track, state, capsys, tmp_path):
    text = """
from utils.race.changes import with_changes

def recipe(cfg):
    return {"lr": 1e-3, "steps": 2, "prepare": lambda model: with_changes(model, frozenset({"qknorm"}))}
"""
    (tmp_path / "own.py").write_text(text, encoding="utf-8")
    assert main(["race", str(tmp_path / "own.py"), "--budget", "50"]) == 0
    told = capsys.readouterr().out
    assert "The weights are not kept: the model has a parameter blocks.0.attn.q_norm.weight, and HuggingFace's" in told
    assert "→ own" in told


def test_what_the_changes_bought_is_shown(capsys):
    assert main(["race", "--changes", "--show"]) == 0
    told = capsys.readouterr().out
    assert "python benchmarks/changes.py muon" in told and "equal time" in told


def test_the_helps_changes_are_those_that_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["race", "--help"])
    assert ", ".join(CHANGES) in " ".join(capsys.readouterr().out.split())


def test_a_run_that_is_stopped_is_not_on_the_ladder(track, state, capsys, monkeypatch):
    def stopped(self, generator):
        raise KeyboardInterrupt

    monkeypatch.setattr(running.Meter, "draw", stopped)
    assert main(["race", "--steps", "3", "--budget", "50"]) == 0
    told = capsys.readouterr().out
    assert "Stopped by hand: this run is not kept, and not on the ladder." in told and "checkpoint" not in told
    assert not (state / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--budget", "0"], "--budget 0: expected processor seconds above 0."),
        (["--lr", "-1"], "race: lr = -1.0: expected a number above 0."),
        (["--steps", "0"], "race: steps = 0: expected a whole number, at least 1."),
        (
            ["--changes", "rope"],
            "race: changes = 'rope': no change is called 'rope'; "
            "there are rmsnorm, rotary, swiglu, nobias, gqa, qknorm.",
        ),
        (["mine.py", "--changes", "gqa"], "--changes: say it in mine.py, or leave the file out."),
        (["nowhere.py"], "There is no file nowhere.py. A recipe is a Python file that defines recipe(cfg)."),
        (["mine.py", "--lr", "1"], "--lr: say it in mine.py, or leave the file out."),
    ],
)
def test_what_cannot_be_run_is_told(track, state, capsys, arguments, said):
    assert main(["race", *arguments]) == 1
    assert capsys.readouterr().err.strip() == said


def test_changes_without_a_name_are_listed(track, state, capsys):
    assert main(["race", "--changes"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("--changes: say which, several with commas, or all, or none. There are\n")
    assert all(f"{name}: {what}" in told for name, what in CHANGES.items())


def test_what_is_recorded_fits_the_ladder():
    assert all(isinstance(one, ladder.Rung) and not one.own for one in ladder.recorded())
