"""The proofs of `verify`: what must hold of an exercise so that it can be solved, and no wrong answer passes."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from utils.authoring.building import check
from utils.authoring.colab import TAG as COLAB
from utils.authoring.rendering import chapter
from utils.authoring.source import HINTS, NOTEBOOK_ONLY, Source, Task
from utils.checking import CheckFailed
from utils.course import ExerciseInfo

ENOUGH_FOR_A_CLASS, ENOUGH_FOR_A_FUNCTION = 6, 3  # misconceptions
SEEDS = (0, 1)  # a notebook's own, and one of those that a grader draws


class Wrong(Exception):
    """A proof failed; each argument is a reason, printed under the table."""


@dataclass(frozen=True)
class Case:
    """An exercise with all that its proofs look at."""

    exercise: ExerciseInfo
    source: Source
    task: Task
    tests: ModuleType
    solutions: ModuleType
    root: Path
    notes: list[str]

    @property
    def registered(self) -> Any:
        """The object of utils.checking that the test function belongs to."""
        return getattr(self.tests, self.exercise.test).exercise

    @property
    def solution(self) -> Any:
        return getattr(self.solutions, self.exercise.symbol)

    def verdict(self, component: Any, seed: int = 0) -> tuple[str, str | None, str]:
        """What the test says of a component: its status, the misconception that it names, and its card."""
        try:
            getattr(self.tests, self.exercise.test)(component, seed=seed)
        except CheckFailed as failed:
            failure = failed.verdict.failure
            return failed.verdict.status, failure and failure.misconception, str(failed)
        return "passed", None, ""


def _solution_passes(case: Case) -> str:
    status, _, card = case.verdict(case.solution)
    if status != "passed":
        raise Wrong(f"the solution is judged {status!r}:\n{card}")
    return ""


def _stub_is_not_yet(case: Case) -> str:
    status, _, card = case.verdict(_stub(case))
    if status != "not yet":
        raise Wrong(f"the chapter's stub is judged {status!r}, not 'not yet':\n{card}".rstrip(":\n"))
    return ""


def _stub(case: Case) -> Any:
    """What the chapter's notebook defines before anything is written: its imports and definitions, run alone."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in chapter(case.source, case.root).cells:
        if cell.cell_type == "code" and not {NOTEBOOK_ONLY, COLAB} & set(cell.metadata.get("tags", ())):
            exec(compile(cell.source, f"<{cell.id}>", "exec"), namespace)
    return namespace[case.exercise.symbol]


def _misconceptions_are_named(case: Case) -> str:
    everything = case.registered.misconceptions
    known, reasons = [one for one in everything if not one.another_form], []
    for what in ("name", "advice"):
        counts = Counter(getattr(misconception, what) for misconception in known)
        reasons += [f"two misconceptions have the {what} {text!r}" for text, count in counts.items() if count > 1]
    for misconception in everything:
        reasons += _first(_fault_of_misconception(case, misconception, seed) for seed in SEEDS)
    enough = ENOUGH_FOR_A_CLASS if isinstance(case.solution, type) else ENOUGH_FOR_A_FUNCTION
    if len(known) < enough:
        few = f"misconceptions: {len(known)} of the {enough} that such an exercise needs"
        (case.notes if case.task.draft else reasons).append(few)
    if reasons:
        raise Wrong(*reasons)
    return f"{len(known)} in {len(everything)}" if len(everything) > len(known) else str(len(known))


def _fault_of_misconception(case: Case, misconception: Any, seed: int) -> str | None:
    status, named, card = case.verdict(misconception.component, seed)
    subject = f"the misconception {misconception.name!r} is"
    if status != "failed":
        return f"{subject} judged {status!r}{_under(seed)}"
    if named != misconception.name:
        return f"{subject} {f'taken for {named!r}' if named else 'rejected, but not named'}{_under(seed)}"
    if misconception.advice not in card:
        return f"{subject} named, but its advice is not on the card{_under(seed)}:\n{card}"
    return None


def _variants_pass(case: Case) -> str:
    known = case.registered.variants
    reasons = [] if known else ["no correct variant shows that the test accepts another way of writing it"]
    for variant in known:
        reasons += _first(_fault_of_variant(case, variant, seed) for seed in SEEDS)
    if reasons:
        raise Wrong(*reasons)
    return str(len(known))


def _fault_of_variant(case: Case, variant: Any, seed: int) -> str | None:
    status, named, card = case.verdict(variant.component, seed)
    if status == "passed":
        return None
    return f"the correct variant {variant.name!r} is judged {status!r} ({named}){_under(seed)}:\n{card}"


def _first(faults: Iterable[str | None]) -> list[str]:
    """The first fault, if there is one; what fails with one seed mostly fails with all."""
    return [fault for fault in faults if fault][:1]


def _under(seed: int) -> str:
    return f" with seed {seed}" if seed else ""


def _hints_are_there(case: Case) -> str:
    if missing := [hint for hint in HINTS if hint not in case.task.hints]:
        raise Wrong(f"no cell with hint={' or '.join(map(repr, missing))} after the stub")
    return ""


def _details_are_there(case: Case) -> str:
    if missing := [name for name in ("difficulty", "importance", "minutes") if getattr(case.task, name) is None]:
        raise Wrong(f"{case.source.path}:{case.task.line}: {', '.join(missing)} missing from the exercise's cell")
    return f"{case.task.minutes} min"


def _notebooks_are_up_to_date(case: Case) -> str:
    if stale := check(case.exercise.stem, case.root):
        raise Wrong(*stale)
    return ""


PROOFS: dict[str, Callable[[Case], str]] = {
    "solution": _solution_passes,
    "stub": _stub_is_not_yet,
    "misconceptions": _misconceptions_are_named,
    "variants": _variants_pass,
    "hints": _hints_are_there,
    "details": _details_are_there,
    "notebooks": _notebooks_are_up_to_date,
}
