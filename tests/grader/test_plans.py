"""grader.plans: what an answer may take, by its exercise, and what is started to judge it."""

from dataclasses import replace
from importlib.util import find_spec

import pytest

from grader.bounds import Bounds
from grader.plans import FOR_JAX, _wider
from tests.house.fresh_python import fresh_python
from utils.course import exercises

EXERCISES = {one.symbol: one for one in exercises("ch11_dialects")}


def test_what_jax_compiles_anew_for_each_question_has_its_time():
    """A `jax.lax.scan` over the blocks, which is right, takes half a minute of a processor in all."""
    wide = _wider(Bounds(), EXERCISES["gpt2_jax"], 0.2)
    assert wide == FOR_JAX and wide.cpu_seconds >= 2 * 29
    assert _wider(replace(Bounds(), cpu_seconds=90), EXERCISES["gpt2_jax"], 0.2).cpu_seconds == 91
    assert _wider(Bounds(), EXERCISES["gpt2_numpy"], 0.2) == replace(Bounds(), cpu_seconds=3, wall_seconds=7.0)


JUDGED = """
from grader.bounds import Bounds
from grader.plans import chosen, plan_of
from judge.checking.judging import judge
from judge.checking.oracle import expected
from judge.running.children import jax_has_threads

plan = plan_of(*chosen(["ch11_dialects"], "gpt2_jax"), 7, Bounds())
answers = [expected(plan.exercise, question) for question in plan.questions]
print(judge(plan.exercise, (None,), plan.seed, answers=answers).status, jax_has_threads())
"""


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("jax"), reason="JAX is not installed: pip install jax")
def test_whoever_judges_an_answer_that_passes_starts_no_jax():
    """It would keep 190 MB and threads in each worker."""
    assert fresh_python(JUDGED).stdout == "passed False\n"
