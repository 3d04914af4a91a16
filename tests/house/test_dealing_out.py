"""tests.dealing_out: a worker that dies is a failure, not a run that never ends."""

import os
import subprocess
import sys

import pytest

from utils.course import ROOT

pytestmark = pytest.mark.slow
CONFTEST = """
from tests.dealing_out import Together

def pytest_xdist_make_scheduler(config, log):
    return Together(config, log, ("whole/",))
"""
DIES = "import os\n\ndef test_dies(): os._exit(1)\n"
HANGS = "import time\n\ndef test_hangs(): time.sleep(1000)\n"


def said_of(folder, **files):
    """What pytest says of these files, whose tests two workers run."""
    folder.joinpath("conftest.py").write_text(CONFTEST)
    for name, source in files.items():
        folder.joinpath(f"test_{name}.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:gpt-from-scratch", "-p", "no:cacheprovider"]
    dealt_out = ["-n2", "--dist", "loadfile", "--no-loadscope-reorder"]
    a_hang_ends = ["-o", "faulthandler_timeout=4", "-o", "faulthandler_exit_on_timeout=true"]
    ran = subprocess.run(
        [*command, *dealt_out, *a_hang_ends, "."],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=100,
    )
    assert ran.returncode == 1, ran.stdout
    return ran.stdout


def several(name, number):
    return "".join(f"def test_{name}{n}(): pass\n" for n in range(number))


@pytest.mark.parametrize("after", [0, 1, 3])
def test_where_a_worker_dies_last_the_rest_of_its_file_is_run(after, tmp_path):
    said = said_of(tmp_path, a=several("a", 4), b=several("b", 9), c=several("c", 3) + DIES + several("d", after))
    assert f"1 failed, {16 + after} passed" in said


def test_where_both_workers_die_all_else_is_run(tmp_path):
    said = said_of(tmp_path, a=DIES + several("a", 1), b=HANGS + several("b", 2), c=several("c", 5), d=DIES)
    assert "3 failed, 8 passed" in said


def test_folders_are_kept_together(tmp_path):
    tmp_path.joinpath("whole").mkdir()
    pids = "import os, pathlib\n\ndef test_{0}(): pathlib.Path('{0}').write_text(str(os.getpid()))\n"
    for name in "abcdef":
        tmp_path.joinpath("whole", f"test_{name}.py").write_text(pids.format(name))
    said_of(tmp_path, z=DIES)
    assert len({tmp_path.joinpath(name).read_text() for name in "abcdef"}) == 1
