"""Behind a wall of two processes every verdict is what it is here, to the letter; all questions may cross at once."""

import contextlib
import itertools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from author.dependencies import HOUSES, graph
from author.dependencies import digest as digest_behind
from judge.checking import CheckFailed, use_runner
from judge.checking.oracle import solution_of
from judge.running.far_side import component_of, receive, send
from judge.running.records import Question
from judge.running.wire import digest
from tests.ch00_tokens import space_tokenizer
from tests.ch02_embeddings import embed, pos_embed
from tests.ch03_layernorm import layer_norm
from tests.ch03_layernorm import test_layer_norm as the_test_of_layer_norm
from tests.ch04_attention import attention
from tests.ch07_transformer import transformer
from tests.ch08_sampling import attending, cached, searching, writing
from tests.ch09_training import dropout, training
from tests.judge.checking import spare_answers
from tests.judge.checking.test_kinds import EXERCISES
from tests.judge.running.sent import NotSent, where_is, wrongly_answered
from tests.misconceptions.ch08_sampling.generate import seeding_itself
from utils.course import ROOT, stems

CHAPTERS = {
    "SpaceTokenizer": space_tokenizer,
    "Embed": embed,
    "PosEmbed": pos_embed,
    "LayerNorm": layer_norm,
    "Attention": attention,
    "Transformer": transformer,
    "beam_search": searching,
    "attend_with_cache": attending,
    "generate_with_cache": cached,
    "dropout": dropout,
    "train": training,
}
KINDS = EXERCISES
JUDGED = KINDS | CHAPTERS
PROOF = "verdicts on {name} behind the wall"
TWO = "verdicts on two functions behind the wall"
OF_EXERCISES = ("tests.ch", "tests.misconceptions.", "tests.judge.checking.test_kinds")  # each proof has its own
STUB = where_is(layer_norm, spare_answers.stub)


class Untouchable:
    """Stands here for a component that lives over there; explodes when it is looked at."""

    def __getattribute__(self, name):
        raise AssertionError(f"{name} of a component behind the wall was asked for here")

    def __call__(self, *given, **named):
        raise AssertionError("a component behind the wall was called here")


@dataclass
class Traffic:
    """What went through the wall."""

    crossings: int = 0
    out: int = 0
    back: int = 0


class FarSide:
    """The other process."""

    def __init__(self):
        command = [sys.executable, "-P", "-m", "judge.running.far_side", "utils.gpt"]
        one_thread = {"OMP_NUM_THREADS": "1"}  # as on this side (conftest): more of them would add in another order
        surroundings = os.environ | {"PYTHONPATH": str(ROOT)} | one_thread
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=surroundings
        )
        self.traffic = Traffic()

    def request(self, where, questions):
        """Ask these questions of a component, wait for the records."""
        self.traffic.crossings += 1
        self.traffic.out += send(self.process.stdin, (where, list(questions)))
        return receive(self.process.stdout)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=300)
        self.process.stdout.close()


class WallRunner:
    """Asks each question through the wall by itself."""

    def __init__(self, far, where):
        self.far, self.where = far, where

    def ask(self, component, question):
        return self.far.request(self.where, [question])[0]


class AtOnceRunner(WallRunner):
    """Asks all questions of a test in one crossing."""

    def ask_all(self, component, questions):
        return self.far.request(self.where, questions)


@pytest.fixture(scope="module")
def far():
    other = FarSide()
    yield other
    other.close()


def judged_there(far, runner, exercise, where):
    """The verdict on a component behind the wall, and what crossed for it."""
    far.traffic = Traffic()
    with use_runner(runner(far, where)):
        return exercise.judge(Untouchable()), far.traffic


def answers(name):
    """Answers to an exercise, each with its place on the far side."""
    exercise = JUDGED[name]
    yield "the solution", where_is(exercise, solution_of(exercise))
    for spare in (spare_answers.stub, spare_answers.raising, spare_answers.nothing):
        yield spare.__name__, where_is(exercise, spare)
    if name in CHAPTERS:
        yield "a wrong answer", wrongly_answered(exercise)
    first = [one for one in exercise.misconceptions if not one.another_form]
    most = 1 if name in CHAPTERS else 2  # to be judged on both sides
    for known in (first, exercise.variants):
        yield from itertools.islice(those_that_can_be_sent(exercise, known), most)


def those_that_can_be_sent(exercise, known):
    """From all over, those that stand in a module as they are; others are made of parts by the module."""
    for one in sorted(known, key=lambda one: digest(one.name)):
        with contextlib.suppress(NotSent):
            yield one.name, where_is(exercise, one.component)


@pytest.fixture(scope="module")
def digests():
    """By the name of each proof, the digest of the engine and of what this exercise is made of."""
    found = {PROOF.format(name=name): digest_of(exercise) for name, exercise in JUDGED.items()}
    return found | {TWO: digest_of(cached)}


def digest_of(exercise):
    """Of all that this module imports but for exercises; of this one, of wrong answers, and of solutions up to it."""
    engine = {one for one in graph().find_modules_directly_imported_by(__name__) if not one.startswith(OF_EXERCISES)}
    known = [one for one in graph().modules if one.startswith(f"tests.misconceptions.{exercise.stem}.")]
    lent = [f"solutions.{one}" for one in stems() if exercise.stem in stems() and one <= exercise.stem]
    sent = [wrongly_answered(exercise)["source"]] if exercise.stem in stems() else []
    return digest_behind([*engine, exercise.body.__module__, *known, *lent], [Path(__file__)], sent)


@pytest.mark.slow
@pytest.mark.proves(PROOF)
@pytest.mark.parametrize("name", JUDGED)
def test_verdicts_are_the_same_here_and_behind_the_wall(far, name):
    exercise = JUDGED[name]
    for what, where in answers(name):
        here = exercise.judge(component_of(**where))
        # what is larger, not one by one, but for the solution
        runners = (AtOnceRunner,) if name in CHAPTERS and what != "the solution" else (WallRunner, AtOnceRunner)
        for runner in runners:
            there, traffic = judged_there(far, runner, exercise, where)
            assert str(there) == str(here), what
            assert there == here, what
            if what == "the solution":
                assert there.status == "passed" and (traffic.crossings == 1 or runner is WallRunner)
                print(f"\n{name}: {traffic} by the {runner.__name__}")


@pytest.mark.slow
def test_test_function_itself_does_not_look_at_the_component(far):
    the_test_of_layer_norm(solution_of(layer_norm))
    with use_runner(AtOnceRunner(far, where_is(layer_norm, solution_of(layer_norm)))):
        the_test_of_layer_norm(Untouchable())
    with use_runner(AtOnceRunner(far, STUB)), pytest.raises(CheckFailed, match="not yet"):
        the_test_of_layer_norm(Untouchable())


@pytest.mark.slow
@pytest.mark.proves(TWO)
def test_two_functions_of_the_learners_cross_once_each(far):
    class TwoRunner(AtOnceRunner):
        """Knows which of two functions is meant."""

        def ask(self, component, question):
            return self.ask_all(component, [question])[0]

        def ask_all(self, component, questions):
            return self.far.request(names[id(component)], questions)

    first, second, mine = Untouchable(), Untouchable(), solution_of(cached)
    for other in (solution_of(writing), seeding_itself):
        names = {id(first): where_is(cached, mine), id(second): where_is(writing, other)}
        far.traffic = Traffic()
        with use_runner(TwoRunner(far, ())):
            there = cached.judge(first, second)
        # asked last, in crossings of their own: the answer once more, its source, and what names the code reads
        assert far.traffic.crossings == (2 if there.status == "passed" else 5)
        assert there == cached.judge(mine, other)
    assert there.failure and there.failure.line == "equals your own `generate`, token for token"


LOADED = """
import sys
def loaded():
    return sorted(sys.modules)
"""


@pytest.mark.slow
def test_far_side_knows_nothing_of_the_judge(far):
    for name in ("SpaceTokenizer", "LayerNorm", "generate_with_cache"):
        for _, where in answers(name):
            assert not isinstance(far.request(where, []), str)
    (record,) = far.request({"source": LOADED, "name": "loaded"}, [Question("function", (), {})])
    (loaded,) = record.outputs
    assert {"judge.running.kinds", "solutions.ch00_tokens", "solutions.ch03_layernorm"} <= set(loaded)
    houses = {*HOUSES, "tests", "benchmarks", "training"}
    ours = {name for name in loaded if name.partition(".")[0] in houses}
    others = {name for name in ours if not name.startswith(("judge.running", "utils.gpt"))}
    assert others == {"judge", "utils", "utils.config"}, "beside the course that it was told of, only what runs code"


NOISY = """
import os, sys
def noisy():
    os.write(1, b"between the messages")
    print("caught")
    return [sys.stdin.readline(), os.read(0, 8)]
"""


@pytest.mark.slow
def test_what_a_component_prints_and_reads_does_not_get_between_the_messages(far):
    (record,) = far.request({"source": NOISY, "name": "noisy"}, [Question("function", (), {})])
    assert record.outputs == [["", b""]] and record.printed == "caught\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"source": "def f(:", "name": "f"}, "SyntaxError: invalid syntax"),
        ({"source": "raise SystemExit('gone')", "name": "f"}, "SystemExit: gone"),
        ({"source": "g = 1", "name": "f"}, "KeyError: 'f'"),
        ({"module": "solutions.no_such", "name": "f"}, "ModuleNotFoundError: No module named 'solutions.no_such'"),
    ],
)
def test_a_component_that_can_not_be_made_is_told_and_the_far_side_goes_on(far, where, said):
    assert far.request(where, []).startswith(said)
    assert far.request(STUB, []) == []
