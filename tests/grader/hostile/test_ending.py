"""Answers that end their process, stop it, or go on for ever: each says how, and costs no more than it may."""

import sys

import pytest

from tests.grader.hostile.judged import ERROR, LIMIT, NEVER, Case, holds, in_pairs

SEGMENTATION = "its process was ended by the signal SIGSEGV"
RECURSION = """
import sys
class Deep:
    def __getattr__(self, name): return getattr(self, name)
"""
CATCHING = """
import signal
signal.signal(signal.SIGALRM, signal.SIG_IGN)
while True:
    try:
        while True: pass
    except BaseException: pass
"""
ENDING = (
    Case("os._exit", "import os; os._exit(0)", said="it ended its process, with exit status 0", **ERROR),
    Case("os._exit(1)", "import os; os._exit(7)", said="exit status 7", **ERROR),
    Case("os._exit at the top", head="import os; os._exit(0)", said="exit status 0", **ERROR),
    Case("sys.exit", "import sys; sys.exit(0)", said="SystemExit", **NEVER),
    Case("sys.exit at the top", head="import sys; sys.exit('bye')", said="SystemExit: bye", **ERROR),
    Case("an interrupt", "raise KeyboardInterrupt", said="KeyboardInterrupt", **NEVER),
    Case("an exception that is none", "class Mine(BaseException): pass\nraise Mine('ha')", said="Mine", **NEVER),
    Case("an abort", "import os; os.abort()", said="its process was ended by the signal SIG", **ERROR),
    Case("memory that is not there", "import ctypes; ctypes.string_at(0)", said=SEGMENTATION, **ERROR),
    Case("an atexit hook", head="import atexit, os; atexit.register(os._exit, 3)"),
    Case("a syntax error", head="def f(:", said="SyntaxError: invalid syntax, in line 2", **ERROR),
    Case("an undefined name", head="y = z", said="NameError: name 'z' is not defined, in line 2: `y = z`", **ERROR),
    Case("the answer deleted", tail="del softmax", said="KeyError: 'softmax'", **ERROR),
    Case("recursion", "def f(): f()\nf()", said="RecursionError", **NEVER),
    Case(
        "recursion without a limit",
        "sys.setrecursionlimit(10**9); Deep().b",
        head=RECURSION,
        # from Python 3.12 on what C calls has a limit of its own
        **(dict(said="RecursionError", **NEVER) if sys.version_info >= (3, 12) else dict(said=SEGMENTATION, **ERROR)),
    ),
)
NO_END = "`while True:` (line {}) has no `break` and no `return`, so it never ends."
LOOPING = {**LIMIT, "bounds": {"cpu_seconds": 2}}  # so that there are enough looks at the loop
WORKING = {**LIMIT, "bounds": {"cpu_seconds": 1}, "said": "it takes more than 1 s of a processor"}
WAITING = {**LIMIT, "bounds": {"wall_seconds": 1.0}}
LARGE = "[torch.mm(a, a) for a in [torch.ones(9000, 9000)]]"
SLEEPS = "import signal, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\ntime.sleep(100)"
GOING_ON = (
    Case("a loop", "while True: pass", said=NO_END.format(7), **LOOPING),
    Case("a loop at the top", head="while True: pass", said=NO_END.format(2), **LOOPING),
    Case("a loop that catches", CATCHING, **WORKING),
    Case("a loop within torch", f"torch.ones(400, 400).matrix_power(2**62 - 1) if False else {LARGE}", **WORKING),
    Case("sleep", "import time; time.sleep(100)", said="seconds by the clock", **WAITING),
    Case("sleep that nobody ends", SLEEPS, said="it takes longer than 1 seconds by the clock", **WAITING),
    Case("printing", "while True: print('x' * 1000)", said="`while True:` (line 7) has no `break`", **LOOPING),
)


@in_pairs(*ENDING)
def test_an_answer_that_ends_itself_is_an_error_that_says_how(box, case, which):
    holds(box, case, which)


@pytest.mark.slow
@pytest.mark.parametrize("case", GOING_ON, ids=lambda case: case.name)
def test_an_answer_that_goes_on_is_ended_in_its_time(box, case):
    """What is right or wrong comes after it, and is never reached: each box runs one of the two, for seconds."""
    holds(box, case, "right" if "namespaces" in box.protection else "wrong")
