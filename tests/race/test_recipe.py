"""A recipe of the race: from options or a file, and what is said where it is none."""

from pathlib import Path

import pytest

from solutions.ch09_training import TrainArgs
from utils.config import Config
from utils.course import CourseError
from utils.race.recipe import from_file, from_settings


def written(tmp_path, text):
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_gives_a_dict(tmp_path):
    path = written(tmp_path, "def recipe(cfg):\n    return {'lr': 3e-3 * 64 / cfg.d_model, 'steps': 7, 'name': 'wide'}")
    recipe = from_file(path, Config(d_model=128))
    assert (recipe.name, recipe.steps, recipe.settings, recipe.prepare) == ("wide", 7, {"lr": 1.5e-3}, None)


def test_a_file_gives_train_args_without_what_is_the_same_for_all(tmp_path):
    text = """
from solutions.ch09_training import TrainArgs

def halve(model):
    for parameter in model.parameters():
        parameter.data *= 0.5

def recipe(cfg):
    return TrainArgs(steps=9, batch_size=3, lr=1e-2, eval_every=5)
"""
    recipe = from_file(written(tmp_path, text), Config())
    kept = TrainArgs(steps=9, batch_size=3, lr=1e-2)
    assert (recipe.name, recipe.steps) == ("mine", 9)
    names = ("batch_size", "lr", "lr_end", "warmup", "betas", "eps", "weight_decay", "clip", "seed")
    assert recipe.settings == {name: getattr(kept, name) for name in names}


def test_a_file_may_prepare_the_model(tmp_path):
    text = "def recipe(cfg):\n    return {'prepare': lambda model: model}"
    assert from_file(written(tmp_path, text), Config()).prepare("as it is") == "as it is"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def recipe(cfg:", "mine.py stops with SyntaxError: "),
        ("import nowhere", "mine.py stops with ModuleNotFoundError: No module named 'nowhere'"),
        ("lr = 3", "mine.py defines no function `recipe`. Write `def recipe(cfg): return {'lr': 3e-3}`."),
        ("def recipe(): pass", "recipe(cfg) in {path} stops with TypeError: recipe() takes 0 positional arguments"),
        ("def recipe(cfg): pass", "returned NoneType; return TrainArgs, or a dict of its settings."),
        ("def recipe(cfg): return {'learning_rate': 1}", "a recipe has no setting 'learning_rate'. Did you mean lr?"),
        ("def recipe(cfg): return {'warm_up': 1}", "a recipe has no setting 'warm_up'. Did you mean warmup?"),
        ("def recipe(cfg): return {'held_out': 1}", "no setting 'held_out'. That is the same for all in the race."),
        ("def recipe(cfg): return {'lr': -1}", "lr = -1: expected a number above 0."),
        ("def recipe(cfg): return {'steps': 1.5}", "steps = 1.5: expected a whole number, at least 1."),
        (
            "def recipe(cfg): return {'weight_decay': float('nan')}",
            "weight_decay = nan: expected a number, at least 0.",
        ),
        ("def recipe(cfg): return {'betas': 0.9}", "betas = 0.9: expected two numbers from 0 to below 1."),
        ("def recipe(cfg): return {'optimisers': 'muon'}", "optimisers = 'muon': expected a function."),
        (
            "def recipe(cfg): return {'changes': 'rope,gqa'}",
            "changes = 'rope,gqa': no change is called 'rope'; there are rmsnorm, rotary, swiglu, nobias, gqa, qknorm.",
        ),
        (
            "def recipe(cfg): return {'changes': 3}",
            'changes = 3: expected names, as in "rotary,rmsnorm", "all" or "none".',
        ),
        ("def recipe(cfg): return {'changes': [['gqa']]}", "changes = [['gqa']]: expected names, as in "),
    ],
)
def test_what_is_no_recipe_is_told(tmp_path, text, said):
    path = written(tmp_path, text)
    with pytest.raises(CourseError) as error:
        from_file(path, Config())
    assert said.replace("{path}", str(path)) in str(error.value)


@pytest.mark.parametrize("said", ["'rotary, gqa'", "['gqa', 'rotary']", "{'rotary', 'gqa'}"])
def test_a_file_may_name_changes(tmp_path, said):
    recipe = from_file(written(tmp_path, f"def recipe(cfg):\n    return {{'lr': 1e-3, 'changes': {said}}}"), Config())
    assert (recipe.changes, recipe.settings) == ({"rotary", "gqa"}, {"lr": 1e-3})


def test_without_changes_it_is_the_learners_transformer_as_it_is():
    assert from_settings({}, "plain", "race").changes is None
    assert from_settings({"changes": "none"}, "plain", "race").changes == frozenset()


def test_a_file_that_is_not_there():
    with pytest.raises(CourseError, match=r"There is no file nowhere\.py\. A recipe is a Python file"):
        from_file(Path("nowhere.py"), Config())


def test_settings_that_are_left_out_stay_out():
    assert from_settings({"lr": 1e-3}, "plain", "race").settings == {"lr": 1e-3}
