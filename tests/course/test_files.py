"""utils.course.files: a file is written whole or not at all, whoever else writes it at the same time."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from utils.course.files import write_text


def test_the_same_bytes_everywhere_and_folders_are_made(tmp_path):
    path = tmp_path / "a" / "b" / "file.py"
    write_text(path, "✔\n")
    assert path.read_bytes() == b"\xe2\x9c\x94\n"
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_what_fails_leaves_the_old_text_and_nothing_else(error, tmp_path, monkeypatch):
    def fail(*arguments):
        raise error

    path = tmp_path / "file.py"
    write_text(path, "old")
    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(type(error)):
        write_text(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_of_the_folders_that_it_made_those_with_other_things_stay(tmp_path, monkeypatch):
    def fail(*arguments):
        (tmp_path / "a" / "other").write_text("of another writer")
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_text(tmp_path / "a" / "b" / "file.py", "new")
    assert [*tmp_path.rglob("*")] == [tmp_path / "a", tmp_path / "a" / "other"]


def test_a_text_that_can_not_be_encoded_leaves_nothing(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "file.py", "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_writers_at_the_same_time_do_not_collide(tmp_path):
    path = tmp_path / "file.py"
    texts = [str(number) * 10_000 for number in range(10)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda text: write_text(path, text), texts * 20))
    assert path.read_text() in texts and list(tmp_path.iterdir()) == [path]
