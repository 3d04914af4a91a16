"""Answers beside one another: what one does changes nothing of the others', and no process or file is left of any."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psutil
import pytest

from grader.bounds import Bounds
from grader.boxes import Ended, Task
from judge.running.records import Question
from tests.ch03_layernorm import layer_norm
from tests.grader.hostile.judged import RIGHT, WRONG, Case, judged
from tests.judge.running.sent import text_of

HOSTILE = (
    Case("", "import os\nwhile True: os.fork()").source(RIGHT),
    Case("", "kept.append(torch.ones(50_000_000))", head="kept = []").source(RIGHT),
    Case("", "import os; os.kill(-1, 9)", head="import os").source(WRONG),
    Case("", "import os; os._exit(0)").source(RIGHT),
    Case("", "import os; os.write(3, os.urandom(4096))").source(RIGHT),
    "raise SystemExit",
)
ASKED = [Question("function", (1,))]


def ordinary():
    return [
        ("softmax", Case("").source(RIGHT)),
        ("softmax", Case("").source(WRONG)),
        ("LayerNorm", text_of(layer_norm.solution, "LayerNorm")),
    ]


def outcome(box, symbol, source):
    return judged(box, source, layer_norm) if symbol == "LayerNorm" else judged(box, source)


@pytest.mark.slow
def test_neighbours_are_judged_as_without_hostile_ones(box):
    alone = [outcome(box, *one) for one in ordinary()]
    mixed = [one for pair in zip(ordinary(), zip(["softmax"] * 3, HOSTILE, strict=False), strict=True) for one in pair]
    mixed += [("softmax", source) for source in HOSTILE[3:]] + ordinary()
    with ThreadPoolExecutor(3) as pool:  # several at once, from several threads
        beside = list(pool.map(lambda one: outcome(box, *one), mixed))
    assert [one for one, what in zip(beside, mixed, strict=True) if what in ordinary()] == alone * 2
    wait_for(lambda: children_of(box) == 0)  # those that fork are all that is left, soon after the last closing


def test_a_child_that_is_closed_is_gone_with_what_it_started(in_namespaces):
    source = """
import os, time
def softmax(x, dim=-1):
    for _ in range(3):
        if not os.fork(): time.sleep(600)
    return x
"""
    child = in_namespaces.start(Task(source, "softmax", bounds=Bounds(processes=8, wall_seconds=60)))
    (record,) = child.ask_all(ASKED)
    assert record.error is None and children_of(in_namespaces) == 4
    child.close()
    wait_for(lambda: children_of(in_namespaces) == 0)


def test_after_its_end_a_child_says_so_at_once_and_always(box):
    child = box.start(Task("import os\ndef f(x): os._exit(3)", "f"))
    for _ in range(3):
        with pytest.raises(Ended, match="it ended its process, with exit status 3"):
            child.ask_all(ASKED)
    child.close()
    closed = box.start(Task("def f(x): return x", "f"))
    closed.close()
    closed.close()
    with pytest.raises(Ended, match="closed"):
        closed.ask_all(ASKED)


def test_a_box_outlives_the_thread_that_opened_it(box):
    """And a child the one that started it."""
    started = []
    thread = threading.Thread(target=lambda: started.append(box.start(Task("def f(x): return x + 1", "f"))))
    thread.start()
    thread.join()
    assert started[0].ask_all(ASKED)[0].output == 2
    started[0].close()


@pytest.mark.slow
def test_time_counts_only_while_an_answer_is_waited_for(box):
    child = box.start(Task("def f(x): return x + 1", "f", bounds=Bounds(wall_seconds=4.0)))
    assert child.ask_all(ASKED)[0].output == 2
    time.sleep(4.2)
    assert child.ask_all(ASKED)[0].output == 2
    child.close()


def test_parts_are_found_as_if_they_were_imported(box):
    parts = {"double": "import math\ndef double(x): return 2 * x", "again": "def again(x): return double(double(x))"}
    child = box.start(Task("def f(x): return again(x) + double(x), 'math' in globals()", "f", parts))
    assert child.ask_all(ASKED)[0].output == (6, False)
    child.close()


def test_a_part_that_can_not_be_run_is_told(box):
    child = box.start(Task("def f(x): return x", "f", {"broken": "broken = 1 / 0"}))
    with pytest.raises(Ended, match="ZeroDivisionError: division by zero, in line 1: `broken = 1 / 0`"):
        child.ask_all(ASKED)
    child.close()


@pytest.mark.slow
def test_code_of_10_mb_is_refused_and_of_1_mb_is_run(box):
    lines = "x = 'y' * 5\n" * 80_000
    small = box.start(Task(f"{lines}def f(x): return x", "f", bounds=Bounds(cpu_seconds=30, wall_seconds=90)))
    assert small.ask_all(ASKED)[0].output == 1
    small.close()
    large = box.start(Task("#" * 10**7, "f"))
    with pytest.raises(Ended, match="longer than 8 MB"):
        large.ask_all(ASKED)
    large.close()


def children_of(box):
    """How many processes run below the one that forks, without its own forks that have imported a library."""
    between = 3 if "namespaces" in box.protection else 0  # bubblewrap, twice, and one that waits
    forking = box.source.process.pid
    with suppress(psutil.NoSuchProcess):  # one that ended meanwhile is looked for again
        level = [psutil.Process(forking)] if psutil.pid_exists(forking) else []
        for _ in range(between):
            level = [child for one in level for child in one.children()]
        below = [child for one in level for child in one.children(recursive=True)]
        running = [child for child in below if child.status() != psutil.STATUS_ZOMBIE]
        return len(running) - (len(box.source.controls) - 1)
    return None


def wait_for(condition):
    until = time.monotonic() + 300  # ends what hangs
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)
