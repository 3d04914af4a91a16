"""Who has handed in what: each file of what `grade` was given goes to one submission, or is left aside and said so.

In a folder of many, each folder and each zip is a submission, and so are loose notebooks, by what their names say
beside the chapter. A platform's download that lies there is opened, and so is a chapter's folder with people's in it.
"""

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path, PurePath, PurePosixPath

from grader.submissions.chapters import (
    GRADESCOPE_LIST,
    LARGEST_LIST,
    Listed,
    Named,
    besides_stem,
    gradescopes_list,
    named,
    stem_defined,
    stem_named,
    without_copy_marks,
)
from grader.submissions.entries import MOST_FILES, Entry, Listing, Unreadable, in_zip, listed, shown
from grader.submissions.notebooks import LARGEST, cells_in

ZIP = ".zip"
# The second and third as a browser saves a notebook that a server calls a text
NOTEBOOKS = (".ipynb", ".ipynb.txt", ".ipynb.json")
# What somebody may have handed in, though it is not read
ARCHIVES = (".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
MOST_OF_A_CLASS, MOST_OF_A_DOWNLOAD = 1_000_000, 100_000  # files
LARGEST_DOWNLOAD = 500_000_000  # bytes, of one that lies in another zip
DEEPEST_DOWNLOAD = 2  # zips around it
HERE = PurePosixPath(".")
CHAPTERS = "chapters"  # the course's own folder of them


@dataclass
class HandedIn:
    """The parts of one submission, before it is read."""

    path: Path  # need not exist: `bulk.zip/Ada Lovelace_4711` is what in that zip has a name that begins so
    why: str  # what it was told by: "Canvas's download", "a folder"
    name: str = ""  # as reports have it; no two of a class are alike
    entries: list[Entry] = field(default_factory=list[Entry])
    problems: list[str] = field(default_factory=list[str])
    people: tuple[str, ...] = ()  # who handed it in, as the platform says: names, IDs or e-mail addresses
    submitted: float | None = None  # likewise
    late: bool = False  # likewise

    def add(self, entries: Sequence[Entry], folder: PurePosixPath) -> None:
        """Take these files; each is named from this folder on."""
        self.entries += [replace(entry, path=entry.path.relative_to(folder)) for entry in entries]
        if len(self.entries) > MOST_FILES:
            self.problems.append(f"It holds more than {MOST_FILES:,} files; the rest is not read.")
            del self.entries[MOST_FILES:]

    def note(self, by_platform: Named) -> None:
        """Take what a platform's name of its file or folder says."""
        self.late |= by_platform.late
        self.people = self.people or by_platform.people


@dataclass
class Found:
    """What `grade` was given, sorted: each file belongs to one submission, or was left aside."""

    handed_in: list[HandedIn] = field(default_factory=list[HandedIn])
    left: list[str] = field(default_factory=list[str])  # files that are nobody's, and why, as sentences
    whose: dict[str, str] = field(default_factory=dict[str, str])  # by such a sentence the submission it seems to be of
    questions: list[str] = field(default_factory=list[str])  # where it may be otherwise than it was taken


def find_submissions(path: Path) -> Found:
    """The submissions at a path, in order of their names. Raises FileNotFoundError where there is nothing."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there.")
    if path.is_file() and not is_zip(path):
        return Found([all_of(path)])
    listing = listed(path, MOST_OF_A_CLASS)
    top = _beneath_wrappers(listing)
    within = path.joinpath(*top.parts)
    if _is_one(listing, top):
        submission, names = all_of(within, listing, top), _named_beside_one_chapter(listing, top)
        return Found([submission], questions=_of_names(submission.name, names, "give each a folder"))
    sorting = _Sorting()
    sorting.sort(path, listing, top)
    found = sorted(sorting.by_key.values(), key=lambda submission: submission.path)
    for submission, name in zip(found, names_of([submission.path for submission in found]), strict=True):
        submission.name = name
    return Found(found or [all_of(path)], sorting.left, sorting.whose, sorting.questions)


def all_of(path: Path, listing: Listing | None = None, top: PurePosixPath = HERE) -> HandedIn:
    """Everything that lies at a path, or in this folder of a listing, as one submission; raises nothing."""
    submission = HandedIn(path, "all that is there", names_of([path])[0])
    if listing is None and not os.path.exists(path):  # of which a name that is too long can be asked too
        return submission
    try:
        listing = listing or listed(path)
    except OSError as error:
        submission.problems.append(f"{shown(path.name)} can't be read: {shown(error.strerror)}.")
        return submission
    submission.problems += listing.problems
    submission.add(listing.beneath(top), top)
    if by_platform := named(path.name):
        submission.note(by_platform)
    return submission


def is_notebook(path: PurePath) -> bool:
    """By its suffix."""
    return path.name.lower().endswith(NOTEBOOKS)


def is_zip(path: PurePath) -> bool:
    """By its suffix."""
    return path.suffix.lower() == ZIP


def bare(path: PurePath) -> str:
    """The name of a notebook or a zip without its suffix; that of all else as it is."""
    suffix = next((ending for ending in (*NOTEBOOKS, ZIP) if path.name.lower().endswith(ending)), "")
    return path.name[: len(path.name) - len(suffix)] or path.name


def key(path: PurePosixPath) -> str:
    """The name of the submission to which a file or a folder among many belongs, whatever marks it as a copy."""
    name = unicodedata.normalize("NFC", path.name)  # a Mac's zip has é in two characters
    path = path.with_name(name)
    by_platform = named(name)
    if by_platform:
        return by_platform.who
    plain = bare(path)
    if stem_named(plain) and (beside := besides_stem(plain)):
        return beside
    return without_copy_marks(plain) + name[len(plain) :]


@dataclass
class _Sorting:
    """The submissions so far, by their keys: one who is in two downloads is one."""

    by_key: dict[str, HandedIn] = field(default_factory=dict[str, HandedIn])
    left: list[str] = field(default_factory=list[str])
    whose: dict[str, str] = field(default_factory=dict[str, str])
    questions: list[str] = field(default_factory=list[str])

    def sort(self, path: Path, listing: Listing, top: PurePosixPath) -> None:
        """Sort what lies in a folder of many; the listing is of what is at this path."""
        within = path.joinpath(*top.parts)
        by_gradescope = _gradescopes(listing, top)
        children = sorted(listing.children(top))
        somebodys = [child for child in children if _is_somebodys(listing, child)]
        downloads = {child: inside for child in somebodys if (inside := _download(path, listing, child))}
        for child in somebodys:
            # A learner may hand in what looks like a download of others' work: beside others it is the learner's own
            if len(downloads) == len(somebodys):
                self.sort(within / child.name, downloads[child], _beneath_wrappers(downloads[child]))
            elif _is_of_a_chapter(listing, child) and not _is_one(listing, child):
                self.sort(path, listing, child)
            else:
                self._add(within, listing, child, by_gradescope.get(child.name))
                self._ask_about(path, listing, child, within / child.name, downloads.get(child))
                if len(somebodys) == 1 and is_zip(child):  # beside others several versions are likelier
                    inside = _inside(path, listing, child)
                    names = _named_beside_one_chapter(inside, _beneath_wrappers(inside))
                    self.questions += _of_names(child.name, names, f"grade {shown(within / child.name)} by itself")
        others = set(children) - set(somebodys) - {top / GRADESCOPE_LIST}
        for left_over in sorted(others):
            said = f"{shown(left_over)} is left aside: it is no notebook, no folder and no zip."
            self.left.append(said)
            plain = bare(PurePosixPath(left_over.stem))  # `ada` of ada.ipynb.pdf too
            if stem_named(plain) and (name := besides_stem(plain)):
                self.whose[said] = name
        if top == _beneath_wrappers(listing):
            theirs = {said for child in somebodys for said in _problems_of(child, listing.problems)}
            self.left += [said for said in listing.problems if said not in theirs]

    def _add(self, within: Path, listing: Listing, child: PurePosixPath, listed: Listed | None) -> None:
        name = key(child)
        submission = self.by_key.setdefault(name, HandedIn(within / name, _why(listing, child)))
        submission.add(listing.beneath(child), child if child in listing.folders else child.parent)
        submission.problems += _problems_of(child, listing.problems)
        if by_platform := named(child.name):
            submission.note(by_platform)
        if listed:
            submission.people, submission.submitted = listed.people, listed.submitted

    def _ask_about(
        self, path: Path, listing: Listing, child: PurePosixPath, place: Path, download: Listing | None
    ) -> None:
        """Ask of a download, and of a folder or a zip in which several have a notebook of one chapter."""
        if download:
            self.questions.append(
                f"{shown(child.name)} looks like a platform's download, and lies among other submissions. "
                "It is taken for one person's: if it is a download, give it a folder of its own."
            )
        elif child in listing.folders or is_zip(child):
            inside = _inside(path, listing, child) if is_zip(child) else listing
            if alike := _with_one_chapter(inside, _beneath_wrappers(inside) if is_zip(child) else child):
                some = ", ".join(map(shown, alike[:3])) + ", …" * (len(alike) > 3)
                self.questions.append(
                    f"{shown(child.name)} has folders with notebooks of one chapter ({some}). "
                    f"It is taken for one person's: if it is a class, grade {shown(place)} by itself."
                )


def _with_one_chapter(listing: Listing, top: PurePosixPath) -> list[str]:
    """The folders that have a notebook of a chapter of which another has one too, where these are not one person's."""
    if _is_one(listing, top):
        return []
    stems: dict[PurePosixPath, set[str | None]] = {}
    for folder in sorted(listing.children(top) & listing.folders):
        stems[folder] = {_stem_of(file) for file in listing.beneath(folder) if is_notebook(file.path)} - {None}
    times = Counter(stem for found in stems.values() for stem in found)
    return [folder.name for folder, found in stems.items() if any(times[stem] > 1 for stem in found)]


def _named_beside_one_chapter(listing: Listing, top: PurePosixPath) -> list[str]:
    """What the names of loose notebooks of one chapter say beside it, where that is not the same."""
    loose = sorted(filter(is_notebook, listing.children(top) - listing.folders))
    names = dict.fromkeys((stem_named(bare(file)), besides_stem(bare(file))) for file in loose)
    names = [(stem, beside) for stem, beside in names if stem and beside]
    times = Counter(stem for stem, _ in names)
    return list(dict.fromkeys(beside for stem, beside in names if times[stem] > 1))


def _of_names(whole: str, names: list[str], otherwise: str) -> list[str]:
    """The question whether these are people."""
    some = ", ".join(map(shown, names[:3])) + ", …" * (len(names) > 3)
    return [
        f"{shown(whole)} has notebooks of one chapter under several names ({some}). "
        f"It is taken for one person's: if it is a class, {otherwise}."
    ] * bool(names)


def _why(listing: Listing, child: PurePosixPath) -> str:
    by_platform = named(child.name)
    if by_platform:
        return f"{by_platform.platform}'s download"
    if stem_named(bare(child)) and besides_stem(bare(child)):
        return "its name beside the chapter's"
    if child in listing.folders:
        return "a folder"
    return "a zip" if is_zip(child) else "a file"


def _problems_of(child: PurePosixPath, problems: Iterable[str]) -> list[str]:
    """What was found in one of many, by the path with which each sentence begins."""
    return [said for said in problems if said.startswith((f"{shown(child)}/", f"{shown(child)} is "))]


def _is_somebodys(listing: Listing, child: PurePosixPath) -> bool:
    """Whether one among many is handed in, be it readable or not, and not a file that lies there too."""
    if child in listing.folders or is_notebook(child) or is_zip(child) or _is_a_platforms(child):
        return True
    return child.name.lower().endswith(ARCHIVES)


def _download(path: Path, listing: Listing, child: PurePosixPath, deeper: int = DEEPEST_DOWNLOAD) -> Listing | None:
    """The submissions in a zip that a platform has made of many, or in one of such zips; None for all else."""
    if not is_zip(child) or _is_a_platforms(child):
        return None
    inside = _inside(path, listing, child)
    handed_in = [folder for folder in inside.children(_beneath_wrappers(inside)) if _is_somebodys(inside, folder)]
    if not handed_in:
        return None
    place = path.joinpath(*child.parts)
    of_many = (
        _is_a_platforms(submission) or (deeper and _download(place, inside, submission, deeper - 1))
        for submission in handed_in
    )
    return inside if all(of_many) else None


def _inside(path: Path, listing: Listing, child: PurePosixPath) -> Listing:
    """The entries of a zip; nothing where it can't be read."""
    file = path.joinpath(*child.parts)
    try:
        return in_zip(file if file.is_file() else listing.entry(child).read(LARGEST_DOWNLOAD), MOST_OF_A_DOWNLOAD)
    except (OSError, Unreadable):
        return Listing()


def _beneath_wrappers(listing: Listing) -> PurePosixPath:
    """The folder where it begins: a zip often holds one folder, and that everything else."""
    top = HERE
    while True:
        children = listing.children(top)
        children.discard(top / GRADESCOPE_LIST)
        if len(children) != 1:
            return top
        alone = children.pop()
        # A folder's name may say whose it is, or what
        if alone not in listing.folders or alone.name == CHAPTERS or _is_a_platforms(alone):
            return top
        if stem_named(alone.name) is not None and _is_one(listing, alone):
            return top
        top = alone


def _is_a_platforms(path: PurePosixPath) -> bool:
    return named(path.name) is not None


def _is_of_a_chapter(listing: Listing, path: PurePosixPath) -> bool:
    """Whether it is a folder that is named after a chapter alone, not after a person too."""
    return path in listing.folders and besides_stem(path.name) == ""


def _is_one(listing: Listing, top: PurePosixPath) -> bool:
    """Whether a folder is one submission: a copy of the course, chapters by name, or folders named after them."""
    children = listing.children(top)
    folders = children & listing.folders
    if any(map(_is_a_platforms, children)):
        return False
    if top / CHAPTERS in folders:
        return True
    if any(map(is_zip, children)):
        return False
    loose = list(filter(is_notebook, children - folders))
    if loose:
        return _are_of_one(loose, folders, listing)
    with_notebooks = [folder for folder in folders if any(is_notebook(file.path) for file in listing.beneath(folder))]
    of_chapters = all(_is_of_a_chapter(listing, folder) for folder in folders)
    return bool(with_notebooks) and of_chapters and all(_is_one(listing, folder) for folder in with_notebooks)


def _are_of_one(loose: list[PurePosixPath], folders: set[PurePosixPath], listing: Listing) -> bool:
    """Whether loose notebooks are somebody's chapters: named as they were released, or each of another chapter."""
    with_more = [folder for folder in folders if any(is_notebook(file.path) for file in listing.beneath(folder))]
    if any(besides_stem(bare(lone_file)) == "" for lone_file in loose):
        return len(with_more) < 2  # a copy or a backup, but hardly two
    stems = Counter(_stem_of(listing.entry(lone_file)) for lone_file in loose)
    return not with_more and max(stems.values()) == 1


def _stem_of(notebook: Entry) -> str | None:
    """The chapter that it is of, by its name or by what is in it."""
    by_name = stem_named(bare(notebook.path))
    if by_name:
        return by_name
    try:
        return stem_defined(cells_in(notebook.pieces(LARGEST)).sources)
    except Unreadable:
        return None


def _gradescopes(listing: Listing, top: PurePosixPath) -> dict[str, Listed]:
    """When and by whom, by the names of folders, where Gradescope's list lies beside them."""
    if top / GRADESCOPE_LIST not in listing.children(top):
        return {}
    try:
        return gradescopes_list(listing.entry(top / GRADESCOPE_LIST).read(LARGEST_LIST).decode("utf-8", "replace"))
    except (OSError, Unreadable):
        return {}


def names_of(paths: Sequence[Path]) -> list[str]:
    """A name for each submission, as it can be shown: without its suffix, where that leaves it the only one.

    No two are alike, for grades are kept by them.
    """
    times = Counter(map(bare, paths))
    names: dict[str, Path] = {}
    for path in paths:
        name = bare(path)
        name = shown(path.name if times[name] > 1 else name)
        numbered: Iterator[str] = chain([name], (f"{name} ({number})" for number in count(2)))
        names[next(free for free in numbered if free not in names)] = path
    return list(names)
