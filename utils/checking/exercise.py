"""`Exercise`: what a chapter's tests declare about one thing to write."""

import functools
import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from utils.checking import declaring
from utils.checking.asking import runs_locally
from utils.checking.judging import CheckFailed, judge, questions_of, survey
from utils.checking.known import KnownAnswers
from utils.checking.reporting import current_reporter
from utils.checking.verdict import Verdict
from utils.running.parameters import given_class
from utils.running.records import Question


@dataclass(frozen=True)
class WorkedExample:
    """The chapter's own example: a question whose answer the text computes by hand.

    `shows` names properties of the answer that a reader of the chapter knows, such as the mean of each vector.
    """

    text: str  # "the chapter's vector 0, 2, 2, 8 (with `w` = 1 and `b` = 0)"
    arguments: tuple
    shows: dict[str, Callable[[Tensor], float]] = field(default_factory=dict)


@dataclass(eq=False)
class Exercise(KnownAnswers):
    """One thing the learner writes.

    `inputs` and `output` name the axes of what goes in and comes out: `"batch pos d_model"`, `"..."` for any shape, ""
    for what is no tensor. `free_axes` are axes of the output whose sizes neither the inputs nor the Config know.
    `parameters` gives each parameter's axes, such as {"w": "d_model"}, or is a function from the Config (or from what
    the driver makes the component of) to such a dict; a function to write has none. `initial` gives the constants that
    parameters start with, and may be a function like `parameters`; the others start with random numbers. `spreads` says
    of which spread, by the parameter's name and the Config: where several are given, each is right. `drive` names the
    driver. `view` is applied to both answers before they are compared, where several are right. `solution` is the
    module that holds the reference solution, by default solutions.chNN_word for tests/chNN_word.py. `given` is the
    class that misconceptions written as a `forward` alone belong to, by default made from `parameters` and `initial`.

    Raises CourseError, with file and line, for a declaration that can't be right.
    """

    inputs: dict[str, str]
    output: str = ""
    parameters: dict[str, str] | Callable[[Any], dict[str, str]] | None = None
    initial: dict[str, float] | Callable[[Any], dict[str, float]] = field(default_factory=dict)
    spreads: Callable[[str, Any], Collection[float]] = lambda name, cfg: (cfg.init_range,)
    drive: str = ""
    free_axes: str = ""
    view: Callable[[Any], Any] = lambda answer: answer
    example: WorkedExample | None = None
    solution: str = ""
    given: type | None = None
    symbol: str = field(default="", init=False)
    declared_at: declaring.Place = field(init=False, repr=False)
    body: Callable[[Any], None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.declared_at = declaring.calling_place()
        self.drive = self.drive or ("function" if self.parameters is None else "component")
        declaring.prove(self)
        if self.given is None and self.drive == "component" and isinstance(self.parameters, dict):
            self.given = given_class(self.parameters, self.starts())

    @property
    def stem(self) -> str:
        """The chapter that the exercise belongs to."""
        return self.solution.rpartition(".")[2]

    @property
    def inputs_axes(self) -> list[list[str]]:
        """The axes of each input."""
        return [axes.split() for axes in self.inputs.values()]

    def axes(self, made_of: Any = None) -> dict[str, str]:
        """Each parameter's axes, for a component made of this Config (or whatever the driver makes it of)."""
        return self.parameters(made_of) if callable(self.parameters) else self.parameters or {}

    def starts(self, made_of: Any = None) -> dict[str, float]:
        """The constants that parameters start with, for a component made of this Config."""
        return self.initial(made_of) if callable(self.initial) else self.initial

    def test(self, function: Callable[..., None]) -> Callable[..., None]:
        """Make a test function of a body of checks: it reports its verdict, and raises CheckFailed unless all holds.

        What the learner writes has the name of the function's first parameter.
        """
        self.symbol = declaring.symbol_of(function)
        self.solution = self.solution or f"solutions.{Path(function.__code__.co_filename).stem}"  # whoever imported it
        self.body = function
        self._are_known_beside(function)

        @functools.wraps(function)
        def judged(*components: Any, seed: int = 0, **by_name: Any) -> None:
            if wrong := declaring.misuse(self, function.__name__, components, by_name):
                self._report(Verdict(self.symbol, seed, failure=wrong), None)
            bound = inspect.signature(function).bind(*components, **by_name)
            self._report(self.judge(*bound.args, seed=seed), bound.args[0])

        judged.exercise = self  # type: ignore[attr-defined]
        return judged

    def judge(self, component: Any, *others: Any, seed: int = 0) -> Verdict:
        """The verdict on a component, as data: nothing is shown, nothing is raised for what the component does."""
        return judge(self, (component, *others), seed)

    def passes(self, component: Any, *others: Any, seed: int = 0) -> bool:
        """Whether all holds of a component; quicker than `judge`, since nobody looks for a cause."""
        return judge(self, (component, *others), seed, diagnosing=False).failure is None

    def questions(self, *components: Any, seed: int = 0) -> list[Question]:
        """All questions that the test asks with this seed; they must not depend on the components.

        Without components the reference is asked, and the answer remembered.
        """
        return survey(self, components, seed) if components else questions_of(self, seed)

    def _report(self, verdict: Verdict, component: Any) -> None:
        seen = current_reporter().report(self.stem, verdict, component if runs_locally() else None)
        if verdict.failure:
            raise CheckFailed(verdict, seen)

    def _whole(self, implementation: Any) -> Any:
        if isinstance(implementation, type) or (self.given is None and self.drive != "component"):
            return implementation
        if self.given is None:
            message = f"{implementation.__name__} is a forward alone, and given= does not say what class it belongs to."
            raise declaring.calling_place().mistake(message)
        return type(implementation.__name__, (self.given,), {"forward": implementation})
