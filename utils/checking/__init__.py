"""Everything a test function is written with: `Exercise`, `line`, the checks, random numbers from the test's seed.

Two seams let the same test function serve a notebook, pytest and a grader. Code is run through `run` and `call`
(running.py): `use_runner` puts another runner in their place. What is right comes through an oracle (oracle.py): from
the reference solution, or from a record made of it.
"""

from utils.checking.checks import (
    check_agrees,
    check_alone,
    check_initial,
    check_inputs_unchanged,
    check_parameters,
    check_repeatable,
    check_shape,
    check_value,
)
from utils.checking.gradients import check_gradients
from utils.checking.judging import CheckFailed, Exercise, line
from utils.checking.oracle import use_oracle
from utils.checking.randomness import random_tensor, random_tokens, random_weights
from utils.config import SMALL
from utils.running.local import call, run, use_runner

__all__ = [
    "SMALL",
    "CheckFailed",
    "Exercise",
    "call",
    "check_agrees",
    "check_alone",
    "check_gradients",
    "check_initial",
    "check_inputs_unchanged",
    "check_parameters",
    "check_repeatable",
    "check_shape",
    "check_value",
    "line",
    "random_tensor",
    "random_tokens",
    "random_weights",
    "run",
    "use_oracle",
    "use_runner",
]
