"""Whose a submission is: one decision, made here, before anything is graded and again for each report.

`decide` says who has handed in what, and what is to be settled before anything is graded: `grade --who` shows it.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import permutations
from pathlib import PurePosixPath

from grader.grades import Grade, Person, SubmissionGrades
from grader.roster import Entry
from grader.submissions.entries import shown
from grader.submissions.finding import Found, bare, is_notebook, is_zip, key
from grader.submissions.reading import Submission

MOST_NAMES = 4  # of one person that are tried in each order
MOST_OF_A_GROUP = 6  # people
BEHIND = "the name behind a group's"
A_GROUP = re.compile(r"\d|^Default group$")  # no name of a person; the second is Moodle's, of who is in none
# What Unicode takes for letters of their own, and who types a name without accents does not
UNACCENTED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})


@dataclass(frozen=True)
class Owner:
    """Who a submission belongs to."""

    people: tuple[Person, ...] = ()  # several where it is a group's, none where that is not known
    why: str = ""
    possible: tuple[Person, ...] = ()  # others whose it may be


@dataclass(frozen=True)
class Matched:
    """A class with its people."""

    graded: list[SubmissionGrades]
    absent: list[Person]  # without a submission
    unknown: list[str]  # submissions of nobody in the roster
    notes: list[str]  # such as two submissions of one person


class Roster:
    """The people of a class, each to be found by what a submission may be called."""

    def __init__(self, entries: Sequence[Entry]):
        """Of no people nobody is found."""
        self.people = [entry.person for entry in entries]
        self._by_submission, self._by_platform, self._by_letters, self._by_base_letters = (
            defaultdict[str, list[Person]](list) for _ in range(4)
        )
        for entry in entries:
            for name in {_folded(form) for said in entry.submissions for form in (said, _as_reported(said))}:
                self._by_submission[name].append(entry.person)
            person = entry.person
            last, comma, first = person.name.partition(",")
            reversed_name = f"{first} {last}" if comma else ""
            for name in {_folded(said) for said in (person.name, reversed_name, person.email, person.id)} - {""}:
                self._by_platform[name].append(person)
            for name in _likely_names(entry.person, _letters):
                self._by_letters[name].append(entry.person)
            for name in _likely_names(entry.person, _base_letters):
                self._by_base_letters[name].append(entry.person)

    def owner_of(self, name: str, people: Sequence[str] = ()) -> Owner:
        """By the first way in which there is anybody; `people` are whom a platform names, by name, ID or e-mail.

        Its own name in the roster counts before a pattern, that before what a platform says, that before a likely
        name. A number behind a name is no ID: platforms and systems number as they like. So where a platform's ID
        is one person's in the roster, and the name beside it another's, it is nobody's yet.
        """
        if told := self._by_roster(_folded(name)):
            return told
        by_platform = self._by_what_a_platform_says(people)
        by_name = self._by_name(name, self._by_letters, _letters, "its name") or self._by_name(
            name, self._by_base_letters, _base_letters, "its name without accents"
        )
        if by_platform and by_name and by_platform.people and by_name.people:
            if not set(by_platform.people) & set(by_name.people):
                return Owner((), "the platform's ID and its name", by_platform.people + by_name.people)
        if found := by_platform or by_name or self._behind_a_group(people):
            return found
        # Of a group that is called like the submission, which may be the group's; not of half a class
        group = [person for person in self.people if self._is_in(person, name)]
        return Owner(possible=tuple(_with_this_id(self.people, name) or group * (len(group) <= MOST_OF_A_GROUP)))

    def _by_roster(self, name: str) -> Owner | None:
        if name in self._by_submission:
            return Owner(tuple(self._by_submission[name]), "the roster")
        patterns = {pattern: found for pattern, found in self._by_submission.items() if fnmatchcase(name, pattern)}
        if not patterns:
            return None
        return _of_one(patterns.values(), f"the roster: {' or '.join(patterns)}")

    def _by_what_a_platform_says(self, people: Sequence[str]) -> Owner | None:
        named = [self._by_platform[who] for who in map(_folded, people) if who in self._by_platform]
        if not named:
            return None
        certain = dict.fromkeys(found[0] for found in named if len(found) == 1)
        possible = dict.fromkeys(person for found in named for person in found if person not in certain)
        return Owner(tuple(certain), "the platform", tuple(possible))

    def _behind_a_group(self, people: Sequence[str]) -> Owner | None:
        """Of `Group A-Ada Lovelace`, as Moodle has it where groups hand in: each of a group has a folder of her own.

        It is hers where that is her group, or surely one: `Jean-Luc Picard` is nobody of a group `Jean`.
        """
        splits: list[tuple[str, Person]] = []
        for who in people:
            for dash in re.finditer("-", who):
                name = who[dash.end() :]
                found = self._by_platform.get(_folded(name)) or self._by_letters.get(_letters(name)) or []
                splits += [(who[: dash.start()], person) for person in found]
        of_their_group = [person for group, person in splits if self._is_in(person, group)]
        behind_a_number = [(group, person) for group, person in splits if A_GROUP.search(group)]
        longest = [person for group, person in behind_a_number if group == behind_a_number[0][0]]
        if certain := of_their_group or longest:
            return _of_one([[found_person] for found_person in certain], BEHIND)
        return Owner((), BEHIND, tuple(dict.fromkeys(person for _, person in splits))) if splits else None

    def _is_in(self, person: Person, group: str) -> bool:
        """Whether the roster says so, by the person's section or as what hands in for them."""
        groups = [person.section, *re.split("[,;]", person.section)]
        return _letters(group) in map(_letters, filter(None, groups)) or person in self._by_submission.get(
            _folded(group), []
        )

    def _by_name(
        self, name: str, known: dict[str, list[Person]], letters: Callable[[str], str], why: str
    ) -> Owner | None:
        without_number = re.sub(r"_\d+$", "", name)
        found = known.get(letters(name)) or known.get(letters(without_number)) or []
        of_this_id = _with_this_id(found, name)
        return _of_one([[person] for person in of_this_id or found], why) if found else None


def _of_one(found: Iterable[list[Person]], why: str) -> Owner:
    """Of one person or one group; where it may be of several it is nobody's yet."""
    groups = list(dict.fromkeys(map(tuple, found)))
    if len(groups) == 1:
        return Owner(groups[0], why)
    return Owner((), why, tuple(dict.fromkeys(person for group in groups for person in group)))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _as_reported(name: str) -> str:
    """Of the name of a file, which somebody may have copied into the roster, what reports call the submission."""
    path = PurePosixPath(name)
    return bare(PurePosixPath(key(path))) if is_notebook(path) or is_zip(path) else name


def _with_this_id(people: Iterable[Person], name: str) -> list[Person]:
    """The people whose ID stands behind a submission's name."""
    return [person for person in people if person.id and name.endswith(f"_{person.id}")]


def _likely_names(person: Person, letters: Callable[[str], str]) -> set[str]:
    """The names that people and platforms may give a person's submission: the name in any order, login, e-mail."""
    parts = [letters(part) for part in re.split(r"[\W_]+", person.name)]
    orders = permutations(parts) if len(parts) <= MOST_NAMES else [parts]
    written = [person.login, person.id, person.email, person.email.partition("@")[0]]
    return {*map("".join, orders), *map(letters, written)} - {""}


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", _folded(text))


def _base_letters(text: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", text)).casefold().translate(UNACCENTED)


def match(graded: Sequence[SubmissionGrades], entries: Sequence[Entry]) -> Matched:
    """Give each submission its people."""
    roster = Roster(entries)
    matched: list[SubmissionGrades] = []
    notes: list[str] = []
    for submission in graded:
        owner = roster.owner_of(submission.submission, submission.people)
        matched.append(replace(submission, owners=owner.people))
        if is_open(owner):
            notes.append(question_of(submission.submission, owner))
    submissions: defaultdict[Person, list[str]] = defaultdict(list)
    for submission in matched:
        for person in submission.owners:
            submissions[person].append(submission.submission)
    for person, names in submissions.items():
        if len(names) > 1:
            notes.append(f"{person.name} has {len(names)} submissions: {', '.join(names)}.")
    absent = [person for person in roster.people if person not in submissions]
    of_nobody = [submission.submission for submission in matched if not submission.owners]
    return Matched(matched, absent, of_nobody if entries else [], notes)


def is_open(owner: Owner) -> bool:
    """Whether it may be of one of several, and is nobody's until that is said."""
    return bool(owner.why and not owner.people)


def question_of(name: str, owner: Owner) -> str:
    """The question that is to be settled."""
    names = ", ".join(told_apart(person, owner.possible) for person in owner.possible)
    return f"{name} may be of {names}: say which in the roster."


def told_apart(person: Person, among: Sequence[Person]) -> str:
    """A name, and what tells it from another that is the same."""
    if [member.name for member in among].count(person.name) == 1:
        return person.name
    return f"{person.name} ({person.id or person.sis_id or person.login or person.email or 'no ID'})"


def by_person(graded: Iterable[SubmissionGrades]) -> list[tuple[Person, list[Grade]]]:
    """The grades of each person, who may have several submissions, or one with others; each chapter's once.

    Of two submissions with a chapter the newer counts. Of nobody in the roster the submission's name stands for one.
    """
    found: dict[Person, list[SubmissionGrades]] = {}
    for submission in graded:
        for person in submission.owners or (Person(submission.submission),):
            found.setdefault(person, []).append(submission)
    counting: list[tuple[Person, list[Grade]]] = []
    for person, several in found.items():
        by_stem: defaultdict[str, list[list[Grade]]] = defaultdict(list)
        for submission in several:
            for stem in dict.fromkeys(grade.stem for grade in submission.grades):
                by_stem[stem].append([grade for grade in submission.grades if grade.stem == stem])
        counting.append((person, [grade for _, alike in sorted(by_stem.items()) for grade in max(alike, key=_newer)]))
    return counting


def _newer(grades: Sequence[Grade]) -> tuple[bool, float]:
    """Of a chapter's grades: whether it was handed in, and when."""
    return any(grade.status != "missing" for grade in grades), max(grade.submitted or 0.0 for grade in grades)


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
        absent = [f"{told_apart(person, self.absent)} has handed in nothing." for person in self.absent]
        return "\n".join(filter(None, [self._told(self.submissions), self.left_aside(), *absent]))

    def left_aside(self) -> str:
        """Of each file that is left aside, why, and whose it seems to be; of many, some."""
        more = len(self.left) - MOST_LEFT
        return "\n".join([*self.left[:MOST_LEFT], *[f"And {more:,} more are left aside."] * (more > 0)])

    def in_short(self) -> str:
        """The assignments that are not obvious; nothing where all of them are."""
        odd: list[Submission] = []
        for submission in self.submissions:
            owner = self.owners.get(submission.name)
            if submission.choices or not submission.notebooks or (owner and (owner.possible or not owner.people)):
                odd.append(submission)
        more = [f"and {len(odd) - MOST} more: --who tells of all."] * (len(odd) > MOST)
        return "\n".join(filter(None, [self._told(odd[:MOST]), *more]))

    def _told(self, submissions: Sequence[Submission]) -> str:
        header = ["submission", *["whose", "told by"] * bool(self.owners), "handed in as", "chapters"]
        rows = [
            [shown(submission.name), *self._whose(submission), submission.why, _chapters(submission)]
            for submission in submissions
        ]
        lines = aligned([header, *rows]) if rows else []
        notes = [f"{shown(submission.name)}: {said}" for submission in submissions for said in submission.choices]
        return "\n".join([*lines, *notes])

    def _whose(self, submission: Submission) -> list[str]:
        owner = self.owners.get(submission.name)
        if owner is None:
            return []
        names = "; ".join(person.name for person in owner.people)
        possible = " or ".join(told_apart(person, owner.possible) for person in owner.possible)
        told = [names or "nobody in the roster", f"(perhaps {possible})" if possible else ""]
        return [" ".join(filter(None, told)), owner.why]


def decide(found: Found, submissions: list[Submission], entries: Sequence[Entry]) -> Who:
    """Whose each submission is, and what is to be settled."""
    roster = Roster(entries)
    owners = (
        {submission.name: roster.owner_of(submission.name, submission.people) for submission in submissions}
        if entries
        else {}
    )
    questions = [
        *found.questions,
        *(question_of(name, owner) for name, owner in owners.items() if is_open(owner)),
        *_twice(submissions, owners),
        *(
            f"{shown(submission.name)}: {said} It is not graded."
            for submission in submissions
            for said in submission.unopened
        ),
    ]
    having = {person for owner in owners.values() for person in owner.people}
    absent = [person for person in roster.people if person not in having]
    left = [
        *(said + _by_its_name(roster, found.whose.get(said, "")) for said in found.left),
        *(
            f"{_with_people(submission.name, owners.get(submission.name))}: {said}"
            for submission in submissions
            for said in submission.aside
        ),
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
    for submission in submissions:
        for person in owners.get(submission.name, Owner()).people:
            for stem in submission.notebooks:
                having[person, stem].append(submission.name)
    for (person, stem), names in having.items():
        if len(names) > 1:
            yield (
                f"{person.name} has {stem} in {len(names)} submissions: {', '.join(map(shown, names))}. "
                "The newest counts: name another in the roster's column `submission` if it should."
            )


def _chapters(submission: Submission) -> str:
    """Its chapters, each with the file, where that has another name."""
    files = {stem: PurePosixPath(found.file) for stem, found in submission.notebooks.items()}
    return ", ".join(stem if stem == bare(file) else f"{stem} ({file})" for stem, file in files.items()) or "none"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Each row on a line, its columns below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
