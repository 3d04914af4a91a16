"""The proofs of `verify`: what must hold of an exercise so that it can be solved, and no wrong answer passes."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from author.building import chapter, check, solution_path
from author.mutants import outcome_of, place_of
from author.notebooks import TAG as COLAB
from author.notebooks import code_cells, executed
from author.source import HINTS, NOTEBOOK_ONLY, NUMBERS, Source, Task
from judge.checking import Exercise, Misconception, Verdict
from judge.checking.asking import ask_locally
from judge.checking.declaring import prove_against_solution, prove_call
from judge.checking.known import Variant
from judge.checking.oracle import solution_of
from judge.checking.verdict import Failure
from judge.running.records import Question
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


DIFFER = "ask a question on which the two differ"
HOW = "longer or shorter vectors, another eps, more positions"
FARTHER = f"{DIFFER} by more ({HOW}), or leave it out"
ALSO = "or make it another form of that one: @exercise.also"
APART = f"{DIFFER} in the check that stops it, {ALSO}"
NOTHING = "no check tells it from the solution"
UNNAMED = "It must do the same each time that it is asked"
# as a card says of a call that does not fit the signature
NEVER_REACHED = "and Python answered"
# What Python says of a name that is not there: of a variable, of a module's attribute, of a module.
NO_SUCH_NAME = re.compile(
    r"^(?:(?:Name|UnboundLocal|Import|ModuleNotFound)Error: .*?"
    r"|AttributeError: module '[\w.]+' has no attribute )'(\w+)",
    re.MULTILINE,
)
# a card leaves out what an advice says of functions that the answer does not have
NOTHING_TRUE = "what it says is about functions that stand nowhere in this answer; say what to do, in its own sentence"
OWN_MISTAKE = "Is it a typing mistake, or an import that is missing? Where a learner would miss that name, say which"


def fault_of_misconception(misconception: Misconception, verdict: Verdict, seed: int) -> str | None:
    """Why this verdict is not the one that the misconception must get; None where it is."""
    found = _named_otherwise(misconception, verdict)
    if found is None:
        return None
    what, why = found
    subject = _subject("misconception", misconception)
    return f"{subject} is {what}{_under(seed)}{why}"


def _named_otherwise(misconception: Misconception, verdict: Verdict) -> tuple[str, str] | None:
    """The wrong outcome of a misconception, and what to do about it; None where it is as it should be."""
    failure = verdict.failure
    if failure is None:
        error = verdict.error_over_tolerance
        so_far = f"the solution and it differ by {error:.1g} of what is allowed"
        here = so_far if error else NOTHING
        return "judged 'passed'", f". Here {here}: {FARTHER}."
    if failure.not_yet:
        return "judged 'not yet'", ": it raised NotImplementedError."
    if not failure.misconception:
        return "rejected, but not named", f". {UNNAMED}. Its card:\n{verdict}"
    if failure.misconception != misconception.name:
        return f"taken for {failure.misconception!r}", f": {APART}."
    if failure.details[0].endswith(NEVER_REACHED):
        what = "stopped before a line of its own ran"
        return what, f". Is `self` missing?\n{verdict}"
    if missing := _missing_name(misconception, failure):
        return f"stopped by a name that is not there, {missing}", f". {OWN_MISTAKE}:\n{verdict}"
    if not failure.advice:
        return "named without an advice", f": {NOTHING_TRUE}:\n{verdict}"
    return None


def _missing_name(misconception: Misconception, failure: Failure) -> str:
    """The name whose lack ends it, unless that is what it is about; any code with that error is like it."""
    found = NO_SUCH_NAME.search("\n".join(failure.details))
    if not found:
        return ""
    about = f"{misconception.name} {misconception.advice}"
    is_meant = re.search(rf"\b{found[1]}\b", about)
    return "" if is_meant else found[1]


def fault_of_variant(variant: Variant, verdict: Verdict, seed: int) -> str | None:
    """Why this verdict is not 'passed'; None where it is."""
    if verdict.failure is None:
        return None
    subject = _subject("correct variant", variant)
    return f"{subject} is judged {verdict.status!r}{_under(seed)}:\n{verdict}"


def _subject(what: str, known: Misconception | Variant) -> str:
    place = known.declared_at
    return f"{place.path}:{place.line}: the {what} {known.name!r}"


def _under(seed: int) -> str:
    return f" with seed {seed}" if seed else ""


ONCE = ": change one, or write @exercise.also above the second, if it is another form of the first"
ENOUGH_FOR_A_CLASS, ENOUGH_FOR_A_FUNCTION = 6, 3  # misconceptions
MOST_SURVEYED = 10  # misconceptions, and variants, whose questions are compared
SOME = 4  # misconceptions, and half as many variants, that are looked at where the proof need not be thorough
SEEDS = NOTEBOOKS, GRADERS = 0, 1  # a notebook's own, and one of those that a grader draws
FURTHER = 2  # another of these, with which no misconception may pass either


def _declaration_fits(case: Case) -> str:
    exercise = case.registered
    prove_call(exercise, case.solution)
    if not exercise.kind.of_settings:
        return ""
    small = exercise.known_settings.small
    made = exercise.kind.only_made(small, list(exercise.axes(small)), seed=0)
    record = ask_locally(case.solution, made)
    if record.error:
        call = f"{exercise.solution}.{exercise.symbol}(cfg)"
        raised = f"{call} raised {record.error.type}: {record.error.message}"
        raise exercise.declared_at.mistake(raised)
    prove_against_solution(exercise, small, record.parameters)
    return ""


def _solution_passes(case: Case) -> str:
    verdict = case.judge(case.solution)
    if verdict.failure:
        raise Wrong(f"the solution is judged {verdict.status!r}:\n{verdict}")
    return ""


def _stub_is_not_yet(case: Case) -> str:
    verdict = case.judge(_stub(case))
    if verdict.status != "not yet":
        card = f":\n{verdict}" if verdict.failure else ""
        raise Wrong(f"the chapter's stub is judged {verdict.status!r}, not 'not yet'{card}")
    return ""


def _questions_depend_on_the_seed_alone(case: Case) -> str:
    wanted = _asked(case, case.solution)
    reasons = []
    for who, component in _surveyed(case).items():
        names = _asked(case, component)
        if names != wanted:
            more, less = len(names - wanted), len(wanted - names)
            difference = f"is asked {more} questions that the solution is not asked, and not asked {less} that it is"
            reasons.append(f"{who} {difference}: a test's questions must depend on the seed alone")
    if reasons:
        raise Wrong(*reasons)
    return str(len(wanted))


def _asked(case: Case, component: Any) -> set[Question]:
    return set(case.registered.questions(component, seed=0))


def _surveyed(case: Case) -> dict[str, Any]:
    """Whose questions are compared with the solution's, by what a reason calls them."""
    everybody = {"the solution, asked once more,": case.solution, "the stub": _stub(case)}
    most = MOST_SURVEYED if case.thorough else 1
    for misconception in _some(_first_forms(case), most):
        everybody[f"the misconception {misconception.name!r}"] = misconception.component
    for variant in _some(case.registered.variants, most):
        everybody[f"the correct variant {variant.name!r}"] = variant.component
    return everybody


def _first_forms(case: Case) -> list[Misconception]:
    return [misconception for misconception in case.registered.misconceptions if not misconception.another_form]


def _some(everything: Sequence[Any], most: int) -> Sequence[Any]:
    """At most so many, from all over."""
    return everything[:: math.ceil(len(everything) / most) or 1]


def _stub(case: Case) -> Any:
    """What the chapter's notebook defines before anything is written: its imports and definitions, run alone."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in chapter(case.source).cells:
        tags = set(cell.metadata.get("tags", ()))
        if cell.cell_type == "code" and not tags & {NOTEBOOK_ONLY, COLAB}:
            exec(compile(cell.source, f"<{cell.id}>", "exec"), namespace)
    return namespace[case.exercise.symbol]


def _misconceptions_are_named(case: Case) -> str:
    everything = case.registered.misconceptions
    known = _first_forms(case)
    reasons = _twice(known)
    reasons += _faults(case, everything if case.thorough else _some(known, SOME))
    is_class = isinstance(case.solution, type)
    enough = ENOUGH_FOR_A_CLASS if is_class else ENOUGH_FOR_A_FUNCTION
    if len(known) < enough:
        few = f"misconceptions: {len(known)} of the {enough} that such an exercise needs"
        (case.notes if case.task.draft else reasons).append(few)
    if reasons:
        raise Wrong(*reasons)
    return f"{len(known)} in {len(everything)}" if len(everything) > len(known) else str(len(known))


def _twice(known: Sequence[Misconception]) -> list[str]:
    """Names, and advices, that two of these share."""
    reasons: list[str] = []
    for what in ("name", "advice"):
        counts = Counter(getattr(misconception, what) for misconception in known)
        shared = [text for text, n in counts.items() if n > 1]
        reasons += [f"two misconceptions have the {what} {text!r}{ONCE}" for text in shared]
    return reasons


def _faults(case: Case, judged: Sequence[Misconception]) -> list[str]:
    """The first fault of each; what fails with one seed mostly fails with all.

    One seed after the other: the answers of all misconceptions to one seed's questions are remembered, those to two
    would be too many.
    """
    found: dict[int, str] = {}
    for seed in (NOTEBOOKS, GRADERS, FURTHER) if case.thorough else (NOTEBOOKS,):
        for number, misconception in enumerate(judged):
            fault = None if number in found else _fault(case, misconception, seed)
            if fault:
                found[number] = fault
    return [found[number] for number in sorted(found)]


def _fault(case: Case, misconception: Misconception, seed: int) -> str | None:
    """It is named with a notebook's seed, a first form with a grader's too; and no other seed lets any form pass."""
    wrong = misconception.component
    is_first = not misconception.another_form
    is_named = seed == NOTEBOOKS or (is_first and seed == GRADERS)
    if not is_named and not case.registered.passes(wrong, seed=seed):
        return None
    return fault_of_misconception(misconception, case.judge(wrong, seed), seed)


def _variants_pass(case: Case) -> str:
    known = case.registered.variants
    if not known:
        raise Wrong("no correct variant shows that the test accepts another way of writing it")
    seeds = SEEDS if case.thorough else (GRADERS,)
    reasons: list[str] = []
    for variant in known if case.thorough else _some(known, SOME // 2):
        verdicts = ((case.judge(variant.component, seed), seed) for seed in seeds)
        reasons += _first(fault_of_variant(variant, *judged) for judged in verdicts)
    if reasons:
        raise Wrong(*reasons)
    return str(len(known))


def _mutants_are_rejected(case: Case) -> str:
    if not case.thorough:
        return "left to verify"
    exercise = case.registered
    if not exercise.passes(case.solution):
        raise Wrong  # its own column says why
    outcome = outcome_of(exercise, place_of(exercise, case.source, case.tests))
    case.notes.extend(outcome.notes)
    if outcome.reasons:
        raise Wrong(*outcome.reasons)
    return f"{outcome.rejected}/{outcome.counted}"


def _first(faults: Iterable[str | None]) -> list[str]:
    """The first fault, if there is one; what fails with one seed mostly fails with all."""
    return [fault for fault in faults if fault][:1]


def _hints_are_there(case: Case) -> str:
    if missing := [hint for hint in HINTS if hint not in case.task.hints]:
        cells = " and ".join(f'`# %% [markdown] hint="{hint}"`' for hint in missing)
        raise Wrong(f"{_where(case)}: after the stub of {case.task.symbol} there is no cell {cells}")
    return ""


def _details_are_there(case: Case) -> str:
    if missing := [name for name in NUMBERS if getattr(case.task, name) is None]:
        raise Wrong(f"{_where(case)}: {', '.join(missing)} missing from the exercise's cell")
    return f"{case.task.minutes} min"


def _where(case: Case) -> str:
    return f"{case.source.path}:{case.task.line}"


def _notebooks_are_up_to_date(case: Case) -> str:
    if stale := check(case.exercise.stem, case.root):
        raise Wrong(*stale)
    path = solution_path(case.exercise.stem, case.root)
    card = str(case.judge(case.solution))
    if not any(card in text for text in _shown(path)):
        what = f"{path.relative_to(case.root)} has another card than {case.exercise.test} gives now"
        raise Wrong(f"{what}: python -m utils build {case.exercise.stem} --force")
    return ""


def _shown(path: Path) -> list[str]:
    """What a notebook's outputs show as text: a card is displayed, or printed where no reporter of a notebook is."""
    notebook = executed(path)
    cells = code_cells(notebook) if notebook else ()
    outputs = [output for cell in cells for output in cell.outputs]
    return [output.get("text") or output.get("data", {}).get("text/plain") or "" for output in outputs]


PROOFS: dict[str, Callable[[Case], str]] = {
    "declared": _declaration_fits,
    "solution": _solution_passes,
    "stub": _stub_is_not_yet,
    "questions": _questions_depend_on_the_seed_alone,
    "misconceptions": _misconceptions_are_named,
    "variants": _variants_pass,
    "mutants": _mutants_are_rejected,
    "hints": _hints_are_there,
    "details": _details_are_there,
    "notebooks": _notebooks_are_up_to_date,
}
# What takes long, and depends on the code of the exercise and of the engine alone
LASTING = ("questions", "misconceptions", "variants", "mutants")
