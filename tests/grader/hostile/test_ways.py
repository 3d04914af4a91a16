"""Which way answers are kept from the rest on a machine, what is said where there is none, and what each way takes."""

import contextlib
import importlib.util
import os
import subprocess
import sys

import pytest
import torch

from grader.bounds import MB, Bounds
from grader.boxes import Ended, Task
from grader.sandbox import opening
from grader.sandbox.forking_box import ForkingBox
from grader.sandbox.plain_box import PlainBox
from judge.running.records import Question
from tests.grader.hostile.conftest import opened
from tests.grader.hostile.judged import RIGHT, WRONG, Case, judged
from utils.course import ROOT, CourseError

WITH_JAX = Bounds(cpu_seconds=20, wall_seconds=60.0, memory=2_500 * MB, processes=32, open_files=64)


@pytest.fixture
def no_way(monkeypatch):
    """As on a machine on which nothing works."""

    def failing(modules):
        raise CourseError("it does not work here")

    ways = [opening.Way(one.protection, failing, protects=one.protects, in_full=one.in_full) for one in opening.WAYS]
    monkeypatch.setattr(opening, "WAYS", ways)


@pytest.mark.parametrize("require", [True, False])
def test_where_nothing_works_it_is_said_what_is_missing_and_what_to_do(no_way, require):
    with pytest.raises(CourseError) as told:
        opening.open_box(require=require)
    lines = str(told.value).splitlines()
    assert lines[0] == "nothing here keeps the answers of a class from the rest:"
    assert lines[1] == "  bubblewrap, namespaces, seccomp, limits: it does not work here"
    assert ("Landlock" in lines[2]) is not require
    assert ("--no-sandbox" in lines[-1]) is not require
    assert "apt install bubblewrap" in lines[-1] or sys.platform != "linux"


def test_a_box_that_protects_nothing_is_never_taken_unasked(monkeypatch):
    taken = []
    ways = [opening.Way("nothing", lambda modules: taken.append(1), protects=False)]
    monkeypatch.setattr(opening, "WAYS", ways)
    with pytest.raises(CourseError):
        opening.open_box()
    assert not taken


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no way protects")
def test_a_way_by_which_an_answer_sees_the_solutions_is_refused(boxes):
    unprotected = opened(boxes, "none")
    with pytest.raises(CourseError, match=r"an answer sees .*/solutions, .*/tests, /etc/passwd"):
        opening._proved(opening.Way("told so", lambda modules: NotToClose(unprotected)), opening.COURSE_MODULES)


class NotToClose:
    def __init__(self, box):
        self.start = box.start

    def close(self):
        pass


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it takes a process of its own, below")
def test_without_protection_time_and_memory_are_bounded(boxes):
    box = opened(boxes, "none")
    assert box.protection.startswith("NONE")
    assert judged(box, Case("").source(RIGHT)).status == "pass"
    assert judged(box, Case("").source(WRONG)).status == "fail"
    memory = judged(box, Case("", "torch.ones(2_500_000_000)").source(RIGHT))
    assert memory.said.startswith("it takes more than 1,000 MB of memory")
    assert judged(box, Case("", "import os; os._exit(4)").source(RIGHT)).said.endswith("exit status 4")


@pytest.mark.slow
def test_where_there_is_no_linux_a_process_of_its_own_runs_each_answer():
    box = PlainBox(opening.COURSE_MODULES, opening.BY_TIME)
    assert judged(box, Case("").source(RIGHT)).status == "pass"
    assert judged(box, Case("").source(WRONG)).status == "fail"
    ended = judged(box, Case("", "import os; os._exit(4)").source(RIGHT))
    assert (ended.status, ended.said) == ("error", "it ended its process, with exit status 4")
    broken = judged(box, "def softmax(x:")
    assert (broken.status, broken.said[:31]) == ("error", "running it raises SyntaxError: ")
    assert "1,000 MB" not in judged(box, Case("", "while True: pass").source(RIGHT), cpu_seconds=1).said


@pytest.mark.slow
def test_a_container_with_a_masked_proc_shows_its_own(boxes):
    opened(boxes, "namespaces")
    with contextlib.closing(ForkingBox(opening.COURSE_MODULES, "namespaces", "", proc_is_masked=True)) as box:
        assert opening._seen_from_within(box) == []
        assert judged(box, Case("").source(RIGHT)).status == "pass"


AS_ANOTHER = """
import os
from grader.sandbox.opening import open_box
box = open_box(require=True)
print(os.getuid(), box.protection)
box.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root becomes another user")
def test_an_ordinary_user_has_the_same_box(boxes, tmp_path):
    opened(boxes, "namespaces")
    command = [sys.executable, "-c", AS_ANOTHER]
    ordinary = {"cwd": "/", "user": 65_532, "group": 65_532, "extra_groups": []}
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HOME": "/tmp"}
    try:
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, **ordinary)
    except PermissionError:
        pytest.skip("another user can't run this Python")
    assert ran.stdout == f"65532 {opening.IN_NAMESPACES}\n", ran.stderr


IMPORTED = "import sys\ndef f(name): return name in sys.modules"


@pytest.mark.slow
def test_a_library_is_imported_for_those_who_need_it_and_one_that_is_not_there_costs_nobody_else_anything(box):
    def asked(child):
        (record,) = child.ask_all([Question("function", ("colorsys",))])
        return record.output

    with contextlib.closing(box.start(Task(IMPORTED, "f"))) as running:
        assert asked(running) is False
        with pytest.raises(CourseError, match="No module named 'nowhere'"):
            box.start(Task(IMPORTED, "f", needs="nowhere"))
        with contextlib.closing(box.start(Task(IMPORTED, "f", needs="colorsys"))) as needing:
            assert asked(needing) is True
        assert asked(running) is False


JAX = """
import jax, jax.numpy as jnp
def f(x): return jnp.tanh(x @ x.T).sum(0)  # over an axis that is long enough for YNNPACK, which reads /proc/cpuinfo
"""


@pytest.mark.slow
def test_an_answer_written_with_jax_has_threads_and_more_memory(box):
    if not importlib.util.find_spec("jax"):  # not imported here: it has threads, beside which others can not fork
        pytest.skip("jax is not installed")
    x = torch.rand(64, 4)
    child = box.start(Task(JAX, "f", bounds=WITH_JAX, needs="jax"))
    (record,) = child.ask_all([Question("jax_arrays", (x,))])
    child.close()
    assert record.error is None and torch.allclose(record.output.tensor, torch.tanh(x @ x.T).sum(0))
    forking = box.start(Task("import os\ndef f(x): os.fork()\n", "f", bounds=WITH_JAX))
    if "Landlock" in box.protection:
        with pytest.raises(Ended, match="it starts more processes"):
            forking.ask_all([Question("function", (1,))])
    forking.close()
