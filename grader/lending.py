"""What an answer uses of other exercises: the reference's sources for its grade, the learner's own for information.

Where nothing can be lent, in a course without solutions, answers are recorded for one seed alone.
"""

import functools
import secrets
from collections.abc import Callable, Mapping, Sequence

from grader.submissions.answers import Answer, find_answer
from grader.submissions.chapters import STUB
from grader.submissions.notebooks import cells_of
from judge.running.libraries import LIBRARIES
from utils.course import ROOT, CourseError, ExerciseInfo, all_exercises

WITH_ARRAYS = {library.name for library in LIBRARIES.values() if library.has_arrays}
Find = Callable[[str], Answer]  # of an exercise, by its symbol


def parts_for(answer: Answer, find: Find, fuller: bool = False) -> dict[str, str]:
    """The sources of what an answer uses, and of what that uses, by their symbols; those first that others use.

    With `fuller`, each has the calls that may fill what it reads.
    """
    used = used_by(answer, find)
    return {use.symbol: use.fuller if fuller and use.fuller else use.source for use in used if use.source}


def used_by(answer: Answer, find: Find) -> list[Answer]:
    """What an answer uses, and what that uses, as it is found; those first that others use."""
    every: list[Answer] = []
    begun = {answer.symbol}

    def add(user: Answer) -> None:
        for symbol in [use for use in user.uses if use not in begun]:
            begun.add(symbol)
            used = find(symbol)
            add(used)
            every.append(used)

    add(answer)
    return every


def why_unread(answer: Answer, find: Find) -> str:
    """Of what an answer uses, that which takes a newer Python than this one, as a sentence; "" where all is read."""
    for used in used_by(answer, find):
        if used.newer:
            return f"It uses `{used.symbol}` of {home_of(used.symbol)}. {used.problem}"
    return ""


def why_lacking(answer: Answer, find: Find, said: str) -> str:
    """What an answer uses that is not there, or not written, where `said`, its card, is about that; as a sentence with
    the way out. "" where it is not. Only where nothing is lent can it be."""
    for used in used_by(answer, find):
        if not used.source and f"name '{used.symbol}' is not defined" in said:
            what, to_do = used.problem, "Write it" if used.missing else "Put it right"
        elif STUB in used.source and STUB not in answer.source and ": not yet" in said.partition("\n")[0]:
            what, to_do = "It is not written yet.", "Write it"
        else:
            continue
        home = home_of(used.symbol)
        return (
            f"It uses `{used.symbol}` of {home}, and a course without solutions has none to lend. {what} "
            f"{to_do} in the notebook of {home}, and hand that in too; or grade in a course with solutions."
        )
    return ""


def why_unfilled(answer: Answer, find: Find) -> str:
    """Of an answer and what it uses, the call that may fill one of these and takes a newer Python, as a sentence; ""
    where there is none."""
    for user in (answer, *used_by(answer, find)):
        if user.unfilled:
            uses = f"It uses `{user.symbol}` of {home_of(user.symbol)}. " if user is not answer else ""
            return f"{uses}{user.unfilled}"
    return ""


@functools.cache
def of_the_reference(symbol: str) -> Answer:
    """The reference solution of an exercise, found in its chapter as an answer is; without a source in a release
    that has no solutions."""
    path = ROOT / "solutions" / f"{home_of(symbol)}.ipynb"
    if not path.is_file():
        return find_answer([], symbol, symbols())
    return find_answer(cells_of(path.read_bytes()).sources, symbol, symbols())


def solutions_are_here() -> bool:
    """False in a release without solutions, where nothing can be lent."""
    return (ROOT / "solutions").is_dir()


def among(cells: Mapping[str, Sequence[str]]) -> Find:
    """Finds the learner's own answers, in the code cells of their chapters."""

    @functools.cache
    def find(symbol: str) -> Answer:
        return find_answer(cells.get(home_of(symbol), []), symbol, symbols())

    return find


def home_of(symbol: str) -> str:
    """The stem of its chapter."""
    (stem,) = [exercise.stem for exercise in all_exercises() if exercise.symbol == symbol]
    return stem


@functools.cache
def symbols() -> frozenset[str]:
    """The names of all that learners write, in the whole course."""
    return frozenset(exercise.symbol for exercise in all_exercises())


@functools.cache
def before(info: ExerciseInfo) -> frozenset[str]:
    """What comes before an exercise, and is lent to its answers.

    Nothing later is: `greedy` would be right at once if it called the reference's `sample_next_token`. Nor is what
    `of_other_libraries` has.
    """
    return _earlier(info) - of_other_libraries(info)


@functools.cache
def of_other_libraries(info: ExerciseInfo) -> frozenset[str]:
    """What comes before an exercise in arrays, and is written with another library.

    `gpt2_numpy` would be right at once if it handed its weights to the reference's `Transformer`, which is torch's.
    """
    if info.library not in WITH_ARRAYS:
        return frozenset()
    return _earlier(info) - {exercise.symbol for exercise in all_exercises() if exercise.library == info.library}


def _earlier(info: ExerciseInfo) -> frozenset[str]:
    everything = all_exercises()
    return frozenset(earlier.symbol for earlier in everything[: everything.index(info)])


MOST_DRAWN = 2**31
RECORDED = (
    "This course was handed out without its solutions. Answers are recorded for seed 0 alone, and this is seed {}."
)


def seed_for(wanted: int | None) -> int:
    """The wanted one, or one that is drawn anew; without solutions 0. Raises CourseError for another one there."""
    if solutions_are_here():
        return secrets.randbelow(MOST_DRAWN) if wanted is None else wanted
    if wanted:
        raise CourseError(RECORDED.format(wanted))
    return 0
