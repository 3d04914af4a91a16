"""A course of one small chapter in a folder of its own, for the tests of the tools; its kernels need no torch."""

import shutil
from pathlib import Path

from author.dependencies import HOUSES
from utils.course import ROOT

STEM = "ch90_mini"

SOURCE = '''\
"""Chapter 90: a chapter for tests."""

# %% [markdown]
# # 90 · Mini
#
# Prose.

# %% tags=["active-ipynb", "setup"]
# start = len
# start("ch90_mini")
# # the set-up
# from tests.ch90_mini import test_double, test_counter

# %%
import math


def _half(number):
    return number / 2


# %% [markdown] exercise="double" difficulty=1 importance=5 minutes=1
# ## Exercise: `double`
# A number in, twice the number out.


# %%
def double(number):
    """Twice the number."""
    # BEGIN SOLUTION
    # by adding
    return number + number
    # END SOLUTION


# %% [markdown] hint="idea"
# Add.

# %% [markdown] hint="pseudocode"
# number plus number

# %% tags=["active-ipynb"]
# test_double(double)

# %% [markdown] exercise="Counter" difficulty=2 importance=4 minutes=15
# ## Exercise: `Counter`


# %%
class Counter:
    """Counts in steps."""

    def __init__(self, step):
        self.step = step
        # BEGIN SOLUTION
        self.count = 0
        # END SOLUTION

    def next(self):
        # BEGIN SOLUTION
        self.count += self.step

        return self.count
        # END SOLUTION


# %% [markdown] hint="idea"
# Remember.

# %% [markdown] hint="pseudocode"
# add the step to the count

# %% tags=["active-ipynb"]
# test_counter(Counter)

# %% [markdown]
# ## See it work

# %% tags=["active-ipynb"]
# import os
#
# print(os.environ["COURSE_PROGRESS"], os.path.basename(os.getcwd()), double(_half(4)))

# %% tags=["active-ipynb", "nbval-ignore-output"]
# print(os.environ.get("COURSE_REFERENCE"), os.path.isdir(os.environ["COURSE_STATE"]), os.getpid())
'''

TESTS = '''\
"""Stand-ins for test functions: a plain assertion in the shape of judge.checking's."""


class CheckFailed(AssertionError):
    pass


def check(answer, wanted, name):
    try:
        got = answer()
    except NotImplementedError:
        raise CheckFailed(f"{name}: not yet") from None
    if got != wanted:
        raise CheckFailed(f"{name}: got {got}, expected {wanted}")
    print(f"{name}: passed")


def test_double(double):
    check(lambda: double(3), 6, "double")


def test_counter(Counter):
    check(lambda: Counter(2).next(), 2, "Counter")
'''


def write_course(root: Path, source: str = SOURCE, tests: str = TESTS) -> Path:
    """Write the chapter into `root`, and return `root`."""
    for folder in ("solutions", "tests", "chapters"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "__init__.py").touch()
    (root / "solutions" / f"{STEM}.py").write_text(source, encoding="utf-8")
    (root / "tests" / f"{STEM}.py").write_text(tests, encoding="utf-8")
    return root


def copy_utils(root: Path) -> None:
    """Put a copy of the tools into `root`, so that a program started there takes it for the whole course."""
    for house in HOUSES:
        shutil.copytree(
            ROOT / house, root / house, ignore=shutil.ignore_patterns("__pycache__", "reference_model", "*.safetensors")
        )
