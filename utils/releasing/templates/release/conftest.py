"""Gives each chapter's test function what the learner has in my_gpt/: `pytest --mine`."""

import os
from pathlib import Path

import pytest
import torch

from utils.course import exercises, stems
from utils.learner.keeping import kept_path, module_in

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the course works on the CPU
NOT_KEPT = "{file} is not in my_gpt/: {symbol} has not passed yet, or could not be kept"


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    torch.set_num_threads(1)


def pytest_addoption(parser):
    parser.addoption("--mine", action="store_true", help="run the chapters' test functions over my_gpt/")


def pytest_configure(config):
    """Each exercise is a line of its own."""
    if config.getoption("--mine"):
        config.option.verbose = max(1, config.option.verbose)


def pytest_ignore_collect(collection_path, config):
    """Without --mine there is nothing in tests/ for pytest to run."""
    return None if config.getoption("--mine") or collection_path.suffix != ".py" else True


def pytest_generate_tests(metafunc):
    stem = Path(metafunc.module.__file__).stem
    if stem not in stems():
        return
    for exercise in exercises(stem):
        if exercise.test == metafunc.function.__name__:
            metafunc.parametrize(exercise.symbol, [_mine(exercise)], ids=[exercise.symbol])


def _mine(exercise):
    file = kept_path(exercise)
    if exercise.is_missing_its_package:
        return _skipped(f"{exercise.needs} is not installed: pip install {exercise.needs}")
    if not file.exists():
        return _skipped(NOT_KEPT.format(file=file.name, symbol=exercise.symbol))
    try:
        return getattr(module_in(file, seconds=60), exercise.symbol)
    except (Exception, SystemExit) as error:  # this exercise fails, the others are judged all the same
        return _broken(file, error)


def _skipped(reason):
    return pytest.param(None, marks=pytest.mark.skip(reason=reason))


def _broken(file, error):
    def cannot_be_imported(*arguments):
        raise ImportError(f"my_gpt/{file.name} can't be imported: {type(error).__name__}: {error}") from None

    return cannot_be_imported
