"""Everything a test function is written with: `Exercise`, `line`, the checks, random numbers from the test's seed.

Three seams let the same test function serve a notebook, pytest and a grader. Code is run by asking it questions:
`use_runner` puts another runner in place (asking.py). What is right comes from the reference solution, or from a record
made of it: `use_oracle` (oracle.py). How a verdict is shown and what is kept: `use_reporter` (reporting.py).
"""

from judge.checking.answer import line
from judge.checking.asking import use_runner
from judge.checking.checks.draws import check_draws
from judge.checking.checks.effects import check_model_unchanged, check_work
from judge.checking.checks.form import check_form
from judge.checking.checks.gradients import check_gradients
from judge.checking.checks.invariance import (
    check_alone,
    check_causal,
    check_inputs_unchanged,
    check_new,
    check_repeatable,
)
from judge.checking.checks.outputs import check_agrees, check_equal_to, check_raises, check_shape, check_value
from judge.checking.checks.parameters import check_initial, check_names_and_shapes, check_parameters
from judge.checking.declaration import WorkedExample
from judge.checking.exercise import Exercise
from judge.checking.judging import CheckFailed
from judge.checking.known import Misconception
from judge.checking.oracle import use_oracle
from judge.checking.randomness import dice, random_tensor, random_tokens, random_tree, random_weights
from judge.checking.reporting import use_reporter
from judge.checking.verdict import Verdict

__all__ = [
    "CheckFailed",
    "Exercise",
    "Misconception",
    "Verdict",
    "WorkedExample",
    "check_agrees",
    "check_alone",
    "check_causal",
    "check_draws",
    "check_equal_to",
    "check_form",
    "check_gradients",
    "check_initial",
    "check_inputs_unchanged",
    "check_model_unchanged",
    "check_names_and_shapes",
    "check_new",
    "check_parameters",
    "check_raises",
    "check_repeatable",
    "check_shape",
    "check_value",
    "check_work",
    "dice",
    "line",
    "random_tensor",
    "random_tokens",
    "random_tree",
    "random_weights",
    "use_oracle",
    "use_reporter",
    "use_runner",
]
