"""What is done in Colab goes when the runtime goes: my_gpt/ on Google Drive, or as a zip to take along, and back."""

import filecmp
import importlib
import os
import re
import shutil
import tempfile
import time
import zipfile
from pathlib import Path, PurePosixPath

from utils.course import CourseError, repository, state_dir
from utils.learner.collecting import remember
from utils.learner.handed import handed_over
from utils.learner.progress import progress_bar

DRIVE = Path("/content/drive")
OFFER = """\
What you write is kept in my_gpt/. That goes when this runtime ends, and the next notebook has a runtime of its own.
To find it there, and when you come back:
- tick keep_on_drive in this cell and run it again: my_gpt/ is then on your Google Drive; or
- run download_my_gpt() in a new cell before you go, for a zip, and bring_back_my_gpt() where you go on."""


def kept_on_drive(drive: Path = DRIVE) -> list[str]:
    """From now on my_gpt/ is on Google Drive, with what is here already; what there is to say of it.

    Where Drive can't be had, all stays as it is.
    """
    name = (repository() or "gpt-from-scratch").rpartition("/")[2]
    home = drive / "MyDrive" / name
    here = state_dir() / "my_gpt"
    try:
        _colabs("drive").mount(str(drive))
        home.mkdir(parents=True, exist_ok=True)
    except Exception as error:  # Colab's own kinds, and ValueError where it is refused
        not_connected = f"Google Drive is not connected ({error})."
        return [f"{not_connected} To try once more, run this cell again."]
    os.environ["COURSE_STATE"] = str(home)
    return _taken_in(here)


def where_it_is_kept(drive: Path = DRIVE) -> str:
    """Where my_gpt/ is, and what to do where it would be lost."""
    if not state_dir().is_relative_to(drive):
        return OFFER
    home = state_dir().relative_to(drive)
    return f"What you write is kept on your Google Drive, in {home}/my_gpt. {progress_bar()}"


def download_my_gpt() -> None:
    """Your browser gets my_gpt/ as a zip: all that you have written, and how far you are."""
    folder = state_dir() / "my_gpt"
    if not folder.is_dir():
        print("There is no my_gpt/ yet: it is made when you run a chapter.")
        return
    # It stays: the browser fetches it after this cell has ended.
    archive = Path(tempfile.mkdtemp()) / "my_gpt.zip"
    pack(folder, archive)
    _colabs("files").download(str(archive))
    print("Your browser saves my_gpt.zip. In another runtime, bring_back_my_gpt() takes it in.")


def bring_back_my_gpt(file: str | None = None) -> None:
    """Take in a zip that download_my_gpt() made; without `file`, your browser asks which.

    Nothing is lost: of two answers to one exercise the later is used, and my_gpt/versions/ has the other.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            archive = Path(file) if file else _uploaded(Path(folder))
            told = _taken_in(unpack(archive, Path(folder)))
        except CourseError as error:
            print(error)
            return
    print(*told, progress_bar(), sep="\n")


def _taken_in(source: Path) -> list[str]:
    """Put another my_gpt/ into the one in use; the package there is made anew of the answers that are new to it."""
    target = state_dir() / "my_gpt"
    before = answers(target)
    told = merge(source, target)
    if before and answers(target) != before:
        handed_over().write_package()
    return told


def _uploaded(folder: Path) -> Path:
    """The file that the learner chooses in the browser."""
    contents = _colabs("files").upload()
    if not contents:
        raise CourseError("No file was chosen; nothing has changed.")
    archive = folder / "my_gpt.zip"
    archive.write_bytes(next(iter(contents.values())))
    return archive


def _colabs(module: str):
    """A module of google.colab, which is nowhere else and can't be installed."""
    return importlib.import_module(f"google.colab.{module}")


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


PACKAGE = {"__init__.py", "__main__.py"}  # beside the answers, the course's own


def merge(source: Path, target: Path) -> list[str]:
    """Bring what is in `source` into `target`; what there is to say of it, a line each. `source` stays as it is.

    The package around the answers (README.md, course/, parts/, model/) is made of them. Where there is one already, it
    stays, to be written anew.
    """
    if not source.is_dir() or source.resolve() == target.resolve():
        return []
    told = []
    brought = answers(source)
    for file in sorted(filter(Path.is_file, source.rglob("*"))):
        name = file.relative_to(source)
        there = target / name
        if name.parts[0] == "versions":
            unnumbered = re.sub(r"\.\d+(?=\.|$)", "", name.name)
            _remember(file, target / unnumbered)
        elif not there.exists():
            _copy(file, there)
        elif name in brought and not filecmp.cmp(file, there, shallow=False):
            told.append(_settled(file, there))
    return told


def answers(folder: Path) -> dict[Path, str]:
    """The texts of a learner's own components, each under its name."""
    files = [path for path in folder.glob("*.py") if path.name not in PACKAGE]
    return {path.relative_to(folder): _text(path) for path in files}


def _settled(file: Path, there: Path) -> str:
    """Two answers to one exercise: the later one is used, and both are among the versions."""
    _remember(there, there)
    _remember(file, there)
    which = "there"
    if file.stat().st_mtime > there.stat().st_mtime:
        which = "brought"
        _copy(file, there)
    in_use = f"In use is the later, the one that was {which}"
    return f"{there.name}: there were two. {in_use}; both are in my_gpt/versions/."


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _remember(file: Path, answer: Path) -> None:
    remember(file.read_bytes(), answer)


def _copy(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, place)
