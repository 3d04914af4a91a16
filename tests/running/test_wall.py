"""Behind a wall of two processes every verdict is what it is here, to the letter; all questions may cross at once."""

import importlib
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tests.ch00_tokens import space_tokenizer
from tests.ch02_embeddings import embed, pos_embed
from tests.ch03_layernorm import layer_norm
from tests.ch03_layernorm import test_layer_norm as the_test_of_layer_norm
from tests.ch04_attention import attention
from tests.ch07_transformer import transformer
from tests.ch08_sampling import cached, searching, seeding_itself, writing
from tests.checking.test_kinds import EXERCISES
from utils.checking import CheckFailed, use_runner
from utils.checking.oracle import solution_of
from utils.course import ROOT
from utils.running.wire import from_bytes, to_bytes

CHAPTERS = {
    "SpaceTokenizer": (space_tokenizer, "tests.ch00_tokens", "space_tokenizer"),
    "Embed": (embed, "tests.ch02_embeddings", "embed"),
    "PosEmbed": (pos_embed, "tests.ch02_embeddings", "pos_embed"),
    "LayerNorm": (layer_norm, "tests.ch03_layernorm", "layer_norm"),
    "Attention": (attention, "tests.ch04_attention", "attention"),
    "Transformer": (transformer, "tests.ch07_transformer", "transformer"),
    "beam_search": (searching, "tests.ch08_sampling", "searching"),
    "generate_with_cache": (cached, "tests.ch08_sampling", "cached"),
}
KINDS = {kind: (exercise, f"tests.checking.kinds.{kind}", "exercise") for kind, exercise in EXERCISES.items()}
JUDGED = KINDS | CHAPTERS
SPARE = "tests.checking.spare_answers"
MOST = 2  # misconceptions of an exercise, and variants, that are judged on both sides


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
        command = [sys.executable, "-P", str(ROOT / "tests" / "running" / "far_side.py"), "utils.gpt"]
        one_thread = {"OMP_NUM_THREADS": "1"}  # as on this side (conftest): more of them would add in another order
        surroundings = os.environ | {"PYTHONPATH": str(ROOT)} | one_thread
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=surroundings
        )
        self.traffic = Traffic()

    def request(self, content):
        """Send a value, wait for the answer."""
        blob = to_bytes(content)
        self.process.stdin.write(len(blob).to_bytes(8, "little") + blob)
        self.process.stdin.flush()
        answer = self.process.stdout.read(int.from_bytes(self.process.stdout.read(8), "little"))
        self.traffic.crossings += 1
        self.traffic.out += len(blob)
        self.traffic.back += len(answer)
        return from_bytes(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=300)
        self.process.stdout.close()


class WallRunner:
    """Asks each question through the wall by itself."""

    def __init__(self, far, where):
        self.far, self.where = far, where

    def ask(self, component, question):
        return self.far.request((self.where, [question]))[0]


class AtOnceRunner(WallRunner):
    """Asks all questions of a test in one crossing."""

    def ask_all(self, component, questions):
        return self.far.request((self.where, list(questions)))


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


def components(name):
    """Each component of an exercise, with its place on the far side."""
    exercise, module, attribute = JUDGED[name]
    spare = importlib.import_module(SPARE)
    yield "the solution", solution_of(exercise), (exercise.solution, "", exercise.symbol)
    yield "the stub", spare.stub, (SPARE, "", "stub")
    yield "an answer that raises", spare.raising, (SPARE, "", "raising")
    yield "an answer without a return", spare.nothing, (SPARE, "", "nothing")
    first = [one for one in exercise.misconceptions if not one.another_form]
    for one in (*first[:: len(first) // MOST + 1], *exercise.variants[:: len(exercise.variants) // MOST + 1]):
        yield one.name, one.component, (module, attribute, one.name)


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGED)
def test_verdicts_are_the_same_here_and_behind_the_wall(far, name):
    exercise = JUDGED[name][0]
    for what, component, where in components(name):
        here = exercise.judge(component)
        for runner in (WallRunner, AtOnceRunner):
            there, _ = judged_there(far, runner, exercise, where)
            assert str(there) == str(here), what
            assert there == here, what


def test_test_function_itself_does_not_look_at_the_component(far):
    the_test_of_layer_norm(solution_of(layer_norm))
    with use_runner(AtOnceRunner(far, ("solutions.ch03_layernorm", "", "LayerNorm"))):
        the_test_of_layer_norm(Untouchable())
    with use_runner(AtOnceRunner(far, (SPARE, "", "stub"))), pytest.raises(CheckFailed, match="not yet"):
        the_test_of_layer_norm(Untouchable())


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGED)
def test_all_questions_cross_at_once(far, name):
    exercise = JUDGED[name][0]
    where = (exercise.solution, "", exercise.symbol)
    verdict, singly = judged_there(far, WallRunner, exercise, where)
    assert verdict.status == "passed"
    _, at_once = judged_there(far, AtOnceRunner, exercise, where)
    assert at_once.crossings == 1
    print(f"\n{name}: {singly} one by one, {at_once} at once")


@pytest.mark.slow
def test_two_functions_of_the_learners_cross_once_each(far):
    class TwoRunner(AtOnceRunner):
        """Knows which of two functions is meant."""

        def ask(self, component, question):
            return self.ask_all(component, [question])[0]

        def ask_all(self, component, questions):
            return self.far.request((names[id(component)], list(questions)))

    first, second, mine = Untouchable(), Untouchable(), solution_of(cached)
    both = (("solutions.ch08_sampling", solution_of(writing)), ("tests.ch08_sampling", seeding_itself))
    for module, other in both:
        names = {id(first): ("solutions.ch08_sampling", "", mine.__name__), id(second): (module, "", other.__name__)}
        far.traffic = Traffic()
        with use_runner(TwoRunner(far, ())):
            there = cached.judge(first, second)
        # asked last, in crossings of their own: the answer once more, and what names the code reads
        assert far.traffic.crossings == (2 if there.status == "passed" else 4)
        assert there == cached.judge(mine, other)


def test_far_side_knows_nothing_of_the_judge(far):
    for _, module, _ in JUDGED.values():
        far.request(((module, "", "__name__"), []))
    loaded = far.request(())
    assert {"utils.running.kinds", "tests.ch00_tokens", "tests.ch03_layernorm"} <= set(loaded)
    ours = {name for name in loaded if name.startswith("utils.")}
    assert not {name for name in ours if name.startswith(("utils.checking", "utils.learner", "utils.reference"))}
    others = {name for name in ours if not name.startswith(("utils.running", "utils.gpt"))}
    assert others <= {"utils.config"}, "beside the course that it was told of, only what runs code"
