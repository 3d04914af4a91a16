"""A `Repair`: what a learner is told of a change with which every check passes."""

from dataclasses import dataclass

from judge.edits.edit import Edit
from judge.edits.kinds import KINDS
from judge.edits.vocabulary import Vocabulary
from judge.repairing.showing import shown, whole
from judge.repairing.trying import Answer


@dataclass(frozen=True)
class Repair:
    """One change with which every check passes."""

    line: int  # of the learner's cell, from 1
    source: str  # that line
    words: str  # of what kind the change is
    before: str
    after: str  # "" where it is left out
    places: int  # where it is made
    whole: bool  # whether it is most of the reference solution, and so gives the exercise away


def repair_of(answer: Answer, edit: Edit, vocabulary: Vocabulary) -> Repair:
    """What is told of this edit of the answer."""
    before, after = shown(edit, answer.definitions, answer.cell)
    return Repair(
        line=edit.line,
        source=answer.cell.splitlines()[edit.line - 1].strip(),
        words=KINDS[edit.kind].words,
        before=before,
        after=after,
        places=len(edit.places),
        whole=whole(edit, before, after, vocabulary),
    )
