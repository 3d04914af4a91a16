"""grader.plans: what an answer may take, by its exercise."""

from dataclasses import replace

from grader.bounds import Bounds
from grader.plans import FOR_JAX, _wider
from utils.course import exercises

EXERCISES = {one.symbol: one for one in exercises("ch11_dialects")}


def test_what_jax_compiles_anew_for_each_question_has_its_time():
    """A `jax.lax.scan` over the blocks, which is right, takes half a minute of a processor in all."""
    wide = _wider(Bounds(), EXERCISES["gpt2_jax"], 0.2)
    assert wide == FOR_JAX and wide.cpu_seconds >= 2 * 29
    assert _wider(replace(Bounds(), cpu_seconds=90), EXERCISES["gpt2_jax"], 0.2).cpu_seconds == 91
    assert _wider(Bounds(), EXERCISES["gpt2_numpy"], 0.2) == replace(Bounds(), cpu_seconds=3, wall_seconds=7.0)
