"""Reads one submission: its notebooks by chapter, what can't be read of it, and a digest of the rest."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from grader.submissions.chapters import is_begun, named, stem_defined, stem_named
from grader.submissions.entries import LARGEST_ZIP, MB, Entry, NotOpened, TooLarge, Unreadable, in_zip, shown
from grader.submissions.finding import ARCHIVES, CHAPTERS, HandedIn, all_of, bare, is_notebook, is_zip
from grader.submissions.notebooks import LARGEST, Cells, cells_in

START = "START.ipynb"  # the course's first page, which has no exercise
MOST_NOTEBOOKS = 200
LARGEST_TOGETHER = 1000 * MB  # of what is read, outputs too
CLEAR = "clear its outputs, save it, and hand it in again"
TOGETHER = 60.0  # seconds


@dataclass(frozen=True)
class Notebook:
    """A chapter as it was handed in."""

    stem: str
    file: str  # where it was found
    cells: tuple[str, ...] = ()  # the sources of its code cells
    ids: tuple[str, ...] = ()  # of each of them, "" for one without
    problem: str = ""  # why it can't be read, as a sentence
    too_large: bool = False  # whether that is because a bound of ours keeps it from being read
    notes: tuple[str, ...] = ()
    modified: float | None = None


@dataclass(frozen=True)
class Submission:
    """A submission as somebody handed it in."""

    name: str
    path: Path
    notebooks: dict[str, Notebook] = field(default_factory=dict[str, Notebook])
    problems: tuple[str, ...] = ()  # of files that belong to no chapter, or are not read
    digest: str = ""  # of all that its grades may depend on
    submitted: float | None = None  # as the platform says
    late: bool = False  # as the platform says
    people: tuple[str, ...] = ()  # likewise: names, IDs or e-mail addresses
    why: str = ""  # what it was told by: "Canvas's download", "a folder"
    choices: tuple[str, ...] = ()  # which notebook counts, where there are several of a chapter; said in problems too
    aside: tuple[str, ...] = ()  # notebooks that belong to no chapter, and why, as sentences; said in problems too
    unopened: tuple[str, ...] = ()  # files that are not opened, which says nothing of them: as sentences

    def when(self, stem: str) -> float | None:
        """When a chapter was handed in: as the platform says, else when its notebook was last changed."""
        return self.submitted or self.notebooks[stem].modified


def read_submission(path: Path) -> Submission:
    """All that lies at a path, as one submission; raises nothing."""
    return read(all_of(path))


def read(handed_in: HandedIn) -> Submission:
    """Raises nothing, whatever was handed in."""
    problems, unopened, aside = list(handed_in.problems), list[str](), list[str]()
    entries = handed_in.entries
    if not entries and not problems:
        problems.append("It holds no file.")
    found = _read(_notebooks_among(entries, problems, unopened), aside, unopened)
    notebooks, notes = _one_each(found)
    problems += [*aside, *notes, *unopened]
    content = [
        (notebook.stem, notebook.cells, notebook.ids, notebook.problem.removeprefix(notebook.file))
        for notebook in notebooks.values()
    ]
    return Submission(
        name=handed_in.name,
        path=handed_in.path,
        notebooks=notebooks,
        problems=tuple(problems),
        digest=hashlib.sha256(json.dumps(content).encode()).hexdigest(),
        submitted=handed_in.submitted,
        late=handed_in.late,
        people=handed_in.people,
        why=handed_in.why,
        choices=tuple(notes),
        aside=tuple(aside),
        unopened=tuple(unopened),
    )


def _notebooks_among(entries: list[Entry], problems: list[str], unopened: list[str]) -> list[Entry]:
    """The notebooks, those in zips too; of a copy of the course those in chapters/."""
    found = _notebooks(entries)
    for entry in entries:
        if is_zip(entry.path):
            found += _in_inner_zip(entry, problems, unopened)
    if entries and not found and not unopened:
        names = ", ".join(shown(archive.path) for archive in entries[:3])
        more = ", …" * (len(entries) > 3)
        problems.append(f"It holds no notebook ({names}{more}).")
    problems += [
        f"{shown(archive.path)} is an archive of a kind that is not read: unpack it, or pack it as a zip."
        for archive in entries
        if archive.path.name.lower().endswith(ARCHIVES)
    ]
    if len(found) > MOST_NOTEBOOKS:
        problems.append(f"It holds {len(found):,} notebooks; {MOST_NOTEBOOKS} of them are read.")
    in_chapters = [file for file in found if CHAPTERS in file.path.parts]
    homes = {file.path.parent.parent for file in in_chapters if file.path.parent.name == CHAPTERS}
    left = [shown(file.path) for file in found if file.path.parent in homes and stem_named(file.path.stem)]
    problems += [f"{name} is not read: it lies beside {CHAPTERS}/, not in it." for name in left]
    chosen = in_chapters or found
    return [file for file in chosen[:MOST_NOTEBOOKS] if file.path.name != START]


def _notebooks(entries: list[Entry]) -> list[Entry]:
    return [entry for entry in entries if is_notebook(entry.path)]


def _in_inner_zip(entry: Entry, problems: list[str], unopened: list[str]) -> list[Entry]:
    """The notebooks of a zip among the files; a zip in that is not read."""
    try:
        inside = in_zip(entry.read(LARGEST_ZIP))
    except (NotOpened, TooLarge) as why:
        unopened.append(f"{shown(entry.path.name)} {why}.")
        return []
    except Unreadable as why:
        problems.append(f"{shown(entry.path.name)} {why}.")
        return []
    problems += inside.problems
    for path in filter(is_zip, inside.paths):
        problems.append(f"{shown(path)} is a zip within a zip, which is not read.")
    return _notebooks(inside.entries)


@dataclass
class _Room:
    """The bytes of a submission that may still be read."""

    left: int

    def taken(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.left -= len(piece)
            if self.left < 0:
                raise TooLarge(f"is not read to its end: all together are too large; {CLEAR}")
            yield piece


def _read(entries: list[Entry], aside: list[str], unopened: list[str]) -> list[Notebook]:
    """The chapters among these, be they readable or not; what belongs to none is left aside."""
    found: list[Notebook] = []
    room = _Room(LARGEST_TOGETHER)
    for entry in entries:
        file = shown(entry.path)
        by_platform = named(entry.path.name)  # which may have put something in front
        stem = stem_named((by_platform and by_platform.file) or entry.path.name)
        problem, too_large, read = "", False, Cells(())
        try:
            read = cells_in(room.taken(entry.pieces(LARGEST, f": {CLEAR}")))
        except NotOpened as why:
            unopened.append(f"{file} {why}.")
            continue
        except Unreadable as why:
            problem, too_large = f"{file} {why}.", isinstance(why, TooLarge)
        notes = read.notes
        if stem is None and (stem := stem_defined(read.sources)):
            notes = (*notes, f"{file} is taken for {stem}, whose exercises it holds.")
        if stem:
            found.append(Notebook(stem, file, read.sources, read.ids, problem, too_large, notes, entry.modified))
        elif too_large:  # of whichever chapter it is
            unopened.append(problem)
        else:
            aside.append(problem or f"{file} belongs to no chapter: its name has none, and it defines no exercise.")
    return found


def _one_each(found: list[Notebook]) -> tuple[dict[str, Notebook], list[str]]:
    """Of several notebooks of a chapter one that can be read and was begun, the newest; and which that was."""
    by_stem: dict[str, list[Notebook]] = {}
    for notebook in found:
        by_stem.setdefault(notebook.stem, []).append(notebook)
    chosen = {stem: _counting(alike) for stem, alike in sorted(by_stem.items())}
    notes = [
        f"{chosen[stem].file}{_dated(chosen[stem])} counts for {stem}, not {notebook.file}{_dated(notebook)}."
        for stem, alike in by_stem.items()
        for notebook in alike
        if notebook is not chosen[stem] and notebook.cells != chosen[stem].cells
    ]
    return chosen, notes


def _counting(alike: list[Notebook]) -> Notebook:
    """Which of several notebooks of one chapter counts.

    A minute apart is together: an unpacked zip or a clone has the times of unpacking. Then it is the one whose name is
    nearest to the released.
    """
    readable = [notebook for notebook in alike if not notebook.problem] or alike
    # An update brings one that is untouched to whoever has renamed theirs
    begun = [notebook for notebook in readable if is_begun(notebook.stem, notebook.cells)] or readable
    newest = max(notebook.modified or 0.0 for notebook in begun)
    return min((notebook for notebook in begun if newest - (notebook.modified or 0.0) <= TOGETHER), key=_nearness)


def _nearness(notebook: Notebook) -> tuple[int, int, float, str]:
    name = bare(PurePosixPath(notebook.file))
    beside = len(name) - len(notebook.stem) if notebook.stem in name else len(name)
    return beside, notebook.file.count("/"), -(notebook.modified or 0.0), notebook.file


def _dated(notebook: Notebook) -> str:
    return f" ({datetime.fromtimestamp(notebook.modified):%Y-%m-%d %H:%M})" if notebook.modified is not None else ""
