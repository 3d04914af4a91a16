"""Which submissions there are in what `grade` was given: a notebook, a folder or zip of one, or of many.

Each is a `Path`, that need not exist: `bulk.zip/Ada Lovelace_4711` is what lies in that zip and has a name that begins
so. In a folder of many, each folder and each zip is a submission, and so are loose notebooks, by what their names say
beside the chapter.
"""

from collections import Counter
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path, PurePath, PurePosixPath

from utils.grading.submissions.chapters import besides_stem, stem_defined, stem_named
from utils.grading.submissions.entries import Entry, Listing, Unreadable, listed, shown
from utils.grading.submissions.notebooks import LARGEST, cells_of
from utils.grading.submissions.platforms import GRADESCOPE_LIST, named

NOTEBOOK, ZIP = ".ipynb", ".zip"
HERE = PurePosixPath(".")
CHAPTERS = "chapters"  # the course's own folder of them


def find_submissions(path: Path) -> list[Path]:
    """The submissions at a path, in order of their names. Raises FileNotFoundError where there is nothing."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there.")
    if path.is_file() and not is_zip(path):
        return [path]
    listing = listed(path)
    top = _beneath_wrappers(listing)
    if _is_one(listing, top):
        return [path.joinpath(*top.parts)]
    handed_in = filter(_is_submission(listing), listing.children(top))
    keys = set(map(key, handed_in))
    inside = path.joinpath(*top.parts)
    return list(map(inside.joinpath, sorted(keys))) or [path]


def is_notebook(path: PurePath) -> bool:
    """By its suffix."""
    return path.suffix.lower() == NOTEBOOK


def is_zip(path: PurePath) -> bool:
    """By its suffix."""
    return path.suffix.lower() == ZIP


def key(path: PurePosixPath) -> str:
    """The name of the submission to which a file or a folder among many belongs."""
    by_platform = named(path.name)
    if by_platform:
        return by_platform.who
    if is_notebook(path) and stem_named(path.stem):
        return besides_stem(path.stem) or path.name
    return path.name


def belonging(listing: Listing, inner: PurePosixPath) -> list[Entry]:
    """The files of one submission: those at, beneath, or by their name of the path that `find_submissions` gave it."""
    if inner == HERE:
        return listing.entries
    beside = inner.parent
    depth = len(beside.parts) + 1

    def is_its(entry: Entry) -> bool:
        top = PurePosixPath(*entry.path.parts[:depth])
        names = {top.name, key(top)}
        return top.parent == beside and inner.name in names

    return list(filter(is_its, listing.entries))


def _beneath_wrappers(listing: Listing) -> PurePosixPath:
    """The folder where it begins: a zip often holds one folder, and that everything else."""
    top = HERE
    while True:
        children = listing.children(top)
        children.discard(top / GRADESCOPE_LIST)
        if len(children) != 1:
            return top
        alone = children.pop()
        if alone not in listing.folders or _says_something(alone):
            return top
        top = alone


def _says_something(folder: PurePosixPath) -> bool:
    """Whether a folder's name says whose it is, or what."""
    if folder.name == CHAPTERS:
        return True
    return _is_a_platforms(folder) or _is_a_chapters(folder)


def _is_a_platforms(path: PurePosixPath) -> bool:
    return named(path.name) is not None


def _is_a_chapters(path: PurePosixPath) -> bool:
    return stem_named(path.name) is not None


def _is_submission(listing: Listing) -> Callable[[PurePosixPath], bool]:
    """Whether one among many is handed in, not a file that lies there too."""

    def is_submission(path: PurePosixPath) -> bool:
        wanted = is_notebook(path) or is_zip(path)
        return wanted or path in listing.folders or _is_a_platforms(path)

    return is_submission


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
    if not loose:
        return bool(folders) and all(map(_is_a_chapters, folders))
    return _are_of_one(loose, folders, listing)


def _are_of_one(loose: list[PurePosixPath], folders: set[PurePosixPath], listing: Listing) -> bool:
    """Whether loose notebooks are somebody's chapters: named as they were released, or each of another chapter."""
    more = list(filter(is_notebook, listing.paths - set(loose)))
    with_more = [folder for folder in folders if any(path.is_relative_to(folder) for path in more)]
    if any(map(_is_named_as_released, loose)):
        return len(with_more) < 2  # a copy or a backup, but hardly two
    entries = [one for one in listing.entries if one.path in loose]
    stems = Counter(map(_stem_of, entries))
    return not with_more and max(stems.values()) == 1


def _is_named_as_released(notebook: PurePosixPath) -> bool:
    return besides_stem(notebook.stem) == ""


def _stem_of(notebook: Entry) -> str | None:
    """The chapter that it is of, by its name or by what is in it."""
    by_name = stem_named(notebook.path.stem)
    if by_name:
        return by_name
    try:
        return stem_defined(cells_of(notebook.read(LARGEST)).sources)
    except Unreadable:
        return None


def names_of(paths: list[Path]) -> list[str]:
    """A name for each submission, as it can be shown: without its suffix, where that leaves it the only one.

    No two are alike, for grades are kept by them.
    """
    times = Counter(map(_without_suffix, paths))
    names: dict[str, Path] = {}
    for path in paths:
        name = _without_suffix(path)
        name = shown(path.name if times[name] > 1 else name)
        numbered = chain([name], (f"{name} ({number})" for number in count(2)))
        names[next(one for one in numbered if one not in names)] = path
    return list(names)


def _without_suffix(path: Path) -> str:
    return path.stem if is_notebook(path) or is_zip(path) else path.name
