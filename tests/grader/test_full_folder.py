"""A folder for temporary files that is full is nobody's grade: nothing is judged, and it is said what to do."""

import contextlib
import os
import sqlite3
import subprocess
import sys

import pytest

from tests.grader.answers import chapter, write_submission
from utils.course import ROOT

IN_A_FULL_FOLDER = """
mount -t tmpfs -o size=64k none "$TMPDIR" || exit 99
"$@"
status=$?
ls -A "$TMPDIR"
exit $status
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux mounts a folder for one process")
def test_nobody_is_graded_where_there_is_no_room_for_a_box(tmp_path):
    write_submission(tmp_path / "class" / "ada.ipynb", chapter("ch03_layernorm"))
    (tmp_path / "full").mkdir()
    grade = [sys.executable, "-m", "utils", "grade", tmp_path / "class", "--gradebook", tmp_path / "grades.sqlite"]
    alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", IN_A_FULL_FOLDER, "sh"]
    environment = os.environ | {"TMPDIR": str(tmp_path / "full")}
    done = subprocess.run([*alone, *grade], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip(f"this machine lends no mount of one's own: {done.stderr.strip()}")
    assert done.returncode == 1
    assert done.stderr.startswith(f"No box for answers can be made in {tmp_path / 'full'} ("), done.stderr
    assert done.stderr.endswith(" No space left on device). Make room there, or set TMPDIR.\n"), done.stderr
    assert done.stdout == ""  # nothing was told of anybody, and nothing is left in that folder
    with contextlib.closing(sqlite3.connect(tmp_path / "grades.sqlite")) as book:
        assert book.execute("select count(*) from grade").fetchone() == (0,)
