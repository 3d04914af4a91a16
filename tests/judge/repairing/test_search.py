"""judge.repairing.search: finds the one change that is due, and does nothing else, whatever a candidate does."""

import os
import random
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from judge.edits.candidates import Edit
from judge.edits.trees import statements
from judge.repairing import Repair, find_repair, search, trying
from judge.repairing.fresh import FIRST_SEED
from tests.judge.checking import tiny
from tests.judge.checking.tiny import scale

CLASS = """\
class Scale(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, x):
        """
SEED = 3
RIGHT = "return x * self.w + self.b"
WRONG = f"{RIGHT} * 2"
TOO_MUCH = "Something here is too much: it works without it."
MISSING = "Something is missing here."
ANOTHER_NAME = "One of the names should be another."
LEFT_OUT = Repair(8, WRONG, TOO_MUCH, "x * self.w + self.b * 2", "x * self.w + self.b", 1, False)
forked = pytest.mark.skipif(not search.can_fork(), reason="candidates run in a child only where fork is safe")
pytestmark = pytest.mark.usefixtures("unhurried")


def written(body):
    return CLASS + body.replace("\n", "\n        ")


def found(cell, *before, **names):
    """The repair of a cell that ran after these cells, in a notebook with these names."""
    names |= {"__name__": "__main__", "torch": torch, "nn": nn}
    for source in (*before, cell):
        exec(source, names)
    return find_repair(scale, scale.judge(names["Scale"], seed=SEED), cell, names)


@pytest.fixture
def only(monkeypatch):
    """Makes a candidate of this code in the place of the first line of `forward`, and of nothing else."""

    def candidate(body):
        place = (("body", 0), ("body", 1), ("body", 0))
        edit = Edit("name", ((place, statements(body)),), WRONG, RIGHT, 8, 1.0)
        monkeypatch.setattr(search, "edits", lambda *arguments: [edit])

    return candidate


FOUND = {
    "too much": (written(WRONG), LEFT_OUT),
    "a name": (written("y = x * self.w + self.b\nreturn x"), Repair(9, "return x", ANOTHER_NAME, "x", "y", 1, False)),
    "two places": (
        written("w = self.w.mean(dim=-1)\nb = self.b.mean(dim=-1)\nreturn x * w + b"),
        Repair(8, "w = self.w.mean(dim=-1)", TOO_MUCH, "self.w.mean(dim=-1)", "self.w", 2, False),
    ),
    "a return": (
        written("y = x * self.w + self.b"),
        Repair(8, "y = x * self.w + self.b", MISSING, "", "return y", 1, False),
    ),
    "a method's name": (
        written(RIGHT).replace("forward", "foward"),
        Repair(7, "def foward(self, x):", ANOTHER_NAME, "def foward(self, x)", "def forward(self, x)", 1, False),
    ),
    "a line of __init__": (
        written(RIGHT).replace("        super().__init__()\n", ""),
        Repair(2, "def __init__(self, cfg):", MISSING, "", "super().__init__()", 1, False),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fork", [pytest.param(True, marks=forked), False])
@pytest.mark.parametrize(("cell", "repair"), FOUND.values(), ids=FOUND)
def test_the_one_change_is_found_in_a_child_and_without_one(cell, repair, fork, monkeypatch):
    monkeypatch.setattr(search, "can_fork", lambda: fork)
    assert found(cell) == repair


def test_lines_are_counted_in_the_whole_cell():
    assert found("import torch\n\n# mine\n" + written(WRONG)).line == 11


def test_what_is_the_whole_solution_is_told_to_be_so():
    assert found(written("return x")).whole


NOT_FOUND = {
    "nothing is wrong": written(RIGHT),
    "two mistakes": written("y = x * self.w * 2\nreturn y + self.b.exp()"),
    "four mistakes": written("return (x + 1) * self.w.sum() * 7 - self.b.sum()"),
    "a stub": written("raise NotImplementedError('Scale: write this part')"),
    "a misconception that is named": written("return x * self.w"),
    "a library that is not imported": written("return x * self.w + self.b * math.sqrt(1.0)"),
    "a cell without the definition": "Scale = type('Scale', (nn.Module,), {})",
}


@pytest.mark.slow
@pytest.mark.parametrize("cell", NOT_FOUND.values(), ids=NOT_FOUND)
def test_silence(cell):
    assert found(cell) is None


NOT_TRIED = {
    "opens a file": ("", "open('f')"),
    "opens it under another name": ("look = open", "look('f')"),
    "computes what a text says": ("run = eval", "run('1')"),
    "imports os": ("", "import os"),
    "uses os of another cell": ("import os", "os.getcwd()"),
    "uses it under another name": ("import os as library", "library.getcwd()"),
    "uses a function of it": ("from os import remove as forget", "forget('f')"),
    "calls a function that does": ("import os\ndef helper(): return os.getcwd()", "helper()"),
    "calls a class that does": ("import os\nclass Log:\n    def note(self): os.getcwd()", "Log().note()"),
    "saves a tensor": ("", "torch.save(x, 'f')"),
    "runs a command": ("", "get_ipython()"),
}


@pytest.mark.parametrize(("before", "act"), NOT_TRIED.values(), ids=NOT_TRIED)
def test_an_answer_that_does_more_than_compute_is_not_tried(before, act):
    assert found(written(f"if x is None: {act}\n{WRONG}"), before) is None


HARMLESS = {
    "a function of a library": ("from math import sqrt", "sqrt(2)"),
    "a function of C": ("from heapq import heappush", "heappush([], 2)"),
    "a function of torch": ("from torch.nn.functional import gelu", "gelu(x)"),
    "a function of the notebook": ("def helper(y): return y.relu()", "helper(x)"),
    "a value of the notebook": ("size = 3", "size"),
    "a class of Python": ("", "dict(a=len([x])), print(x)"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("before", "act"), HARMLESS.values(), ids=HARMLESS)
def test_an_answer_that_only_computes_is_tried(before, act):
    assert found(written(f"if x is None: {act}\n{WRONG}"), before).before == LEFT_OUT.before


def test_code_that_passes_is_not_changed():
    wrong = scale.judge(tiny.written(tiny.two_too_much))
    assert find_repair(scale, wrong, written(RIGHT), {"torch": torch, "nn": nn}) is None


def test_a_slow_answer_is_not_tried(monkeypatch):
    monkeypatch.setattr(trying, "SLOW", -1.0)
    assert found(written(WRONG)) is None


HARMFUL = {
    "never ends": "while True: pass",
    "never ends, in C": "sum(iter(int, 1))",
    "asks for much memory": "torch.empty(2**40)",
    "asks for a little too much": "torch.empty(2**30)",
    "ends its process": "os._exit(0)",
    "kills its process": "os.kill(os.getpid(), 9)",
    "raises what is no Exception": "raise SystemExit",
    "calls itself": "return self.forward(x)",
    "prints without end": "while True: print('x' * 10000)",
}


@pytest.mark.slow
@forked
@pytest.mark.parametrize("body", HARMFUL.values(), ids=HARMFUL)
def test_a_candidate_that_does_harm_is_given_up_soon_and_harms_nobody(body, only, monkeypatch):
    monkeypatch.setattr(search, "WORK", 0.6)
    only(f"{body}\n{RIGHT}")
    started, (work_before, memory_before) = time.monotonic(), used()
    assert found(written(WRONG), os=os) is None
    work, memory = used()
    assert work - work_before < 10 and memory - memory_before < 2**17
    assert time.monotonic() - started < 100  # a busy machine may take its time; what never ends would take for ever


def used():
    """Seconds of work of the children that have ended, and KiB of this process at its largest."""
    import resource  # not on Windows, where nothing is forked

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_without_a_child_too_what_does_not_end_is_given_up(only, monkeypatch):
    monkeypatch.setattr(search, "can_fork", lambda: False)
    only("while True: pass")
    assert found(written(WRONG)) is None


def test_a_candidate_that_never_ends_on_another_question_does_not_end_the_search(monkeypatch):
    place = (("body", 0), ("body", 1), ("body", 0))
    bodies = f"if x.requires_grad:\n    while True: pass\n{RIGHT}", RIGHT
    candidates = [Edit("name", ((place, statements(body)),), WRONG, RIGHT, 8, 1.0) for body in bodies]
    monkeypatch.setattr(search, "edits", lambda *arguments: candidates)
    monkeypatch.setattr(search, "can_fork", lambda: False)
    monkeypatch.setattr(search, "WORK", 3.0)
    monkeypatch.setattr(trying, "WHOLE", 0.5)
    assert found(written(WRONG)) is not None


def test_a_candidate_is_judged_whole_with_one_seed(monkeypatch):
    """Fresh questions have six more: a second whole judgement has never refuted what they let through."""
    seeds, passes = [], type(scale).passes

    def noted(exercise, component, seed=0):
        seeds.append(seed)
        return passes(exercise, component, seed=seed)

    monkeypatch.setattr(type(scale), "passes", noted)
    monkeypatch.setattr(search, "can_fork", lambda: False)
    assert found(written(WRONG)) == LEFT_OUT
    assert {*seeds} == {SEED}


@forked
def test_a_child_leaves_nothing_behind(only, tmp_path):
    only(
        "torch.manual_seed(9)\ntorch.set_default_dtype(torch.float64)\nnp.random.seed(9)\nrandom.seed(9)\n"
        f"torch.set_num_threads(7)\nkept.append(x)\nopen(path, 'a').write('x' * 10000)\n{RIGHT}"
    )
    path, kept = tmp_path / "kept", []
    path.write_text("before")
    names = {"np": np, "random": random, "kept": kept, "path": path}
    before = ambient()
    assert found(written(WRONG), **names) is None  # since it can't write
    assert ambient() == before
    assert kept == [] and path.read_text() == "before"


def ambient():
    """What a candidate could change of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")  # zombies too
    drawn = torch.get_rng_state().tolist(), np.random.get_state()[1].tolist(), random.getstate()
    return drawn, torch.get_default_dtype(), torch.get_num_threads(), os.listdir("/proc/self/fd"), children.read_text()


def test_without_a_child_too_the_names_of_the_notebook_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(search, "can_fork", lambda: False)
    names = {"__name__": "__main__", "torch": torch, "nn": nn}
    exec(written(WRONG), names)
    before = dict(names)
    assert find_repair(scale, scale.judge(names["Scale"]), written(WRONG), names) == LEFT_OUT
    assert names == before


@pytest.mark.parametrize("fork", [pytest.param(True, marks=forked), False])
def test_nothing_is_shown_once_a_candidate_has_changed_how_answers_are_judged(fork, only, monkeypatch):
    def spoil():
        tiny.Scale.forward = tiny.no_offset

    monkeypatch.setattr(search, "can_fork", lambda: fork)
    monkeypatch.setattr(tiny.Scale, "forward", tiny.Scale.forward)
    only(RIGHT)
    assert found(written(WRONG), spoil=spoil) is not None
    only(f"spoil()\n{RIGHT}")
    assert found(written(WRONG), spoil=spoil) is None


@pytest.mark.slow
def test_a_candidate_must_be_right_with_another_seed_too(only):
    for further, passes in {FIRST_SEED: False, 1: True}.items():
        only(f"if torch.initial_seed() == {SEED + further}: x = x + 1\n{RIGHT}")
        assert (found(written(WRONG)) is not None) == passes
