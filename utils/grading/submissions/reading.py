"""Reads one submission: its notebooks by chapter, what can't be read of it, and a digest of the rest."""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from utils.grading.submissions.chapters import is_begun, stem_defined, stem_named
from utils.grading.submissions.entries import LARGEST_ZIP, MB, Entry, Unreadable, in_zip, listed, shown
from utils.grading.submissions.finding import CHAPTERS, HERE, belonging, is_notebook, is_zip, names_of
from utils.grading.submissions.notebooks import LARGEST, Cells, cells_of
from utils.grading.submissions.platforms import GRADESCOPE, GRADESCOPE_LIST, gradescopes_list, named

START = "START.ipynb"  # the course's first page, which has no exercise
MOST_NOTEBOOKS = 200
LARGEST_TOGETHER = 200 * MB


@dataclass(frozen=True)
class Notebook:
    """A chapter as it was handed in."""

    stem: str
    file: str  # where it was found
    cells: tuple[str, ...] = ()  # the sources of its code cells
    ids: tuple[str, ...] = ()  # of each of them, "" for one without
    problem: str = ""  # why it can't be read, as a sentence
    notes: tuple[str, ...] = ()
    modified: float | None = None


@dataclass(frozen=True)
class Submission:
    """What somebody handed in."""

    name: str
    path: Path
    notebooks: dict[str, Notebook] = field(default_factory=dict[str, Notebook])
    problems: tuple[str, ...] = ()  # of files that belong to no chapter, or are not read
    digest: str = ""  # of all that its grades may depend on
    submitted: float | None = None  # as the platform says, else when its newest notebook was changed
    late: bool = False  # as the platform says
    people: tuple[str, ...] = ()  # likewise: names or e-mail addresses


def read_submission(path: Path, name: str = "") -> Submission:
    """Raises nothing, whatever lies there; see `find_submissions` for a path that does not exist."""
    problems: list[str] = []
    entries = _files_of(path, problems)
    found = _read(_notebooks_among(entries, problems), problems)
    notebooks = _one_each(found, problems)
    times = [one.modified for one in notebooks.values() if one.modified is not None]
    submitted, people = _as_listed(path)
    by_platform = [named(one.path.name) for one in entries]
    return Submission(
        name=name or names_of([path])[0],
        path=path,
        notebooks=notebooks,
        problems=tuple(problems),
        digest=_digest(notebooks.values()),
        submitted=submitted or max(times, default=None),
        late=any(one.late for one in by_platform if one),
        people=people,
    )


def _located(path: Path) -> tuple[Path, PurePosixPath]:
    """The folder or file that is there, and what is meant within it."""
    root = next(filter(os.path.exists, [path, *path.parents]), path)
    return root, PurePosixPath(path.relative_to(root).as_posix())


def _files_of(path: Path, problems: list[str]) -> list[Entry]:
    """All files of a submission."""
    root, inner = _located(path)
    try:
        listing = listed(root)
    except OSError as error:
        problems.append(f"{shown(path.name)} can't be read: {shown(error.strerror)}.")
        return []
    mentioned = "" if inner == HERE else inner.name
    problems += [said for said in listing.problems if mentioned in said]
    entries = belonging(listing, inner)
    if not entries:
        problems.append("It holds no file.")
    return entries


def _notebooks_among(entries: list[Entry], problems: list[str]) -> list[Entry]:
    """The notebooks, those in zips too; of a copy of the course those in chapters/."""
    found = _notebooks(entries)
    for entry in entries:
        if is_zip(entry.path):
            found += _in_inner_zip(entry, problems)
    if entries and not found:
        names = ", ".join(shown(one.path) for one in entries[:3])
        more = ", …" * (len(entries) > 3)
        problems.append(f"It holds no notebook ({names}{more}).")
    if len(found) > MOST_NOTEBOOKS:
        problems.append(f"It holds {len(found):,} notebooks; {MOST_NOTEBOOKS} of them are read.")
    in_chapters = list(filter(_is_in_chapters, found))
    problems += _left_beside(in_chapters, found)
    chosen = in_chapters or found
    return list(filter(_has_exercises, chosen[:MOST_NOTEBOOKS]))


def _notebooks(entries: list[Entry]) -> list[Entry]:
    return [one for one in entries if is_notebook(one.path)]


def _is_in_chapters(entry: Entry) -> bool:
    return CHAPTERS in entry.path.parts


def _left_beside(in_chapters: list[Entry], found: list[Entry]) -> list[str]:
    """What is to be said of notebooks of chapters that lie beside the folder of them."""
    homes = {one.path.parent.parent for one in in_chapters if one.path.parent.name == CHAPTERS}
    left = [shown(one.path) for one in found if one.path.parent in homes and stem_named(one.path.stem)]
    return [f"{name} is not read: it lies beside {CHAPTERS}/, not in it." for name in left]


def _has_exercises(entry: Entry) -> bool:
    return entry.path.name != START


def _in_inner_zip(entry: Entry, problems: list[str]) -> list[Entry]:
    """The notebooks of a zip among the files; a zip in that is not read."""
    try:
        inside = in_zip(entry.read(LARGEST_ZIP))
    except Unreadable as why:
        problems.append(f"{shown(entry.path.name)} {why}.")
        return []
    problems += inside.problems
    for path in filter(is_zip, inside.paths):
        problems.append(f"{shown(path)} is a zip within a zip, which is not read.")
    return _notebooks(inside.entries)


def _read(entries: list[Entry], problems: list[str]) -> list[Notebook]:
    """The chapters among these, be they readable or not; what belongs to none is a problem."""
    found: list[Notebook] = []
    left = LARGEST_TOGETHER
    for entry in entries:
        file = shown(entry.path)
        stem = stem_named(_as_handed_in(entry))
        problem, read = "", Cells(())
        try:
            data = entry.read(min(LARGEST, left))
            left -= len(data)
            read = cells_of(data)
        except Unreadable as why:
            problem = f"{file} {why}."
        notes = read.notes
        if stem is None and (stem := stem_defined(read.sources)):
            notes = (*notes, f"{file} is taken for {stem}, whose exercises it holds.")
        if stem:
            found.append(Notebook(stem, file, read.sources, read.ids, problem, notes, entry.modified))
        else:
            problems.append(problem or f"{file} belongs to no chapter: its name has none, and it defines no exercise.")
    return found


def _as_handed_in(entry: Entry) -> str:
    """The name that a file had before a platform put something in front, without its suffix."""
    by_platform = named(entry.path.name)
    name = by_platform.file if by_platform and by_platform.file else entry.path.name
    return PurePosixPath(name).stem


def _one_each(found: list[Notebook], problems: list[str]) -> dict[str, Notebook]:
    """Of several notebooks of a chapter one that can be read and was begun, named as it was released, the newest."""
    chosen: dict[str, Notebook] = {}
    for one in sorted(found, key=_preference):
        other = chosen.setdefault(one.stem, one)
        if other is not one:
            problems.append(f"{other.file} counts for {one.stem}, not {one.file}.")
    return dict(sorted(chosen.items()))


def _preference(one: Notebook) -> tuple[object, ...]:
    name = PurePosixPath(one.file).stem
    beside = len(name) - len(one.stem) if one.stem in name else len(name)
    newest = -(one.modified or 0.0)
    is_untouched = not is_begun(one.stem, one.cells)  # an update brings such a one to whoever has renamed theirs
    return bool(one.problem), is_untouched, beside, one.file.count("/"), newest, one.file


def _digest(notebooks: Iterable[Notebook]) -> str:
    content = [(one.stem, one.cells, one.ids, one.problem.removeprefix(one.file)) for one in notebooks]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _as_listed(path: Path) -> tuple[float | None, tuple[str, ...]]:
    """When and by whom, where Gradescope's list lies beside it."""
    if not GRADESCOPE.fullmatch(path.name):
        return None, ()
    root, inner = _located(path.parent)
    try:
        beside = [one for one in listed(root).entries if one.path == inner / GRADESCOPE_LIST]
        text = beside[0].read(LARGEST_TOGETHER).decode("utf-8", "replace") if beside else ""
    except (OSError, Unreadable):
        return None, ()
    said = gradescopes_list(text).get(path.name)
    return (said.submitted, said.people) if said else (None, ())
