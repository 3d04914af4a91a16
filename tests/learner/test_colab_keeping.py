"""utils.learner.colab: my_gpt/ on Google Drive or as a zip; nothing is lost, and nothing is overwritten unsaid."""

import os
import sys
import zipfile
from types import ModuleType

import pytest

from utils.learner import colab
from utils.learner.colab import bring_back_my_gpt, download_my_gpt, kept_on_drive, merge, where_it_is_kept
from utils.learner.progress import passed, record_pass

OURS, THEIRS = "def gelu_new(x):\n    return 1\n", "def gelu_new(x):\n    return 2\n"


class Google(ModuleType):
    """google.colab's drive and files in one: a mounted Drive is a folder, the browser is a list."""

    def __init__(self):
        super().__init__("google.colab.drive")
        self.refused, self.downloaded, self.chosen = False, [], {}

    def mount(self, folder):
        if self.refused:
            raise ValueError("mount failed")
        os.makedirs(os.path.join(folder, "MyDrive"), exist_ok=True)

    def download(self, path):
        self.downloaded.append(path)

    def upload(self):
        return self.chosen


@pytest.fixture
def google(monkeypatch):
    google = Google()
    for name in ("google.colab", "google.colab.drive", "google.colab.files"):
        monkeypatch.setitem(sys.modules, name, google)
    return google


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A folder of a learner who has passed one exercise."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "here"))
    record_pass("ch05_mlp", "gelu_new")
    written(tmp_path / "here", OURS, at=1000)
    return tmp_path / "here"


def written(folder, text, at, name="gelu_new.py"):
    file = folder / "my_gpt" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (at, at))
    return file


def versions(folder):
    return sorted(file.read_text() for file in (folder / "my_gpt" / "versions").glob("*"))


def test_on_drive_is_what_was_here_and_what_comes(google, state, tmp_path):
    assert kept_on_drive(tmp_path / "drive") == []
    home = tmp_path / "drive" / "MyDrive" / "gpt-from-scratch"
    assert os.environ["COURSE_STATE"] == str(home)
    assert (home / "my_gpt" / "gelu_new.py").read_text() == OURS and passed() == {("ch05_mlp", "gelu_new")}
    told = where_it_is_kept(tmp_path / "drive")
    assert told.startswith("What you write is kept on your Google Drive, in MyDrive/gpt-from-scratch/my_gpt. ▰▱")
    record_pass("ch05_mlp", "MLP")
    assert kept_on_drive(tmp_path / "drive") == [] and len(passed()) == 2


def test_the_folder_on_drive_is_called_as_the_repository(google, state, tmp_path, monkeypatch):
    monkeypatch.setattr(colab, "repository", lambda: "ada/nlp-course")
    kept_on_drive(tmp_path / "drive")
    assert (tmp_path / "drive" / "MyDrive" / "nlp-course" / "my_gpt" / "gelu_new.py").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("at", "used", "which"), [(2000, THEIRS, "there"), (500, OURS, "brought")])
def test_of_two_answers_the_later_is_used_and_both_are_kept(google, state, tmp_path, at, used, which):
    home = tmp_path / "drive" / "MyDrive" / "gpt-from-scratch"
    written(home, THEIRS, at)
    (told,) = kept_on_drive(tmp_path / "drive")
    assert told.startswith(f"gelu_new.py: there were two. In use is the later, the one that was {which}; both are in")
    assert (home / "my_gpt" / "gelu_new.py").read_text() == used and versions(home) == sorted([OURS, THEIRS])
    assert (state / "my_gpt" / "gelu_new.py").read_text() == OURS


def test_where_drive_is_refused_all_stays_as_it_is(google, state, tmp_path):
    google.refused = True
    (told,) = kept_on_drive(tmp_path / "drive")
    assert told == "Google Drive is not connected (mount failed). To try once more, run this cell again."
    assert os.environ["COURSE_STATE"] == str(state) and where_it_is_kept(tmp_path / "drive").startswith(
        "What you write"
    )


def test_a_zip_brings_everything_into_another_runtime(google, state, tmp_path, monkeypatch, capsys):
    written(state, "junk", 1000, "__pycache__/x.pyc")
    download_my_gpt()
    (archive,) = google.downloaded
    assert sorted(zipfile.ZipFile(archive).namelist()) == ["my_gpt/gelu_new.py", "my_gpt/passed/ch05_mlp.gelu_new"]
    assert capsys.readouterr().out.startswith("Your browser saves my_gpt.zip.")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "elsewhere"))
    with open(archive, "rb") as file:
        google.chosen = {"my_gpt (1).zip": file.read()}
    bring_back_my_gpt()
    assert (tmp_path / "elsewhere" / "my_gpt" / "gelu_new.py").read_text() == OURS
    assert passed() == {("ch05_mlp", "gelu_new")} and " 1 of " in capsys.readouterr().out


def test_a_zip_overwrites_nothing_unsaid(google, state, tmp_path, monkeypatch, capsys):
    download_my_gpt()
    written(state, THEIRS, 4_000_000_000)
    monkeypatch.setattr("utils.own_gpt.writing.write_package", lambda: pytest.fail("nothing is new"))
    capsys.readouterr()
    bring_back_my_gpt(google.downloaded[0])
    assert "In use is the later, the one that was there" in capsys.readouterr().out
    assert (state / "my_gpt" / "gelu_new.py").read_text() == THEIRS and versions(state) == sorted([OURS, THEIRS])


def test_the_package_is_written_anew_of_answers_that_came(google, state, tmp_path, monkeypatch):
    download_my_gpt()
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "elsewhere"))
    written(tmp_path / "elsewhere", "def softmax(): ...\n", 1000, "softmax.py")
    anew = []
    monkeypatch.setattr("utils.own_gpt.writing.write_package", lambda: anew.append(1))
    bring_back_my_gpt(google.downloaded[0])
    assert anew == [1]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (None, "my_gpt.zip can't be read as a zip"),
        (["other/x.py"], "my_gpt.zip holds no my_gpt/, as download_my_gpt() packs it; nothing has changed."),
        (["my_gpt/../../x.py"], "my_gpt.zip holds no my_gpt/"),
    ],
)
def test_what_is_no_such_zip_changes_nothing(google, state, tmp_path, capsys, names, said):
    archive = tmp_path / "my_gpt.zip"
    if names is None:
        archive.write_text("no zip")
    else:
        with zipfile.ZipFile(archive, "w") as packed:
            for name in names:
                packed.writestr(name, "x = 1")
    before = sorted(tmp_path.rglob("*"))
    bring_back_my_gpt(str(archive))
    assert said in capsys.readouterr().out and sorted(tmp_path.rglob("*")) == before


def test_no_file_and_nothing_to_take_along_are_said(google, state, tmp_path, monkeypatch, capsys):
    bring_back_my_gpt()
    bring_back_my_gpt("gone.zip")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "empty"))
    download_my_gpt()
    assert capsys.readouterr().out.splitlines() == [
        "No file was chosen; nothing has changed.",
        "There is no file gone.zip.",
        "There is no my_gpt/ yet: it is made when you run a chapter.",
    ]


def test_versions_of_both_are_kept_under_numbers_of_their_own(tmp_path):
    for folder, text in (("a", "one"), ("b", "two")):
        written(tmp_path / folder, text, 1000, "versions/softmax.1.py")
    assert merge(tmp_path / "a" / "my_gpt", tmp_path / "b" / "my_gpt") == []
    assert versions(tmp_path / "b") == ["one", "two"]
    assert merge(tmp_path / "none", tmp_path / "b" / "my_gpt") == []


def test_the_package_that_is_there_stays(tmp_path):
    for folder in ("a", "b"):
        written(tmp_path / folder, f"made in {folder}", 1000 if folder == "b" else 2000, "__init__.py")
        written(tmp_path / folder, f"model of {folder}", 1000, "model/README.md")
    assert merge(tmp_path / "a" / "my_gpt", tmp_path / "b" / "my_gpt") == []
    assert (tmp_path / "b" / "my_gpt" / "__init__.py").read_text() == "made in b"
    assert (tmp_path / "b" / "my_gpt" / "model" / "README.md").read_text() == "model of b"
