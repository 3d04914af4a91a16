"""A suspect where answers are drawn: few draws leave it possible or rule it out, all of the test's are held against it.

The same random numbers make the same draws of the same steps; where the steps are others, shares are compared.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from judge.checking.counts import MOST_DRAWS, are_indices, indices_in, same_draws
from judge.checking.likeness import FIRST_LOOK
from judge.checking.transcript import Row, Suspect
from judge.running.kinds import FEW, briefly, is_drawn
from judge.running.records import Question, Record

Draws = Callable[[Record], list[Any]]
# Draws for a second look, at those that the first one leaves.
SOME = 4 * FEW
# Draws of a question that a cause must stand: fewer say little.
DRAWS = range(100, MOST_DRAWS + 1)
# What a cause leaves of the test's draws: how many differ clearly, and how many at all.
Left = tuple[int, int]
NOTHING_LEFT: Left = (0, 0)


def first_looks(suspects: list[Suspect], question: Question, draws: Draws) -> Iterator[list[Suspect]]:
    """The suspects to hold against the test, in rounds; all at once where a question asks for few draws.

    First come those of which the first draws are the same. These are mostly few; to ask all others for thousands of
    draws takes seconds, so that those which few draws leave possible are looked at with some more, and come last.
    """
    few, some = briefly(question), briefly(question, SOME)
    if few is question:
        yield suspects
        return
    looks = [(suspect, *_first_look(suspect, few, question, draws)) for suspect in suspects]
    yield [suspect for suspect, _, is_the_same in looks if is_the_same]
    possible = [suspect for suspect, is_possible, _ in looks if is_possible]
    yield (
        possible
        if some is question
        else [suspect for suspect in possible if _first_look(suspect, some, question, draws)[0]]
    )


def _first_look(suspect: Suspect, few: Question, question: Question, draws: Draws) -> tuple[bool, bool]:
    """Whether the first draws leave it possible, where `few` are asked for, and whether they are the same."""
    if not suspect.knows(few):
        return True, False
    if suspect.is_the_component:
        return True, True
    all_of_mine, few_of_theirs = suspect.row(question).mine, suspect.row(few).theirs
    few_of_mine = replace(all_of_mine, outputs=all_of_mine.outputs[: few.options["times"]])
    mine, theirs = indices_in(draws(few_of_mine)), indices_in(draws(few_of_theirs))
    if not theirs or not mine:
        return theirs == mine, False
    return same_draws(theirs, mine, FIRST_LOOK), theirs == mine


def draws_of(suspect: Suspect, question: Question) -> tuple[int, ...] | None:
    """Some of its draws, where the question asks for more: whoever draws the same does so to the end.

    What differs so seldom that none of these shows it is mostly too little for the check to see. None where they are
    not known, or no indices.
    """
    some = briefly(question, SOME)
    if not is_drawn(question) or some is question or not suspect.knows(some):
        return None
    outputs = suspect.row(some).theirs.outputs
    return tuple(outputs) if outputs and are_indices(outputs) else None


def what_it_leaves(suspect: Suspect, asked: Sequence[Question]) -> Left | None:
    """How many draws of the test are wrong with the learner's code and not the cause, and how many not the same.

    None where some draws speak against the cause: it draws wrongly, and the learner's code otherwise, or always the
    same.
    """
    if suspect.is_the_component:
        return NOTHING_LEFT
    rows = [row for row in suspect.rows(asked) if _asks_for_draws(row)]
    # A few draws say so sooner than all.
    if any(_held_against(row, suspect.row(briefly(row.question)).theirs) is None for row in rows):
        return None
    unexplained = different = 0
    for row in rows:
        left = _held_against(row, row.theirs)
        if left is None:
            return None
        unexplained, different = unexplained + left[0], different + left[1]
    return unexplained, different


def _asks_for_draws(row: Row) -> bool:
    if not is_drawn(row.question) or row.question.options.get("times") not in DRAWS:
        return False
    return _of_indices(row.right)


def _held_against(row: Row, theirs: Record) -> Left | None:
    """The draws that these leave unexplained; None where they speak against the cause."""
    mine = row.mine.outputs
    if not _of_indices(theirs) or not mine or not are_indices(mine):
        return NOTHING_LEFT
    is_unexplained = not same_draws(theirs.outputs, mine)
    if is_unexplained and (len(set(mine)) == 1 or not same_draws(theirs.outputs, row.right.outputs)):
        return None
    return int(is_unexplained), int(theirs.outputs != mine)


def _of_indices(record: Record) -> bool:
    return not record.error and bool(record.outputs) and are_indices(record.outputs)
