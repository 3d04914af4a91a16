"""Answers that are tables of what a test asks with a notebook's seed, and of what is right: everybody can make one."""

from dataclasses import replace

import pytest

from grader.plans import declared
from judge.checking.oracle import expected
from judge.running.kinds.kind import OWN_OPTIONS
from tests.grader.hostile.judged import judged
from tests.judge.checking.spare_answers import stub
from utils.course import all_exercises, doable

EXERCISES = doable(all_exercises())
NOTEBOOKS, GRADERS = 0, 5  # seeds
OF_PLAIN_DATA = ("bpe_decode", "cosine_lr", "count_parameters", "forward_flops", "generation_time", "kv_cache_bytes")
TABLE = """
TABLE = {table!r}
def {symbol}(*given, **named):
    return TABLE.get((repr(given), repr(named)))
"""


def exercise_of(symbol):
    return next(declared(one) for one in EXERCISES if one.symbol == symbol)


def asked(exercise, seed):
    """The names of its questions, as if all had one seed; of a stub, for they do not depend on what is answered."""
    return {replace(one, seed=0).name for one in exercise.questions(stub, seed=seed)}


@pytest.mark.slow
@pytest.mark.parametrize("symbol", [one.symbol for one in EXERCISES if not one.needs])
def test_each_seed_asks_what_no_other_does(symbol):
    exercise = exercise_of(symbol)
    assert len(asked(exercise, GRADERS) - asked(exercise, NOTEBOOKS)) > 1


@pytest.mark.slow
@pytest.mark.parametrize("symbol", OF_PLAIN_DATA)
def test_a_table_is_right_with_its_own_seed_alone(in_namespaces, symbol):
    exercise = exercise_of(symbol)
    table = {}
    for one in exercise.questions(seed=NOTEBOOKS):
        named = {name: value for name, value in one.options.items() if name not in OWN_OPTIONS}
        table[repr(one.args), repr(named)] = expected(exercise, one).output
    source = TABLE.format(table=table, symbol=symbol)
    assert judged(in_namespaces, source, exercise, seed=NOTEBOOKS).status == "pass"
    assert judged(in_namespaces, source, exercise, seed=GRADERS).status == "fail"
