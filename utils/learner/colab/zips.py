"""my_gpt/ as a zip, and back."""

import os
import shutil
import time
import zipfile
from pathlib import Path, PurePosixPath

from utils.course import CourseError

LEFT_OUT = {"__pycache__", "__MACOSX"}
# Bytes of one file: a model of GPT-2 small's size would be more, and is no part of my_gpt/.
LARGEST = 2**28
SAME = "nothing has changed."
CANT_BE_READ = (zipfile.BadZipFile, OSError, RuntimeError)  # the last where it asks for a password


def pack(folder: Path, archive: Path) -> None:
    """Write a zip of my_gpt/ in which every file stands under my_gpt/."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as packed:
        for path in sorted(filter(Path.is_file, folder.rglob("*"))):
            name = path.relative_to(folder)
            is_left_out = path.suffix == ".partial" or LEFT_OUT & set(name.parts)
            if not is_left_out:
                packed.write(path, f"my_gpt/{name.as_posix()}")


def unpack(archive: Path, folder: Path) -> Path:
    """The my_gpt/ of a zip, written into `folder` with the times that its files had.

    Raises CourseError where the file is not there, is no zip, or holds no my_gpt/.
    """
    home = folder / "unpacked" / "my_gpt"
    name = archive.name
    try:
        with zipfile.ZipFile(archive) as packed:
            for one in packed.infolist():
                if place := _inside(one):
                    _write(packed, one, home / place)
    except FileNotFoundError:
        raise CourseError(f"There is no file {archive}.") from None
    except CANT_BE_READ as error:
        raise CourseError(f"{name} can't be read as a zip ({error}); {SAME}") from None
    if not home.is_dir():
        raise CourseError(f"{name} holds no my_gpt/, as download_my_gpt() packs it; {SAME}")
    return home


def _inside(one: zipfile.ZipInfo) -> Path | None:
    """Where a file belongs below my_gpt/; None for what does not belong there, or leads out of it."""
    parts = PurePosixPath(one.filename).parts
    if "my_gpt" not in parts or {"..", *LEFT_OUT} & set(parts):
        return None
    if one.is_dir() or one.file_size > LARGEST:
        return None
    return Path(*parts[parts.index("my_gpt") + 1 :])


def _write(packed: zipfile.ZipFile, one: zipfile.ZipInfo, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(one) as source, place.open("wb") as target:
        shutil.copyfileobj(source, target)
    written = time.mktime((*one.date_time, 0, 0, -1))
    os.utime(place, (written, written))
