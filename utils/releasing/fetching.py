"""The release that is to come: a folder, a zip of one, or a commit or branch of the checkout, laid out in a folder."""

import contextlib
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from utils.course import CourseError
from utils.course.git import lay_out
from utils.releasing.manifest import (
    MANIFEST,
    Manifest,
    commit_of,
    course_files,
    git,
    is_ours,
    manifest_of,
    read_manifest,
    version_of,
)

# Bytes that a zip may come to: more is no course.
MOST = 2**30
NO_UPSTREAM = (
    "Say which release: python -m utils update RELEASE, where RELEASE is a folder, a zip, or a commit or branch. "
    "Without it the branch that yours follows is taken, and there is none here."
)


@dataclass(frozen=True)
class Coming:
    """A release, and where its files are. `commit` is of this checkout, "" for what is from elsewhere."""

    root: Path
    manifest: Manifest
    commit: str = ""


@contextlib.contextmanager
def coming(release: str | None, root: Path) -> Iterator[Coming]:
    """The release that is named so, for the time of the block.

    Raises CourseError where there is none, or what is there is no course.
    """
    with tempfile.TemporaryDirectory(prefix="course-release-") as folder:
        yield _laid_out(release, root, Path(folder))


def _laid_out(release: str | None, root: Path, folder: Path) -> Coming:
    path = Path(release) if release else None
    if path and path.is_dir():
        if path.resolve() == root.resolve():
            raise CourseError(f"{release} is the course that is to be updated: name the folder of the new release.")
        return _in_folder(path)
    if path and path.is_file():
        _unzip(path, folder)
        return _in_folder(_inner(folder))
    commit = _commit(release, root)
    lay_out(root, commit, folder)
    return Coming(folder, read_manifest(folder) or _manifest(folder, commit), commit)


def _in_folder(root: Path) -> Coming:
    missing = [name for name in ("chapters", "tests", "utils") if not (root / name).is_dir()]
    if missing:
        raise CourseError(f"{root} is no release of the course: it has no folder {' and no '.join(missing)}.")
    return Coming(root, read_manifest(root) or _manifest(root, commit_of(root)))


def _manifest(root: Path, commit: str) -> Manifest:
    names = [name for name in course_files(root) if name != MANIFEST]
    return manifest_of(root, names, version_of(root), commit, (root / "solutions").is_dir())


def _unzip(path: Path, folder: Path) -> None:
    """Raises CourseError for what is no zip, or leads out of the folder."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            bad = next((one.filename for one in entries if not is_ours(one.filename)), None)
            if bad:
                raise CourseError(f"{path} is no release of the course: it holds {bad!r}.")
            if sum(one.file_size for one in entries) > MOST:
                raise CourseError(f"{path} is no release of the course: unpacked it takes more than a gigabyte.")
            archive.extractall(folder)
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise CourseError(f"{path} can't be read as a zip: {error}. Get it once more.") from None


def _inner(folder: Path) -> Path:
    """The course within what was unpacked: many zips hold a single folder."""
    inside = list(folder.iterdir())
    is_wrapped = len(inside) == 1 and inside[0].is_dir() and inside[0].name != "chapters"
    return inside[0] if is_wrapped else folder


def _commit(release: str | None, root: Path) -> str:
    """The commit that is meant; what the upstream has is fetched first, where it can be had."""
    if not (root / ".git").exists():
        told = (
            f"{release} is neither a folder nor a file, and this course is no git checkout." if release else NO_UPSTREAM
        )
        raise CourseError(told)
    git(root, "fetch", "--quiet")
    name = release or "@{upstream}"
    found = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found is None:
        unknown = f"{release} is no folder, no file, and no commit or branch of this checkout."
        raise CourseError(unknown if release else NO_UPSTREAM)
    return found.strip()


def handed_out(root: Path, new: Coming) -> Manifest | None:
    """What this folder was before anybody worked in it; None where nobody knows.

    That is said by the release's own manifest, else by the last commit that this checkout shares with the release, or
    with the branch that it follows.
    """
    if own := read_manifest(root):
        return own
    others = [new.commit, "@{upstream}", "origin/HEAD"]
    shared = (git(root, "merge-base", "HEAD", other) for other in others if other)
    commit = next(filter(None, shared), None) or git(root, "rev-parse", "HEAD")
    if not commit:
        return None
    with tempfile.TemporaryDirectory(prefix="course-before-") as folder:
        lay_out(root, commit.strip(), Path(folder))
        return _manifest(Path(folder), commit.strip())
