"""Which submissions there are in what `grade` was given: a notebook, a folder or zip of one, or of many.

Each is a `Path`, that need not exist: `bulk.zip/Ada Lovelace_4711` is what lies in that zip and has a name that begins
so. In a folder of many, each folder and each zip is a submission, and so are loose notebooks, by what their names say
beside the chapter.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from utils.grading.submissions.chapters import besides_stem, stem_defined, stem_named
from utils.grading.submissions.entries import Entry, Listing, Unreadable, listed
from utils.grading.submissions.notebooks import LARGEST, cells_of
from utils.grading.submissions.platforms import GRADESCOPE_LIST, named

NOTEBOOK, ZIP = ".ipynb", ".zip"
HERE = PurePosixPath(".")


def find_submissions(path: Path) -> list[Path]:
    """The submissions at a path, in order of their names. Raises FileNotFoundError where there is nothing."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there.")
    if path.is_file() and path.suffix.lower() != ZIP:
        return [path]
    listing = listed(path)
    top = _beneath_wrappers(listing)
    if _is_one(listing, top):
        return [path.joinpath(*top.parts)]
    keys = {key(one) for one in _children(listing, top) if _is_submission(one, listing)}
    return [path.joinpath(*top.parts, name) for name in sorted(keys)] or [path]


def key(path: PurePosixPath) -> str:
    """The name of the submission to which a file or a folder among many belongs."""
    by_platform = named(path.name)
    if by_platform:
        return by_platform.who
    if path.suffix.lower() == NOTEBOOK and stem_named(path.stem):
        return besides_stem(path.stem) or path.name
    return path.name


def belonging(listing: Listing, inner: PurePosixPath) -> list[Entry]:
    """The files of one submission: those at, beneath, or by their name of the path that `find_submissions` gave it."""
    beside = inner.parent
    depth = len(beside.parts)

    def is_its(path: PurePosixPath) -> bool:
        top = PurePosixPath(*path.parts[: depth + 1])
        return path.is_relative_to(beside) and inner.name in (top.name, key(top))

    return [one for one in listing.entries if inner == HERE or is_its(one.path)]


def _beneath_wrappers(listing: Listing) -> PurePosixPath:
    """The folder where it begins: a zip often holds one folder, and that everything else."""
    top = HERE
    while True:
        children = [one for one in _children(listing, top) if one.name != GRADESCOPE_LIST]
        alone = len(children) == 1 and children[0] in listing.folders
        if not alone or named(children[0].name) or stem_named(children[0].name) or children[0].name == "chapters":
            return top
        top = children[0]


def _children(listing: Listing, folder: PurePosixPath) -> list[PurePosixPath]:
    paths = [one.path for one in listing.entries] + list(listing.folders)
    return sorted({one for one in paths if one.parent == folder and one != folder})


def _is_submission(path: PurePosixPath, listing: Listing) -> bool:
    """Whether this one among many is handed in, not a file that lies there too."""
    wanted = path.suffix.lower() in (NOTEBOOK, ZIP)
    return path in listing.folders or wanted or named(path.name) is not None


def _is_one(listing: Listing, top: PurePosixPath) -> bool:
    """Whether a folder is one submission: a copy of the course, chapters by name, or folders named after them."""
    children = _children(listing, top)
    if any(named(one.name) for one in children):
        return False
    folders = [one for one in children if one in listing.folders]
    if any(one.name == "chapters" for one in folders):
        return True
    loose = [one for one in listing.entries if one.path.parent == top and one.path.suffix.lower() == NOTEBOOK]
    zips = [one for one in children if one.suffix.lower() == ZIP]
    if loose and not zips:
        return _are_of_one(loose, sum(map(_has_notebooks(listing), folders)))
    return bool(folders) and not zips and all(stem_named(one.name) for one in folders)


def _has_notebooks(listing: Listing) -> Callable[[PurePosixPath], bool]:
    def has_notebooks(folder: PurePosixPath) -> bool:
        return any(one.path.suffix.lower() == NOTEBOOK for one in listing.under(folder))

    return has_notebooks


def _are_of_one(notebooks: list[Entry], folders: int) -> bool:
    """Whether loose notebooks are somebody's chapters, beside so many folders with more notebooks."""
    names = [one.path.stem for one in notebooks]
    if any(stem_named(name) and not besides_stem(name) for name in names):
        return folders < 2  # a copy or a backup, but hardly two
    stems = Counter(map(_stem_inside, notebooks))
    return not folders and max(stems.values()) == 1


def _stem_inside(entry: Entry) -> str | None:
    try:
        return stem_named(entry.path.stem) or stem_defined(cells_of(entry.read(LARGEST)).sources)
    except Unreadable:
        return None


def names_of(paths: list[Path]) -> list[str]:
    """A name for each submission, no two alike: without its suffix, where that leaves it the only one."""
    short = [_without_suffix(path) for path in paths]
    return _each_once([one if short.count(one) == 1 else path.name for one, path in zip(short, paths, strict=True)])


def _without_suffix(path: Path) -> str:
    return path.stem if path.suffix.lower() in (NOTEBOOK, ZIP) else path.name


def _each_once(names: list[str], form: Callable[[str, int], str] = "{} ({})".format) -> list[str]:
    seen: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else form(name, seen[name]))
    return unique
