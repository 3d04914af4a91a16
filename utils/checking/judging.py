"""`Exercise`: what a chapter's tests say about one thing to write, and how a test function becomes a verdict."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch

from utils.checking.comparing import Difference
from utils.config import Config
from utils.learner.cards import Verdict, in_notebook, show, text
from utils.learner.progress import record_pass
from utils.running.local import runs_here
from utils.running.records import LearnerError


class CheckFailed(AssertionError):
    """A test function's verdict when not all holds; its text is the card, `verdict` the same as data."""

    def __init__(self, verdict: Verdict):
        super().__init__(text(verdict))
        self.verdict = verdict

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback: one line where the card stands above, else the card."""
        return [self.verdict.summary()] if in_notebook() else [str(self)]


@dataclass(frozen=True)
class Misconception:
    """A plausible wrong implementation. Fits "This is what you get from {name}: {advice}"."""

    name: str
    advice: str
    component: Any


@dataclass(frozen=True)
class Variant:
    """A correct implementation that is written differently from the solution."""

    name: str
    component: Any


@dataclass
class Exercise:
    """One thing the learner writes.

    `solution` is the module of the reference solution; `parameters` gives each parameter's axes, such as
    {"w": "d_model"}, and stays None for a function; `inputs` and `output` name the axes of what goes in and comes out.
    `given` is the base class with the parameters, for misconceptions that are only a wrong `forward`.
    """

    symbol: str
    solution: str
    inputs: dict[str, str]
    output: str
    parameters: dict[str, str] | None = None
    given: type | None = None
    body: Callable[[Any], None] | None = None
    misconceptions: list[Misconception] = field(default_factory=list)
    variants: list[Variant] = field(default_factory=list)

    @property
    def stem(self) -> str:
        """The chapter that the exercise belongs to."""
        return self.solution.rpartition(".")[2]

    def misconception(self, name: str, advice: str) -> Callable[[Any], Any]:
        """Register a wrong implementation: a whole component, or with `given` a `forward(self, ...)` alone."""

        def register(wrong: Any) -> Any:
            self.misconceptions.append(Misconception(name, advice, self._whole(wrong)))
            return wrong

        return register

    def correct(self, right: Any) -> Any:
        """Register a correct implementation that a test must accept."""
        self.variants.append(Variant(right.__name__, self._whole(right)))
        return right

    def test(self, function: Callable[[Any], None]) -> Callable[..., None]:
        """Make a test function of a body of checks: it shows a card, and raises CheckFailed unless all holds."""

        self.body = function

        @functools.wraps(function)
        def judged(*component: Any, seed: int = 0, **by_name: Any) -> None:
            (component,) = inspect.signature(function).bind(*component, **by_name).args
            verdict = self.judge(component, seed)
            if verdict.status == "passed":
                verdict.footer = record_pass(self.stem, self.symbol, component) if runs_here() else ()
                show(verdict)
                return
            if in_notebook():  # elsewhere the exception's own text is the card
                show(verdict)
            raise CheckFailed(verdict)

        judged.exercise = self
        return judged

    def judge(self, component: Any, seed: int = 0) -> Verdict:
        """The verdict on a component, as data: nothing is shown, nothing is raised for what the component does."""
        session = Session(self, seed)
        token = _session.set(session)
        try:
            self.body(component)
        except CheckFailed as failed:  # the line that failed has filled in the verdict
            if failed.verdict is not session.verdict:  # a test function within this one
                raise
        except Mismatch as mismatch:
            said = "; ".join(mismatch.difference.lines)
            raise RuntimeError(f"a check of {self.symbol} stands outside `with line(...)`: {said}") from None
        finally:
            _session.reset(token)
        return session.verdict

    def _whole(self, implementation: Any) -> Any:
        if self.given is None or isinstance(implementation, type):
            return implementation
        return type(implementation.__name__, (self.given,), {"forward": implementation})


class Session:
    """One judging: the verdict as it grows, and the random numbers drawn for it."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise = exercise
        self.verdict = Verdict(exercise.symbol, seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.questions = 0

    def next_key(self) -> str:
        """A name for the next question to the reference solution; a test with the same seed asks the same ones."""
        self.questions += 1
        return f"{self.exercise.symbol}-{self.verdict.seed}-{self.questions}"

    def sizes(self, cfg: Config | None, inputs: tuple, axes: str) -> dict[str, int]:
        """The size of each named axis, from the inputs where they have it, else from the config."""
        known = vars(cfg) if cfg else {}
        for value, names in zip(inputs, self.exercise.inputs.values(), strict=False):
            if isinstance(value, torch.Tensor):
                known = known | dict(zip(names.split(), value.shape, strict=True))
        return {name: known[name] for name in axes.split()}


_session: ContextVar[Session] = ContextVar("session")


def session() -> Session:
    """The judging under way. Raises RuntimeError outside a test function."""
    try:
        return _session.get()
    except LookupError:
        raise RuntimeError("checks run inside a test function made by @exercise.test") from None


class Mismatch(Exception):
    """A check did not hold: why, and which misconception does the same."""

    def __init__(self, difference: Difference, mistake: Misconception | None = None, advice: str | None = None):
        super().__init__(difference.lines)
        self.difference, self.mistake = difference, mistake
        self.advice = mistake.advice if mistake else advice
        self.error: LearnerError | None = None
        self.printed = ""


@contextlib.contextmanager
def line(title: str) -> Iterator[None]:
    """One line of the card: ✔ when every check in the block holds, else ✘ with the reason, and the test ends."""
    verdict = session().verdict
    try:
        yield
    except Mismatch as mismatch:
        verdict.status, verdict.failed = "failed", title
        verdict.details, verdict.printed = mismatch.difference.lines, mismatch.printed
        verdict.ratio = mismatch.difference.ratio
        verdict.mistake, verdict.advice = mismatch.mistake and mismatch.mistake.name, mismatch.advice
        if mismatch.error:
            verdict.frames = tuple(mismatch.error.frames)
            if mismatch.error.not_implemented:
                verdict.status, verdict.failed, verdict.frames, verdict.printed = "not yet", None, (), ""
        raise CheckFailed(verdict) from None
    verdict.passed.append(title)
