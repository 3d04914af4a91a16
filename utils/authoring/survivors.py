"""What mutants prove of a test: those that nothing tells from the solution, and those that nobody could name."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from utils.authoring.mutants import Fate, Mutant, fates, mutants_of
from utils.authoring.source import Source
from utils.checking import Exercise
from utils.checking.places import nearest

MOST_LISTED = 3  # changes in a note


@dataclass(frozen=True)
class Outcome:
    """How many of the mutants that count were rejected, what is wrong, and what is worth knowing."""

    rejected: int
    counted: int
    reasons: list[str]
    notes: list[str]


@dataclass(frozen=True)
class Place:
    """Where an exercise's solution and its declaration are, for messages."""

    solution: Path
    known: Path  # the file where its equivalents are declared
    name: str  # of the Exercise, in the tests
    written: Collection[int]  # the lines that a learner writes; empty where that is all of them


def place_of(exercise: Exercise, source: Source, tests: ModuleType) -> Place:
    """The place of an exercise of a chapter."""
    written = set[int]()
    for cell in source.cells:
        start = cell.line + 1
        own = [region for region in cell.regions if region.symbol == exercise.symbol]
        for region in own:
            written.update(range(start + region.first, start + region.last))
    names = (name for name, value in vars(tests).items() if value is exercise)
    name = next(names, "exercise")
    known = [*exercise.equivalents, *exercise.variants, *exercise.misconceptions]
    asked = Path("tests") / f"{source.stem}.py"
    files = [one.declared_at.path for one in known] + [asked]
    return Place(source.path, files[0], name, written)


def outcome_of(exercise: Exercise, place: Place) -> Outcome:
    """Judge every mutant: one that survives must be declared, or change what is given."""
    mutants = mutants_of(exercise)
    known = list(zip(mutants, fates(exercise, mutants), strict=True))
    survivors = [mutant for mutant, fate in known if not fate.rejected]
    declared = {one.change for one in exercise.equivalents}
    undeclared = [mutant for mutant in survivors if mutant.change not in declared]
    given = [mutant for mutant in undeclared if place.written and mutant.line not in place.written]
    wrong = [mutant for mutant in undeclared if mutant not in given]
    stopped = [mutant for mutant, fate in known if not fate.ended]
    rejected = len(known) - len(survivors)
    return Outcome(
        rejected=rejected,
        counted=rejected + len(wrong),
        reasons=[*_undeclared(wrong, place), *_stale(exercise, survivors)],
        notes=[*_given(given), *_stopped(stopped)],
    )


def _undeclared(survivors: list[Mutant], place: Place) -> Iterator[str]:
    lines: dict[str, list[int]] = defaultdict(list)
    for mutant in survivors:
        lines[mutant.change].append(mutant.line)
    for change, (first, *others) in lines.items():
        also = f" (and in line {', '.join(map(str, others))})" if others else ""
        declaration = f'{place.name}.equivalent({json.dumps(change, ensure_ascii=False)}, "why")'
        yield (
            f"{place.solution}:{first}: no check tells `{change}`{also} from the solution. Ask a question on which the "
            f"two differ; or, if they never do, write in {place.known}: {declaration}"
        )


def _stale(exercise: Exercise, survivors: list[Mutant]) -> Iterator[str]:
    changes = {mutant.change for mutant in survivors}
    stale = [one for one in exercise.equivalents if one.change not in changes]
    for one in stale:
        meant = nearest(one.change, sorted(changes))
        message = (
            f"no mutant with the change {one.change!r} passes the test{meant} "
            "If nothing is left to excuse, take the declaration away."
        )
        yield str(one.declared_at.mistake(message))


def _given(survivors: list[Mutant]) -> Iterator[str]:
    if survivors:
        yield f"mutants of lines that the stub gives pass the test: {_listed(survivors)}"


def _stopped(stopped: list[Mutant]) -> Iterator[str]:
    if stopped:
        yield f"mutants that did not come to an end, or took too much memory, count as rejected: {_listed(stopped)}"


def _listed(mutants: list[Mutant]) -> str:
    first = "; ".join(f"line {mutant.line}, `{mutant.change}`" for mutant in mutants[:MOST_LISTED])
    more = len(mutants) - MOST_LISTED
    return f"{first}; and {more} more" if more > 0 else first


def unnamed(exercise: Exercise, solution: Path) -> Iterator[str]:
    """A line for each mutant that is rejected without a cause, and last the share that is rejected with one."""
    mutants = mutants_of(exercise)
    rejected: list[Fate] = []
    for mutant, fate in zip(mutants, fates(exercise, mutants, True), strict=True):
        if not fate.rejected:
            continue
        rejected.append(fate)
        if not fate.named:
            told = fate.told or "it did not come to an end, or took too much memory"
            yield f"{solution}:{mutant.line}: `{mutant.change}`: {told}"
    yield f"{exercise.symbol}: {_share(rejected)}"


def _share(rejected: list[Fate]) -> str:
    misconceptions = sum(fate.misconception for fate in rejected)
    named = sum(fate.named for fate in rejected)
    percent = f" ({100 * named / len(rejected):.0f} %)" if rejected else ""
    return (
        f"{named} of {len(rejected)} rejected mutants are named{percent}, {misconceptions} by a misconception and "
        f"{named - misconceptions} by an advice alone"
    )
