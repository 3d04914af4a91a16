"""What is done in Colab goes when the runtime goes: my_gpt/ on Google Drive, or as a zip to take along."""

import importlib
import os
import tempfile
from pathlib import Path

from utils.course import CourseError, repository, state_dir
from utils.learner.colab.merging import answers, merge
from utils.learner.colab.zips import pack, unpack
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
