"""judge.running.frames: the loop that does not end is named truly, and no other."""

import linecache
import sys
from types import SimpleNamespace

import pytest

from judge.running import frames, limited, watching
from judge.running.local import LocalRunner
from judge.running.records import Question

ENDED = "it takes longer than 0.3 seconds"


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setenv("COURSE_SECONDS", "0.3")
    monkeypatch.setattr(limited, "PATIENCE", 400)  # a busy machine is given time to do these 0.3 seconds of work
    monkeypatch.setattr(watching, "EVERY", 0.01)  # as many looks as in a second and a half: enough to name a loop


def asked(code, symbol="f", *arguments):
    """The record of what a cell defines."""
    file = f"/tmp/ipykernel_1/{abs(hash(code))}.py"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    names = {}
    exec(compile(code, file, "exec"), names)
    return LocalRunner().ask(names[symbol], Question("function", arguments))


def said(code):
    """What is said of the loop, and the learner's innermost line."""
    error = asked(code).error
    ended, *sentence = error.message.splitlines()
    assert error.type == "TooSlow" and ended == ENDED
    return "\n".join(sentence), error.frames[-1]


LOOPS = {
    "a condition": (
        "def f():\n    ids, n = [1], 3\n    while len(ids) < n:\n        ids = ids[:1] + [2][1:]\n",
        "The condition of `while len(ids) < n:` (line 3) was still true. "
        "Each time the test looked, `ids` and `n` had not changed.",
    ),
    "a condition on what the loop leaves alone": (
        "def f():\n    step, n, ids = 0, 3, []\n    while step < n:\n        ids = [step]\n",
        "The condition of `while step < n:` (line 3) was still true. Nothing in the loop changes `step` or `n`.",
    ),
    "a condition on what a call may change": (
        "def f():\n    ids = [1]\n    while len(ids) < 3:\n        ids.copy()\n",
        "The condition of `while len(ids) < 3:` (line 3) was still true. "
        "Each time the test looked, `ids` had not changed.",
    ),
    "no way out": (
        "def f():\n    step = 0\n    while True:\n        step = step\n",
        "`while True:` (line 3) has no `break` and no `return`, so it never ends.",
    ),
    "a way out that is not taken": (
        "def f():\n    step = 0\n    while True:\n        if step: break\n        if step > 1: return 1\n",
        "`while True:` (line 3) goes on and on: it never came to its `break` or `return`. "
        "Each time the test looked, `step` had not changed.",
    ),
    "a condition on what changes": (
        "def f():\n    step = 1\n    while step != 0:\n        step += 1\n",
        "The condition of `while step != 0:` (line 3) was still true.",
    ),
    "one of two that changes": (
        "def f():\n    step, n = 1, 0\n    while True:\n        if step == n: break\n        step += 1\n",
        "`while True:` (line 3) goes on and on: it never came to its `break`.",
    ),
    "a list that is changed within": (
        "def f():\n    ids = [[1]]\n    while ids:\n        ids[0][0] += 1\n",
        "The condition of `while ids:` (line 3) was still true.",
    ),
    "what nobody can see into": (
        "def f():\n    steps = iter([].append, 1)\n    while True:\n        if steps is None: break\n",
        "`while True:` (line 3) goes on and on: it never came to its `break`.",
    ),
    "too much to be copied": (
        "def f():\n    ids = [1] * 3000\n    while ids[:2]:\n        pass\n",
        "The condition of `while ids[:2]:` (line 3) was still true.",
    ),
    "a comprehension": (
        "def f():\n    ids, known = [1, 2], {2}\n    while [i for i in ids if i in known]:\n        pass\n",
        "The condition of `while [i for i in ids if i in known]:` (line 3) was still true. "
        "Each time the test looked, `ids` and `known` had not changed.",
    ),
    "written with quotes and a walrus": (
        "def f():\n    ids = {'a': 1}\n    while known := [i for i in ids\n            if i == 'a']:\n        pass\n",
        "The condition of `while known := [i for i in ids if i == 'a']:` (line 3) was still true. Each time the test "
        "looked, `ids` had not changed.",
    ),
    "a result that is thrown away": (
        "def more(ids):\n    return ids + [1]\ndef f(n=3):\n    ids = [1]\n    while True:\n"
        "        if len(ids) == n: break\n        last = ids[-1]\n        more(ids)\n",
        "`while True:` (line 5) goes on and on: it never came to its `break`. Each time the test looked, `ids` and "
        "`n` had not changed. Nothing keeps what `more(ids)` (line 8) returns.",
    ),
    "a result that is kept": (
        "def more(ids):\n    return ids + [1]\ndef f():\n    ids = [1]\n    while len(ids) < 3:\n"
        "        longer = more(ids)\n",
        "The condition of `while len(ids) < 3:` (line 5) was still true. Each time the test looked, "
        "`ids` had not changed.",
    ),
    "a call that returns nothing": (
        "def more(ids):\n    ids + [1]\n    return None\ndef f():\n    ids = [1]\n    while len(ids) < 3:\n"
        "        more(ids)\n",
        "The condition of `while len(ids) < 3:` (line 6) was still true. Each time the test looked, "
        "`ids` had not changed.",
    ),
    "a call that changes what it returns": (
        "def more(ids):\n    ids[0] += 1\n    return ids\ndef f():\n    ids = [1]\n    while len(ids) < 3:\n"
        "        more(ids)\n",
        "The condition of `while len(ids) < 3:` (line 6) was still true.",
    ),
    "a list that grows": (
        "def f():\n    parts = [1]\n    for part in parts:\n        parts.append(part)\n        parts.extend([])\n",
        "`parts` grows while `for part in parts:` (line 3) goes through it, so there is always another item. Go "
        "through a copy, `list(parts)`, or collect what is new in another list.",
    ),
    "a for of another kind": (
        "from itertools import count\ndef f():\n    for step in count():\n        pass\n",
        "`for step in count():` (line 3) had not come to its end.",
    ),
    "a loop inside another": (
        "def f():\n    a = b = 0\n    while a < 3:\n        while b < 2:\n            b = b * 1\n        a += 1\n",
        "The condition of `while b < 2:` (line 4) was still true. Each time the test looked, `b` had not changed.",
    ),
    "a loop round one that ends": (
        "def f():\n    a = 0\n    while a < 3:\n        b = 0\n        while b < 5:\n            b += 1\n"
        "        a = a * 1\n        for _ in range(20): a\n",
        "The condition of `while a < 3:` (line 3) was still true. Each time the test looked, `a` had not changed.",
    ),
    "a loop that calls a function with a loop of its own": (
        "def g():\n    n = 0\n    while n < 5: n += 1\ndef f():\n    a = 0\n    while a < 3:\n        g()\n",
        "The condition of `while a < 3:` (line 6) was still true. Nothing in the loop changes `a`.",
    ),
    "a function that is called in a loop of the course's": (
        "def f(n=22):\n    return n if n < 2 else f(n - 1) + f(n - 2) + f(n - 2) + f(n - 2)\n",
        "",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("code", "sentence"), LOOPS.values(), ids=LOOPS)
def test_the_loop_that_does_not_end_is_named(code, sentence):
    told, frame = said(code)
    assert told == sentence
    assert frame.where == "your cell" and frame.function in ("f", "g") and frame.source


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
@pytest.mark.parametrize(("code", "sentence"), LOOPS.values(), ids=LOOPS)
def test_it_is_named_where_there_is_neither_a_timer_nor_a_thread(code, sentence, monkeypatch):
    monkeypatch.setattr(watching, "_looks", watching._Monitor)
    told, frame = said(code)
    assert told == sentence and frame.where == "your cell"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
@pytest.mark.parametrize("caught", ["", "BaseException"])
def test_there_it_is_ended_too_where_it_catches_everything(caught, monkeypatch):
    monkeypatch.setattr(watching, "_looks", watching._Monitor)
    code = (
        f"def f():\n    while True:\n        try:\n            pass\n        except {caught}:\n            continue\n"
    )
    assert asked(code).error.type == "TooSlow"
    assert asked("def f():\n    return 3\n").outputs == [3]


WORK = "    sum(range(300))\n"
WANDERING = {  # the line that is named, whatever runs at the moment when it is ended
    "lines of a loop": (f"def f():\n    while True:\n    {WORK}    {WORK}    {WORK}", [2]),
    "a function that a loop calls": (f"def g():\n{WORK}{WORK}def f():\n    while True:\n        g()\n", [5]),
    "a for inside a for": (
        f"def f():\n    for a in range(10**9):\n        for b in range(900):\n        {WORK}    {WORK}",
        [2],
    ),
    "a loop in a function that another calls": (
        f"def g():\n    while True:\n    {WORK}    {WORK}def f():\n    x = 1\n    g()\n",
        [7, 2],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("code", "lines"), WANDERING.values(), ids=WANDERING)
def test_the_line_that_is_named_does_not_depend_on_the_moment(code, lines):
    assert [[frame.line for frame in asked(code).error.frames] for _ in range(3)] == [lines] * 3


def test_an_instruction_of_no_line_is_in_no_loop():
    """Python gives a frame no line there, as at what it has put behind a loop itself."""
    code = compile("while True:\n    pass\n", "<cell>", "exec")
    looks = frames.Looks()
    looks.look(SimpleNamespace(f_code=code, f_lineno=None, f_back=None, f_locals={}, f_globals={}))
    assert looks.sentence() == "" and [one.line for one in looks.frames] == [0]


def test_what_was_printed_is_told():
    code = "def f():\n    print('begun')\n    while True:\n        try: sum(range(99))\n        except: pass\n"
    assert asked(code).printed == "begun\n"


@pytest.mark.slow
def test_what_sleeps_is_ended_by_the_clock(monkeypatch):
    monkeypatch.setenv("COURSE_SECONDS", "0.05")
    monkeypatch.setattr(limited, "PATIENCE", 12)
    record = asked("import time\ndef f():\n    time.sleep(60)\n")
    assert record.error.message == "it takes longer than 0.6 seconds by the clock"
    assert record.error.frames[-1].source == "time.sleep(60)"


def test_an_answer_that_ends_is_left_alone():
    assert asked("def f():\n    return 3\n").output == 3
