"""Gives each chapter's test function the solution that its parameter names, or with --mine the learner's own.

And what several test modules share.
"""

import gc
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from judge.repairing import search, trying
from judge.running.children import jax_has_threads, processors
from tests.own_gpt.own_package import huggingface_folders, written_package
from tests.proved_files import SlowFiles
from utils.course import ROOT, exercises, stems, throwaway_state
from utils.learner.keeping import kept_path, module_in
from utils.own_gpt.loading import loaded, module

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the course works on the CPU: a machine with a GPU is asked the same

TESTS = Path(__file__).parent
ITS_OWN_PROCESS = "COURSE_APART"  # set where a test that is marked apart is already in a process of its own
# folders whose tests share what is made once: JupyterLab, the site, TransformerLens, exercises judged before, boxes
TOGETHER = ("tests/browser/", "tests/site/", "tests/reference/", "tests/judge/checking/", "tests/grader/hostile/")
# markers of what `make test` leaves to others; all of it is slow
IN_OTHER_STAGES = ("journey", "proof", "prover", "weekly")
LONGEST = (
    *TOGETHER,
    "solutions/",
    "tests/releasing/test_without_solutions.py",
    "tests/judge/running/test_wall.py",
    "tests/training/test_shakespeare.py",
)


@pytest.fixture(autouse=True, scope="session")
def _own_state():
    """Nothing that pytest runs touches the learner's progress."""
    with throwaway_state():
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    """Judging is many small operations, which several threads on busy cores slow down a hundredfold."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _no_threads_of_jax():
    """A test that starts them is marked apart: those after it in its worker could fork no process, and would go on
    here with code that is meant never to end.
    """
    before = jax_has_threads()
    yield
    if jax_has_threads() and not before and not os.environ.get(ITS_OWN_PROCESS):
        pytest.fail("It starts JAX's threads, beside which no process can be forked: mark it apart.")


@pytest.fixture
def unhurried(monkeypatch):
    """A busy machine is no reason to find no repair."""
    monkeypatch.setattr(search, "WORK", 120.0)
    monkeypatch.setattr(trying, "SLOW", 1.0)
    monkeypatch.setattr(search, "BY_THE_CLOCK", 120.0)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """my_gpt/ of a learner who has passed some exercises; read it, don't write."""
    return written_package(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def gpt(own):
    """The learner's model, with its modules loaded."""
    with loaded(own):
        yield module("course.telling").load()


@pytest.fixture(scope="module")
def huggingface(tmp_path_factory):
    """A small GPT-2 in HuggingFace's folders, and the model."""
    return huggingface_folders(tmp_path_factory.mktemp("huggingface"))


def pytest_addoption(parser):
    parser.addoption("--mine", action="store_true", help="run the chapters' test functions over my_gpt/")


def pytest_configure(config):
    """With --mine each exercise is a line of its own; else what was proved before may be left out."""
    if config.getoption("--mine"):
        config.option.verbose = max(1, config.option.verbose)
    else:
        config.pluginmanager.import_plugin("tests.proving")
        config.pluginmanager.register(SlowFiles(config))


def pytest_ignore_collect(collection_path, config):
    """With --mine the chapters' test functions are all that is collected."""
    other = collection_path.stem not in stems() and (collection_path.suffix == ".py" or collection_path.parent == TESTS)
    return True if other and config.getoption("--mine") else None


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """What is marked apart runs in a process of its own: JAX has threads, beside which other tests can't fork."""
    if not pyfuncitem.get_closest_marker("apart") or os.environ.get(ITS_OWN_PROCESS):
        return None
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", pyfuncitem.nodeid]
    ran = subprocess.run(
        command, cwd=ROOT, env=os.environ | {ITS_OWN_PROCESS: "1"}, capture_output=True, encoding="utf-8", timeout=600
    )
    if ran.returncode:
        pytest.fail(ran.stdout + ran.stderr, pytrace=False)
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One worker more than there are processors where tests wait for a browser or a kernel: a third of the time."""
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None  # as many as it says
    return processors() + (config.option.dist == "loadfile")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `--dist loadfile` the tests of some folders stay together too: JupyterLab and its chapters open once."""
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return next((folder for folder in TOGETHER if nodeid.startswith(folder)), super()._split_scope(nodeid))

    return Together(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What takes longest comes first, so that in the end no worker waits for another."""
    for item in items:
        if any(map(item.get_closest_marker, IN_OTHER_STAGES)):
            item.add_marker("slow")
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish():
    """What is imported stays: the collector of garbage need not go over it again and again, an eighth of the time."""
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc):
    stem = Path(metafunc.module.__file__).stem
    if stem not in stems():
        return
    for exercise in exercises(stem):
        if exercise.test == metafunc.function.__name__:
            component = _mine(exercise) if metafunc.config.getoption("--mine") else _solution(exercise)
            metafunc.parametrize(exercise.symbol, [component], ids=[exercise.symbol])


def _solution(exercise):
    if exercise.is_missing_its_package:
        return _without_its_package(exercise)
    if exercise.needs:
        return pytest.param(_imported(exercise), marks=[pytest.mark.apart, pytest.mark.slow])
    if exercise.stem == "ch08_sampling":  # it draws by the thousand and writes texts
        return pytest.param(_imported(exercise), marks=pytest.mark.slow)
    return _imported(exercise)


def _imported(exercise):
    return getattr(importlib.import_module(f"solutions.{exercise.stem}"), exercise.symbol)


def _without_its_package(exercise):
    reason = f"{exercise.needs} is not installed: pip install {exercise.needs}"
    return pytest.param(None, marks=pytest.mark.skip(reason=reason))


def _mine(exercise):
    if exercise.is_missing_its_package:
        return _without_its_package(exercise)
    file = kept_path(exercise)
    if not file.exists():
        reason = f"{file.name} is not in my_gpt/: {exercise.symbol} has not passed yet, or could not be kept"
        return pytest.param(None, marks=pytest.mark.skip(reason=reason))
    try:
        return getattr(module_in(file, seconds=60), exercise.symbol)
    except (Exception, SystemExit) as error:  # this exercise fails, the others are judged all the same
        return _broken(file, error)


def _broken(file, error):
    def cannot_be_imported(*arguments):
        raise ImportError(f"my_gpt/{file.name} can't be imported: {type(error).__name__}: {error}") from None

    return cannot_be_imported
