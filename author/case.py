"""One exercise with all that the proofs of `verify` look at."""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from author.source import Source, Task
from judge.checking import Exercise, Verdict
from judge.checking.oracle import solution_of
from utils.course import CourseError, ExerciseInfo


class Wrong(Exception):
    """A proof failed; each argument is a reason, printed under the table."""


@dataclass(frozen=True)
class Case:
    """An exercise with all that its proofs look at."""

    exercise: ExerciseInfo
    source: Source
    task: Task
    tests: ModuleType
    root: Path
    notes: list[str]
    thorough: bool = True  # else with one seed, of SOME of what the test registers, and without mutants

    @property
    def registered(self) -> Exercise:
        """What the test function was made by. Raises CourseError, with its line, where it was made by nothing."""
        test = getattr(self.tests, self.exercise.test)
        if not hasattr(test, "exercise"):
            code = test.__code__
            what = f"{test.__name__} is not the test function of an Exercise"
            message = f"{what}; write @exercise.test above it."
            raise CourseError.at(Path(code.co_filename), code.co_firstlineno, message)
        return test.exercise

    @property
    def solution(self) -> Any:
        return solution_of(self.registered)

    def judge(self, component: Any, seed: int = 0) -> Verdict:
        return self.registered.judge(component, seed=seed)
