"""What mutants prove of a test: those that nothing tells from the solution, and those that nobody could name."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from author.mutants import Fate, Mutant, fates, mutants_of
from author.source import Source
from judge.checking import Exercise
from judge.checking.places import did_you_mean
from utils.course import ROOT

# changes in a note
MOST_LISTED = 3
ENDLESS = "did not come to an end, or took too much memory"


@dataclass(frozen=True)
class Outcome:
    """How many of the mutants that count were rejected, what is wrong, and what is worth knowing."""

    rejected: int
    counted: int
    reasons: list[str]
    notes: list[str]


@dataclass(frozen=True)
class Place:
    """Where an exercise's solution and its declaration are, for messages; both files in the course's root."""

    solution: Path
    # the file where its equivalents are declared
    known: Path
    # of the Exercise, in the tests
    name: str
    # the lines that a learner writes; empty where that is all of them
    written: Collection[int]
    root: Path = ROOT


def place_of(exercise: Exercise, source: Source, tests: ModuleType) -> Place:
    """The place of an exercise of a chapter."""
    written = set[int]()
    for cell in source.cells:
        start = cell.line + 1
        for region in cell.regions_of(exercise.symbol):
            written.update(range(start + region.first, start + region.last))
    names = (name for name, value in vars(tests).items() if value is exercise)
    known = [*exercise.equivalents, *exercise.variants, *exercise.misconceptions]
    asked = source.root / "tests" / f"{source.stem}.py"
    files = [one.declared_at.path for one in known] + [asked]
    return Place(
        solution=source.path,
        known=_in_the_course(files[0], source.root),
        name=next(names, "exercise"),
        written=written,
        root=source.root,
    )


def _in_the_course(path: Path, root: Path) -> Path:
    """A file by its path in the course's root; one that is elsewhere by its whole path."""
    return path.relative_to(root) if path.is_relative_to(root) else path


def outcome_of(exercise: Exercise, place: Place) -> Outcome:
    """Judge every mutant: one that survives must be declared, or change what is given."""
    mutants = mutants_of(exercise)
    fated = list(zip(mutants, fates(exercise, mutants), strict=True))
    stopped = [mutant for mutant, fate in fated if not fate.ended]
    survivors = [mutant for mutant, fate in fated if not fate.rejected]
    rejected = len(mutants) - len(survivors)
    declared = {one.change for one in exercise.equivalents}
    undeclared = [one for one in survivors if one.change not in declared]
    lines = place.written or {one.line for one in undeclared}
    given = [one for one in undeclared if one.line not in lines]
    wrong = [one for one in undeclared if one.line in lines]
    notes = {
        "mutants of lines that the stub gives pass the test": given,
        f"mutants that {ENDLESS}, count as rejected": stopped,
    }
    stale = _stale(exercise, survivors, place.root)
    return Outcome(
        rejected=rejected,
        counted=rejected + len(wrong),
        reasons=[*_undeclared(wrong, place), *stale],
        notes=[f"{what}: {_listed(some)}" for what, some in notes.items() if some],
    )


def _undeclared(survivors: list[Mutant], place: Place) -> Iterator[str]:
    lines: dict[str, list[int]] = defaultdict(list)
    for mutant in survivors:
        lines[mutant.change].append(mutant.line)
    for change, (first, *others) in lines.items():
        also = f" (and in line {', '.join(map(str, others))})" if others else ""
        quoted = json.dumps(change, ensure_ascii=False)
        yield (
            f"{place.solution}:{first}: no check tells `{change}`{also} from the solution. "
            "Ask a question on which the two differ; or, if they never do, "
            f'write in {place.known}: {place.name}.equivalent({quoted}, "why")'
        )


def _stale(exercise: Exercise, survivors: list[Mutant], root: Path) -> Iterator[str]:
    changes = {mutant.change for mutant in survivors}
    stale = [one for one in exercise.equivalents if one.change not in changes]
    for one in stale:
        path = _in_the_course(one.declared_at.path, root)
        meant = did_you_mean(one.change, sorted(changes))
        yield (
            f"{path}:{one.declared_at.line}: "
            f"no mutant with the change {one.change!r} passes the test{meant} "
            "If nothing is left to excuse, take the declaration away."
        )


def _listed(mutants: list[Mutant]) -> str:
    listed = [f"line {mutant.line}, `{mutant.change}`" for mutant in mutants]
    if len(listed) > MOST_LISTED:
        listed[MOST_LISTED:] = [f"and {len(listed) - MOST_LISTED} more"]
    return "; ".join(listed)


def unnamed(exercise: Exercise, solution: Path) -> Iterator[str]:
    """A line for each mutant that is rejected without a cause, and last the share that is rejected with one."""
    mutants = mutants_of(exercise)
    fated = zip(mutants, fates(exercise, mutants, cards=True), strict=True)
    rejected = [(mutant, fate) for mutant, fate in fated if fate.rejected]
    for mutant, fate in rejected:
        if not fate.named:
            told = fate.told or f"it {ENDLESS}"
            yield f"{solution}:{mutant.line}: `{mutant.change}`: {told}"
    yield f"{exercise.symbol}: {_share([fate for _, fate in rejected])}"


def _share(rejected: list[Fate]) -> str:
    misconceptions = sum(fate.misconception for fate in rejected)
    named = sum(fate.named for fate in rejected)
    percent = f" ({100 * named / len(rejected):.0f} %)" if rejected else ""
    return (
        f"{named} of {len(rejected)} rejected mutants are named{percent}, "
        f"{misconceptions} by a misconception and "
        f"{named - misconceptions} by an advice alone"
    )
