"""The two seams of utils.checking: code may run behind a wall, and what is right may come from a record."""

import subprocess
import sys
from dataclasses import asdict

import pytest

from tests import ch03_layernorm
from tests.ch03_layernorm import Given, layer_norm
from utils.checking import oracle as oracles
from utils.checking import use_oracle, use_runner
from utils.checking.oracle import RecordedOracle, RecordingOracle
from utils.config import Config
from utils.running.local import LocalRunner
from utils.running.records import from_bytes, to_bytes


class Raising(Given):
    """Raises on a line of its own, once it has printed something."""

    def forward(self, residual):
        print("the shape is", list(residual.shape))
        return residual.detach().wieght


class Stub(Given):
    def forward(self, residual):
        raise NotImplementedError("write this part")


def components():
    """Who is judged, by name, on both sides of the wall."""
    from solutions.ch03_layernorm import LayerNorm

    wrong = {one.name: one.component for one in layer_norm.misconceptions}
    return {"the solution": LayerNorm, "raising": Raising, "stub": Stub} | {
        name: wrong[name] for name in ("the unbiased variance", "a mean and variance cut out of the graph")
    }


NAMES = tuple(components())


def serve():
    """The far side: answer each question on stdin, as bytes after their number, on stdout."""
    answer_to = sys.stdout.buffer
    while size := int.from_bytes(sys.stdin.buffer.read(8), "little"):
        name, kind, cfg, *rest = from_bytes(sys.stdin.buffer.read(size))
        component = components()[name]
        record = (
            LocalRunner().run(component, Config(**cfg), *rest)
            if kind == "run"
            else LocalRunner().call(component, *rest)
        )
        blob = to_bytes(record)
        answer_to.write(len(blob).to_bytes(8, "little") + blob)
        answer_to.flush()


class Untouchable:
    """Stands for a component that is elsewhere: whoever looks at it or calls it is caught."""

    def __getattribute__(self, name):
        raise AssertionError(f"the test function reached for .{name}")

    def __call__(self, *arguments):
        raise AssertionError("the test function called the component itself")


class BehindTheWall:
    """Runs the named component in another process; only bytes go through."""

    def __init__(self, name, process):
        self.name, self.process, self.asked = name, process, 0

    def run(self, component, cfg, weights, inputs, cotangent, times, before):
        return self._ask(component, "run", asdict(cfg), weights, inputs, cotangent, times, before)

    def call(self, function, args, cotangent, times, before):
        return self._ask(function, "call", {}, args, cotangent, times, before)

    def _ask(self, component, *question):
        assert type(component) is Untouchable
        self.asked += 1
        blob = to_bytes((self.name, *question))
        self.process.stdin.write(len(blob).to_bytes(8, "little") + blob)
        self.process.stdin.flush()
        size = int.from_bytes(self.process.stdout.read(8), "little")
        return from_bytes(self.process.stdout.read(size))


@pytest.fixture(scope="module")
def process():
    command = [sys.executable, "-c", "from tests.test_seams import serve; serve()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.stdin.close()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 1])
def test_behind_a_wall_the_verdict_is_the_same(name, seed, process):
    here = layer_norm.judge(components()[name], seed)
    runner = BehindTheWall(name, process)
    with use_runner(runner):
        there = layer_norm.judge(Untouchable(), seed)
    assert there == here
    assert runner.asked
    assert here.status == {"the solution": "passed", "stub": "not yet"}.get(name, "failed")


def test_on_a_pass_the_component_is_left_alone_even_in_a_notebook(process, monkeypatch):
    for module in ("utils.checking.judging", "utils.learner.progress"):
        monkeypatch.setattr(f"{module}.in_notebook", lambda: True)
    with use_runner(BehindTheWall("the solution", process)):
        assert ch03_layernorm.test_layer_norm(Untouchable()) is None


def test_the_spy_would_catch_a_test_function_that_looks():
    with pytest.raises(AssertionError, match=r"reached for \.__name__"):
        Untouchable().__name__  # noqa: B018
    with pytest.raises(AssertionError, match="called the component"):
        Untouchable()(1)
    assert layer_norm.judge(Untouchable()).details == ("AssertionError: the test function called the component itself",)


@pytest.fixture
def recorded(tmp_path):
    """A folder with the answers to every question of test_layer_norm with seed 0."""
    folder = tmp_path / "tests" / "expected"
    with use_oracle(RecordingOracle(folder)):
        assert layer_norm.judge(components()["the solution"]).status == "passed"
    return folder


@pytest.fixture
def no_solutions(monkeypatch):
    """Each component and its verdict; from now on `solutions` can't be imported, as in a course without them."""
    judged = [(component, layer_norm.judge(component)) for component in components().values()]
    for name in [name for name in sys.modules if name.partition(".")[0] == "solutions"] + ["solutions"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError):
        import solutions.ch03_layernorm  # noqa: F401
    return judged


@pytest.mark.parametrize("given_by_hand", [True, False])
def test_without_the_solutions_a_record_gives_the_same_verdicts(recorded, no_solutions, given_by_hand, monkeypatch):
    """The folder is named by `use_oracle`, or else found as tests/expected in the course."""
    monkeypatch.setattr(oracles, "ROOT", None if given_by_hand else recorded.parents[1])
    for component, verdict in no_solutions:
        if given_by_hand:
            with use_oracle(RecordedOracle(recorded)):
                assert layer_norm.judge(component) == verdict
        else:
            assert layer_norm.judge(component) == verdict


def test_a_question_that_was_not_recorded_says_where_it_is_missing(recorded, no_solutions):
    wanted = f"no recorded answer LayerNorm-7-1.safetensors in {recorded}: record it where the solutions are"
    with use_oracle(RecordedOracle(recorded)), pytest.raises(LookupError) as caught:
        layer_norm.judge(no_solutions[0][0], seed=7)
    assert str(caught.value) == wanted


def test_a_solution_that_raises_is_no_verdict_on_the_learner(monkeypatch):
    monkeypatch.setattr("solutions.ch03_layernorm.LayerNorm", Raising)
    with pytest.raises(
        RuntimeError, match=r"solution solutions\.ch03_layernorm\.LayerNorm raised AttributeError: .*wieght"
    ):
        layer_norm.judge(layer_norm.variants[0].component)


def test_a_module_that_the_solution_misses_is_named(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'einops'", name="einops")

    monkeypatch.setattr(oracles.importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="einops"):
        layer_norm.judge(layer_norm.variants[0].component)


def test_the_default_runner_is_back_after_an_error():
    with pytest.raises(ZeroDivisionError), use_runner(None), use_oracle(None):
        raise ZeroDivisionError
    assert layer_norm.judge(layer_norm.variants[0].component).status == "passed"
