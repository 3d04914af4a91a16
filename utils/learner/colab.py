"""Google Colab: a runtime made ready for the course, and my_gpt/ kept beyond the runtime's end.

Every notebook begins with a cell that fetches the course and calls `prepare` (author/notebooks.py). pip adds what the
course needs beside what Colab has, once for a runtime, and changes nothing that is there: Colab's pages know the
ipywidgets and the plotly that came with Colab, and what is imported already stays in memory. So every version that is
there is handed to pip as one to keep. my_gpt/ is on Google Drive, or a zip to take along, and back.
"""

import filecmp
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from importlib.metadata import distributions
from pathlib import Path, PurePosixPath

from IPython.core.getipython import get_ipython

from utils.course import ROOT, CourseError, repository, state_dir
from utils.course.files import write_text
from utils.learner.collecting import remember
from utils.learner.handed import handed_over
from utils.learner.progress import progress_bar

PIP = (*("install", "--quiet", "--disable-pip-version-check"), *("--no-input", "--progress-bar=off", "--retries=2"))
VERSION = re.compile(r"[\w.!+-]+")
FAILED = """\
What the course needs could not be installed. Run this cell again: pip then begins anew. If it stays so, this \
runtime has no network; Runtime, Disconnect and delete runtime, gives you another one. pip says:
{said}"""
RESTART = """\
The course is installed, and other versions of {changed} had to take the place of Colab's. Choose \
Runtime, Restart session, then run this cell again: it takes a second."""
DRIVE = Path("/content/drive")
OFFER = """\
What you write is kept in my_gpt/. That goes when this runtime ends, and the next notebook has a runtime of its own.
To find it there, and when you come back:
- tick keep_on_drive in this cell and run it again: my_gpt/ is then on your Google Drive; or
- run download_my_gpt() in a new cell before you go, for a zip, and bring_back_my_gpt() where you go on."""
LEFT_OUT = {"__pycache__", "__MACOSX"}
# Bytes of one file: a model of GPT-2 small's size would be more, and is no part of my_gpt/.
LARGEST = 2**28
SAME = "nothing has changed."
CANT_BE_READ = (zipfile.BadZipFile, OSError, RuntimeError)  # the last where it asks for a password
PACKAGE = {"__init__.py", "__main__.py"}  # beside the answers, the course's own


def prepare(keep_on_drive: bool = False) -> None:
    """Install what the course needs, once for a runtime; say where my_gpt/ is, and how to keep it.

    Raises NotInstalled, with what to do next, where pip fails.
    """
    began = time.monotonic()
    installed = install()
    if shell := get_ipython():
        commands = (download_my_gpt, bring_back_my_gpt)
        shell.push({command.__name__: command for command in commands})
    seconds = time.monotonic() - began
    print(f"Ready, after {seconds:.0f} seconds." if installed else "Ready.")
    if keep_on_drive:
        print(*kept_on_drive(), sep="\n")
    print(where_it_is_kept())


class NotInstalled(Exception):
    """What the course needs could not be installed: why, and what to do. A notebook shows the message alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def install(course: Path = ROOT) -> bool:
    """Run pip, unless it has finished here before; whether it ran.

    A note is written when pip has done everything, so an interrupted one runs again. Raises NotInstalled.
    """
    note = course / ".colab-installed"
    requirements = (course / "requirements.txt").read_text(encoding="utf-8")
    wanted = f"{sys.prefix}\n{requirements}"
    if note.is_file() and note.read_text(encoding="utf-8") == wanted:
        return False
    before = versions()
    told = _pip(before, course)
    if "ResolutionImpossible" in told:
        # a later Colab, with something that the course can't use
        told = _pip({"torch": before["torch"]}, course)
    if told:
        raise NotInstalled(FAILED.format(said=_said(told)))
    write_text(note, wanted)
    # a kernel that runs already does not look for new files by itself
    importlib.invalidate_caches()
    after = versions()
    stayed = before.keys() & after.keys()
    changed = [name for name in sorted(stayed) if before[name] != after[name]]
    if changed:
        raise NotInstalled(RESTART.format(changed=", ".join(changed)))
    return True


def versions() -> dict[str, str]:
    """The version of everything that this Python has, by its name."""
    named = [distribution for distribution in distributions() if distribution.name]
    found = {distribution.name: distribution.version or "" for distribution in named}
    return {name: version for name, version in found.items() if VERSION.fullmatch(version)}


def _pip(keep: dict[str, str], course: Path) -> str:
    """Install requirements.txt, with these versions as they are; what pip says where it fails, else ""."""
    pinned = [f"{name}=={version}\n" for name, version in keep.items()]
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "keep.txt"
        kept.write_text("".join(pinned), encoding="utf-8")
        files = ("--constraint", str(kept), "--requirement", "requirements.txt")
        command = [sys.executable, "-m", "pip", *PIP, *files]
        ran = subprocess.run(command, cwd=course, capture_output=True, encoding="utf-8", errors="replace")
    if not ran.returncode:
        return ""
    return ran.stderr or f"pip stopped with {ran.returncode}"


def _said(told: str) -> str:
    """The last lines that say what is wrong."""
    lines = told.splitlines()
    errors = [line for line in lines if line.startswith("ERROR")]
    last = (errors or lines)[-3:]
    return "\n".join(f"    {line}" for line in last)


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
            for member in packed.infolist():
                if place := _inside(member):
                    _write(packed, member, home / place)
    except FileNotFoundError:
        raise CourseError(f"There is no file {archive}.") from None
    except CANT_BE_READ as error:
        raise CourseError(f"{name} can't be read as a zip ({error}); {SAME}") from None
    if not home.is_dir():
        raise CourseError(f"{name} holds no my_gpt/, as download_my_gpt() packs it; {SAME}")
    return home


def _inside(member: zipfile.ZipInfo) -> Path | None:
    """Where a file belongs below my_gpt/; None for what does not belong there, or leads out of it."""
    parts = PurePosixPath(member.filename).parts
    if "my_gpt" not in parts or {"..", *LEFT_OUT} & set(parts):
        return None
    if member.is_dir() or member.file_size > LARGEST:
        return None
    return Path(*parts[parts.index("my_gpt") + 1 :])


def _write(packed: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(member) as source, place.open("wb") as target:
        shutil.copyfileobj(source, target)
    written = time.mktime((*member.date_time, 0, 0, -1))
    os.utime(place, (written, written))


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
