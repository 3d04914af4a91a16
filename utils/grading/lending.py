"""What an answer uses of other exercises: the reference's sources for its grade, the learner's own for information."""

import functools
from collections.abc import Callable, Mapping, Sequence

from utils.course import ROOT, ExerciseInfo, all_exercises
from utils.grading.submissions.answers import Answer, find_answer
from utils.grading.submissions.notebooks import cells_of

Find = Callable[[str], Answer]  # of an exercise, by its symbol


def parts_for(answer: Answer, find: Find) -> dict[str, str]:
    """The sources of what an answer uses, and of what that uses, by their symbols; those first that others use."""
    parts: dict[str, str] = {}
    begun = {answer.symbol}

    def add(user: Answer) -> None:
        for symbol in [one for one in user.uses if one not in begun]:
            begun.add(symbol)
            used = find(symbol)
            add(used)
            parts[symbol] = used.source

    add(answer)
    return {symbol: source for symbol, source in parts.items() if source}


@functools.cache
def of_the_reference(symbol: str) -> Answer:
    """The reference solution of an exercise, found in its chapter as an answer is; without a source in a release
    that has no solutions."""
    (exercise,) = [one for one in all_exercises() if one.symbol == symbol]
    path = ROOT / "solutions" / f"{exercise.stem}.ipynb"
    if not path.is_file():
        return find_answer([], symbol, symbols())
    return find_answer(cells_of(path.read_bytes()).sources, symbol, symbols())


def solutions_are_here() -> bool:
    """False in a release without solutions, where nothing can be lent."""
    return (ROOT / "solutions").is_dir()


def among(cells: Mapping[str, Sequence[str]]) -> Find:
    """Finds the learner's own answers, in the code cells of their chapters."""
    homes = {one.symbol: one.stem for one in all_exercises()}

    @functools.cache
    def find(symbol: str) -> Answer:
        return find_answer(cells.get(homes[symbol], []), symbol, symbols())

    return find


@functools.cache
def symbols() -> frozenset[str]:
    """What learners write, in the whole course."""
    return frozenset(one.symbol for one in all_exercises())


@functools.cache
def before(info: ExerciseInfo) -> frozenset[str]:
    """What comes before an exercise, and is lent to its answers.

    Nothing later is: `greedy` would be right at once if it called the reference's `sample_next_token`.
    """
    everything = all_exercises()
    return frozenset(one.symbol for one in everything[: everything.index(info)])
