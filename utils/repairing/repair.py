"""A `Repair`: what a learner is told of a change with which every check passes."""

from dataclasses import dataclass
from typing import Any

from utils.edits.edit import Edit
from utils.edits.kinds import KINDS
from utils.edits.vocabulary import Vocabulary
from utils.repairing.showing import shown, whole
from utils.repairing.trying import Answer


@dataclass(frozen=True)
class Repair:
    """One change with which every check passes; or one that is due beside another one, or beside what has a name."""

    line: int  # of the learner's cell, from 1
    source: str  # that line
    words: str  # of what kind the change is
    before: str
    after: str  # "" where it is left out
    places: int  # where it is made
    whole: bool  # whether it is most of the reference solution, and so gives the exercise away
    then: "Repair | None" = None  # the change that is due as well, where one is not enough
    left: str = ""  # or the misconception that is left, and what to do about it

    @property
    def changes(self) -> "tuple[Repair, ...]":
        """Both changes, or the only one."""
        return (self, self.then) if self.then else (self,)


def repair_of(
    answer: Answer,
    edit: Edit,
    vocabulary: Vocabulary,
    then: Repair | None = None,
    left: str = "",
) -> Repair:
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
        then=then,
        left=left,
    )


def as_repair(told: dict[str, Any]) -> Repair:
    """What `dataclasses.asdict` made of it, as it was."""
    then = told["then"]
    return Repair(**{**told, "then": then and as_repair(then)})
