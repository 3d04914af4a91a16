"""Who has handed in what, and what is to be settled before anything is graded: `grade --who` shows all of it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.grades import Person
from grader.owners import Owner, Roster, is_open, question_of, told_apart
from grader.roster import Entry
from grader.submissions.entries import shown
from grader.submissions.finding import Found, bare
from grader.submissions.reading import Submission

MOST_LEFT = 10  # files that are told of one by one
MOST = 20  # submissions that are told of where nobody has asked for all


@dataclass(frozen=True)
class Who:
    """The decision: each file is somebody's, or left aside."""

    submissions: list[Submission]
    owners: dict[str, Owner]  # by the name of the submission; empty without a roster
    absent: list[Person]  # of the roster
    left: list[str]  # files that are no part of what is graded, and why
    questions: list[str]  # what must be settled, or confirmed, before anything is graded

    def in_full(self) -> str:
        """Each submission, who has none, and what was left aside."""
        absent = [f"{told_apart(one, self.absent)} has handed in nothing." for one in self.absent]
        return "\n".join(filter(None, [self._told(self.submissions), self.left_aside(), *absent]))

    def left_aside(self) -> str:
        """Of each file that is left aside, why, and whose it seems to be; of many, some."""
        more = len(self.left) - MOST_LEFT
        return "\n".join([*self.left[:MOST_LEFT], *[f"And {more:,} more are left aside."] * (more > 0)])

    def in_short(self) -> str:
        """What is not obvious; nothing where all of it is."""
        odd = list(filter(self._is_odd, self.submissions))
        more = [f"and {len(odd) - MOST} more: --who tells of all."] * (len(odd) > MOST)
        return "\n".join(filter(None, [self._told(odd[:MOST]), *more]))

    def _told(self, submissions: Sequence[Submission]) -> str:
        header = ["submission", *["whose", "told by"] * bool(self.owners), "handed in as", "chapters"]
        rows = [[shown(one.name), *self._whose(one), one.why, _chapters(one)] for one in submissions]
        lines = aligned([header, *rows]) if rows else []
        notes = [f"{shown(one.name)}: {said}" for one in submissions for said in one.choices]
        return "\n".join([*lines, *notes])

    def _is_odd(self, one: Submission) -> bool:
        owner = self.owners.get(one.name)
        return bool(one.choices or not one.notebooks or (owner and (owner.possible or not owner.people)))

    def _whose(self, one: Submission) -> list[str]:
        owner = self.owners.get(one.name)
        if owner is None:
            return []
        names = "; ".join(person.name for person in owner.people)
        possible = " or ".join(told_apart(person, owner.possible) for person in owner.possible)
        told = [names or "nobody in the roster", f"(perhaps {possible})" if possible else ""]
        return [" ".join(filter(None, told)), owner.why]


def decide(found: Found, submissions: list[Submission], entries: Sequence[Entry]) -> Who:
    """Whose each submission is, and what is to be settled."""
    roster = Roster(entries)
    owners = {one.name: roster.owner_of(one.name, one.people) for one in submissions} if entries else {}
    questions = [
        *found.questions,
        *(question_of(name, owner) for name, owner in owners.items() if is_open(owner)),
        *_twice(submissions, owners),
        *(f"{shown(one.name)}: {said} It is not graded." for one in submissions for said in one.unopened),
    ]
    having = {person for owner in owners.values() for person in owner.people}
    absent = [person for person in roster.people if person not in having]
    left = [
        *(said + _by_its_name(roster, found.whose.get(said, "")) for said in found.left),
        *(f"{_with_people(one.name, owners.get(one.name))}: {said}" for one in submissions for said in one.aside),
    ]
    return Who(submissions, owners, absent, left, questions)


def _by_its_name(roster: Roster, name: str) -> str:
    owner = roster.owner_of(name, ()) if name else None
    return f" By its name it is of {_with_people(name, owner)}." if name else ""


def _with_people(name: str, owner: Owner | None) -> str:
    """`ada (Ada Lovelace)`"""
    people = "; ".join(person.name for person in owner.people) if owner else ""
    return f"{shown(name)} ({people})" if people else shown(name)


def _twice(submissions: Sequence[Submission], owners: dict[str, Owner]) -> Iterator[str]:
    """The chapters that one person has in several submissions."""
    having: defaultdict[tuple[Person, str], list[str]] = defaultdict(list)
    for one in submissions:
        for person in owners.get(one.name, Owner()).people:
            for stem in one.notebooks:
                having[person, stem].append(one.name)
    for (person, stem), names in having.items():
        if len(names) > 1:
            yield (
                f"{person.name} has {stem} in {len(names)} submissions: {', '.join(map(shown, names))}. "
                "The newest counts: name another in the roster's column `submission` if it should."
            )


def _chapters(one: Submission) -> str:
    """Its chapters, each with the file, where that has another name."""
    files = {stem: PurePosixPath(found.file) for stem, found in one.notebooks.items()}
    return ", ".join(stem if stem == bare(file) else f"{stem} ({file})" for stem, file in files.items()) or "none"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Each row on a line, its columns below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
