"""The kind whose library starts threads passes the same tests as the others, in a process of its own."""

import os
import subprocess
import sys

import pytest

from tests import conftest
from tests.judge.checking.kinds import APART, ONLY_THIS
from utils.course import ROOT

TESTS = ("tests/judge/checking/test_kinds.py", "tests/judge/running/test_wall.py")


@pytest.mark.slow
def test_functions_of_jax_arrays_are_judged_here_and_through_the_wall():
    command = [sys.executable, "-m", "pytest", "-k", APART, "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS]
    surroundings = os.environ | {ONLY_THIS: APART, conftest.ITS_OWN_PROCESS: "1"}
    ran = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, encoding="utf-8", timeout=600)
    assert ran.returncode == 0 and "skipped" not in ran.stdout, ran.stdout + ran.stderr
