"""What lies in a folder or a zip, as `Entry`s that are read only up to a bound; links and odd paths are left, and said.

Nothing is unpacked, so no path in a zip can lead anywhere; nothing but a regular file is opened, so nothing can hang.
"""

import io
import os
import stat
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO

MB = 1_000_000
MOST_FILES = 20_000  # in one submission
MOST_OF_A_PATH, DEEPEST = 4_096, 60  # characters of a path in a zip, as Linux has it; folders in it
LARGEST_ZIP = 100 * MB  # that is a submission; a download of many may be larger
IGNORED = {
    *("__MACOSX", "__pycache__", "node_modules", "site-packages", "venv", "Thumbs.db", "desktop.ini"),
    "before_update",  # what `python -m utils update` has put aside
}
USUAL = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # the others' readers unpack a lot before they can be stopped
IN_UTF_8 = 0x800  # the flag of a name that is
PIECE = 1024 * 1024  # bytes that are read at once
ONLY_REGULAR = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Unreadable(Exception):
    """Why a file can't be read: a sentence without its subject and its full stop, such as "is encrypted"."""


class NotOpened(Unreadable):
    """The system refuses to open it: that says nothing of what is in it."""


class TooLarge(Unreadable):
    """A bound of ours keeps it from being read: that says nothing of what is in it either."""


@dataclass(frozen=True)
class Entry:
    """A file in what was handed in."""

    path: PurePosixPath  # within it
    modified: float | None
    _open: Callable[[], IO[bytes]] = field(repr=False)

    def read(self, most: int) -> bytes:
        """Its bytes. Raises Unreadable, also where there are more than `most`; NotOpened by the system's fault."""
        return b"".join(self.pieces(most))

    def pieces(self, most: int, otherwise: str = "") -> Iterator[bytes]:
        """The bytes piece by piece, whatever size a zip claims; `otherwise` says what to do about too many."""
        left = most
        try:
            with self._open() as file:
                while left >= 0 and (piece := file.read(min(PIECE, left + 1))):
                    left -= len(piece)
                    if left >= 0:
                        yield piece
        except Unreadable:
            raise
        except Exception as error:  # whatever is wrong with a file, it is that file's problem
            said = str(error) or type(error).__name__
            raise Unreadable(f"can't be read ({said})") from None
        if left < 0:
            raise TooLarge(f"is larger than {most // MB} MB{otherwise}")


@dataclass
class Listing:
    """All files of a folder or a zip, and what is to be said of those that were left."""

    entries: list[Entry] = field(default_factory=list[Entry])
    folders: set[PurePosixPath] = field(default_factory=set[PurePosixPath])
    problems: list[str] = field(default_factory=list[str])

    @property
    def paths(self) -> set[PurePosixPath]:
        """Of all files."""
        return {entry.path for entry in self.entries}

    def entry(self, path: PurePosixPath) -> Entry:
        """The file at this path."""
        (found,) = self._beneath[path]
        return found

    def beneath(self, path: PurePosixPath) -> list[Entry]:
        """The files in a folder, however deep; of a file, itself."""
        return self._beneath.get(path, [])

    def children(self, folder: PurePosixPath) -> set[PurePosixPath]:
        """The files and folders that lie in a folder itself."""
        return set(self._children.get(folder, ()))

    @cached_property
    def _beneath(self) -> dict[PurePosixPath, list[Entry]]:
        found: dict[PurePosixPath, list[Entry]] = {}
        for entry in self.entries:
            for place in (entry.path, *entry.path.parents):
                found.setdefault(place, []).append(entry)
        return found

    @cached_property
    def _children(self) -> dict[PurePosixPath, set[PurePosixPath]]:
        found: dict[PurePosixPath, set[PurePosixPath]] = {}
        for path in self.paths | self.folders:
            found.setdefault(path.parent, set()).add(path)
        return found


def shown(name: object) -> str:
    """A name as it can stand in a sentence: on one line, of characters that can be seen, and not too long."""
    text = "".join(letter if letter.isprintable() else "�" for letter in str(name))
    return text if len(text) <= 100 else f"{text[:60]}…{text[-30:]}"


def is_ignored(part: str) -> bool:
    """What systems and editors leave behind: `.ipynb_checkpoints`, `__MACOSX` and the like."""
    return part in IGNORED or part.startswith((".", "~$"))


def listed(path: Path, most: int = MOST_FILES) -> Listing:
    """The entries at a path: a folder's files, those of a zip, or the one file; at most so many."""
    if path.is_dir():
        return _in_folder(path, most)
    if path.suffix.lower() == ".zip" and path.is_file():
        return in_zip(path, most)
    return Listing([_file(path, PurePosixPath(path.name))])


def _in_folder(folder: Path, most: int) -> Listing:
    found = Listing()
    for path, status in _walk(folder, found, most):
        inner = PurePosixPath(path.relative_to(folder).as_posix())
        if stat.S_ISDIR(status.st_mode):
            found.folders.add(inner)
        elif stat.S_ISREG(status.st_mode):
            found.entries.append(_file(path, inner))
        elif stat.S_ISLNK(status.st_mode):
            found.problems.append(f"{shown(inner)} is a link, which is not followed.")
        else:
            found.problems.append(f"{shown(inner)} is no file but a device or a pipe, which is not read.")
    return found


def _walk(folder: Path, found: Listing, most: int) -> Iterator[tuple[Path, os.stat_result]]:
    """Everything in a folder, in order; links are not followed."""
    waiting = [folder]
    while waiting:
        try:
            inside = sorted(waiting.pop().iterdir())
        except OSError as error:
            found.problems.append(f"A folder can't be read: {shown(error.strerror)}.")
            continue
        for path in inside:
            if is_ignored(path.name):
                continue
            if len(found.entries) >= most:
                found.problems.append(f"It holds more than {most:,} files; the rest is not read.")
                return
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode):
                waiting.append(path)
            yield path, status


def _file(path: Path, inner: PurePosixPath) -> Entry:
    def opened() -> IO[bytes]:
        try:
            number = os.open(path, os.O_RDONLY | ONLY_REGULAR)
        except OSError as error:
            raise NotOpened(f"can't be opened ({error.strerror})") from None
        if not stat.S_ISREG(os.fstat(number).st_mode):
            os.close(number)
            raise Unreadable("is no file but a device, a pipe or a folder")
        return os.fdopen(number, "rb")

    try:
        modified = path.stat().st_mtime
    except OSError:
        modified = None
    return Entry(inner, modified, opened)


def in_zip(source: Path | bytes, most: int = MOST_FILES) -> Listing:
    """The files of a zip, be it a file or what was read of one; what can't be read of it is a problem."""
    try:
        file = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
        inside = file.infolist()
    except OSError as error:
        return Listing(problems=[f"The zip can't be opened ({error.strerror})."])
    except Exception:  # whatever is wrong with it, it is no zip that can be read
        return Listing(problems=["The zip can't be read: it is damaged, or no zip."])
    found = Listing()
    if len(inside) > most:
        found.problems.append(f"It holds more than {most:,} files; the rest is not read.")
    members: dict[PurePosixPath, zipfile.ZipInfo] = {}
    for info in inside[:most]:
        _note(info, members, found)
    for path, info in members.items():
        _note_folders(path, found.folders)
        found.entries.append(Entry(path, _time(info), _opener(file, info)))
    found.folders.discard(PurePosixPath("."))
    return found


def _note(info: zipfile.ZipInfo, members: dict[PurePosixPath, zipfile.ZipInfo], found: Listing) -> None:
    """Sort in one member of a zip."""
    path = PurePosixPath(_name(info).replace("\\", "/"))
    if said := _what_is_odd(info, path):
        found.problems.append(f"{shown(info.filename)} {said}.")
    elif any(map(is_ignored, path.parts)):
        return
    elif info.is_dir():
        _note_folders(path / "inside", found.folders)
    else:
        if path in members:
            found.problems.append(f"The zip holds {shown(path)} more than once: the last counts.")
        members[path] = info


def _name(info: zipfile.ZipInfo) -> str:
    """The name as it was packed: a Mac writes UTF-8 and does not say so, and zipfile takes it for code page 437."""
    if info.flag_bits & IN_UTF_8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _note_folders(path: PurePosixPath, folders: set[PurePosixPath]) -> None:
    """Add those that it lies in; where one is known, those around it are too."""
    for folder in path.parents:
        if folder in folders:
            return
        folders.add(folder)


def _what_is_odd(info: zipfile.ZipInfo, path: PurePosixPath) -> str:
    """Why a member of a zip is left; nothing where it is not."""
    if len(info.filename) > MOST_OF_A_PATH or len(path.parts) > DEEPEST:
        return "is a longer path than files have, which is not read"
    if path.is_absolute() or ".." in path.parts or (path.parts[:1] and path.parts[0].endswith(":")):
        return "is a path that leads out of the zip, which is not read"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link, which is not followed"
    return ""


def _opener(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        if info.flag_bits & 1:
            raise Unreadable("is encrypted")
        if info.compress_type not in USUAL:
            raise Unreadable("is packed in an unusual way")
        return file.open(info)

    return opened


def _time(info: zipfile.ZipInfo) -> float | None:
    """Zips have local time, to two seconds."""
    try:
        return time.mktime((*info.date_time, 0, 0, -1))
    except (OverflowError, ValueError):
        return None
