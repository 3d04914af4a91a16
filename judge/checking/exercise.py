"""`Exercise`: what a chapter's tests declare about one thing to write."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from judge.checking import rewriting
from judge.checking.again import Asked, ask_again
from judge.checking.asking import runs_locally
from judge.checking.declaration import Declaration
from judge.checking.declaring import default_drive, misuse, prove, symbol_of
from judge.checking.judging import CheckFailed, Stopped, judge
from judge.checking.places import calling_place
from judge.checking.reporting import current_reporter
from judge.checking.survey import questions_of, survey
from judge.checking.verdict import Verdict
from judge.running.records import Question


@dataclass(eq=False)
class Exercise(Declaration):
    """A declaration with its test function: what authors write misconceptions and variants beside.

    Raises CourseError, with file and line, for a declaration that can't be right.
    """

    def __post_init__(self) -> None:
        self.declared_at = calling_place()
        self.drive = self.drive or default_drive(self)
        prove(self)
        if self.given is None:
            starts = {} if callable(self.parameters) else self.starts()
            self.given = self.kind.given(self.parameters, starts)

    def test(self, function: Callable[..., None]) -> Callable[..., None]:
        """Make a test function of a body of checks: it reports its verdict, and raises CheckFailed unless all holds.

        What the learner writes has the name of the function's first parameter.
        """
        self.symbol = symbol_of(function)
        self.solution = self.solution or f"solutions.{Path(function.__code__.co_filename).stem}"  # whoever imported it
        self.body = function
        self._are_known_beside(function)

        @functools.wraps(function)
        def judged(*components: Any, seed: int = 0, **by_name: Any) -> None:
            if wrong := misuse(self, function.__name__, components, by_name):
                self._report(Verdict(self.symbol, seed, failure=wrong), None)
            bound = inspect.signature(function).bind(*components, **by_name)
            try:
                verdict = self.judge(*bound.args, seed=seed)
            except Stopped as stop:
                stop.card_is_seen = current_reporter().report(self.stem, stop.verdict, None)
                raise
            self._report(verdict, bound.args[0])

        judged.exercise = self  # type: ignore[attr-defined]
        judged.again = self.again  # type: ignore[attr-defined]
        return judged

    def changed(self, before: str, after: str, of: Any = None) -> Any:
        """The solution with one change of its text, for a misconception that is no more than that.

        `exercise.misconception(name, advice, exercise.changed("pre)", "post)"))`, which is short of
        `exercise.misconception(name, advice, "pre) → post)")`. Another function or class is changed where it is `of`.
        Raises CourseError, with file and line, where `before` is not in it exactly once.
        """
        return rewriting.changed(self, [(before, after)], calling_place(), of)

    def judge(self, component: Any, *others: Any, seed: int = 0) -> Verdict:
        """The verdict on a component, as data: nothing is shown, nothing is raised for what the component does.

        Where the library that it is written with is not installed, it is skipped, and the verdict says how to get it.
        """
        if missing := self.written_with.how_to_install:
            return Verdict(self.symbol, seed, skipped=missing)
        return judge(self, (component, *others), seed)

    def passes(self, component: Any, *others: Any, seed: int = 0) -> bool:
        """Whether all holds of a component; quicker than `judge`, since nobody looks for a cause."""
        return judge(self, (component, *others), seed, diagnosing=False).failure is None

    def questions(self, *components: Any, seed: int = 0) -> list[Question]:
        """All questions that the test asks with this seed; they must not depend on the components.

        Without components the reference is asked, and the answer remembered.
        """
        return survey(self, components, seed) if components else questions_of(self, seed)

    def again(self, component: Any, question: int, of: str = "output", seed: int = 0) -> Asked:
        """What the component is given, what it answers, and what is expected, for the question of this number.

        That is the one that a failed card names under *Try it yourself*. See `ask_again`.
        """
        return ask_again(self, component, question, len(inspect.signature(self.body).parameters), of, seed)

    def _report(self, verdict: Verdict, component: Any) -> None:
        seen = current_reporter().report(self.stem, verdict, component if runs_locally() else None)
        if verdict.failure:
            raise CheckFailed(verdict, seen)

    def _written(self, wrong: Any, of: Any) -> Any:
        if not isinstance(wrong, str | tuple):
            return wrong
        place = calling_place()
        changes = rewriting.read_changes(cast("str | tuple[str, ...]", wrong), place)
        return rewriting.changed(self, changes, place, of)

    def _whole(self, implementation: Any) -> Any:
        if isinstance(implementation, type) or (self.given is None and not self.kind.of_settings):
            return implementation
        if self.given is None:
            alone = f"{implementation.__name__} is a forward alone"
            raise calling_place().mistake(f"{alone}, and given= does not say what class it belongs to.")
        return type(implementation.__name__, (self.given,), {"forward": implementation})
